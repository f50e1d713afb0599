"""What is surprising in one session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.language_negotiation import served
from trialrun.runtime.channel_config.explore.runner import Played
from trialrun.runtime.channel_config.session.condition_items import Named
from trialrun.runtime.channel_config.session.turn import Offered, Turn

SightingKind = Literal["condition-error", "offered-twice", "offered-in-order", "other-language", "no-message"]
GREETING = -1
"""Stands for the greeting where others have the place of their upsell in the strategy."""
Key = tuple[SightingKind, tuple[int, ...], str]
"""Sightings of one key are one surprise: its kind, the places of the upsells, and the error or modifiers, if any."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something surprising in a turn; `words` are items, languages: what differs among sightings of one key."""

    key: Key
    turn: int
    words: tuple[str, ...] = ()


def sightings(played: Played, places: Mapping[int, int], about: Mapping[int, Named]) -> Iterator[Sighting]:
    """What is surprising in a session; `places` are those of the upsells in the strategy, by identity.

    `about` are the items that conditions name, by the places of their upsells.
    """
    before: dict[str, int] = {}
    for turn in played.turns:
        yield from _errors(turn, places)
        yield from _languages(turn, places)
        for offer in turn.offered:
            place = places[id(offer.upsell)]
            yield from _in_order(offer, place, turn, about.get(place))
            if offer.kind != "suggestion":
                yield from _twice(offer, place, turn, before)


def _errors(turn: Turn, places: Mapping[int, int]) -> Iterator[Sighting]:
    for condition in turn.conditions:
        if condition.error is not None:
            key: Key = ("condition-error", (places[id(condition.upsell)],), condition.error)
            yield Sighting(key, turn.number)


def _languages(turn: Turn, places: Mapping[int, int]) -> Iterator[Sighting]:
    """What is said in a language that was not asked for, and what is not said at all for want of it."""
    wanted = turn.language
    for said in turn.said:
        if said.kind == "greeting" and _is_other(said.language, wanted):
            yield Sighting(("other-language", (GREETING,), ""), turn.number, (wanted, said.language or ""))
    for offer in turn.offered:
        if offer.said and _is_other(offer.said.language, wanted):
            key: Key = ("other-language", (places[id(offer.upsell)],), "")
            yield Sighting(key, turn.number, (wanted, offer.said.language or ""))
    for one in turn.passed_over:
        if one.reason.code == "no-language":
            yield Sighting(("no-message", (places[id(one.upsell)],), ""), turn.number, (wanted,))


@lru_cache(maxsize=1024)
def _is_other(language: str | None, wanted: str) -> bool:
    """Whether a text is not in the language that was wanted, nor in one that stands for it; none is wanted if empty."""
    return bool(language and wanted) and served(wanted, (language or "",), None) is None


def _in_order(offer: Offered, place: int, turn: Turn, about: Named | None) -> Iterator[Sighting]:
    """Items that are offered while they are in the order.

    Of one that the condition names, an offer with modifiers may be to change it.
    """
    ordered = {name: line.item for line in turn.order for name in (line.item.name, line.item.id) if name}
    known = [item for item in offer.items if item in ordered]
    changed = [item for item in known if offer.modifiers and about and about.names(ordered[item])]
    for items, text in ((changed, "modifiers"), ([item for item in known if item not in changed], "")):
        if items:
            yield Sighting(("offered-in-order", (place,), text), turn.number, tuple(items))


def _twice(offer: Offered, place: int, turn: Turn, before: dict[str, int]) -> Iterator[Sighting]:
    """Items that an earlier offer of the session was of; `before` has the places of those."""
    first: dict[int, list[str]] = {}
    for item in offer.items:
        if item in before:
            first.setdefault(before[item], []).append(item)
        before.setdefault(item, place)
    for earlier, items in first.items():
        yield Sighting(("offered-twice", (earlier, place), ""), turn.number, tuple(items))
