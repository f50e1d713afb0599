"""Turns written as a table: a line for each, the first names the columns, several things in a cell between semicolons.

`-` in a cell is nothing at all; an empty one expects nothing in particular.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.diagnostic import CharRange
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
from trialrun.runtime.scenario.environment import ScenarioError
from trialrun.runtime.scenario.given import CELLS, RULE_CELL
from trialrun.runtime.scenario.session.context import TurnLocations
from trialrun.values.suggest import did_you_mean

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
    """A part of a table, from `start` to `end` in its text, without the spaces around it."""

    step: SessionStep
    start: int
    end: int

    @property
    def text(self) -> str:
        """What is written there; `\\|` stands for a bar."""
        return (self.step.table or "")[self.start : self.end].replace("\\|", "|")

    @property
    def place(self) -> CharRange:
        """Where it is in the document."""
        return CharRange(self.step, ("table",), (self.start, self.end))

    def split(self, at: re.Pattern[str], most: int = 0) -> list[Cell]:
        """Its parts between what is found, at most so many cuts where `most` is above 0; blank ones are left out."""
        table, start, parts = self.step.table or "", self.start, list[Cell]()
        for match in at.finditer(table, self.start, self.end):
            if most and len(parts) == most:
                break
            parts.append(_trim(self.step, start, match.start()))
            start = match.end()
        parts.append(_trim(self.step, start, self.end))
        return [part for part in parts if part.start < part.end]

    def error(self, message: str) -> ScenarioError:
        """The cell is wrong."""
        return ScenarioError(self.place, message)


def parse_turns(step: SessionStep) -> tuple[list[SessionTurn], TurnLocations]:
    """The turns of a step, and where their parts stand. Raises ScenarioError for a table that is wrong."""
    places = TurnLocations()
    if step.table is None:
        return list(step.turns or ()), places
    (names, *lines) = list(_split_lines(step)) or [[]]
    for index, name in enumerate(names):
        _check_column(name, [name.text for name in names[:index]])
    return [_parse_turn(names, cells, places) for cells in lines], places


def _split_lines(step: SessionStep) -> Iterator[list[Cell]]:
    for match in LINE.finditer(step.table or ""):
        cells = _split_cells(_trim(step, match.start(), match.end()))
        if cells and not all(RULE_CELL.fullmatch(cell.text) for cell in cells):
            yield cells


def _split_cells(line: Cell) -> list[Cell]:
    """The cells of a line, empty ones too."""
    table, start, cells = line.step.table or "", line.start, list[Cell]()
    if line.start == line.end:
        return []
    if table[start] == "|":
        start += 1
    for match in CELLS.finditer(table, start, line.end):
        cells.append(_trim(line.step, start, match.start()))
        start = match.end()
    return cells if start == line.end else [*cells, _trim(line.step, start, line.end)]


def _trim(step: SessionStep, start: int, end: int) -> Cell:
    text = (step.table or "")[start:end]
    leading = len(text) - len(text.lstrip())
    return Cell(step, start + leading if text.strip() else end, start + len(text.rstrip()) if text.strip() else end)


def _check_column(name: Cell, before: list[str]) -> None:
    columns = [CUSTOMER, *COLUMNS]
    if name.text in before:
        raise name.error(f'the table has two columns "{name.text}"; name each once')
    if name.text not in columns:
        advice = did_you_mean(name.text, columns) or f"; it may have {', '.join(columns)}"
        raise name.error(f'a table of turns has no column "{name.text}"{advice}')


def _parse_turn(names: list[Cell], cells: list[Cell], places: TurnLocations) -> SessionTurn:
    if len(cells) != len(names):
        cell = "cell" if len(cells) == 1 else "cells"
        line = Cell(cells[0].step, cells[0].start, cells[-1].end)
        raise line.error(f"this line has {len(cells)} {cell} and the first one {len(names)}; write one for each")
    cell_by_name = {name.text: cell for name, cell in zip(names, cells, strict=True) if cell.text}
    values = {name: COLUMNS[name](cell, places) for name, cell in cell_by_name.items() if name != CUSTOMER}
    expect = ExpectedTurn(**values)
    for name in values:
        places.set(expect, cell_by_name[name].place, name)
    for index, part in enumerate(_split_parts(cell_by_name["order"]) if "order" in cell_by_name else ()):
        places.set(expect, part.place, "order", index)
    customer = cell_by_name.get(CUSTOMER)
    turn = SessionTurn(expect=expect, **({"customer": customer.text} if customer else {}))
    places.set(turn, Cell(cells[0].step, cells[0].start, cells[-1].end).place)
    if customer:
        places.set(turn, customer.place, CUSTOMER)
    return turn


def _split_parts(cell: Cell) -> list[Cell]:
    return [] if cell.text == NOTHING else cell.split(SEMICOLON)


def _parse_offers(cell: Cell, places: TurnLocations) -> list[ExpectedOffer]:
    return [_at_cell(ExpectedOffer(upsell=part.text), part, places) for part in _split_parts(cell)]


def _parse_passes(cell: Cell, places: TurnLocations) -> list[ExpectedPass]:
    return [_parse_pass(part, places) for part in _split_parts(cell)]


def _parse_pass(part: Cell, places: TurnLocations) -> ExpectedPass:
    upsell, *because = part.split(COLON, 1)
    if not because:
        return _at_cell(ExpectedPass(upsell=upsell.text), upsell, places)
    node = _at_cell(ExpectedPass(upsell=upsell.text, because=because[0].text), upsell, places)
    places.set(node, because[0].place, "because")
    return node


def _parse_said(cell: Cell, places: TurnLocations) -> list[ExpectedSaid]:
    return [] if cell.text == NOTHING else [_at_cell(ExpectedSaid(text=_unquote(cell)), cell, places)]


def _parse_mappings(cell: Cell, places: TurnLocations) -> list[ExpectedMapping]:
    return [_parse_mapping(part, places) for part in _split_parts(cell)]


def _parse_mapping(part: Cell, locations: TurnLocations) -> ExpectedMapping:
    term, *targets = part.split(COLON, 1)
    if not targets:
        return _at_cell(ExpectedMapping(term=term.text), term, locations)
    parts = targets[0].split(SLASH)
    node = _at_cell(ExpectedMapping(term=term.text, targets=[target.text for target in parts]), term, locations)
    locations.set(node, targets[0].place, "targets")
    for index, target in enumerate(parts):
        locations.set(node, target.place, "targets", index)
    return node


def _parse_conditions(cell: Cell, places: TurnLocations) -> list[ExpectedCondition]:
    return [_parse_condition(part, places) for part in _split_parts(cell)]


def _parse_condition(part: Cell, places: TurnLocations) -> ExpectedCondition:
    upsell, *value = part.split(COLON, 1)
    if not value or value[0].text not in BOOLEANS:
        raise part.error("write the upsell, a colon, and true or false")
    node = _at_cell(ExpectedCondition(upsell=upsell.text, value=BOOLEANS[value[0].text]), upsell, places)
    places.set(node, value[0].place, "value")
    return node


def _parse_texts(cell: Cell, places: TurnLocations) -> list[str]:
    return [part.text for part in _split_parts(cell)]


def _parse_text(cell: Cell, places: TurnLocations) -> str:
    return _unquote(cell)


def _unquote(cell: Cell) -> str:
    try:
        return str(json.loads(cell.text)) if cell.text.startswith('"') else cell.text
    except ValueError:
        return cell.text


def _at_cell(node: Message, part: Cell, places: TurnLocations) -> Message:
    places.set(node, part.place)
    return node


COLUMNS: Mapping[str, Callable[[Cell, TurnLocations], Any]] = {
    "offered": _parse_offers,
    "suggested": _parse_offers,
    "notOffered": _parse_passes,
    "said": _parse_said,
    "language": _parse_text,
    "mapped": _parse_mappings,
    "order": _parse_texts,
    "conditions": _parse_conditions,
    "refused": _parse_text,
}
"""The columns of what is expected, as the fields of the same names."""
