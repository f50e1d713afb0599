"""A session at a store: the welcome, then turn by turn the customer's actions and the agent's response."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.instructions import Instruction, Tool, instructions, tools
from trialrun.runtime.channel_config.dialogue.messages import choose_greeting
from trialrun.runtime.channel_config.dialogue.understanding import UnreachableTerm
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem
from trialrun.runtime.channel_config.session.actions import Action, SetState, Speak, cart_size, subtotal
from trialrun.runtime.channel_config.session.offering import TurnOffers, offer_cel_upsells, offer_message
from trialrun.runtime.channel_config.session.plan import session_plan
from trialrun.runtime.channel_config.session.reducer import apply_actions
from trialrun.runtime.channel_config.session.turn import MappedTerm, Offer, SessionState, Turn
from trialrun.values.cel import Schema


class Session:
    """A session of one customer at a store, deterministic for a seed.

    `types` returns the types for the conditions of a file, by path; `begin` is the start time with its offset; `state`
    are initial values from the client, by variable and field. Raises ActionError for an invalid language or state.
    """

    def __init__(
        self,
        active_config: ActiveConfig,
        menu: BrandMenu,
        *,
        types: Callable[[str], Schema],
        seed: int,
        begin: datetime,
        language: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        if begin.utcoffset() is None:
            raise ValueError("the start time of a session has no offset; give it a time zone")
        self._plan = session_plan(active_config, menu, types)
        self.seed, self.begin = seed, begin.astimezone(UTC)
        actions: list[Action] = [Speak(language)] if language else []
        for variable, value in (state or {}).items():
            if isinstance(value, Mapping):
                actions += [SetState((variable, field), inner) for field, inner in value.items()]
            else:
                actions.append(SetState((variable,), value))
        self._state = apply_actions(SessionState(None, self._plan.local_time(begin)), actions, self._plan)[0]
        self._welcome: Turn | None = None

    def welcome(self) -> Turn:
        """Turn 0: the greeting and the greeting offer; on later calls the same turn again."""
        if self._welcome is None:
            self._welcome = self._play_welcome()
        return self._welcome

    def turn(self, actions: Sequence[Action], customer: str = "") -> Turn:
        """Play the next turn: all actions of the customer, then the response of the agent.

        Raises ActionError, and then the session is unchanged. `customer` is the text shown for the turn.
        """
        self.welcome()
        before = self._state
        numbered = replace(before, number=before.number + 1)
        state, mapped_terms, replies = apply_actions(numbered, actions, self._plan)
        max_items, items = self._plan.strategy.maxItemsInCart, cart_size(state.lines)
        if max_items is not None and items > max_items and not state.cart_limit:
            state = replace(state, cart_limit=(state.number, items))
        if state.finished and not before.finished:
            offers = offer_message("closingOffer", state, self._plan, self.seed)
        else:
            offers = TurnOffers(state) if state.finished else offer_cel_upsells(state, self._plan)
        self._state = offers.state
        return Turn(
            number=state.number,
            customer=customer,
            language=self.language,
            utterances=replies + offers.utterances,
            offers=offers.offers,
            skipped=offers.skipped,
            conditions=offers.conditions,
            mapped_terms=mapped_terms,
            order=self.order,
            finished=state.finished,
        )

    def fork(self) -> Session:
        """An independent copy of the session."""
        return copy(self)

    @property
    def number(self) -> int:
        """The number of the last turn; 0 is the welcome, -1 before it."""
        return self._state.number

    @property
    def language(self) -> str:
        """The customer's language, else the default language, empty if there is none."""
        return self._state.language or self._plan.initial_language

    @property
    def order(self) -> tuple[OrderLineItem, ...]:
        """The current order."""
        return tuple(line.line_item for line in self._state.lines)

    @property
    def cart(self) -> int:
        """The number of items in the cart."""
        return cart_size(self._state.lines)

    @property
    def subtotal(self) -> float:
        """The price of the order."""
        return subtotal(self._state.lines)

    @property
    def finished(self) -> bool:
        """Whether the customer said that the order is complete."""
        return self._state.finished

    @property
    def open_offers(self) -> tuple[Offer, ...]:
        """The offers that can be accepted: the open one, then suggestions."""
        waiting = (self._state.open_offer,) if self._state.open_offer else ()
        return waiting + self._state.suggestions

    @property
    def questions(self) -> tuple[MappedTerm, ...]:
        """Questions of the agent that are not answered yet."""
        return self._state.questions

    @property
    def state(self) -> dict[str, Any]:
        """The current state for conditions as plain values; times are datetimes in UTC."""
        state, values = self._state, self._plan.session_values(self._state)
        return self._plan.state_builders[0].plain(values, state.lines, state.client_state)

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instructions for the agent, each with its origin."""
        return instructions(self._plan.active_config)

    @property
    def unreachable_terms(self) -> tuple[UnreachableTerm, ...]:
        """The customer terms that can never be recognized here, with the reason and origin."""
        return self._plan.understanding.unreachable_terms

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of the agent, each with its origin."""
        return tools(self._plan.active_config)

    def _play_welcome(self) -> Turn:
        state = replace(self._state, number=0)
        greeting = choose_greeting(self._plan.active_config, self.language or None, self.seed)
        greetings, silence = ((), greeting) if isinstance(greeting, str) else ((greeting,), None)
        offers = offer_message("greetingOffer", state, self._plan, self.seed)
        self._state = offers.state
        return Turn(0, "", self.language, greetings + offers.utterances, offers.offers, offers.skipped, silence=silence)
