"""Merge keys of lists: upsells match by displayName or priority, greetings by language.

What items are matched by is looked up in an index of the earlier list, which is made once for as many lists as come
over it. No two items of one list override the same item. The names of the fields are those of the models' `item_key`,
which a test compares, since configurations from the cache are merged without the models.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.values.language_tag import canonicalize

Plain = Mapping[str, Any]
Keys = tuple[Hashable, ...]


@dataclass(frozen=True)
class MergeKey:
    """How the items of a list are matched: the keys that an earlier item has, and those that a later one looks for.

    All later items look by the first way before any does by the second. `fields` is what the keys are made of.
    """

    fields: tuple[str, ...]
    keys: Callable[[Plain], Keys]
    lookups: tuple[Callable[[Plain], Keys], ...]


@dataclass(frozen=True)
class KeyIndex:
    """The keys of each item of a list, and the places of the items that have a key."""

    keys: Sequence[Keys]
    positions: Mapping[Hashable, tuple[int, ...]]

    def with_changes(self, keys: Iterable[tuple[int, Keys]]) -> KeyIndex:
        """The index of a list of which some items are other ones, and that may go on behind its end."""
        all_keys, places = list(self.keys), dict(self.positions)
        for position, new in keys:
            old = all_keys[position] if position < len(all_keys) else ()
            if old != new:
                all_keys[position : position + 1] = [new]
                _reindex(places, position, old, new)
        return KeyIndex(all_keys, places)


def _reindex(places: dict[Hashable, tuple[int, ...]], position: int, old: Keys, new: Keys) -> None:
    for key in old:
        places[key] = tuple(place for place in places[key] if place != position)
    for key in new:
        places[key] = (*places.get(key, ()), position)


EMPTY_INDEX: Final = KeyIndex((), {})


def match_items(matching: MergeKey, earlier: KeyIndex, later: Sequence[Plain]) -> list[int | None]:
    """For each later item the place of the first earlier one that it overrides; None if it is one of its own."""
    matches: list[int | None] = [None] * len(later)
    taken: set[int] = set()
    for lookup in matching.lookups:
        for index, item in enumerate(later):
            if matches[index] is not None:
                continue
            free = [
                position
                for key in lookup(item)
                if key in earlier.positions
                for position in earlier.positions[key]
                if position not in taken
            ]
            if free:
                matches[index] = min(free)
                taken.add(min(free))
    return matches


def index_items(matching: MergeKey, items: Sequence[Plain]) -> KeyIndex:
    """The index of a list; its items need no fields but those that they are matched by."""
    return EMPTY_INDEX.with_changes((position, matching.keys(item)) for position, item in enumerate(items))


def _upsell_keys(upsell: Plain) -> Keys:
    name = upsell.get("displayName")
    by_priority = ("priority", upsell.get("priority"), bool(name))
    return (name, by_priority) if name else (by_priority,)


def _name_keys(upsell: Plain) -> Keys:
    name = upsell.get("displayName")
    return (name,) if name else ()


def _priority_keys(upsell: Plain) -> Keys:
    """Names that differ keep two upsells apart, so a named one looks for those without a name."""
    priority = upsell.get("priority")
    if priority is None:
        return ()
    nameless = ("priority", priority, False)
    return (nameless,) if upsell.get("displayName") else (nameless, ("priority", priority, True))


def _language_keys(greeting: Plain) -> Keys:
    """The canonical language: `iw` and `he` are one, and those without any go together."""
    code = greeting.get("languageCode") or ""
    return ((canonicalize(code) or code).lower(),)


MERGE_KEYS: Final[Mapping[str | int, MergeKey]] = {
    "upsells": MergeKey(("displayName", "priority"), _upsell_keys, (_name_keys, _priority_keys)),
    "greetings": MergeKey(("languageCode",), _language_keys, (_language_keys,)),
}
"""The lists whose items are matched, by the name of their field; every other list is a value as a whole."""
