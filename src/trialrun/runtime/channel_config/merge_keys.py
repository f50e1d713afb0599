"""Which item of an earlier list a later one overrides: upsells by displayName or priority, greetings by language.

What items are matched by is looked up in an index of the earlier list, which is made once for as many lists as come
over it. No two items of one list override the same item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.values.language_tag import canonical

Plain = Mapping[str, Any]
Keys = tuple[Hashable, ...]


@dataclass(frozen=True)
class Matching:
    """How the items of a list are matched: the keys that an earlier item has, and those that a later one looks for.

    All later items look by the first way before any does by the second. `fields` is what the keys are made of.
    """

    fields: tuple[str, ...]
    keys: Callable[[Plain], Keys]
    ways: tuple[Callable[[Plain], Keys], ...]


@dataclass(frozen=True)
class Index:
    """The keys of each item of a list, and the places of the items that have a key."""

    keys: Sequence[Keys]
    places: Mapping[Hashable, tuple[int, ...]]

    def changed(self, keys: Iterable[tuple[int, Keys]]) -> Index:
        """The index of a list of which some items are other ones, and that may go on behind its end."""
        all_keys, places = list(self.keys), dict(self.places)
        for place, new in keys:
            old = all_keys[place] if place < len(all_keys) else ()
            if old != new:
                all_keys[place : place + 1] = [new]
                _move(places, place, old, new)
        return Index(all_keys, places)


def _move(places: dict[Hashable, tuple[int, ...]], place: int, old: Keys, new: Keys) -> None:
    for key in old:
        places[key] = tuple(one for one in places[key] if one != place)
    for key in new:
        places[key] = (*places.get(key, ()), place)


EMPTY: Final = Index((), {})


def matched(matching: Matching, earlier: Index, later: Sequence[Plain]) -> list[int | None]:
    """For each later item the place of the first earlier one that it overrides; None where it is one of its own."""
    found: list[int | None] = [None] * len(later)
    taken: set[int] = set()
    for way in matching.ways:
        for place, item in enumerate(later):
            if found[place] is not None:
                continue
            free = [
                one for key in way(item) if key in earlier.places for one in earlier.places[key] if one not in taken
            ]
            if free:
                found[place] = min(free)
                taken.add(min(free))
    return found


def index(matching: Matching, items: Sequence[Plain]) -> Index:
    """The index of a list; its items need no fields but those that they are matched by."""
    return EMPTY.changed((place, matching.keys(item)) for place, item in enumerate(items))


def _upsell(upsell: Plain) -> Keys:
    name = upsell.get("displayName")
    by_priority = ("priority", upsell.get("priority"), bool(name))
    return (name, by_priority) if name else (by_priority,)


def _by_name(upsell: Plain) -> Keys:
    name = upsell.get("displayName")
    return (name,) if name else ()


def _by_priority(upsell: Plain) -> Keys:
    """Names that differ keep two upsells apart, so a named one looks for those without a name."""
    priority = upsell.get("priority")
    if priority is None:
        return ()
    nameless = ("priority", priority, False)
    return (nameless,) if upsell.get("displayName") else (nameless, ("priority", priority, True))


def _language(greeting: Plain) -> Keys:
    """The canonical language: `iw` and `he` are one, and those without any go together."""
    code = greeting.get("languageCode") or ""
    return ((canonical(code) or code).lower(),)


MATCHINGS: Final[Mapping[str | int, Matching]] = {
    "upsells": Matching(("displayName", "priority"), _upsell, (_by_name, _by_priority)),
    "greetings": Matching(("languageCode",), _language, (_language,)),
}
"""The lists whose items are matched, by the name of their field; every other list is a value as a whole."""
