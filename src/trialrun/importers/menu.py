"""Menus of other systems, whichever of the known ones a file is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from trialrun.importers.draft import complete
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import Draft, Imported, ImportedDocument, ImportOptions, InputPlace, Note
from trialrun.importers.menu_builder import MAX_ITEMS, too_many_items
from trialrun.importers.menu_record import MenuNotes, Parts
from trialrun.importers.repeated_keys import repeated_key_notes

SYSTEMS = ("menu_square", "menu_toast", "menu_uber_eats", "menu_feed", "menu_vendor")
"""The modules of systems with JSON: each has `is_menu` and `read_menus`; the first that recognizes a value counts."""
Reader = Callable[[Parts, MenuNotes], Iterator[Draft]]


def import_menu(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The menus of files. Raises InputError."""
    documents: list[ImportedDocument] = []
    notes: list[Note] = []
    for file in files:
        drafts, further = _read_file(file, options)
        notes += further
        for draft in drafts:
            document, misfits = complete(draft)
            documents.append(document)
            notes += misfits
    return Imported(documents, notes)


def is_menu(file: InputFile) -> bool:
    """Whether a file is a menu of a known system."""
    from trialrun.importers.menu_csv import is_csv

    return is_csv(file) or any(_system(value) is not None for value in file.parsed.documents)


def _read_file(file: InputFile, options: ImportOptions) -> tuple[list[Draft], list[Note]]:
    from trialrun.importers.menu_csv import is_csv, read_csv

    notes = MenuNotes(options.now)
    if is_csv(file):
        return list(read_csv(file, notes)), list(notes.notes())
    parts: dict[Reader, list[tuple[Any, InputPlace]]] = {}
    for number, value in enumerate(file.parsed.documents):
        place = InputPlace(file.name, document=number)
        if (read := _system(value)) is not None:
            parts.setdefault(read, []).append((value, place))
        else:
            notes.add("dropped", "what is no part of a menu", place)
    drafts: list[Draft] = []
    items = 0
    for read, of_system in parts.items():
        for draft in read(of_system, notes):
            items += len(draft.value.get("items", ()))
            if items > MAX_ITEMS:
                raise too_many_items(draft.places[()])
            drafts.append(draft)
    if not drafts:
        raise InputError(f"{file.name} has no menu of Square, Toast, Uber Eats, FoodMenuFeed, the ordering API or CSV")
    return drafts, [*repeated_key_notes(file), *notes.notes()]


def _system(value: Any) -> Reader | None:
    """The reader of the system that a value is from."""
    if not isinstance(value, (Mapping, list)):
        return None
    for name in SYSTEMS:
        module = import_module(f"trialrun.importers.{name}")
        if module.is_menu(value):
            read: Reader = module.read_menus
            return read
    return None
