"""Actions of a customer in a turn, and the order lines that they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem
from trialrun.values.suggest import did_you_mean

MAX_QUANTITY = 1_000_000
"""Maximum quantity of an order line."""


@dataclass(frozen=True, slots=True)
class Add:
    """Order something."""

    line_item: OrderLineItem


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an item off the order: all of it, or so many."""

    item: str
    quantity: int | None = None


@dataclass(frozen=True, slots=True)
class SetQuantity:
    """Make it so many of an item that is in the order."""

    item: str
    quantity: int


@dataclass(frozen=True, slots=True)
class Accept:
    """Take what was offered last: one of its items, the first where none is named; with modifiers, where some are."""

    item: str | None = None
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Decline:
    """Say no to what was offered last."""


@dataclass(frozen=True, slots=True)
class Speak:
    """Go on in a language, a BCP-47 tag."""

    language: str


@dataclass(frozen=True, slots=True)
class Say:
    """Say something, in which customer terms may be."""

    text: str


@dataclass(frozen=True, slots=True)
class SetState:
    """Set a value of the session state that the client sends, such as `session.partySize`."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Finish:
    """Say that the order is complete: closing offers follow."""


Action = Add | Remove | SetQuantity | Accept | Decline | Speak | Say | SetState | Finish


class ActionError(ValueError):
    """An action that the session does not allow; the message says why and what to do. Nothing of it was done."""

    def __init__(self, action: Action, message: str) -> None:
        super().__init__(message)
        self.action = action


def build_client_state(settings: Iterable[SetState]) -> dict[str, Any]:
    """What is sent at once, as one mapping of variables; of one place the last counts."""
    state: dict[str, Any] = {}
    for setting in settings:
        *above, last = setting.path
        target = state
        for step in above:
            value = target.get(step)
            target[step] = dict(value) if isinstance(value, dict) else {}
            target = target[step]
        target[last] = setting.value
    return state


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A line of the order; its `uid` never changes in a session.

    `prepared` caches the line in the types of a session.
    """

    uid: str
    line_item: OrderLineItem
    prepared: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


OrderLines = tuple[OrderLine, ...]


def add_items(lines: OrderLines, additions: Iterable[tuple[OrderLineItem, Action]], *, next_line: int) -> OrderLines:
    """The lines after additions: a line with the same item and modifiers grows, otherwise there is a new `line-N`.

    Raises ActionError with the action that orders too much.
    """
    result = list(lines)
    positions: dict[str, list[int]] = {}
    for position, line in enumerate(lines):
        positions.setdefault(line.line_item.item.name, []).append(position)
    for ordered, action in additions:
        _check_quantity(ordered.quantity, action, least=1)
        of_item = positions.setdefault(ordered.item.name, [])
        same = next((position for position in of_item if _is_same(result[position].line_item, ordered)), None)
        if same is None:
            of_item.append(len(result))
            result.append(OrderLine(f"line-{next_line + len(result) - len(lines)}", ordered))
        else:
            result[same] = _with_quantity(result[same], ordered.quantity, action)
    return tuple(result)


def remove_item(lines: OrderLines, item: str, quantity: int | None, *, action: Action) -> OrderLines:
    """The lines without an item, or with a smaller quantity, taken from its last line first. Raises ActionError."""
    positions = _line_indexes(lines, item, action)
    in_order = sum(lines[position].line_item.quantity for position in positions)
    if quantity is None:
        return tuple(line for position, line in enumerate(lines) if position not in positions)
    _check_quantity(quantity, action, least=1)
    if quantity > in_order:
        name = lines[positions[0]].line_item.item.name
        raise ActionError(action, f'the order has {in_order} of "{name}", not {quantity}; remove {in_order} or fewer')
    return _reduce(lines, positions, quantity, action)


def set_quantity(lines: OrderLines, item: str, quantity: int, *, action: Action) -> OrderLines:
    """The lines with a total quantity of an item; its last line takes the difference. Raises ActionError."""
    _check_quantity(quantity, action, least=0)
    positions = _line_indexes(lines, item, action)
    difference = quantity - sum(lines[position].line_item.quantity for position in positions)
    if difference < 0:
        return _reduce(lines, positions, -difference, action)
    last = positions[-1]
    return (*lines[:last], _with_quantity(lines[last], difference, action), *lines[last + 1 :])


