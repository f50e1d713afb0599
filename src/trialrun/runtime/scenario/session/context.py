"""What the turns of a scenario's session are read and compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import MenuOfBrand
from trialrun.runtime.channel_config.script import Mistake as ScriptMistake
from trialrun.runtime.channel_config.script import ScriptError, parse
from trialrun.runtime.channel_config.script.parse import LINE_BREAK
from trialrun.runtime.channel_config.session.actions import Add, Move
from trialrun.runtime.channel_config.session.turn import called
from trialrun.runtime.scenario.events import Mistake
from trialrun.runtime.scenario.session.locations import Places, within

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.menu import Ordered

VERB = "add "


class Misread(Exception):
    """A text in the language of scripts that cannot be read, with every mistake in it."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__(mistakes[0].message)
        self.mistakes = mistakes


@dataclass(frozen=True)
class Scene:
    """A store with what is in force there, its menu, and the places of the turns that are played."""

    in_force: InForce
    menu: MenuOfBrand
    places: Places

    def at(self, node: Node, *steps: str | int) -> Place:
        """Where a message, or what the steps lead to from it, stands."""
        return self.places.at(node, *steps)

    @cached_property
    def upsells(self) -> Mapping[str, UpsellConfig]:
        """The upsells of the strategy by what they are called."""
        strategy = self.in_force.upsell_strategy
        every = (strategy.upsells if strategy else None) or ()
        return {called(one): one for one in reversed(every)}

    def moves(self, text: str, place: Place) -> Sequence[Move]:
        """What a customer does in a turn. Raises Misread."""
        lines = self._parsed(text, place, 0)
        if len(lines) > 1:
            raise Misread([Mistake(place, "a turn is one line; write a turn for each, or ; between two moves")])
        return lines[0] if lines else ()

    def order(self, node: Node, field: str, texts: Sequence[str]) -> list[Ordered]:
        """Order lines, as they are written after `add`, in a field of a message. Raises Misread."""
        ordered: list[Ordered] = []
        mistakes: list[Mistake] = []
        for index, text in enumerate(texts):
            try:
                ordered.append(self._line(text, self.at(node, field, index)))
            except Misread as error:
                mistakes += error.mistakes
        if mistakes:
            raise Misread(mistakes)
        return ordered

    def _line(self, text: str, place: Place) -> Ordered:
        match self._parsed(VERB + text, place, len(VERB)):
            case [[Add(ordered)]]:
                return ordered
        wrong = "this is no order line; write how many, the item and its modifiers, as after add"
        raise Misread([Mistake(place, wrong)])

    def _parsed(self, text: str, place: Place, before: int) -> list[Sequence[Move]]:
        try:
            return [line.moves for line in parse(text, self.menu)]
        except ScriptError as error:
            raise Misread([_placed(one, text, place, before) for one in error.mistakes]) from None


def _placed(one: ScriptMistake, text: str, place: Place, before: int) -> Mistake:
    """A mistake of a script where its text stands in the document; `before` are characters that do not stand there."""
    lines = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
    start = lines[one.line - 1] - before - 1
    return Mistake(within(place, max(0, start + one.column), max(0, start + one.end)), one.message)
