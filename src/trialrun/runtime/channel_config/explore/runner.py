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
    TurnActions,
    only_sets_state,
)
from trialrun.runtime.channel_config.session.actions import Action, ActionError
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
        turns = [session.welcome()]
        turn_actions: list[TurnActions] = []
        for turns_left in range(self.turns, 0, -1):
            actions, turn = _play_turn(session, customer.actions(turns[-1], turns_left))
            if turn is None:
                break
            turn_actions.append(
                (*actions, NO_OP) if not turn_actions and only_sets_state(actions) else actions
            )  # as a script has it
            turns.append(turn)
        return PlayedSession(replace(recording, turns=tuple(turn_actions)), tuple(turns))

    def play_beside(
        self, other: PlayedSession, number: int, open_session: OpenSession, is_same: Callable[[Turn, Turn], bool]
    ) -> PlayedSession:
        """The session of a number by a customer who does what another one of the number did, while all is the same.

        That is what `play` gives where draws depend on the turn alone, in less time.
        """
        session = open_session(other.recording)
        turns = [session.welcome()]
        turn_actions: list[TurnActions] = []
        for actions in other.recording.turns:
            if not is_same(other.turns[len(turn_actions)], turns[-1]):
                break
            turns.append(session.turn(actions))
            turn_actions.append(actions)
        if len(turns) == len(other.turns) and is_same(other.turns[-1], turns[-1]):
            return PlayedSession(other.recording, tuple(turns))
        customer = SimulatedCustomer(self.rng(self.seed, number), self.generators, self.profile)
        for turns_left in range(self.turns - len(turn_actions), 0, -1):
            played, turn = _play_turn(session, customer.actions(turns[-1], turns_left))
            if turn is None:
                break
            turn_actions.append((*played, NO_OP) if not turn_actions and only_sets_state(played) else played)
            turns.append(turn)
        return PlayedSession(replace(other.recording, turns=tuple(turn_actions)), tuple(turns))

    def _begin(self, rng: Rng) -> datetime:
        if not self.generators.varies_start_time or rng.happens(DEFAULT_TIME_SHARE):
            return self.begin
        later = timedelta(hours=rng.choose(HOUR_OFFSETS))
        return self.begin + later if later <= MAX_TIME - self.begin else self.begin


def _play_turn(session: Session, actions: TurnActions) -> tuple[TurnActions, Turn | None]:
    """The turn of some moves without those that the session does not allow; None if none is left."""
    while actions:
        try:
            return actions, session.turn(actions)
        except ActionError as error:
            actions = _without(actions, error.action)
    return (), None


def _without(actions: TurnActions, rejected: Action) -> TurnActions:
    position = next((index for index, action in enumerate(actions) if action is rejected), len(actions) - 1)
    return actions[:position] + actions[position + 1 :]


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
