"""Simulated customer: chooses actions by a profile and by what the agent does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trialrun.runtime.channel_config.explore.generators import ConditionFocus, Generators, StateSetting
from trialrun.runtime.channel_config.explore.profile import CustomerProfile
from trialrun.runtime.channel_config.explore.recording import NO_OP, TurnActions
from trialrun.runtime.channel_config.explore.rng import Rng
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
