"""Pairs of the items of two lists: by what names them, as fingerprints do it, and by their content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from trialrun.changes.canonical import canonical, canonical_field, compared_fields, default_of, is_list
from trialrun.changes.catalog import has_entry, is_ordered
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node

Item = TypeVar("Item")
SAME_IN_PAIR = frozenset({"GreetingOffer.messages", "ClosingOffer.closingMessages", "DisambiguationStrategy.mappings"})
"""Lists of which the only item without a counterpart on both sides is the same one, edited."""


@dataclass(frozen=True, slots=True)
class ItemPairs:
    """The indexes of items that belong together, of those only on one side, and of those under another name."""

    pairs: Sequence[tuple[int, int]]
    renamed: Sequence[tuple[int, int]]
    removed: Sequence[int]
    added: Sequence[int]


def pair_items(model: type[Node], name: str, before: Sequence[Node], after: Sequence[Node]) -> ItemPairs:
    """Pair the items of a list field on two sides."""
    pairs = list(pair_by(before, after, _key_and_content))
    pairs += pair_by(before, after, item_key, taken=pairs)
    renamed: list[tuple[int, int]] = []
    if has_entry(model.__name__, name, "renamed"):
        renamed = list(pair_by(before, after, _content_without_key, taken=pairs, only_unique=True))
    taken = [*pairs, *renamed]
    removed = _rest(len(before), (first for first, _ in taken))
    added = _rest(len(after), (second for _, second in taken))
    if len(removed) == len(added) == 1 and f"{model.__name__}.{name}" in SAME_IN_PAIR:
        pairs.append((removed.pop(), added.pop()))
    return ItemPairs(sorted(pairs), sorted(renamed), removed, added)


def _rest(count: int, taken: Iterable[int]) -> list[int]:
    return sorted(set(range(count)).difference(taken))


def pair_by(
    before: Sequence[Item],
    after: Sequence[Item],
    key: Callable[[Item], Hashable],
    *,
    taken: Iterable[tuple[int, int]] = (),
    only_unique: bool = False,
) -> Iterator[tuple[int, int]]:
    """Pairs of items with equal keys, the first with the first; items whose key is None are left out.

    With `only_unique`, only those whose key no other item has that is left.
    """
    taken = list(taken)
    firsts = _places(before, {first for first, _ in taken}, key)
    seconds = _places(after, {second for _, second in taken}, key)
    for value, indexes in firsts.items():
        others = seconds.get(value, [])
        if not only_unique or len(indexes) == len(others) == 1:
            yield from zip(indexes, others, strict=False)


def _places(items: Sequence[Item], taken: set[int], key: Callable[[Item], Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if index not in taken and (value := key(item)) is not None:
            places[value].append(index)
    return places


def item_key(item: Node) -> Hashable:
    """What names an item: the first of its key fields that it has, by its canonical value; else its content."""
    for name in type(item).item_key or ():
        key = _key_of(getattr(item, name), type(item), name, item)
        if key is not None:
            return (name, key)
    return ("content", canonical(item))


def _key_of(value: Any, model: type[Node], name: str, item: Node) -> Hashable:
    if value is None or value == default_of(model, name):
        return None
    if isinstance(value, Node):
        return item_key(value)
    form = canonical_field(item, name)
    if is_list(model, name) and isinstance(form, tuple):
        return (form if is_ordered(model.__name__, name) else sorted(form, key=repr))[0] if form else None
    return form


def _key_and_content(item: Node) -> Hashable:
    return (item_key(item), canonical(item))


def _content_without_key(item: Node) -> Hashable:
    key = item_key(item)
    name = key[0] if isinstance(key, tuple) else None
    fields = tuple((field, canonical_field(item, field)) for field in compared_fields(type(item)) if field != name)
    says_something = any(form is not None for _, form in fields)
    return fields if says_something else None
