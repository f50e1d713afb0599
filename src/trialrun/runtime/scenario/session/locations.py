"""Locations of the parts of a turn: in the document, or in a cell of a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import CharRange, Path, SymbolicLocation

if TYPE_CHECKING:
    from trialrun.model.node import Node

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
