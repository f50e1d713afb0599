"""Menus of other systems, whichever of the known ones a file is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from trialrun.importers import menu_feed, menu_square, menu_toast, menu_uber_eats, menu_vendor
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import (
    Imported,
    ImportedDocument,
    ImportOptions,
    InputPlace,
    Note,
    complete,
    repeated_key_notes,
)
from trialrun.importers.menu_builder import MAX_ITEMS, MenuNotes, Parts, too_many_items
from trialrun.importers.menu_csv import is_csv, read_csv

SYSTEMS = (menu_square, menu_toast, menu_uber_eats, menu_feed, menu_vendor)
"""The modules of systems with JSON: each has `is_menu` and `read_menus`; the first that recognizes a value counts."""
Reader = Callable[[Parts, MenuNotes], Iterator[ImportedDocument]]


def import_menu(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The menus of files. Raises InputError."""
    notes: list[Note] = []
    return complete((draft for file in files for draft in _read_file(file, options, notes)), notes)


def is_menu(file: InputFile) -> bool:
    """Whether a file is a menu of a known system."""
    return is_csv(file) or any(_system(value) is not None for value in file.parsed.documents)


def _read_file(file: InputFile, options: ImportOptions, further: list[Note]) -> list[ImportedDocument]:
    notes = MenuNotes(options.now)
    if is_csv(file):
        menus = list(read_csv(file, notes))
        further += notes.notes()
        return menus
    parts: dict[Reader, list[tuple[Any, InputPlace]]] = {}
    for number, value in enumerate(file.parsed.documents):
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
        raise InputError(f"{file.name} has no menu of Square, Toast, Uber Eats, FoodMenuFeed, the ordering API or CSV")
    further += (*repeated_key_notes(file), *notes.notes())
    return drafts


def _system(value: Any) -> Reader | None:
    """The reader of the system that a value is from."""
    if not isinstance(value, (Mapping, list)):
        return None
    return next((system.read_menus for system in SYSTEMS if system.is_menu(value)), None)
