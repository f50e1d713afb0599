"""Menus as CSV with a header: id, name, semantic_name, price, category, modifier_groups, in any order."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain

from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.menu_builder import MenuBuilder, MenuNotes, resource_of
from trialrun.importers.menu_price import decimal_mark, decimal_price
from trialrun.parser.decode import decode

COLUMNS = {
    **dict.fromkeys(("id", "item id", "sku", "guid"), "id"),
    **dict.fromkeys(("name", "item", "item name"), "name"),
    "semantic name": "semanticName",
    "display name": "displayName",
    **dict.fromkeys(("price", "base price"), "price"),
    **dict.fromkeys(("category", "categories"), "category"),
    **dict.fromkeys(("modifier groups", "modifier group"), "groups"),
}
"""The columns by their headers, without case; `_` and `-` are spaces."""
STATES = (
    (
        re.compile(
            r"\b(?:deleted|archived|discontinued|hidden|invisible|inactive|deactivated|disabled|unlisted|unpublished)\b"
        ),
        True,
        "archived",
    ),
    (re.compile(r"\b(?:sold out|out of stock|unavailable|snoozed|suspended)\b"), True, "sold out"),
    (re.compile(r"\b(?:sellable|for sale|active|enabled|visible|visibility|published|status)\b"), False, "archived"),
    (re.compile(r"\b(?:available|in stock|availability)\b"), False, "sold out"),
)
"""Headers of states of a row: whether yes or no takes it from the menu, and what it is then."""
_is_negated = re.compile(r"\b(?:not|non?)\b").search
YES = ("y", "yes", "true", "1", "x", "ja", "si", "oui", "on", "active", "available", "visible", "enabled", "published")
NO = ("n", "no", "false", "0", "nein", "non", "off", "inactive", "hidden", "disabled", "archived", "deleted", "draft")
SOLD_OUT = ("sold out", "out of stock", "unavailable")
NAMES = ("name", "displayName", "semanticName")
DELIMITERS = ",;\t|"
MAX_ROWS = 1_000_000
_price_header = re.compile(r"((?:base )?price) ?(?:[(\[][^)\]]{0,10}[)\]]|(?:in )?[a-z]{3}|[^\w\s]{1,3})\Z")
"""A price in a currency."""
_sep_line = re.compile(r'"?sep=(\\t|[^\w\s"]|\t)"?', re.I).fullmatch


def is_csv(file: InputFile) -> bool:
    """Whether the first line of a file is a header with a name and a further known column."""
    _, header, delimiter = _header(decode(file.data[:4096], "csv").source.text)
    columns = [_column(text) for text in header.split(delimiter)]
    return len(columns) > 1 and any(name in columns for name in NAMES) and sum(map(bool, columns)) > 1


def read_csv(file: InputFile, notes: MenuNotes) -> Iterator[ImportedDocument]:
    """The rows as one menu. Raises InputError."""
    decoded = decode(file.data, file.name)
    if any("\ufffd" in decoded.source.text[error.span.start : error.span.end] for error in decoded.errors):
        line = decoded.source.text.count("\n", 0, decoded.errors[0].span.start) + 1
        raise InputError(f"{file.name}:{line}: is not text in UTF-8; save it as CSV UTF-8")
    place = InputPlace(file.name)
    menu = MenuBuilder(resource_of(place), place, notes)
    start, _, delimiter = _header(decoded.source.text)
    skipped = decoded.source.text.count("\n", 0, start)
    numbered_rows = _rows(decoded.source.text[start:], delimiter, file.name, skipped)
    _, headers = next(numbered_rows)
    columns = _columns(headers, InputPlace(file.name, line=skipped + 1), notes)
    rows: list[tuple[dict[str, str], InputPlace]] = []
    for number, (line, row) in enumerate(numbered_rows):
        if number >= MAX_ROWS:
            raise InputError(f"{file.name} has more than {MAX_ROWS:,} rows; import it in parts")
        row_place = InputPlace(file.name, line=line)
        if len(row) > len(columns):
            notes.add("dropped", "cells without a header", row_place)
        cells = {column: cell.strip() for column, cell in zip(columns, row, strict=False) if column}
        if any(cells.values()) or any(cell.strip() for cell in row):
            rows.append((cells, row_place))
    mark = decimal_mark(cells["price"] for cells, _ in rows if cells.get("price"))
    for cells, row_place in rows:
        _add_row(menu, cells, row_place, mark)
    yield menu.draft()


def _rows(text: str, delimiter: str, file: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text, each with its last line in the file, which has some lines before. Raises InputError."""
    lines = sum(1 for _ in io.StringIO(text, newline=""))
    reader = csv.reader(chain(io.StringIO(text, newline=""), ("",)), delimiter=delimiter)
    first_line = skipped + 1
    try:
        for row in reader:
            if reader.line_num > lines:  # the empty line behind the last: a row that reaches it is not closed
                if row:
                    raise InputError(f"{file}:{first_line}: a quote of this row is not closed")
                return
            yield skipped + reader.line_num, row
            first_line = skipped + reader.line_num + 1
    except csv.Error:
        raise InputError(f"{file}:{skipped + reader.line_num}: is not valid CSV") from None


