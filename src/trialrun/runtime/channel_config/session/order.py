"""Order lines and the operations on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.actions import Action, ActionError
from trialrun.values.suggest import did_you_mean

MAX_QUANTITY = 1_000_000
"""Maximum quantity of an order line."""


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
        position = next(
            (position for position in of_item if _is_same(result[position].line_item, ordered)), len(result)
        )
        if position < len(result):
            result[position] = _with_quantity(
                result[position], result[position].line_item.quantity + ordered.quantity, action
            )
        else:
            of_item.append(position)
            result.append(OrderLine(f"line-{next_line + position - len(lines)}", ordered))
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
    return _replace_quantity(lines, positions[-1], lines[positions[-1]].line_item.quantity + difference, action)


def contains_item(lines: Sequence[OrderLine], item: Item) -> bool:
    """Whether an item is in the order."""
    return any(line.line_item.item == item for line in lines)


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
    return float(sum(_price(line.line_item.item.price) * line.line_item.quantity for line in lines))


def _reduce(lines: OrderLines, positions: Sequence[int], quantity: int, action: Action) -> OrderLines:
    for position in reversed(positions):
        removed = min(quantity, lines[position].line_item.quantity)
        lines, quantity = (
            _replace_quantity(lines, position, lines[position].line_item.quantity - removed, action),
            quantity - removed,
        )
    return lines


def _replace_quantity(lines: OrderLines, position: int, quantity: int, action: Action) -> OrderLines:
    """The lines with another quantity in one, which is removed if none is left."""
    changed = (_with_quantity(lines[position], quantity, action),) if quantity else ()
    return (*lines[:position], *changed, *lines[position + 1 :])


def _with_quantity(line: OrderLine, quantity: int, action: Action) -> OrderLine:
    """The line with another quantity."""
    _check_quantity(quantity, action, least=0)
    return OrderLine(line.uid, replace(line.line_item, quantity=quantity))


def _check_quantity(quantity: int, action: Action, *, least: int) -> None:
    if quantity < least:
        raise ActionError(action, f"a quantity must be an integer of {least} or more, not {quantity}")
    if quantity > MAX_QUANTITY:
        raise ActionError(action, f"a line has at most {MAX_QUANTITY} of an item; order fewer")


def _line_indexes(lines: OrderLines, item: str, action: Action) -> list[int]:
    """The indexes of the lines of an item by its name, else by its id."""
    wanted = normalize("NFC", item)
    for key in _ITEM_KEYS:
        indexes = [index for index, line in enumerate(lines) if normalize("NFC", key(line.line_item.item)) == wanted]
        if indexes:
            return indexes
    raise ActionError(action, f'"{item}" is not in the order{_suggest(item, lines)}')


def _item_name(item: Item) -> str:
    return item.name


def _item_id(item: Item) -> str:
    return item.id


_ITEM_KEYS: tuple[Callable[[Item], str], ...] = (_item_name, _item_id)


def _suggest(item: str, lines: OrderLines) -> str:
    names = list(dict.fromkeys(line.line_item.item.name for line in lines))
    if not names:
        return ", which is empty; add it first"
    examples = ", ".join(f'"{name}"' for name in names[:5]) + (", …" if len(names) > 5 else "")
    return did_you_mean(item, names, otherwise=f"the order has {examples}")


def _is_same(first: OrderLineItem, second: OrderLineItem) -> bool:
    """Whether two lines have the same item and modifiers, in any order."""
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
    """A line in the default types of a session."""
    item = line.line_item.item
    return {
        "uid": line.uid,
        "itemId": item.id,
        "displayName": item.name,
        "quantity": line.line_item.quantity,
        "basePrice": item.price,
        "modifierGroups": list(_groups(line.line_item.modifiers)),
    }


def _groups(modifiers: Sequence[Modifier]) -> Iterator[dict[str, Any]]:
    """The modifiers by group; one that is taken twice has quantity 2."""
    for group in dict.fromkeys((modifier.group_id, modifier.group) for modifier in modifiers):
        members = [modifier for modifier in modifiers if (modifier.group_id, modifier.group) == group]
        yield {
            "modifierGroupId": group[0],
            "displayName": group[1],
            "modifiers": [
                {"modifierId": modifier.id, "displayName": modifier.name, "quantity": members.count(modifier)}
                for modifier in dict.fromkeys(members)
            ],
        }
