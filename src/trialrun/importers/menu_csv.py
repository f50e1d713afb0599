"""Menus as CSV with a header: id, name, semantic_name, price, category, modifier_groups, in any order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import Draft, InputPlace
from trialrun.importers.menu_builder import MenuBuilder, resource_of
from trialrun.importers.menu_record import MenuNotes, decimal_price

COLUMNS = {
    "id": "id",
    "item id": "id",
    "sku": "id",
    "guid": "id",
    "name": "name",
    "item": "name",
    "item name": "name",
    "semantic name": "semanticName",
    "display name": "displayName",
    "price": "price",
    "base price": "price",
    "category": "category",
    "categories": "category",
    "modifier groups": "groups",
    "modifier group": "groups",
}
"""The columns by their headers, without case; `_` and `-` are spaces."""
NAMES = ("name", "displayName", "semanticName")
DELIMITERS = ",;\t|"
MAX_ROWS = 1_000_000


def is_csv(file: InputFile) -> bool:
    """Whether the first line of a file is a header with a name and a further known column."""
    line = file.data[:4096].split(b"\n", 1)[0].decode("utf-8-sig", "replace").rstrip("\r")
    columns = [_column(header) for header in _split(line)]
    return len(columns) > 1 and any(name in columns for name in NAMES) and sum(map(bool, columns)) > 1


def read_csv(file: InputFile, notes: MenuNotes) -> Iterator[Draft]:
    """The rows as one menu. Raises InputError."""
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{file.name} is not text in UTF-8") from None
    place = InputPlace(file.name)
    menu = MenuBuilder(resource_of(place), place, notes)
    delimiter = _delimiter(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = _columns(next(reader), file, notes)
        for number, row in enumerate(reader):
            if number >= MAX_ROWS:
                raise InputError(f"{file.name} has more than {MAX_ROWS:,} rows; import it in parts")
            if any(cell.strip() for cell in row):
                _add_row(menu, columns, row, InputPlace(file.name, line=reader.line_num))
    except csv.Error:
        raise InputError(f"{file.name}:{reader.line_num}: is not valid CSV") from None
    yield menu.draft()


def _columns(header: list[str], file: InputFile, notes: MenuNotes) -> list[str]:
    columns = [_column(text) for text in header]
    place = InputPlace(file.name, line=1)
    for index, column in enumerate(columns):
        if not column:
            notes.add("dropped", f"column {index + 1}, whose header is none of a menu", place)
        elif column in columns[:index]:
            notes.add("dropped", f"column {index + 1}, which is there twice", place)
            columns[index] = ""
    return columns


def _add_row(menu: MenuBuilder, columns: list[str], row: list[str], place: InputPlace) -> None:
    cells = {column: cell.strip() for column, cell in zip(columns, row, strict=False) if column and cell.strip()}
    if len(row) > len(columns):
        menu.notes.add("dropped", "cells without a header", place)
    groups = _texts(cells.get("groups", ""))
    if groups:
        menu.notes.add("unresolved", "the modifiers of modifier groups, which the columns do not have", place)
    fields = {
        **{name: cells.get(name) for name in (*NAMES, "id")},
        "price": decimal_price(cells.get("price"), place, menu.notes),
        "categories": _texts(cells.get("category", "")),
        "modifierGroups": groups,
    }
    menu.add_item(fields, place)


def _texts(cell: str) -> list[str]:
    """The parts of a cell, at `|` or `;`."""
    separator = "|" if "|" in cell else ";"
    return list(dict.fromkeys(text.strip() for text in cell.split(separator) if text.strip()))


def _column(header: str) -> str:
    return COLUMNS.get(" ".join(header.strip().strip('"').replace("_", " ").replace("-", " ").casefold().split()), "")


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def _split(line: str) -> list[str]:
    return line.split(_delimiter(line))
