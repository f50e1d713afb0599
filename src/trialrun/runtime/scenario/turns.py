"""Turns of a scenario session: written in fields or as a table, and where their parts are in the document.

A line of a table is a turn, the first line names the columns, several things in a cell are between semicolons. `-` in a
cell is nothing at all; an empty one expects nothing in particular.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.model import scenario as model
from trialrun.model.node import Node
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem
from trialrun.runtime.channel_config.script import LINE_BREAK, ScriptError, parse
from trialrun.runtime.channel_config.session.actions import Action, Add
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.environment import Mismatch, ScenarioError
from trialrun.runtime.scenario.given import CELLS, RULE_CELL
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import ActiveConfig

BAR = re.compile(r"\\\|")


class TurnLocations:
    """The places of messages that were read from somewhere else than the document's own fields."""

    def __init__(self) -> None:
        self._locations: dict[tuple[int, Path], SymbolicLocation] = {}
        self._nodes: list[Node] = []

    def set(self, node: Node, place: SymbolicLocation, *steps: str | int) -> None:
        """Note where a message, or what the steps lead to from it, is."""
        self._locations[id(node), steps] = place
        self._nodes.append(node)  # an identity is one only while the message is there

    def at(self, node: Node, *steps: str | int) -> SymbolicLocation:
        """Where a message, or what the steps lead to from it, is; of what was not noted the nearest around it."""
        for length in range(len(steps), -1, -1):
            if (location := self._locations.get((id(node), steps[:length]))) is not None:
                return location
        return node.location(*steps)


def span_within(place: SymbolicLocation, start: int, end: int) -> SymbolicLocation:
    """Some characters of the text at a place; in a cell of a table a bar is written with a backslash."""
    if place.chars is None:
        return SymbolicLocation(place.node, place.path, (start, end))
    begin, stop = place.chars
    table = str(getattr(place.node, "table", None) or "")
    bars = [match.start() - index for index, match in enumerate(BAR.finditer(table, begin, stop))]
    first, last = (begin + at + sum(begin + at > bar for bar in bars) for at in (start, end))
    return SymbolicLocation(place.node, place.path, (first, last))


@dataclass(frozen=True)
class SessionContext:
    """A store with what is in effect there, its menu, and `at`, the places of parts of the turns that are played."""

    active_config: ActiveConfig
    menu: BrandMenu
    at: Callable[..., SymbolicLocation]

    @cached_property
    def upsells(self) -> Mapping[str, UpsellConfig]:
        """The upsells of the strategy by what they are called."""
        strategy = self.active_config.upsell_strategy
        upsells = (strategy.upsells if strategy else None) or ()
        return {upsell_name(upsell): upsell for upsell in reversed(upsells)}

    def parse_actions(self, text: str, place: SymbolicLocation) -> Sequence[Action]:
        """What a customer does in a turn. Raises ScenarioError."""
        lines = self._parse(text, place)
        if len(lines) > 1:
            raise ScenarioError(place, "a turn is one line; write a turn for each, or ; between two moves")
        return lines[0] if lines else ()

    def parse_order(self, node: Node, field: str, texts: Sequence[str]) -> list[OrderLineItem]:
        """Order lines, as they are written after `add`, in a field of a message. Raises ScenarioError."""
        line_items: list[OrderLineItem] = []
        mistakes: list[Mismatch] = []
        for index, text in enumerate(texts):
            place = self.at(node, field, index)
            try:
                match self._parse(text, place, "add "):
                    case [[Add(ordered)]]:
                        line_items.append(ordered)
                    case _:
                        message = "this is not an order line; write the quantity, the item and its modifiers"
                        mistakes.append(Mismatch(place, None, f"{message}, as after add"))
            except ScenarioError as error:
                mistakes += error.mistakes
        if mistakes:
            raise ScenarioError.of(mistakes)
        return line_items

    def _parse(self, text: str, place: SymbolicLocation, prefix: str = "") -> list[Sequence[Action]]:
        """The lines of a script; the text is in the document without the prefix."""
        script = prefix + text
        try:
            return [line.actions for line in parse(script, self.menu)]
        except ScriptError as error:
            starts = [0, *(match.end() for match in LINE_BREAK.finditer(script))]
            mistakes = []
            for mistake in error.mistakes:
                start = starts[mistake.line - 1] - len(prefix) - 1
                span = span_within(place, max(0, start + mistake.column), max(0, start + mistake.end))
                mistakes.append(Mismatch(span, None, mistake.message))
            raise ScenarioError.of(mistakes) from None


NOTHING = "-"
CUSTOMER = "customer"
SEMICOLON = re.compile(";")
SLASH = re.compile(r"\s/\s")
COLON = re.compile(r":\s+|:$")
LINE = re.compile(r"[^\r\n]+")
BOOLEANS = {"true": True, "false": False}
PARTS: Mapping[str, tuple[type[Node], str, str | None]] = {
    "offered": (model.ExpectedOffer, "upsell", None),
    "suggested": (model.ExpectedOffer, "upsell", None),
    "notOffered": (model.ExpectedPass, "upsell", "because"),
    "mapped": (model.ExpectedMapping, "term", "targets"),
    "conditions": (model.ExpectedCondition, "upsell", "value"),
}
"""The columns of several messages: what each is, the field that its part of a cell sets, the one set after a colon."""
COLUMNS = (CUSTOMER, *(name for name in model.ExpectedTurn.model_fields if name != "notSaid"))
"""The columns of a table, as the fields of the same names."""