def add_modifiers(lines: OrderLines, item: Item, modifiers: Sequence[Modifier]) -> OrderLines:
    """The lines with more modifiers on the last line of an item; existing modifiers stay."""
    position = max(position for position, line in enumerate(lines) if line.line_item.item == item)
    line = lines[position]
    new_modifiers = tuple(modifier for modifier in modifiers if modifier not in line.line_item.modifiers)
    changed = OrderLine(line.uid, replace(line.line_item, modifiers=line.line_item.modifiers + new_modifiers))
    return (*lines[:position], changed, *lines[position + 1 :])


def cart_size(lines: Sequence[OrderLine]) -> int:
    """The number of items in the cart: the sum of the quantities of all lines."""
    return sum(line.line_item.quantity for line in lines)


def subtotal(lines: Sequence[OrderLine]) -> float:
    """The price of the order, exact to the cent (decimal arithmetic)."""
    return float(sum([_price(line.line_item.item.price) * line.line_item.quantity for line in lines]))


def _reduce(lines: OrderLines, positions: Sequence[int], quantity: int, action: Action) -> OrderLines:
    """The lines with so many less of an item; a line of which none is left is removed."""
    result: list[OrderLine | None] = list(lines)
    for position in reversed(positions):
        in_line = lines[position].line_item.quantity
        removed = min(quantity, in_line)
        quantity -= removed
        result[position] = _with_quantity(lines[position], -removed, action) if removed < in_line else None
    return tuple(filter(None, result))


def _with_quantity(line: OrderLine, more: int, action: Action) -> OrderLine:
    quantity = line.line_item.quantity + more
    _check_quantity(quantity, action, least=0)
    return OrderLine(line.uid, replace(line.line_item, quantity=quantity))


def _check_quantity(quantity: int, action: Action, *, least: int) -> None:
    if quantity < least:
        raise ActionError(action, f"a quantity must be an integer of {least} or more, not {quantity}")
    if quantity > MAX_QUANTITY:
        raise ActionError(action, f"a line has at most {MAX_QUANTITY} of an item; order fewer")


def _line_indexes(lines: OrderLines, item: str, action: Action) -> list[int]:
    wanted, items = normalize("NFC", item), [line.line_item.item for line in lines]
    for texts in ([item.name for item in items], [item.id for item in items]):
        if indexes := [index for index, text in enumerate(texts) if normalize("NFC", text) == wanted]:
            return indexes
    names = list(dict.fromkeys(item.name for item in items))
    advice = ", which is empty; add it first"
    if names:
        examples = ", ".join(f'"{name}"' for name in names[:5]) + (", …" if len(names) > 5 else "")
        advice = did_you_mean(item, names, otherwise=f"the order has {examples}")
    raise ActionError(action, f'"{item}" is not in the order{advice}')


def _is_same(first: OrderLineItem, second: OrderLineItem) -> bool:
    if first.item != second.item or len(first.modifiers) != len(second.modifiers):
        return False
    return first.modifiers == second.modifiers or sorted(first.modifiers, key=_modifier_key) == sorted(
        second.modifiers, key=_modifier_key
    )


def _modifier_key(modifier: Modifier) -> tuple[str, ...]:
    return modifier.group, modifier.name, modifier.group_id, modifier.id


@lru_cache(maxsize=4096)
def _price(price: float) -> Decimal:
    return Decimal(repr(float(price)))


def plain_line(line: OrderLine) -> dict[str, Any]:
    """A line in the default types of a session; a modifier that is taken twice has quantity 2 in its group."""
    item, groups = line.line_item.item, dict[tuple[str, str], list[Modifier]]()
    for modifier in line.line_item.modifiers:
        groups.setdefault((modifier.group_id, modifier.group), []).append(modifier)
    return {
        "uid": line.uid,
        "itemId": item.id,
        "displayName": item.name,
        "quantity": line.line_item.quantity,
        "basePrice": item.price,
        "modifierGroups": [
            {
                "modifierGroupId": group_id,
                "displayName": group,
                "modifiers": [
                    {"modifierId": modifier.id, "displayName": modifier.name, "quantity": members.count(modifier)}
                    for modifier in dict.fromkeys(members)
                ],
            }
            for (group_id, group), members in groups.items()
        ],
    }
