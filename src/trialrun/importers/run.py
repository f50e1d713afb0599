"""One import from input files to merged documents: the formats of imports, and which of them an input file has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from trialrun.importers.api import import_api, is_api
from trialrun.importers.feast import import_feast, is_feast
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import Imported, ImportedDocument, Importer, ImportOptions, Note
from trialrun.importers.menu import import_menu, is_menu
from trialrun.importers.table_schema import import_schema, is_schema
from trialrun.importers.terraform import import_terraform, is_terraform

FORMATS: Mapping[str, tuple[Importer, Callable[[InputFile], bool]]] = {
    "api": (import_api, is_api),
    "terraform": (import_terraform, is_terraform),
    "menu": (import_menu, is_menu),
    "schema": (import_schema, is_schema),
    "feast": (import_feast, is_feast),
}
"""By the word on the command line, what imports a format and what recognizes it; both raise InputError."""


def detect_format(file: InputFile) -> str:
    """The format of a file. Raises InputError where it has none, or may have several."""
    names: list[str] = []
    errors: list[InputError] = []
    for name, (_, recognizes) in FORMATS.items():
        try:
            names += [name] if recognizes(file) else []
        except InputError as error:
            errors.append(error)
    if len(names) == 1:
        return names[0]
    if not names and errors:
        raise errors[0]
    if not names:
        raise InputError(f"{file.name} has nothing that an import reads; name its format: {_choices(FORMATS)}")
    raise InputError(f"{file.name} may be {_choices(names)}; name its format: trialrun import {names[0]} {file.name}")


def _choices(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def import_files(files: Sequence[InputFile], format_name: str | None, options: ImportOptions) -> Imported:
    """The documents of input files; without a name, the format of each follows from its content. Raises InputError."""
    by_format: dict[str, list[InputFile]] = {}
    for file in files:
        by_format.setdefault(format_name or detect_format(file), []).append(file)
    return merge_imports(FORMATS[name][0](group, options) for name, group in by_format.items())


def merge_imports(imports: Iterable[Imported]) -> Imported:
    """All documents, each resource once, in the order of kinds and names; a resource without a name gets a number."""
    notes: list[Note] = []
    documents: dict[tuple[str, str], ImportedDocument] = {}
    unnamed = 0
    for imported in imports:
        notes += imported.notes
        for document in imported.documents:
            if not document.resource:
                unnamed += 1
                document = replace(document, resource=f"unnamed-{unnamed}", file_id=f"unnamed-{unnamed}")
            first = documents.setdefault((document.kind, document.resource), document)
            if first is not document and first.value != document.value:
                message = "a resource that is there twice, with other content; the first counts"
                notes.append(Note("dropped", message, document.place))
    return Imported([documents[key] for key in sorted(documents)], notes)
