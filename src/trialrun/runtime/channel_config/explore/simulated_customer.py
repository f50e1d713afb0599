"""Simulated customers: who comes and when, what they do by chance and by what the agent does, and their sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.messages import start_draws
from trialrun.runtime.channel_config.explore.generators import ConditionFocus, Generators
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    ActionError,
    Add,
    Decline,
    Finish,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)
from trialrun.runtime.channel_config.session.plan import SchemaFor
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import Turn


@dataclass(frozen=True, slots=True)
class CustomerProfile:
    """Chances from 0 to 1, each a customer's in a turn, except for `foreign`, which is a session's.

    `accept` and `decline` are what becomes of an offer; of the rest nothing is said. `add` is to order something, again
    and again up to three times; `remove` and `quantity` are about what is in the order. `say` is to use a term that the
    disambiguation knows, `speak` to go on in another language, `foreign` to begin in one, `state` to be in a situation
    that a condition asks for, `finish` to be done before the last turn.
    """

    accept: float = 0.3
    decline: float = 0.4
    add: float = 0.75
    remove: float = 0.1
    quantity: float = 0.1
    say: float = 0.15
    speak: float = 0.05
    foreign: float = 0.25
    state: float = 0.75
    finish: float = 0.1


DEFAULT_PROFILE = CustomerProfile()
"""Customers who take three offers in ten, say no to four and pass over three."""

Choice = TypeVar("Choice")


class Rng:
    """Draws in a row, the same on every machine and in every Python.

    Independent ones depend on the turn and the purpose, and not on how many others there were: two customers of one
    seed do the same wherever they are in the same situation, whatever went differently before.
    """

    def __init__(self, seed: int, session: int, *, independent: bool = False, purpose: str = "") -> None:
        self._seed, self._session, self._independent, self._count = seed, session, independent, 0
        self._draws = start_draws(seed, f"customer {session} {purpose} " if independent else f"explore {session} ")

    def stream(self, turn: int, purpose: str) -> Rng:
        """The draws for one purpose in a turn: these ones, after those of all other purposes, if not independent."""
        if not self._independent:
            return self
        return Rng(self._seed, self._session, independent=True, purpose=f"{turn} {purpose}")

    def _next(self) -> int:
        self._count += 1
        drawn = self._draws.copy()
        drawn.update(b"%d" % self._count)
        return int.from_bytes(drawn.digest(), "big")

    def happens(self, likelihood: float) -> bool:
        """Whether a thing of this likelihood, from 0 to 1, happens."""
        return (self._next() >> 11) / 2**53 < likelihood

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """One of some choices, each as likely as the others."""
        return choices[self._next() * len(choices) // 2**64]

    def fraction(self) -> float:
        """A fraction from 0 up to, and without, 1."""
        return (self._next() >> 11) / 2**53


TurnActions = tuple[Action, ...]
NO_OP = Say("hm")
"""The simplest move of all: it changes nothing, and makes a turn."""


def only_sets_state(actions: TurnActions) -> bool:
    """Whether a customer does nothing in a turn but set values: at the beginning of a script that is not a turn."""
    return all(isinstance(action, SetState) for action in actions)


@dataclass(frozen=True, slots=True)
class Recording:
    """What makes a session: its seed, when it begins and in which language, and the customer's moves turn by turn."""

    seed: int
    begin: datetime
    language: str | None
    turns: tuple[TurnActions, ...]

    @property
    def action_count(self) -> int:
        """How many moves the customer makes."""
        return sum(map(len, self.turns))

    def open_session(self, active_config: ActiveConfig, menu: BrandMenu, types: SchemaFor) -> Session:
        """The session of which nothing was played yet. Raises ActionError."""
        return Session(active_config, menu, types=types, seed=self.seed, begin=self.begin, language=self.language)


RELEVANT_ITEM_RATE = 0.6
"""How often an order is of an item that some decision depends on, where there are such."""
FOCUS_RATE = 0.5
"""How often what is told by some condition is told by one of them, the same for the session."""
SINGLE_ITEM_RATE = 0.7
"""How often one of an item is ordered."""
MODIFIER_RATE = 0.4
MAX_ADDS = 3
STATE_CHANGE_RATE = 0.05
"""How often a situation changes after the first turn."""
NO_STATE_RATE = 0.1
"""How often a session begins in a situation of which the client says nothing."""


