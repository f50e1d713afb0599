"""What is seen in explored sessions: surprises turn by turn, counts of upsells, and sessions that show something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from trialrun.runtime.channel_config.dialogue.messages import negotiate_language
from trialrun.runtime.channel_config.explore.simulated_customer import PlayedSession, Recording
from trialrun.runtime.channel_config.session.actions import Accept, Decline
from trialrun.runtime.channel_config.session.condition_items import ConditionItems
from trialrun.runtime.channel_config.session.turn import Offer, Turn

AnomalyKind = Literal["condition-error", "never-offered", "offered-twice", "offered-in-order", "no-message",
                      "other-language", "unavailable-item", "modifies-order", "limit-never-reached",
                      "condition-always-true"]  # fmt: skip
"""The kinds of surprises, in the order of reports."""
NOTES: tuple[AnomalyKind, ...] = ("modifies-order", "limit-never-reached", "condition-always-true")
"""What may well be meant; the rest is hardly meant, or fails."""
GREETING_POSITION = -1
"""Stands for the greeting where others have the place of their upsell in the strategy."""
OccurrenceKey = tuple[AnomalyKind, tuple[int, ...], str]
"""Sightings of one key are one surprise: its kind, the places of the upsells, and the error, if any."""
Occurrence = tuple[OccurrenceKey, int, tuple[str, ...]]
"""Something surprising, its turn, and the items, languages or texts that differ among sightings of one key."""


def find_occurrences(
    session: PlayedSession, places: Mapping[int, int], condition_items: Mapping[int, ConditionItems]
) -> Iterator[Occurrence]:
    """What is surprising in a session; `places` are those of the upsells in the strategy, by identity.

    `condition_items` are the items that conditions name, by the places of their upsells.
    """
    first_offers: dict[str, int] = {}
    for turn in session.turns:
        for condition in turn.conditions:
            if condition.error is not None:
                yield ("condition-error", (places[id(condition.upsell)],), condition.error), turn.number, ()
        yield from _language_occurrences(turn, places)
        for offer in turn.offers:
            place = places[id(offer.upsell)]
            yield from _offers_in_order(offer, place, turn, condition_items.get(place))
            if offer.kind != "suggestion":
                yield from _repeated_offers(offer, place, turn, first_offers)


def _language_occurrences(turn: Turn, places: Mapping[int, int]) -> Iterator[Occurrence]:
    wanted = turn.language
    said = [(GREETING_POSITION, utterance) for utterance in turn.utterances if utterance.kind == "greeting"]
    said += [(places[id(offer.upsell)], offer.utterance) for offer in turn.offers if offer.utterance]
    for place, utterance in said:
        if utterance.language and _is_other(utterance.language, wanted):
            yield ("other-language", (place,), ""), turn.number, (wanted, utterance.language)
    for skipped in turn.skipped:
        if skipped.code == "unavailable":
            yield ("unavailable-item", (places[id(skipped.upsell)],), ""), turn.number, (skipped.reason,)
        if skipped.code == "no-language":
            yield ("no-message", (places[id(skipped.upsell)],), ""), turn.number, (wanted,)


@lru_cache(maxsize=1024)
def _is_other(language: str, wanted: str) -> bool:
    """Whether a text is not in the language that was wanted, nor in one that stands for it; none is wanted if empty."""
    return bool(wanted) and negotiate_language(wanted, (language,), None) is None


def _offers_in_order(
    offer: Offer, place: int, turn: Turn, condition_items: ConditionItems | None
) -> Iterator[Occurrence]:
    """Items that are offered while they are in the order.

    Of one that the condition names, an offer with modifiers may be to change it.
    """
    ordered = {name: line.item for line in turn.order for name in (line.item.name, line.item.id) if name}
    items: dict[AnomalyKind, list[str]] = {"modifies-order": [], "offered-in-order": []}
    for item in offer.items:
        if item in ordered:
            is_change = offer.modifiers and condition_items and condition_items.mentions(ordered[item])
            items["modifies-order" if is_change else "offered-in-order"].append(item)
    for kind, names in items.items():
        if names:
            yield (kind, (place,), ""), turn.number, tuple(names)


def _repeated_offers(offer: Offer, place: int, turn: Turn, first_offers: dict[str, int]) -> Iterator[Occurrence]:
    """Items that an earlier offer of the session was of; `first_offers` has the places of those."""
    first: dict[int, list[str]] = {}
    for item in offer.items:
        if item in first_offers:
            first.setdefault(first_offers[item], []).append(item)
        first_offers.setdefault(item, place)
    for earlier, items in first.items():
        yield ("offered-twice", (earlier, place), ""), turn.number, tuple(items)


Happening = tuple[int, Literal["offered", "accepted", "declined", "condition", "skipped"], Any]
"""What becomes of an upsell at a place of the strategy, with the value of its condition or the code of the reason."""


@dataclass(slots=True)
class Statistics:
    """In how many turns and in how many sessions what became of each upsell, and the first such session.

    `first_number` is the number of the first session that is counted.
    """

    positions: Mapping[int, int]
    first_number: int = 0
    sessions: int = 0
    turns: int = 0
    in_turns: Counter[Happening] = field(default_factory=Counter)
    in_sessions: Counter[Happening] = field(default_factory=Counter)
    first_session: dict[Happening, int] = field(default_factory=dict)

    def add(self, session: PlayedSession) -> None:
        """Count a session; upsells are distinguished by identity, as all sessions are of one configuration.

        An offer is answered in the turn after it.
        """
        seen: list[Happening] = []
        at = self.positions
        for number, turn in enumerate(session.turns):
            seen += [(at[id(offer.upsell)], "offered", None) for offer in turn.offers]
            seen += [(at[id(one.upsell)], "condition", one.value) for one in turn.conditions]
            seen += [(at[id(one.upsell)], "skipped", one.code) for one in turn.skipped]
            offers = [at[id(offer.upsell)] for offer in turn.offers if offer.kind != "suggestion"]
            answer = session.recording.turns[number] if number < len(session.recording.turns) else ()
            if offers:
                seen += {(offers[-1], "accepted", None) for move in answer if isinstance(move, Accept)}
                seen += {(offers[-1], "declined", None) for move in answer if isinstance(move, Decline)}
        happenings = dict.fromkeys(seen)
        self.in_turns.update(seen)
        self.in_sessions.update(happenings.keys())
        for happening in happenings:
            self.first_session.setdefault(happening, self.first_number + self.sessions)
        self.sessions += 1
        self.turns += len(session.turns) - 1

    def merge(self, later: Statistics) -> None:
        """Add the counts of the sessions after these."""
        self.in_turns.update(later.in_turns)
        self.in_sessions.update(later.in_sessions)
        for happening, number in later.first_session.items():
            self.first_session.setdefault(happening, number)
        self.sessions += later.sessions
        self.turns += later.turns

    def skip_counts(self, place: int) -> list[tuple[str, int, int]]:
        """What kept an upsell back, the most often first: the code of the reason, in how many sessions and turns."""
        counts = [
            (happening[2], self.in_sessions[happening], turns)
            for happening, turns in self.in_turns.items()
            if happening[:2] == (place, "skipped")
        ]
        return sorted(counts, key=lambda count: (-count[1], -count[2], count[0]))


@dataclass(frozen=True, slots=True)
class Example:
    """The shortest session that shows something, and the turn in which it does; `shows` says what, if not plain.

    `lines` are its script, a line for each turn. It is not the `shortest` where the search was ended before.
    """

    recording: Recording
    lines: tuple[str, ...]
    turn: int
    shows: str = ""
    shortest: bool = True
