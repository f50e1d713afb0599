"""Which moves are simpler than a move, the simplest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from trialrun.runtime.channel_config.explore.generators import Vocabulary
from trialrun.runtime.channel_config.explore.recording import QUIET
from trialrun.runtime.channel_config.menu import Ordered
from trialrun.runtime.channel_config.session.actions import Accept, Add, Move, Remove, Say, SetQuantity, SetState, Speak

Value = TypeVar("Value")
MOST_ITEMS = 8
"""The items, from the first of the menu, that are tried in place of another."""
Simpler = Callable[[Move], Iterator[Move]]


def simpler_in(vocabulary: Vocabulary) -> Simpler:
    """What is simpler among the words of a vocabulary: one of an item, as it is, and items early on the menu."""
    names = [item.name for item in vocabulary.items]
    values = {setting.path: setting.values for setting in vocabulary.settings}

    def simpler(move: Move) -> Iterator[Move]:
        match move:
            case Add(ordered):
                yield from map(Add, _simpler_order(ordered, vocabulary))
            case SetQuantity(item, quantity):
                yield from (SetQuantity(item, fewer) for fewer in vocabulary.quantities if fewer < quantity)
            case Remove(item, quantity) if quantity is not None:
                yield Remove(item)
            case Accept(item, modifiers) if item is not None or modifiers:
                yield from (Accept(), Accept(item)) if modifiers else (Accept(),)
            case SetState(path, value):
                yield from (SetState(path, one) for one in _before(value, values.get(path, ())))
            case Say(text) if move != QUIET:
                yield from (Add(Ordered(item)) for item in vocabulary.telling[:MOST_ITEMS])
                yield from (Say(term) for term in _before(text, vocabulary.terms))
            case Speak(language):
                yield from (Speak(one) for one in _before(language, vocabulary.languages))

    def _simpler_order(ordered: Ordered, vocabulary: Vocabulary) -> Iterator[Ordered]:
        if ordered.modifiers and ordered.quantity > 1:
            yield Ordered(ordered.item)
        if ordered.modifiers:
            yield replace(ordered, modifiers=())
        yield from (replace(ordered, quantity=fewer) for fewer in range(1, min(ordered.quantity, 4)))
        if not ordered.modifiers:
            place = names.index(ordered.item.name) if ordered.item.name in names else 0
            yield from (replace(ordered, item=item) for item in vocabulary.items[: min(place, MOST_ITEMS)])

    return simpler


def _before(value: Value, values: Sequence[Value]) -> Iterator[Value]:
    """The values that come before one; those of other types are other values."""
    for one in values:
        if type(one) is type(value) and one == value:
            return
        yield one
