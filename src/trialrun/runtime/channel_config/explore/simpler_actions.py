"""Simpler alternatives to an action, the simplest first; for shrinking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TypeVar

from trialrun.runtime.channel_config.explore.generators import Generators
from trialrun.runtime.channel_config.explore.recording import NO_OP
from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    Add,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)
MAX_ITEMS = 8
"""The items, from the first of the menu, that are tried in place of another."""
Simplifier = Callable[[Action], Iterator[Action]]


def simplifier(generators: Generators) -> Simplifier:
    """What is simpler among the words of a vocabulary: one of an item, as it is, and items early on the menu."""
    names = [item.name for item in generators.items]
    values = {setting.path: setting.values for setting in generators.settings}

    def simpler(action: Action) -> Iterator[Action]:
        match action:
            case Add(ordered):
                yield from map(Add, _simpler_order(ordered, generators))
            case SetQuantity(item, quantity):
                yield from (SetQuantity(item, fewer) for fewer in generators.quantities if fewer < quantity)
                yield from (SetQuantity(item, fewer) for fewer in smaller_numbers(quantity))
            case Remove(item, quantity) if quantity is not None:
                yield Remove(item)
            case Accept(item, modifiers) if item is not None or modifiers:
                yield from (Accept(), Accept(item)) if modifiers else (Accept(),)
            case SetState(path, value):
                yield from (SetState(path, earlier) for earlier in _before(value, values.get(path, ())))
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield from (SetState(path, smaller) for smaller in smaller_numbers(value))
            case Say(text) if action != NO_OP:
                yield from (Add(OrderLineItem(item)) for item in generators.relevant_items[:MAX_ITEMS])
                yield from (Say(term) for term in _before(text, generators.terms))
            case Speak(language):
                yield from (Speak(earlier) for earlier in _before(language, generators.languages))

    def _simpler_order(line_item: OrderLineItem, generators: Generators) -> Iterator[OrderLineItem]:
        if line_item.modifiers and line_item.quantity > 1:
            yield OrderLineItem(line_item.item)
        if line_item.modifiers:
            yield replace(line_item, modifiers=())
        yield from (replace(line_item, quantity=fewer) for fewer in range(1, min(line_item.quantity, 4)))
        yield from (replace(line_item, quantity=fewer) for fewer in smaller_numbers(line_item.quantity) if fewer > 3)
        if not line_item.modifiers:
            position = names.index(line_item.item.name) if line_item.item.name in names else 0
            yield from (replace(line_item, item=item) for item in generators.items[: min(position, MAX_ITEMS)])

    return simpler


def smaller_numbers(number: Number) -> Iterator[Number]:
    """Numbers between 0 and a number, ever nearer to it, of its type and sign; for a fraction first its whole part.

    Repeated, they lead to the smallest one of which something holds, where it holds of all larger ones.
    """
    if isinstance(number, float) and not isfinite(number):
        return
    kind = type(number)
    whole = int(number)
    if whole != number:
        yield kind(whole)
    sign = 1 if whole > 0 else -1
    distance = abs(whole)
    while distance:
        yield kind(sign * (abs(whole) - distance))
        distance //= 2


def _before(value: Value, values: Sequence[Value]) -> Iterator[Value]:
    """The values that come before one; those of other types are other values."""
    for candidate in values:
        if type(candidate) is type(value) and candidate == value:
            return
        yield candidate
