"""Runs sessions of simulated customers, replays recorded sessions, and checks what no session may show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.messages import negotiate_language
from trialrun.runtime.channel_config.explore.generators import Generators
from trialrun.runtime.channel_config.explore.simulated_customer import (
    NO_OP,
    CustomerProfile,
    Recording,
    Rng,
    SimulatedCustomer,
    only_sets_state,
)
from trialrun.runtime.channel_config.session.actions import ActionError
from trialrun.runtime.channel_config.session.condition import ConditionItems
from trialrun.runtime.channel_config.session.turn import Offer, Turn

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.session import Session


OpenSession = Callable[[Recording], "Session"]
"""The session of a visit, of which nothing was played yet."""
DEFAULT_TIME_SHARE = 0.5
"""How often a session begins at the time that is given, where conditions read the time."""
HOUR_OFFSETS = range(24 * 7)
MAX_TIME = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """A session that was played: what the customer did, and what the agent did in every turn from the welcome on."""

    recording: Recording
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Simulation:
    """Who comes, and when: the customers' words and habits, the time, and how many turns a session has at most.

    `rng` is how chance is drawn.
    """

    generators: Generators
    profile: CustomerProfile
    begin: datetime
    turns: int
    seed: int
    rng: type[Rng] = Rng

    def play(self, number: int, open_session: OpenSession) -> PlayedSession:
        """The session of a number, from 0: the same for the same seed, whatever was played before."""
        rng = self.rng(self.seed, number)
        customer = SimulatedCustomer(rng, self.generators, self.profile)
        recording = Recording(self.seed + number, self._begin(rng), customer.language(), ())
        session = open_session(recording)
        return self._play_on(session, customer, recording, [session.welcome()])

    def play_beside(
        self, other: PlayedSession, number: int, open_session: OpenSession, is_same: Callable[[Turn, Turn], bool]
    ) -> PlayedSession:
        """The session of a number by a customer who does what another one of the number did, while all is the same.

        That is what `play` gives where draws depend on the turn alone, in less time.
        """
        recording = other.recording
        session = open_session(recording)
        turns = [session.welcome()]
        for actions, turn in zip(recording.turns, other.turns, strict=False):
            if not is_same(turn, turns[-1]):
                break
            turns.append(session.turn(actions))
        if len(turns) == len(other.turns) and is_same(other.turns[-1], turns[-1]):
            return PlayedSession(recording, tuple(turns))
        customer = SimulatedCustomer(self.rng(self.seed, number), self.generators, self.profile)
        return self._play_on(session, customer, replace(recording, turns=recording.turns[: len(turns) - 1]), turns)

    def _play_on(
        self, session: Session, customer: SimulatedCustomer, recording: Recording, turns: list[Turn]
    ) -> PlayedSession:
        """The session from a turn on; moves that it does not allow are left out, and it ends where none is left."""
        turn_actions = list(recording.turns)
        for turns_left in range(self.turns - len(turn_actions), 0, -1):
            actions, turn = customer.actions(turns[-1], turns_left), None
            while actions and turn is None:
                try:
                    turn = session.turn(actions)
                except ActionError as error:
                    refused = [index for index, action in enumerate(actions) if action is error.action]
                    position = refused[0] if refused else len(actions) - 1
                    actions = actions[:position] + actions[position + 1 :]
            if turn is None:
                break
            if not turn_actions and only_sets_state(actions):
                actions = (*actions, NO_OP)  # as a script has it
            turn_actions.append(actions)
            turns.append(turn)
        return PlayedSession(replace(recording, turns=tuple(turn_actions)), tuple(turns))

    def _begin(self, rng: Rng) -> datetime:
        if not self.generators.varies_start_time or rng.happens(DEFAULT_TIME_SHARE):
            return self.begin
        later = timedelta(hours=rng.choose(HOUR_OFFSETS))
        return self.begin + later if later <= MAX_TIME - self.begin else self.begin


def replay(recording: Recording, open_session: OpenSession) -> PlayedSession:
    """The session of a visit. Raises ActionError."""
    session = open_session(recording)
    turns = [session.welcome()]
    turns += [session.turn(actions) for actions in recording.turns]
    return PlayedSession(recording, tuple(turns))


OccurrenceKind = Literal[
    "condition-error", "offered-twice", "offered-in-order", "other-language", "no-message", "unavailable-item"
]
GREETING_POSITION = -1
"""Stands for the greeting where others have the place of their upsell in the strategy."""
OccurrenceKey = tuple[OccurrenceKind, tuple[int, ...], str]
"""Sightings of one key are one surprise: its kind, the places of the upsells, and the error or modifiers, if any."""
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
                key: OccurrenceKey = "condition-error", (places[id(condition.upsell)],), condition.error
                yield key, turn.number, ()
        yield from _language_occurrences(turn, places)
        for offer in turn.offers:
            place = places[id(offer.upsell)]
            yield from _offers_in_order(offer, place, turn, condition_items.get(place))
            if offer.kind != "suggestion":
                yield from _repeated_offers(offer, place, turn, first_offers)


def _language_occurrences(turn: Turn, places: Mapping[int, int]) -> Iterator[Occurrence]:
    """What is said in a language that was not asked for, and what is not said at all for want of it."""
    wanted = turn.language
    said = [(GREETING_POSITION, utterance) for utterance in turn.utterances if utterance.kind == "greeting"]
    said += [(places[id(offer.upsell)], offer.utterance) for offer in turn.offers if offer.utterance]
    for place, utterance in said:
        if utterance.language and _is_other(utterance.language, wanted):
            yield ("other-language", (place,), ""), turn.number, (wanted, utterance.language)
    for skipped in turn.skipped:
        if skipped.reason.code == "unavailable":
            yield ("unavailable-item", (places[id(skipped.upsell)],), ""), turn.number, (skipped.reason.text,)
        if skipped.reason.code == "no-language":
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
    items: dict[str, list[str]] = {"modifiers": [], "": []}
    for item in offer.items:
        if item in ordered:
            is_change = offer.modifiers and condition_items and condition_items.mentions(ordered[item])
            items["modifiers" if is_change else ""].append(item)
    for text, names in items.items():
        if names:
            yield ("offered-in-order", (place,), text), turn.number, tuple(names)


def _repeated_offers(offer: Offer, place: int, turn: Turn, first_offers: dict[str, int]) -> Iterator[Occurrence]:
    """Items that an earlier offer of the session was of; `first_offers` has the places of those."""
    first: dict[int, list[str]] = {}
    for item in offer.items:
        if item in first_offers:
            first.setdefault(first_offers[item], []).append(item)
        first_offers.setdefault(item, place)
    for earlier, items in first.items():
        yield ("offered-twice", (earlier, place), ""), turn.number, tuple(items)
