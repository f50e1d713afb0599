"""Turns written as a table: a line for each, the first names the columns, several things in a cell between semicolons.

`-` in a cell is nothing at all; an empty one expects nothing in particular.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.diagnostic import Inside
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.model.scenario_steps import (
    ExpectedCondition,
    ExpectedMapping,
    ExpectedOffer,
    ExpectedPass,
    ExpectedSaid,
    ExpectedTurn,
    SessionTurn,
)
from trialrun.runtime.scenario.events import CannotPlay
from trialrun.runtime.scenario.format import did_you_mean
from trialrun.runtime.scenario.session.locations import Places
from trialrun.runtime.scenario.table_syntax import CELLS, RULED

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import SessionStep

Message = TypeVar("Message", bound=Node)
NOTHING = "-"
CUSTOMER = "customer"
SEMICOLON = re.compile(";")
SLASH = re.compile(r"\s/\s")
COLON = re.compile(r":\s+|:$")
LINE = re.compile(r"[^\r\n]+")
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Cell:
    """A part of a table, from `start` to `end` in its text, without the blanks around it."""

    step: SessionStep
    start: int
    end: int

    @property
    def text(self) -> str:
        """What is written there; `\\|` stands for a bar."""
        return (self.step.table or "")[self.start : self.end].replace("\\|", "|")

    @property
    def place(self) -> Inside:
        """Where it stands in the document."""
        return Inside(self.step, ("table",), (self.start, self.end))

    def split(self, at: re.Pattern[str], most: int = 0) -> list[Cell]:
        """Its parts between what is found, at most so many cuts where `most` is above 0; blank ones are left out."""
        table, start, parts = self.step.table or "", self.start, list[Cell]()
        for match in at.finditer(table, self.start, self.end):
            if most and len(parts) == most:
                break
            parts.append(_trimmed(self.step, start, match.start()))
            start = match.end()
        parts.append(_trimmed(self.step, start, self.end))
        return [part for part in parts if part.start < part.end]

    def wrong(self, message: str) -> CannotPlay:
        """The cell is wrong."""
        return CannotPlay(self.place, message)


def turns_of(step: SessionStep) -> tuple[list[SessionTurn], Places]:
    """The turns of a step, and where their parts stand. Raises CannotPlay for a table that is wrong."""
    places = Places()
    if step.table is None:
        return list(step.turns or ()), places
    (names, *lines) = list(_lines(step)) or [[]]
    for index, name in enumerate(names):
        _check_column(name, [one.text for one in names[:index]])
    return [_turn(names, cells, places) for cells in lines], places


def _lines(step: SessionStep) -> Iterator[list[Cell]]:
    for match in LINE.finditer(step.table or ""):
        cells = _cells(_trimmed(step, match.start(), match.end()))
        if cells and not all(RULED.fullmatch(cell.text) for cell in cells):
            yield cells


def _cells(line: Cell) -> list[Cell]:
    """The cells of a line, empty ones too."""
    table, start, found = line.step.table or "", line.start, list[Cell]()
    if line.start == line.end:
        return []
    if table[start] == "|":
        start += 1
    for match in CELLS.finditer(table, start, line.end):
        found.append(_trimmed(line.step, start, match.start()))
        start = match.end()
    return found if start == line.end else [*found, _trimmed(line.step, start, line.end)]


def _trimmed(step: SessionStep, start: int, end: int) -> Cell:
    text = (step.table or "")[start:end]
    left = len(text) - len(text.lstrip())
    return Cell(step, start + left if text.strip() else end, start + len(text.rstrip()) if text.strip() else end)


def _check_column(name: Cell, before: list[str]) -> None:
    known = [CUSTOMER, *COLUMNS]
    if name.text in before:
        raise name.wrong(f'the table has two columns "{name.text}"; name each once')
    if name.text not in known:
        advice = did_you_mean(name.text, known) or f"; it may have {', '.join(known)}"
        raise name.wrong(f'a table of turns has no column "{name.text}"{advice}')


def _turn(names: list[Cell], cells: list[Cell], places: Places) -> SessionTurn:
    if len(cells) != len(names):
        cell = "cell" if len(cells) == 1 else "cells"
        line = Cell(cells[0].step, cells[0].start, cells[-1].end)
        raise line.wrong(f"this line has {len(cells)} {cell} and the first one {len(names)}; write one for each")
    written = {name.text: cell for name, cell in zip(names, cells, strict=True) if cell.text}
    values = {name: COLUMNS[name](cell, places) for name, cell in written.items() if name != CUSTOMER}
    expect = ExpectedTurn(**values)
    for name in values:
        places.put(expect, written[name].place, name)
    for index, part in enumerate(_parts(written["order"]) if "order" in written else ()):
        places.put(expect, part.place, "order", index)
    customer = written.get(CUSTOMER)
    turn = SessionTurn(expect=expect, **({"customer": customer.text} if customer else {}))
    places.put(turn, Cell(cells[0].step, cells[0].start, cells[-1].end).place)
    if customer:
        places.put(turn, customer.place, CUSTOMER)
    return turn


def _parts(cell: Cell) -> list[Cell]:
    return [] if cell.text == NOTHING else cell.split(SEMICOLON)


def _offers(cell: Cell, places: Places) -> list[ExpectedOffer]:
    return [_placed(ExpectedOffer(upsell=part.text), part, places) for part in _parts(cell)]


def _passes(cell: Cell, places: Places) -> list[ExpectedPass]:
    return [_pass(part, places) for part in _parts(cell)]


def _pass(part: Cell, places: Places) -> ExpectedPass:
    upsell, *because = part.split(COLON, 1)
    if not because:
        return _placed(ExpectedPass(upsell=upsell.text), upsell, places)
    node = _placed(ExpectedPass(upsell=upsell.text, because=because[0].text), upsell, places)
    places.put(node, because[0].place, "because")
    return node


def _said(cell: Cell, places: Places) -> list[ExpectedSaid]:
    return [] if cell.text == NOTHING else [_placed(ExpectedSaid(text=_unquoted(cell)), cell, places)]


def _mapped(cell: Cell, places: Places) -> list[ExpectedMapping]:
    return [_mapping(part, places) for part in _parts(cell)]


def _mapping(part: Cell, places: Places) -> ExpectedMapping:
    term, *targets = part.split(COLON, 1)
    if not targets:
        return _placed(ExpectedMapping(term=term.text), term, places)
    parts = targets[0].split(SLASH)
    node = _placed(ExpectedMapping(term=term.text, targets=[one.text for one in parts]), term, places)
    places.put(node, targets[0].place, "targets")
    for index, one in enumerate(parts):
        places.put(node, one.place, "targets", index)
    return node


def _conditions(cell: Cell, places: Places) -> list[ExpectedCondition]:
    return [_condition(part, places) for part in _parts(cell)]


def _condition(part: Cell, places: Places) -> ExpectedCondition:
    upsell, *value = part.split(COLON, 1)
    if not value or value[0].text not in BOOLEANS:
        raise part.wrong("write the upsell, a colon, and true or false")
    node = _placed(ExpectedCondition(upsell=upsell.text, value=BOOLEANS[value[0].text]), upsell, places)
    places.put(node, value[0].place, "value")
    return node


def _texts(cell: Cell, places: Places) -> list[str]:
    return [part.text for part in _parts(cell)]


def _text(cell: Cell, places: Places) -> str:
    return _unquoted(cell)


def _unquoted(cell: Cell) -> str:
    try:
        return str(json.loads(cell.text)) if cell.text.startswith('"') else cell.text
    except ValueError:
        return cell.text


def _placed(node: Message, part: Cell, places: Places) -> Message:
    places.put(node, part.place)
    return node


COLUMNS: Mapping[str, Callable[[Cell, Places], Any]] = {
    "offered": _offers,
    "suggested": _offers,
    "notOffered": _passes,
    "said": _said,
    "language": _text,
    "mapped": _mapped,
    "order": _texts,
    "conditions": _conditions,
    "refused": _text,
}
"""The columns of what is expected, as the fields of the same names."""