@dataclass(frozen=True)
class Cell:
    """A part of a table, from `start` to `end` in its text, without the spaces around it."""

    step: model.SessionStep
    start: int
    end: int

    @property
    def text(self) -> str:
        """What is written there; `\\|` stands for a bar."""
        return (self.step.table or "")[self.start : self.end].replace("\\|", "|")

    @property
    def place(self) -> SymbolicLocation:
        """Where it is in the document."""
        return SymbolicLocation(self.step, ("table",), (self.start, self.end))

    def cut(self, at: re.Pattern[str], most: int | None = None) -> list[Cell]:
        """Its parts between what is found, blank ones too, of at most so many cuts."""
        table, start, parts = self.step.table or "", self.start, list[Cell]()
        for match in islice(at.finditer(table, self.start, self.end), most):
            parts.append(_trim(self.step, start, match.start()))
            start = match.end()
        return [*parts, _trim(self.step, start, self.end)]

    def split(self, at: re.Pattern[str], most: int | None = None) -> list[Cell]:
        """Its parts that are not blank."""
        return [part for part in self.cut(at, most) if part.start < part.end]

    @property
    def parts(self) -> list[Cell]:
        """The several things that are in it."""
        return [] if self.text == NOTHING else self.split(SEMICOLON)

    def unquoted(self) -> str:
        """Its text, without the quotes around it."""
        try:
            return str(json.loads(self.text)) if self.text.startswith('"') else self.text
        except ValueError:
            return self.text


def _trim(step: model.SessionStep, start: int, end: int) -> Cell:
    text = (step.table or "")[start:end]
    if not text.strip():
        return Cell(step, end, end)
    return Cell(step, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


def parse_turns(step: model.SessionStep) -> tuple[list[model.SessionTurn], TurnLocations]:
    """The turns of a step, and where their parts stand. Raises ScenarioError for a table that is wrong."""
    places = TurnLocations()
    if step.table is None:
        return list(step.turns or ()), places
    names, *lines = list(_split_lines(step)) or [[]]
    for index, name in enumerate(names):
        if name.text in [before.text for before in names[:index]]:
            raise ScenarioError(name.place, f'the table has two columns "{name.text}"; name each once')
        if name.text not in COLUMNS:
            advice = did_you_mean(name.text, COLUMNS) or f"; it may have {', '.join(COLUMNS)}"
            raise ScenarioError(name.place, f'a table of turns has no column "{name.text}"{advice}')
    return [_parse_turn(names, cells, places) for cells in lines], places


def _split_lines(step: model.SessionStep) -> Iterator[list[Cell]]:
    """The cells of each line, empty ones too, but for those of a rule."""
    table = step.table or ""
    for match in LINE.finditer(table):
        line = _trim(step, match.start(), match.end())
        if line.start == line.end:
            continue
        cells = (Cell(step, line.start + 1, line.end) if table[line.start] == "|" else line).cut(CELLS)
        if cells[-1].start == cells[-1].end:  # after the last bar
            cells.pop()
        if not all(RULE_CELL.fullmatch(cell.text) for cell in cells):
            yield cells


def _parse_turn(names: list[Cell], cells: list[Cell], places: TurnLocations) -> model.SessionTurn:
    line = SymbolicLocation(cells[0].step, ("table",), (cells[0].start, cells[-1].end))
    if len(cells) != len(names):
        noun = "cell" if len(cells) == 1 else "cells"
        message = f"this line has {len(cells)} {noun} and the first one {len(names)}; write one for each"
        raise ScenarioError(line, message)
    by_name = {name.text: cell for name, cell in zip(names, cells, strict=True) if cell.text}
    customer = by_name.pop(CUSTOMER, None)
    expect = model.ExpectedTurn(**{name: _parse_cell(name, cell, places) for name, cell in by_name.items()})
    for name, cell in by_name.items():
        places.set(expect, cell.place, name)
    for number, part in enumerate(by_name["order"].parts if "order" in by_name else ()):
        places.set(expect, part.place, "order", number)
    turn = model.SessionTurn(expect=expect, **({CUSTOMER: customer.text} if customer else {}))
    places.set(turn, line)
    if customer:
        places.set(turn, customer.place, CUSTOMER)
    return turn


def _parse_cell(name: str, cell: Cell, places: TurnLocations) -> Any:
    if name in PARTS:
        return [_parse_part(name, part, places) for part in cell.parts]
    if name == "order":
        return [part.text for part in cell.parts]
    if name != "said":
        return cell.unquoted()
    said = [] if cell.text == NOTHING else [model.ExpectedSaid(text=cell.unquoted())]
    for node in said:
        places.set(node, cell.place)
    return said


def _parse_part(name: str, part: Cell, places: TurnLocations) -> Node:
    """A message of a cell, such as `Fries: condition-false` of `notOffered`."""
    message, first_field, second_field = PARTS[name]
    first, *others = part.split(COLON, 1) if second_field else [part]
    values: dict[str, Any] = {first_field: first.text}
    targets: list[Cell] = []
    if name == "conditions":
        if not others or others[0].text not in BOOLEANS:
            raise ScenarioError(part.place, "write the upsell, a colon, and true or false")
        values["value"] = BOOLEANS[others[0].text]
    elif name == "mapped" and others:
        targets = others[0].split(SLASH)
        values["targets"] = [target.text for target in targets]
    elif others:
        values["because"] = others[0].text
    node = message(**values)
    places.set(node, first.place)
    if others and second_field:
        places.set(node, others[0].place, second_field)
    for number, target in enumerate(targets):
        places.set(node, target.place, "targets", number)
    return node
