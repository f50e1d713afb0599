"""One import from input files to merged documents: the formats of imports, and which of them an input file has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trialrun.importers import menu_feed, menu_square, menu_toast, menu_uber_eats, menu_vendor
from trialrun.importers.api import import_api, is_api
from trialrun.importers.feast import import_feast, is_feast
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import (
    Imported,
    ImportedDocument,
    Importer,
    ImportOptions,
    InputPlace,
    Note,
    complete,
    repeated_key_notes,
)
from trialrun.importers.menu_builder import MAX_ITEMS, MenuNotes, Parts, too_many_items
from trialrun.importers.menu_csv import is_csv, read_csv
from trialrun.importers.table_schema import import_schema, is_schema
from trialrun.importers.terraform import import_terraform, is_terraform

SYSTEMS = (menu_square, menu_toast, menu_uber_eats, menu_feed, menu_vendor)
"""The modules of systems with JSON: each has `is_menu` and `read_menus`; the first that recognizes a value counts."""
Reader = Callable[[Parts, MenuNotes], Iterator[ImportedDocument]]


def import_menu(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The menus of files. Raises InputError."""
    notes: list[Note] = []
    return complete((draft for file in files for draft in _read_file(file, options, notes)), notes)


def is_menu(file: InputFile) -> bool:
    """Whether a file is a menu of a known system."""
    return is_csv(file) or any(_system(value) is not None for value in file.documents)


def _read_file(file: InputFile, options: ImportOptions, further: list[Note]) -> list[ImportedDocument]:
    notes = MenuNotes(options.now)
    if is_csv(file):
        menus = list(read_csv(file, notes))
        further += notes.notes()
        return menus
    parts: dict[Reader, list[tuple[Any, InputPlace]]] = {}
    for number, value in enumerate(file.documents):
        place = InputPlace(file.name, document=number)
        if (read := _system(value)) is not None:
            parts.setdefault(read, []).append((value, place))
        else:
            notes.add("dropped", "what is no part of a menu", place)
    drafts: list[ImportedDocument] = []
    items = 0
    for read, of_system in parts.items():
        for draft in read(of_system, notes):
            items += len(draft.value.get("items", ()))
            if items > MAX_ITEMS:
                raise too_many_items(draft.places[()])
            drafts.append(draft)
    if not drafts:
        known = "Square, Toast, Uber Eats, FoodMenuFeed, schema.org, the ordering API or CSV"
        raise InputError(f"{file.name} has no menu of {known}")
    further += (*repeated_key_notes(file), *notes.notes())
    return drafts


def _system(value: Any) -> Reader | None:
    """The reader of the system that a value is from."""
    if not isinstance(value, (Mapping, list)):
        return None
    return next((system.read_menus for system in SYSTEMS if system.is_menu(value)), None)


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
    if not names and any(map(_is_refusal, file.documents)):
        raise InputError(f"{file.name} is the error of a request, and no resource; make the request again")
    if not names:
        raise InputError(f"{file.name} has nothing that an import reads; name its format: {_choices(FORMATS)}")
    raise InputError(f"{file.name} may be {_choices(names)}; name its format: trialrun import {names[0]} {file.name}")


def _is_refusal(value: Any) -> bool:
    """Whether a value is how an API refuses a request: an error with its code or message."""
    error = value.get("error") if isinstance(value, Mapping) else None
    return isinstance(error, Mapping) and not error.keys().isdisjoint(("code", "message", "status"))


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
