"""Parser of tables written as text: a line for each row, cells between `|`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

CELLS = re.compile(r"(?<!\\)\|")
RULE_CELL = re.compile(r":?-+:?")
INTEGER = re.compile(r"[-+]?[0-9]+")
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
LITERALS: dict[str, Any] = {"null": None, "~": None, "true": True, "false": False}
NOT_FINITE = {"nan": "NaN", ".nan": "NaN", "infinity": "Infinity", ".inf": "Infinity", "-infinity": "-Infinity",
              "-.inf": "-Infinity"}  # fmt: skip


def parse_rows(table: str, *, texts: Collection[str] = ()) -> list[dict[str, Any]]:
    """The rows of a table; cells in columns of `texts` are texts unchanged, the others are read like YAML.

    The first line names the columns, a line of dashes is passed over, an empty cell is null. Raises ValueError.
    """
    lines = [(number, _split_cells(line)) for number, line in enumerate(table.splitlines(), start=1) if line.strip()]
    if not lines:
        raise ValueError("the table is empty; its first line names the columns")
    (_, names), *others = lines
    if "" in names or len(set(names)) < len(names):
        raise ValueError("the first line of the table has a column without a name, or one twice; name each once")
    return [
        _parse_row(names, cells, number, texts) for number, cells in others if not all(map(RULE_CELL.fullmatch, cells))
    ]


def _split_cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    parts = CELLS.split(bare)
    if not parts[-1].strip() and len(parts) > 1:
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _parse_row(names: list[str], cells: list[str], number: int, texts: Collection[str]) -> dict[str, Any]:
    if len(cells) != len(names):
        cell = "cell" if len(cells) == 1 else "cells"
        difference = f"line {number} of the table has {len(cells)} {cell} and its first line {len(names)}"
        raise ValueError(f"{difference}; write one for each")
    return {name: _parse_value(cell, text=name in texts) for name, cell in zip(names, cells, strict=True)}


def _parse_value(cell: str, *, text: bool) -> Any:
    if not cell or cell.lower() == "null":
        return None
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return _parse_quoted(cell)
    if text:
        return cell
    if cell[0] == "[" and cell[-1] == "]":
        return _parse_list(cell)
    return _parse_scalar(cell)


def _parse_scalar(cell: str) -> Any:
    word = cell.lower()
    if word in LITERALS:
        return LITERALS[word]
    if INTEGER.fullmatch(cell):
        return int(cell)
    if NUMBER.fullmatch(cell):
        return float(cell)
    return NOT_FINITE.get(word, cell)


def _parse_list(cell: str) -> list[Any]:
    inside = cell[1:-1].strip()
    try:
        items = json.loads(cell)
    except ValueError:
        return [_parse_value(item.strip(), text=False) for item in inside.split(",")]
    return list(items)


def _parse_quoted(cell: str) -> str:
    try:
        return str(json.loads(cell))
    except ValueError:
        return cell[1:-1]
