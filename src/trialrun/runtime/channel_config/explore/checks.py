"""Checks of one session for anomalies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.messages import negotiate_language
from trialrun.runtime.channel_config.explore.runner import PlayedSession
from trialrun.runtime.channel_config.session.condition import ConditionItems
from trialrun.runtime.channel_config.session.turn import Offer, Turn

OccurrenceKind = Literal[
    "condition-error", "offered-twice", "offered-in-order", "other-language", "no-message", "unavailable-item"
]
GREETING_POSITION = -1
"""Stands for the greeting where others have the place of their upsell in the strategy."""
OccurrenceKey = tuple[OccurrenceKind, tuple[int, ...], str]
"""Sightings of one key are one surprise: its kind, the places of the upsells, and the error or modifiers, if any."""


@dataclass(frozen=True, slots=True)
class AnomalyOccurrence:
    """Something surprising in a turn; `words` are items, languages: what differs among sightings of one key."""

    key: OccurrenceKey
    turn: int
    words: tuple[str, ...] = ()


def find_occurrences(
    session: PlayedSession, places: Mapping[int, int], condition_items: Mapping[int, ConditionItems]
) -> Iterator[AnomalyOccurrence]:
    """What is surprising in a session; `places` are those of the upsells in the strategy, by identity.

    `condition_items` are the items that conditions name, by the places of their upsells.
    """
    first_offers: dict[str, int] = {}
    for turn in session.turns:
        yield from _condition_errors(turn, places)
        yield from _language_occurrences(turn, places)
        for offer in turn.offers:
            place = places[id(offer.upsell)]
            yield from _offers_in_order(offer, place, turn, condition_items.get(place))
            if offer.kind != "suggestion":
                yield from _repeated_offers(offer, place, turn, first_offers)


def _condition_errors(turn: Turn, places: Mapping[int, int]) -> Iterator[AnomalyOccurrence]:
    for condition in turn.conditions:
        if condition.error is not None:
            key: OccurrenceKey = ("condition-error", (places[id(condition.upsell)],), condition.error)
            yield AnomalyOccurrence(key, turn.number)


def _language_occurrences(turn: Turn, places: Mapping[int, int]) -> Iterator[AnomalyOccurrence]:
    """What is said in a language that was not asked for, and what is not said at all for want of it."""
    wanted = turn.language
    for utterance in turn.utterances:
        if utterance.kind == "greeting" and _is_other(utterance.language, wanted):
            yield AnomalyOccurrence(
                ("other-language", (GREETING_POSITION,), ""), turn.number, (wanted, utterance.language or "")
            )
    for offer in turn.offers:
        if offer.utterance and _is_other(offer.utterance.language, wanted):
            key: OccurrenceKey = ("other-language", (places[id(offer.upsell)],), "")
            yield AnomalyOccurrence(key, turn.number, (wanted, offer.utterance.language or ""))
    for skipped in turn.skipped:
        if skipped.reason.code == "unavailable":
            key = ("unavailable-item", (places[id(skipped.upsell)],), "")
            yield AnomalyOccurrence(key, turn.number, (skipped.reason.text,))
        if skipped.reason.code == "no-language":
            yield AnomalyOccurrence(("no-message", (places[id(skipped.upsell)],), ""), turn.number, (wanted,))


@lru_cache(maxsize=1024)
def _is_other(language: str | None, wanted: str) -> bool:
    """Whether a text is not in the language that was wanted, nor in one that stands for it; none is wanted if empty."""
    return bool(language and wanted) and negotiate_language(wanted, (language or "",), None) is None


def _offers_in_order(
    offer: Offer, place: int, turn: Turn, condition_items: ConditionItems | None
) -> Iterator[AnomalyOccurrence]:
    """Items that are offered while they are in the order.

    Of one that the condition names, an offer with modifiers may be to change it.
    """
    ordered = {name: line.item for line in turn.order for name in (line.item.name, line.item.id) if name}
    items_in_order = [item for item in offer.items if item in ordered]
    changed = [
        item
        for item in items_in_order
        if offer.modifiers and condition_items and condition_items.mentions(ordered[item])
    ]
    for items, text in ((changed, "modifiers"), ([item for item in items_in_order if item not in changed], "")):
        if items:
            yield AnomalyOccurrence(("offered-in-order", (place,), text), turn.number, tuple(items))


def _repeated_offers(offer: Offer, place: int, turn: Turn, first_offers: dict[str, int]) -> Iterator[AnomalyOccurrence]:
    """Items that an earlier offer of the session was of; `first_offers` has the places of those."""
    first: dict[int, list[str]] = {}
    for item in offer.items:
        if item in first_offers:
            first.setdefault(first_offers[item], []).append(item)
        first_offers.setdefault(item, place)
    for earlier, items in first.items():
        yield AnomalyOccurrence(("offered-twice", (earlier, place), ""), turn.number, tuple(items))
