"""The order: its lines, and what customers do to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from trialrun.lazy_dataclass import dataclass
from trialrun.model.suggest import nearest
from trialrun.runtime.channel_config.menu import Item, Modifier, Ordered
from trialrun.runtime.channel_config.session.actions import CannotMove, Move

MOST = 1_000_000
"""How many of an item a line may have."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the order; `uid` stays its own for the whole session.

    `shapes` keeps the line as the types of a session have it, once it was asked for.
    """

    uid: str
    ordered: Ordered
    shapes: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


Lines = tuple[Line, ...]


def added(lines: Lines, more: Iterable[tuple[Ordered, Move]], *, next_line: int) -> Lines:
    """The lines with more: a line of the same item and modifiers grows, else there is one more, `line-N` from N on.

    Raises CannotMove with the move that orders too much.
    """
    longer = list(lines)
    places: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        places.setdefault(line.ordered.item.name, []).append(at)
    for ordered, move in more:
        _check(ordered.quantity, move, least=1)
        of_item = places.setdefault(ordered.item.name, [])
        at = next((at for at in of_item if _is_same(longer[at].ordered, ordered)), len(longer))
        if at < len(longer):
            longer[at] = _counting(longer[at], longer[at].ordered.quantity + ordered.quantity, move)
        else:
            of_item.append(at)
            longer.append(Line(f"line-{next_line + at - len(lines)}", ordered))
    return tuple(longer)


def removed(lines: Lines, item: str, quantity: int | None, *, move: Move) -> Lines:
    """The lines without an item, or with so many fewer of it, taken from its last line first. Raises CannotMove."""
    places = _places(lines, item, move)
    there = sum(lines[at].ordered.quantity for at in places)
    if quantity is None:
        return tuple(line for at, line in enumerate(lines) if at not in places)
    _check(quantity, move, least=1)
    if quantity > there:
        name = lines[places[0]].ordered.item.name
        raise CannotMove(move, f'the order has {there} of "{name}", not {quantity}; remove {there} or fewer')
    return _fewer(lines, places, quantity, move)


def counted(lines: Lines, item: str, quantity: int, *, move: Move) -> Lines:
    """The lines with so many of an item in all; its last line takes the difference. Raises CannotMove."""
    _check(quantity, move, least=0)
    places = _places(lines, item, move)
    more = quantity - sum(lines[at].ordered.quantity for at in places)
    if more < 0:
        return _fewer(lines, places, -more, move)
    return _with(lines, places[-1], lines[places[-1]].ordered.quantity + more, move)


def has(lines: Sequence[Line], item: Item) -> bool:
    """Whether an item is in the order."""
    return any(line.ordered.item == item for line in lines)


def modified(lines: Lines, item: Item, modifiers: Sequence[Modifier]) -> Lines:
    """The lines with more modifiers on the last line of an item that is in the order; those it has stay as they are."""
    at = max(at for at, line in enumerate(lines) if line.ordered.item == item)
    line = lines[at]
    more = tuple(one for one in modifiers if one not in line.ordered.modifiers)
    changed = Line(line.uid, replace(line.ordered, modifiers=line.ordered.modifiers + more))
    return (*lines[:at], changed, *lines[at + 1 :])


def cart(lines: Sequence[Line]) -> int:
    """How many items are in the cart: the quantities of all lines together."""
    return sum(line.ordered.quantity for line in lines)


def subtotal(lines: Sequence[Line]) -> float:
    """The price of the order, exact to the cent: sums are those of decimal numbers."""
    return float(sum(_price(line.ordered.item.price) * line.ordered.quantity for line in lines))


def _fewer(lines: Lines, places: Sequence[int], quantity: int, move: Move) -> Lines:
    for at in reversed(places):
        off = min(quantity, lines[at].ordered.quantity)
        lines, quantity = _with(lines, at, lines[at].ordered.quantity - off, move), quantity - off
    return lines


def _with(lines: Lines, at: int, quantity: int, move: Move) -> Lines:
    """The lines with another quantity in one, which goes when none is left."""
    changed = (_counting(lines[at], quantity, move),) if quantity else ()
    return (*lines[:at], *changed, *lines[at + 1 :])


def _counting(line: Line, quantity: int, move: Move) -> Line:
    """The line with another quantity."""
    _check(quantity, move, least=0)
    return Line(line.uid, replace(line.ordered, quantity=quantity))


def _check(quantity: int, move: Move, *, least: int) -> None:
    if quantity < least:
        raise CannotMove(move, f"a quantity is a whole number from {least} up, not {quantity}; give another")
    if quantity > MOST:
        raise CannotMove(move, f"a line has at most {MOST} of an item; order fewer")


def _places(lines: Lines, item: str, move: Move) -> list[int]:
    """The lines of an item by its name, else by its id."""
    wanted = normalize("NFC", item)
    for key in _KEYS:
        places = [at for at, line in enumerate(lines) if normalize("NFC", key(line.ordered.item)) == wanted]
        if places:
            return places
    raise CannotMove(move, f'"{item}" is not in the order{_advice(item, lines)}')


def _name(item: Item) -> str:
    return item.name


def _id(item: Item) -> str:
    return item.id


_KEYS: tuple[Callable[[Item], str], ...] = (_name, _id)


def _advice(item: str, lines: Lines) -> str:
    names = list(dict.fromkeys(line.ordered.item.name for line in lines))
    if not names:
        return ", which is empty; add it first"
    near = nearest(item, names)
    if near:
        return f'; did you mean "{near}"?'
    listed = ", ".join(f'"{name}"' for name in names[:5]) + (", …" if len(names) > 5 else "")
    return f"; the order has {listed}"


def _is_same(one: Ordered, other: Ordered) -> bool:
    """Whether two lines have the same item and the same modifiers, in any order."""
    if one.item != other.item or len(one.modifiers) != len(other.modifiers):
        return False
    return one.modifiers == other.modifiers or sorted(one.modifiers, key=_key) == sorted(other.modifiers, key=_key)


def _key(modifier: Modifier) -> tuple[str, ...]:
    return modifier.group, modifier.name, modifier.group_id, modifier.id


@lru_cache(maxsize=4096)
def _price(price: float) -> Decimal:
    return Decimal(repr(float(price)))


def plain(line: Line) -> dict[str, Any]:
    """A line as the default types of a session have it."""
    item = line.ordered.item
    return {
        "uid": line.uid,
        "itemId": item.id,
        "displayName": item.name,
        "quantity": line.ordered.quantity,
        "basePrice": item.price,
        "modifierGroups": list(_groups(line.ordered.modifiers)),
    }


def _groups(modifiers: Sequence[Modifier]) -> Iterator[dict[str, Any]]:
    """The modifiers by their groups; one that is taken twice has quantity 2."""
    for group in dict.fromkeys((one.group_id, one.group) for one in modifiers):
        held = [one for one in modifiers if (one.group_id, one.group) == group]
        yield {
            "modifierGroupId": group[0],
            "displayName": group[1],
            "modifiers": [
                {"modifierId": one.id, "displayName": one.name, "quantity": held.count(one)}
                for one in dict.fromkeys(held)
            ],
        }
