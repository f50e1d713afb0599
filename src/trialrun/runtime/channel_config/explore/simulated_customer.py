"""A simulated customer: chooses actions by a profile, by random draws and by what the agent does, and records them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.messages import draw
from trialrun.runtime.channel_config.explore.generators import ConditionFocus, Generators, StateSetting
from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    Add,
    Decline,
    Finish,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)
from trialrun.runtime.channel_config.session.turn import Offer, Turn


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
RANGE_SIZE = 2**64


class Rng:
    """Draws in a row, the same on every machine and in every Python."""

    def __init__(self, seed: int, session: int) -> None:
        self._purpose = f"explore {session} "
        self._seed = seed
        self._count = 0

    def stream(self, turn: int, purpose: str) -> Rng:
        """The draws for one purpose in a turn: these ones, after those of all other purposes."""
        return self

    def _next(self) -> int:
        self._count += 1
        return draw(self._seed, f"{self._purpose}{self._count}")

    def happens(self, likelihood: float) -> bool:
        """Whether a thing of this likelihood, from 0 to 1, happens."""
        return (self._next() >> 11) / 2**53 < likelihood

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """One of some choices, each as likely as the others."""
        return choices[self._next() * len(choices) // RANGE_SIZE]

    def fraction(self) -> float:
        """A fraction from 0 up to, and without, 1."""
        return (self._next() >> 11) / 2**53


class IndependentRng(Rng):
    """Draws that depend on the turn and the purpose, and not on how many others there were.

    Two customers of one seed do the same wherever they are in the same situation, whatever went differently before.
    """

    def __init__(self, seed: int, session: int, purpose: str = "") -> None:
        super().__init__(seed, session)
        self._session = session
        self._purpose = f"customer {session} {purpose} "

    def stream(self, turn: int, purpose: str) -> Rng:
        """The draws for one purpose in a turn."""
        return IndependentRng(self._seed, self._session, f"{turn} {purpose}")


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

    @property
    def size(self) -> tuple[int, int]:
        """The fewer turns, then the fewer moves, the shorter."""
        return len(self.turns), self.action_count


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
        if not self._generators.languages or not self._rng.happens(self._profile.foreign):
            return None
        return self._rng.choose(self._generators.languages)

    def actions(self, last: Turn, turns_left: int) -> TurnActions:
        """What the customer does after the agent's last turn, with so many turns left; nothing when all is done."""
        answer = self._draw("answer", last, self._answer)
        if last.finished:
            return answer
        actions = [*self._draw("state", last, self._state_actions), *answer]
        actions += self._draw("order", last, self._order_actions)
        actions += self._draw("speech", last, self._speech_actions)
        self._rng = self._visit.stream(last.number, "end")
        if turns_left <= 2 or (last.number and self._rng.happens(self._profile.finish)):
            actions.append(Finish())
        return tuple(actions) or ((self._add(),) if self._generators.items else (NO_OP,))

    def _draw(self, purpose: str, last: Turn, draw: Callable[[Turn], Iterator[Action]]) -> TurnActions:
        """Some moves, with the draws of their purpose."""
        self._rng = self._visit.stream(last.number, purpose)
        return tuple(draw(last))

    def _answer(self, last: Turn) -> Iterator[Action]:
        offers = [offer for offer in last.offers if offer.kind != "suggestion"]
        if not offers:
            return
        share = self._rng.fraction()
        accept, decline = self._profile.accept, self._profile.decline
        if share < accept:
            yield self._accept(offers[-1])
        elif share < accept + decline:
            yield Decline()

    def _accept(self, offer: Offer) -> Accept:
        return Accept(self._rng.choose(offer.items) if len(offer.items) > 1 else None)

    def _state_actions(self, last: Turn) -> Iterator[Action]:
        likelihood = STATE_CHANGE_RATE if last.number else 0.0 if self._sends_no_state else self._profile.state
        for setting in self._generators.settings:
            if self._rng.happens(likelihood):
                yield SetState(setting.path, self._rng.choose(self._values(setting)))

    def _values(self, setting: StateSetting) -> Sequence[Any]:
        """The values to choose from: often those that one condition asks for, the same for the session."""
        compared_values = self._focus.values_by_path.get(setting.path)
        return compared_values if compared_values and self._rng.happens(FOCUS_RATE) else setting.values

    def _order_actions(self, last: Turn) -> Iterator[Action]:
        for _ in range(MAX_ADDS):
            if not self._generators.items or not self._rng.happens(self._profile.add):
                break
            yield self._add()
        if last.order and self._rng.happens(self._profile.remove):
            yield Remove(self._rng.choose(last.order).item.name)
        elif last.order and self._rng.happens(self._profile.quantity):
            yield SetQuantity(self._rng.choose(last.order).item.name, self._rng.choose(self._generators.quantities))

    def _speech_actions(self, last: Turn) -> Iterator[Action]:
        if self._generators.terms and self._rng.happens(self._profile.say):
            yield Say(self._rng.choose(self._generators.terms))
        if len(self._generators.languages) > 1 and self._rng.happens(self._profile.speak):
            yield Speak(self._rng.choose(self._generators.languages))

    def _add(self) -> Add:
        item = self._rng.choose(self._choices())
        quantity = 1 if self._rng.happens(SINGLE_ITEM_RATE) else self._rng.choose(self._generators.quantities)
        return Add(OrderLineItem(item, quantity, tuple(self._modifiers(item))))

    def _choices(self) -> Sequence[Item]:
        """Where some decision depends on items, these; often those of one condition, the same for the session."""
        if not self._generators.relevant_items or not self._rng.happens(RELEVANT_ITEM_RATE):
            return self._generators.items
        return (
            self._focus.items
            if self._focus.items and self._rng.happens(FOCUS_RATE)
            else self._generators.relevant_items
        )

    def _modifiers(self, item: Item) -> Iterator[Modifier]:
        """One modifier, the more likely where decisions depend on it."""
        if not item.modifiers or not self._rng.happens(MODIFIER_RATE):
            return
        relevant = [modifier for modifier in item.modifiers if self._is_relevant(modifier)]
        choices: Sequence[Modifier] = relevant if relevant and self._rng.happens(RELEVANT_ITEM_RATE) else item.modifiers
        yield self._rng.choose(choices)

    def _is_relevant(self, modifier: Modifier) -> bool:
        return not self._generators.relevant_modifiers.isdisjoint((modifier.name, modifier.group))
