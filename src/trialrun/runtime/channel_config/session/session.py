"""A session at a store: the welcome, then turn by turn the customer's actions and the agent's response."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.instructions import Instruction, Tool, instructions, tools
from trialrun.runtime.channel_config.dialogue.messages import choose_greeting
from trialrun.runtime.channel_config.dialogue.understanding import UnreachableTerm, is_answered
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
    add_items,
    add_modifiers,
    cart_size,
    remove_item,
    set_quantity,
    subtotal,
)
from trialrun.runtime.channel_config.session.cel_state import StateBuilder, with_client_value
from trialrun.runtime.channel_config.session.client_values import TypeMismatch
from trialrun.runtime.channel_config.session.offering import TurnOffers, offer_cel_upsells, offer_message
from trialrun.runtime.channel_config.session.plan import SessionPlan, session_plan
from trialrun.runtime.channel_config.session.turn import MappedTerm, Offer, SessionState, Turn, Utterance
from trialrun.values.cel import Schema
from trialrun.values.cel.environment import Activation
from trialrun.values.language_tag import canonicalize, check
from trialrun.values.suggest import did_you_mean

AppliedActions = tuple[SessionState, tuple[MappedTerm, ...], tuple[Utterance, ...]]
"""A session after a move, with what was heard in it and what the agent says to that."""


def apply_actions(state: SessionState, actions: Sequence[Action], plan: SessionPlan) -> AppliedActions:
    """The session after all moves of a turn, in turn. Raises ActionError."""
    mapped_terms: tuple[MappedTerm, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    for is_added, row in groupby(actions, lambda action: isinstance(action, Add)):
        batch = list(row)
        # what is added in a row is added at once, so that the order is gone through once for all of it
        for action in batch[:1] if is_added else batch:
            if state.finished and not isinstance(action, Accept | Decline):
                advice = "accept or decline the last offer, or start a new session"
                raise ActionError(action, f"the order is complete; {advice}")
            match action:
                case Add():
                    additions = [(addition.line_item, addition) for addition in batch if isinstance(addition, Add)]
                    state = _add_items(state, additions, plan)
                case Remove(item, quantity):
                    state = state._replace(lines=remove_item(state.lines, item, quantity, action=action))
                case SetQuantity(item, quantity):
                    state = state._replace(lines=set_quantity(state.lines, item, quantity, action=action))
                case Accept():
                    state = _accept(state, action, plan)
                case Decline():
                    state = _decline(state, action)
                case Speak(language):
                    state = state._replace(language=_canonical_language(language, action))
                case Say():
                    state, heard, replies = _say(state, action, plan)
                    mapped_terms, utterances = mapped_terms + heard, utterances + replies
                case SetState(path, value):
                    try:
                        sent = with_client_value(state.client_state, tuple(path), value, plan.state_builders)
                    except TypeMismatch as error:
                        raise ActionError(action, str(error)) from None
                    state = state._replace(client_state=sent)
                case Finish():
                    state = state._replace(finished=True, questions=())
    return state, mapped_terms, utterances


def _add_items(
    state: SessionState, additions: Sequence[tuple[OrderLineItem, Action]], plan: SessionPlan
) -> SessionState:
    """The session with more in the order, each by its move; a question that this answers waits no longer."""
    for line_item, action in additions if plan.menu.offerings else ():
        if reason := plan.why_unavailable(line_item.item, state):
            raise ActionError(action, f'"{line_item.item.name}" is not available: {reason}; order something else')
    lines = add_items(state.lines, additions, next_line=state.next_line_number)
    number = state.next_line_number + len(lines) - len(state.lines)
    questions = state.questions
    if questions:
        line_items = [line_item for line_item, _ in additions]
        questions = tuple(question for question in questions if not is_answered(question, line_items))
    return state._replace(lines=lines, next_line_number=number, questions=questions)


def _accept(state: SessionState, action: Accept, plan: SessionPlan) -> SessionState:
    offer, name = _accepted_offer(state, action, plan)
    try:
        item = plan.menu.item(name)
    except LookupError as error:
        raise ActionError(action, f"the offered item cannot be ordered: {error}") from None
    foreign = [modifier.name for modifier in action.modifiers if modifier not in plan.menu.modifiers_of(item)]
    if foreign and not plan.menu.takes_any_modifier(item):
        raise ActionError(action, f'"{item.name}" does not take "{foreign[0]}"; accept it without')
    names = {modifier.name for modifier in action.modifiers}
    is_in_order = any(line.line_item.item == item for line in state.lines)
    if names and names.issubset(offer.modifiers) and is_in_order:  # they were suggested for what the order has already
        state = state._replace(lines=add_modifiers(state.lines, item, action.modifiers))
    else:
        state = _add_items(state, [(OrderLineItem(item, 1, action.modifiers), action)], plan)
    if offer is state.open_offer:
        return state._replace(open_offer=None)
    return state._replace(suggestions=tuple(suggestion for suggestion in state.suggestions if suggestion is not offer))


def _accepted_offer(state: SessionState, action: Accept, plan: SessionPlan) -> tuple[Offer, str]:
    waiting = ((state.open_offer,) if state.open_offer else ()) + state.suggestions
    if not waiting:
        raise ActionError(action, f"nothing is offered{_why_nothing_open(state)}; add what the customer wants")
    choices = [(offer, name) for offer in waiting for name in offer.items]
    if not choices:
        raise ActionError(action, "the offer names no item; add the item that the customer takes")
    if action.item is None:
        return choices[0]
    wanted = _menu_name(action.item, plan)
    for offer, name in choices:
        if wanted == _menu_name(name, plan):
            return offer, name
    names = list(dict.fromkeys(name for _, name in choices))
    *first, last = (f'"{name}"' for name in names)
    offered = " or ".join(filter(None, [", ".join(first), last]))
    advice = did_you_mean(action.item, names, otherwise=f"the session offers {offered}")
    raise ActionError(action, f'"{action.item}" is not offered{advice}')


def _menu_name(name: str, plan: SessionPlan) -> str:
    try:
        return plan.menu.item(name).name
    except LookupError:
        return name


def _decline(state: SessionState, action: Decline) -> SessionState:
    if state.open_offer:
        return state._replace(open_offer=None, declines=state.declines + 1)
    if state.suggestions:
        return state._replace(suggestions=())
    raise ActionError(action, f"nothing is offered{_why_nothing_open(state)}; remove the decline")


def _why_nothing_open(state: SessionState) -> str:
    return " now, since the last offer is answered" if state.offered_in_turn else " yet"


def _canonical_language(text: str, action: Action) -> str:
    tag = canonicalize(text)
    if tag is None:
        message = next((problem.message for problem in check(text)), "write one such as en-US")
        raise ActionError(action, message if text and text in message else f'"{text}" is not a language tag: {message}')
    return tag


def _say(state: SessionState, action: Say, plan: SessionPlan) -> AppliedActions:
    """What the customer says, mapped: single targets are ordered, questions wait for an answer."""
    language = state.language or plan.active_config.default_language
    mapped_terms = plan.understanding.understand(action.text, language=language, pending=state.questions)
    ordered = [target for term in mapped_terms if term.kind == "SINGLE_TARGET" for target in term.targets]
    state = _add_items(state, [(target, action) for target in ordered], plan)
    if plan.active_config.listens_only:
        return state, mapped_terms, ()
    new_questions = tuple(term for term in mapped_terms if term.kind == "DISAMBIGUATION")
    asked_terms = {term.term for term in new_questions}
    questions = (*(term for term in state.questions if term.term not in asked_terms), *new_questions)
    utterances = tuple(reply for term in mapped_terms for reply in plan.understanding.replies(term))
    return state._replace(questions=questions), mapped_terms, utterances


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
        numbered = before._replace(number=before.number + 1)
        state, mapped_terms, replies = apply_actions(numbered, actions, self._plan)
        max_items = self._plan.strategy.maxItemsInCart
        if max_items is not None and not state.cart_limit and (items := cart_size(state.lines)) > max_items:
            state = state._replace(cart_limit=(state.number, items))
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
            silence=None,
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
        return tuple([line.line_item for line in self._state.lines])

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

    def activation(self, builder: StateBuilder) -> Activation:
        """The current state as the conditions of a schema read it."""
        state = self._state
        return builder.activation(self._plan.session_values(state), state.lines, state.client_state)

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
        state = self._state._replace(number=0)
        choices = self._plan.greeting_choices(self.language or None)
        silence = choices if isinstance(choices, str) else None
        greetings = () if isinstance(choices, str) else (choose_greeting(choices, self.seed),)
        offers = offer_message("greetingOffer", state, self._plan, self.seed)
        self._state = offers.state
        return Turn(
            number=0,
            customer="",
            language=self.language,
            utterances=greetings + offers.utterances,
            offers=offers.offers,
            skipped=offers.skipped,
            conditions=(),
            mapped_terms=(),
            order=(),
            finished=False,
            silence=silence,
        )