class SimulatedCustomer:
    """What one customer does, turn by turn; the chances are that session's."""

    def __init__(self, rng: Rng, generators: Generators, profile: CustomerProfile) -> None:
        self._visit = self._rng = rng
        self._generators, self._profile = generators, profile
        self._sends_no_state = rng.happens(NO_STATE_RATE)
        self._focus = rng.choose(generators.focuses) if generators.focuses else ConditionFocus()

    def language(self) -> str | None:
        """The language in which the session begins; None for that of the store."""
        languages = self._generators.languages
        return self._rng.choose(languages) if languages and self._rng.happens(self._profile.foreign) else None

    def actions(self, last: Turn, turns_left: int) -> TurnActions:
        """What the customer does after the agent's last turn, with so many turns left; nothing when all is done."""
        answer = tuple(self._answer(last))
        if last.finished:
            return answer
        actions = [*self._state_actions(last), *answer, *self._order_actions(last), *self._speech_actions(last)]
        self._rng = self._visit.stream(last.number, "end")
        if turns_left <= 2 or (last.number and self._rng.happens(self._profile.finish)):
            actions.append(Finish())
        return tuple(actions) or ((self._add(),) if self._generators.items else (NO_OP,))

    def _answer(self, last: Turn) -> Iterator[Action]:
        self._rng = self._visit.stream(last.number, "answer")
        offers = [offer for offer in last.offers if offer.kind != "suggestion"]
        if not offers:
            return
        share, items = self._rng.fraction(), offers[-1].items
        if share < self._profile.accept:
            yield Accept(self._rng.choose(items) if len(items) > 1 else None)
        elif share < self._profile.accept + self._profile.decline:
            yield Decline()

    def _state_actions(self, last: Turn) -> Iterator[Action]:
        """Values of a situation: often those that one condition asks for, the same for the session."""
        self._rng = self._visit.stream(last.number, "state")
        likelihood = STATE_CHANGE_RATE if last.number else 0.0 if self._sends_no_state else self._profile.state
        for setting in self._generators.settings:
            if self._rng.happens(likelihood):
                values = self._focus.values_by_path.get(setting.path, ())
                is_focused = values and self._rng.happens(FOCUS_RATE)
                yield SetState(setting.path, self._rng.choose(values if is_focused else setting.values))

    def _order_actions(self, last: Turn) -> Iterator[Action]:
        self._rng = self._visit.stream(last.number, "order")
        for _ in range(MAX_ADDS):
            if not self._generators.items or not self._rng.happens(self._profile.add):
                break
            yield self._add()
        if last.order and self._rng.happens(self._profile.remove):
            yield Remove(self._rng.choose(last.order).item.name)
        elif last.order and self._rng.happens(self._profile.quantity):
            yield SetQuantity(self._rng.choose(last.order).item.name, self._rng.choose(self._generators.quantities))

    def _speech_actions(self, last: Turn) -> Iterator[Action]:
        self._rng = self._visit.stream(last.number, "speech")
        if self._generators.terms and self._rng.happens(self._profile.say):
            yield Say(self._rng.choose(self._generators.terms))
        if len(self._generators.languages) > 1 and self._rng.happens(self._profile.speak):
            yield Speak(self._rng.choose(self._generators.languages))

    def _add(self) -> Add:
        """An order: where some decision depends on items, often of these, of those of one condition for the session."""
        rng, items, relevant_items = self._rng, self._generators.items, self._generators.relevant_items
        if relevant_items and rng.happens(RELEVANT_ITEM_RATE):
            items = self._focus.items if self._focus.items and rng.happens(FOCUS_RATE) else relevant_items
        item = rng.choose(items)
        quantity = 1 if rng.happens(SINGLE_ITEM_RATE) else rng.choose(self._generators.quantities)
        if not item.modifiers or not rng.happens(MODIFIER_RATE):
            return Add(OrderLineItem(item, quantity))
        names = self._generators.relevant_modifiers
        relevant = [one for one in item.modifiers if one.name in names or one.group in names]
        is_relevant = relevant and rng.happens(RELEVANT_ITEM_RATE)
        return Add(OrderLineItem(item, quantity, (rng.choose(relevant if is_relevant else item.modifiers),)))


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

    With `independent` draws customers do the same in the same situation.
    """

    generators: Generators
    profile: CustomerProfile
    begin: datetime
    turns: int
    seed: int
    independent: bool = False

    def play(self, number: int, open_session: OpenSession) -> PlayedSession:
        """The session of a number, from 0: the same for the same seed, whatever was played before."""
        rng = Rng(self.seed, number, independent=self.independent)
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
        rng = Rng(self.seed, number, independent=self.independent)
        customer = SimulatedCustomer(rng, self.generators, self.profile)
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
