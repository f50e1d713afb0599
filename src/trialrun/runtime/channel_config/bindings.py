"""Matching of a brand's bindings to stores, on plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from trialrun.values.resource_name import is_same_resource, last_id


class Selector(NamedTuple):
    """The stores of a binding: those that have all the tags and are named; None or an empty list demands nothing."""

    tags: Collection[str] | None = None
    names: Collection[str] | None = None


def is_bound(
    *,
    tags: Collection[str] | None,
    names: Collection[str] | None,
    store_name: str,
    store_tags: Collection[str],
) -> bool:
    """Whether a binding for stores of these tags and names applies to a store: one that has all the tags and is named.

    A list that is unset or empty demands nothing.
    """
    if tags and not all(tag in store_tags for tag in tags):
        return False
    return not names or any(is_same_resource(name, store_name) for name in names)


class Bindings:
    """The bindings of a brand by what a store must have for them; stores of the same tags are looked at once.

    A binding without a selector applies nowhere.
    """

    def __init__(self, selectors: Sequence[Selector | None]) -> None:
        self._selectors = selectors
        self._by_id: dict[str, list[int]] = {}
        self._by_tag: dict[str, list[int]] = {}
        self._everywhere: list[int] = []
        self._by_tag_set: dict[frozenset[str], list[int]] = {}
        tag_counts = Counter(tag for selector in selectors if selector for tag in selector.tags or ())
        for index, selector in enumerate(selectors):
            if selector is not None:
                self._add(index, selector, tag_counts)

    def _add(self, index: int, selector: Selector, tag_counts: Counter[str]) -> None:
        """File a binding under its names, else under the tag that the fewest bindings have."""
        if selector.names:
            for id_ in {last_id(name) for name in selector.names}:
                self._by_id.setdefault(id_, []).append(index)
        elif selector.tags:
            rarest = min(selector.tags, key=lambda tag: tag_counts[tag])
            self._by_tag.setdefault(rarest, []).append(index)
        else:
            self._everywhere.append(index)

    def indexes_for(self, store_name: str, store_tags: Collection[str]) -> Sequence[int]:
        """The indexes of the bindings that apply to a store, in their order."""
        tags = frozenset(store_tags)
        if tags not in self._by_tag_set:
            candidates = (index for tag in tags for index in self._by_tag.get(tag, ()))
            matching = [index for index in candidates if self._matches(index, store_name, tags)]
            self._by_tag_set[tags] = sorted([*self._everywhere, *matching])
        candidates = (index for index in self._by_id.get(last_id(store_name), ()))
        by_name = [index for index in candidates if self._matches(index, store_name, tags)]
        return sorted([*self._by_tag_set[tags], *by_name]) if by_name else self._by_tag_set[tags]

    def _matches(self, index: int, store_name: str, store_tags: Collection[str]) -> bool:
        selector = self._selectors[index] or Selector()
        return is_bound(tags=selector.tags, names=selector.names, store_name=store_name, store_tags=store_tags)
