"""The formats of imports, and which of them an input file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import Importer
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the module of its importer, and its functions there that read it and that recognize it."""

    module: str
    importer: str
    recognizer: str

    def read(self) -> Importer:
        """The importer."""
        importer: Importer = getattr(import_module(f"trialrun.importers.{self.module}"), self.importer)
        return importer

    def matches(self, file: InputFile) -> bool:
        """Whether a file seems to have this format. Raises InputError for one that cannot be read."""
        return bool(getattr(import_module(f"trialrun.importers.{self.module}"), self.recognizer)(file))


FORMATS: Mapping[str, Format] = {
    "api": Format("api", "import_api", "is_api"),
    "terraform": Format("terraform", "import_terraform", "is_terraform"),
    "menu": Format("menu", "import_menu", "is_menu"),
    "schema": Format("table_schema", "import_schema", "is_schema"),
    "feast": Format("feast", "import_feast", "is_feast"),
}
"""The formats by the word on the command line."""


def detect_format(file: InputFile) -> str:
    """The format of a file. Raises InputError where it has none, or may have several."""
    names: list[str] = []
    errors: list[InputError] = []
    for name, format_ in FORMATS.items():
        try:
            names += [name] if format_.matches(file) else []
        except InputError as error:
            errors.append(error)
    if len(names) == 1:
        return names[0]
    if not names and errors:
        raise errors[0]
    if not names:
        raise InputError(f"{file.name} has nothing that an import reads; name its format: {_choices(FORMATS)}")
    raise InputError(f"{file.name} may be {_choices(names)}; name its format: trialrun import {names[0]} {file.name}")


def _choices(names: Sequence[str] | Mapping[str, Format]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
