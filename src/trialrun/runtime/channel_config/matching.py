"""Which item of an earlier list a later one overrides: upsells by displayName or priority, greetings by language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from trialrun.values.language_tag import canonical

Fields = Mapping[str, Any]
Match = Callable[[Sequence[Fields], Sequence[Fields]], list[int | None]]
"""Takes the earlier items and the later ones, as far as they have scalar fields; gives, for each later one, the index
of the earlier one that it overrides, None where it is an item of its own. No two later ones override the same."""


def upsells(earlier: Sequence[Fields], later: Sequence[Fields]) -> list[int | None]:
    """By displayName where both have one, else by priority; a displayName in common counts before any priority."""
    found = _paired(earlier, later, lambda upsell: upsell.get("displayName") or None)
    taken = {index for index in found if index is not None}
    for at, upsell in enumerate(later):
        free = [] if found[at] is not None else [one for one in _of_its_priority(upsell, earlier) if one not in taken]
        if free:
            found[at] = free[0]
            taken.add(free[0])
    return found


def _of_its_priority(upsell: Fields, earlier: Sequence[Fields]) -> list[int]:
    """The earlier upsells of the same priority, unless both have a displayName."""
    priority = upsell.get("priority")
    if priority is None:
        return []
    return [
        index
        for index, other in enumerate(earlier)
        if other.get("priority") == priority and not (upsell.get("displayName") and other.get("displayName"))
    ]


def greetings(earlier: Sequence[Fields], later: Sequence[Fields]) -> list[int | None]:
    """By canonical language: `iw` and `he` are one; those without a language go together."""
    return _paired(earlier, later, lambda greeting: _language(greeting.get("languageCode")))


def _language(code: str | None) -> str:
    return (canonical(code) or code).lower() if code else ""


def _paired(
    earlier: Sequence[Fields], later: Sequence[Fields], key: Callable[[Fields], str | None]
) -> list[int | None]:
    """The first of the earlier items with the key of a later one that no other has; None where the key is None."""
    by_key: dict[str | None, list[int]] = {}
    for index in reversed(range(len(earlier))):
        by_key.setdefault(key(earlier[index]), []).append(index)
    by_key.pop(None, None)
    found: list[int | None] = []
    for one in later:
        free = by_key.get(key(one))
        found.append(free.pop() if free else None)
    return found


MATCHES: Final[Mapping[str, Match]] = {"upsells": upsells, "greetings": greetings}
"""The lists whose items are matched, by the name of their field; every other list is a value as a whole."""
