"""Context of a scenario session: the active configuration, the menu, and where turns are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import CharRange, Path, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import BrandMenu
from trialrun.runtime.channel_config.script import LINE_BREAK, ScriptError, parse
from trialrun.runtime.channel_config.script import ScriptMistake as ScriptMistake
from trialrun.runtime.channel_config.session.actions import Action, Add
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.environment import ScenarioMistake

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.menu import OrderLineItem


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


def span_within(place: SymbolicLocation, start: int, end: int) -> CharRange:
    """Some characters of the text at a place; in a cell of a table a bar is written with a backslash."""
    if not isinstance(place, CharRange):
        return CharRange(place.node, place.path, (start, end))
    begin, stop = place.chars
    bars = [match.start() - index for index, match in enumerate(BAR.finditer(_table(place), begin, stop))]
    places = [begin + at + sum(begin + at > bar for bar in bars) for at in (start, end)]
    return CharRange(place.node, place.path, (places[0], places[1]))


def _table(place: CharRange) -> str:
    return str(getattr(place.node, "table", None) or "")


VERB = "add "


class ScriptTextError(Exception):
    """A text in the language of scripts that cannot be read, with every mistake in it."""

    def __init__(self, mistakes: Sequence[ScenarioMistake]) -> None:
        super().__init__(mistakes[0].message)
        self.mistakes = mistakes


@dataclass(frozen=True)
class SessionContext:
    """A store with what is in effect there, its menu, and the places of the turns that are played."""

    active_config: ActiveConfig
    menu: BrandMenu
    locations: TurnLocations

    def at(self, node: Node, *steps: str | int) -> SymbolicLocation:
        """Where a message, or what the steps lead to from it, is."""
        return self.locations.at(node, *steps)

    @cached_property
    def upsells(self) -> Mapping[str, UpsellConfig]:
        """The upsells of the strategy by what they are called."""
        strategy = self.active_config.upsell_strategy
        upsells = (strategy.upsells if strategy else None) or ()
        return {upsell_name(upsell): upsell for upsell in reversed(upsells)}

    def parse_actions(self, text: str, place: SymbolicLocation) -> Sequence[Action]:
        """What a customer does in a turn. Raises ScriptTextError."""
        lines = self._parse(text, place, 0)
        if len(lines) > 1:
            raise ScriptTextError(
                [ScenarioMistake(place, "a turn is one line; write a turn for each, or ; between two moves")]
            )
        return lines[0] if lines else ()

    def parse_order(self, node: Node, field: str, texts: Sequence[str]) -> list[OrderLineItem]:
        """Order lines, as they are written after `add`, in a field of a message. Raises ScriptTextError."""
        line_items: list[OrderLineItem] = []
        mistakes: list[ScenarioMistake] = []
        for index, text in enumerate(texts):
            try:
                line_items.append(self._parse_order_line(text, self.at(node, field, index)))
            except ScriptTextError as error:
                mistakes += error.mistakes
        if mistakes:
            raise ScriptTextError(mistakes)
        return line_items

    def _parse_order_line(self, text: str, place: SymbolicLocation) -> OrderLineItem:
        match self._parse(VERB + text, place, len(VERB)):
            case [[Add(ordered)]]:
                return ordered
        message = "this is not an order line; write the quantity, the item and its modifiers, as after add"
        raise ScriptTextError([ScenarioMistake(place, message)])

    def _parse(self, text: str, place: SymbolicLocation, prefix_length: int) -> list[Sequence[Action]]:
        try:
            return [line.actions for line in parse(text, self.menu)]
        except ScriptError as error:
            raise ScriptTextError(
                [_locate_mistake(mistake, text, place, prefix_length) for mistake in error.mistakes]
            ) from None


def _locate_mistake(mistake: ScriptMistake, text: str, place: SymbolicLocation, prefix_length: int) -> ScenarioMistake:
    """A mistake of a script where its text is in the document; `prefix_length` are characters that are not there."""
    line_starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
    start = line_starts[mistake.line - 1] - prefix_length - 1
    return ScenarioMistake(
        span_within(place, max(0, start + mistake.column), max(0, start + mistake.end)), mistake.message
    )
