"""The menu of a brand at work: which entry a name or an id means, and what an order line is made of."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.record import dataclass


@dataclass(frozen=True, slots=True)
class Modifier:
    """A modifier in its group; `id` is empty where the menu has none."""

    name: str
    id: str
    group: str
    group_id: str


@dataclass(frozen=True, slots=True)
class Item:
    """An item: its modifiers are those of its groups, in the order of the menu; `price` is 0 where there is none."""

    name: str
    id: str
    price: float
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Ordered:
    """So many of an item, each with the same modifiers."""

    item: Item
    quantity: int = 1
    modifiers: tuple[Modifier, ...] = ()


Items = Sequence[Item]