def _header(text: str) -> tuple[int, str, str]:
    """Where the header starts, which may follow a line such as `sep=;`, its line, and the delimiter."""
    first, _, rest = text.partition("\n")
    if match := _sep_line(first.rstrip("\r")):
        line = rest.partition("\n")[0].rstrip("\r")
        return len(first) + 1, line, match[1].replace("\\t", "\t")
    return 0, first.rstrip("\r"), max(DELIMITERS, key=first.count)


def _columns(headers: list[str], place: InputPlace, notes: MenuNotes) -> list[str]:
    columns = [_column(text) or (_spelled(text) if _state(_spelled(text)) else "") for text in headers]
    for index, column in enumerate(columns):
        if not column:
            notes.add("dropped", f"column {index + 1}, whose header is none of a menu", place)
        elif column in columns[:index]:
            notes.add("dropped", f"column {index + 1}, which is there twice", place)
            columns[index] = ""
    return columns


def _add_row(menu: MenuBuilder, cells: dict[str, str], place: InputPlace, mark: str | None) -> None:
    state = _state_of_row(cells, place, menu.notes)
    if state == "archived":
        menu.notes.add("dropped", "a row that is deleted, archived or hidden", place)
        return
    groups = _texts(cells.get("groups", ""))
    if groups:
        menu.notes.join("unresolved", "the modifiers of modifier groups, which the columns do not have", place)
    fields = {
        **{name: cells.get(name) for name in (*NAMES, "id")},
        "price": decimal_price(cells.get("price"), place, menu.notes, mark=mark),
        "categories": _texts(cells.get("category", "")),
        "availability": {"soldOut": True} if state else {},
        "modifierGroups": groups,
    }
    menu.add_item(fields, place)


def _state(header: str) -> tuple[bool, str] | None:
    negated = _is_negated(header) is not None
    return next(((answer is not negated, state) for pattern, answer, state in STATES if pattern.search(header)), None)


def _state_of_row(cells: dict[str, str], place: InputPlace, notes: MenuNotes) -> str:
    """What the columns of states say of a row: archived, sold out, or nothing; an answer that is neither yes nor no."""
    states: list[str] = []
    for column, cell in cells.items():
        answer = cell.casefold()
        if not cell or column in COLUMNS.values() or (found := _state(column)) is None:
            continue
        if answer in SOLD_OUT:
            states.append("sold out")
        elif answer not in (*YES, *NO):
            notes.add("unresolved", "a state that is neither yes nor no", place)
        elif (answer in YES) == found[0]:
            states.append(found[1])
    return "archived" if "archived" in states else "".join(states[:1])


def _texts(cell: str) -> list[str]:
    """The parts of a cell, at `|` or `;`."""
    separator = "|" if "|" in cell else ";"
    return list(dict.fromkeys(text.strip() for text in cell.split(separator) if text.strip()))


def _column(header: str) -> str:
    spelled = _spelled(header)
    return COLUMNS.get(spelled) or COLUMNS.get(_price_header.sub(r"\1", spelled), "")


def _spelled(header: str) -> str:
    """A header in small letters, with spaces between its words."""
    return " ".join(header.strip().strip('"').replace("_", " ").replace("-", " ").casefold().split())
