"""Applies customer actions to the session state; an invalid action raises and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.understanding import is_answered
from trialrun.runtime.channel_config.menu import Item, OrderLineItem
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
from trialrun.runtime.channel_config.session.cel_state import with_client_value
from trialrun.runtime.channel_config.session.client_values import TypeMismatch
from trialrun.runtime.channel_config.session.order import (
    add_items,
    add_modifiers,
    contains_item,
    remove_item,
    set_quantity,
)
from trialrun.runtime.channel_config.session.plan import SessionPlan
from trialrun.runtime.channel_config.session.turn import MappedTerm, Offer, SessionState, Utterance
from trialrun.values.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class AppliedActions:
    """A session after a move, with what was heard in it and what the agent says to that."""

    state: SessionState
    mapped_terms: tuple[MappedTerm, ...] = ()
    utterances: tuple[Utterance, ...] = ()


def apply_actions(state: SessionState, actions: Sequence[Action], plan: SessionPlan) -> AppliedActions:
    """The session after all moves of a turn, in turn. Raises ActionError."""
    mapped_terms: tuple[MappedTerm, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    for batch in _batches(actions):
        applied = _apply_batch(state, batch, plan)
        state, mapped_terms, utterances = (
            applied.state,
            mapped_terms + applied.mapped_terms,
            utterances + applied.utterances,
        )
    return AppliedActions(state, mapped_terms, utterances)


def _batches(actions: Sequence[Action]) -> Iterator[Sequence[Action]]:
    """The moves one by one, but what is added in a row at once: the order is gone through once for all of it."""
    for is_added, row in groupby(actions, lambda action: isinstance(action, Add)):
        if is_added:
            yield list(row)
        else:
            yield from ([action] for action in row)


def _apply_batch(state: SessionState, batch: Sequence[Action], plan: SessionPlan) -> AppliedActions:
    action = batch[0]
    if state.finished and not isinstance(action, Accept | Decline):
        raise ActionError(action, "the order is complete; accept or decline the last offer, or start a new session")
    match action:
        case Add():
            return AppliedActions(
                _add_items(
                    state, [(addition.line_item, addition) for addition in batch if isinstance(addition, Add)], plan
                )
            )
        case Remove(item, quantity):
            return AppliedActions(replace(state, lines=remove_item(state.lines, item, quantity, action=action)))
        case SetQuantity(item, quantity):
            return AppliedActions(replace(state, lines=set_quantity(state.lines, item, quantity, action=action)))
        case Accept():
            return AppliedActions(_accept(state, action, plan))
        case Decline():
            return AppliedActions(_decline(state, action))
        case Speak(language):
            return AppliedActions(replace(state, language=_canonical_language(language, action)))
        case Say(text):
            return _say(state, text, action, plan)
        case SetState():
            return AppliedActions(_set_state(state, action, plan))
        case Finish():
            return AppliedActions(replace(state, finished=True, questions=()))


def _add_items(
    state: SessionState, additions: Sequence[tuple[OrderLineItem, Action]], plan: SessionPlan
) -> SessionState:
    """The session with more in the order, each by its move; a question that this answers waits no longer."""
    for line_item, action in additions if plan.menu.offerings else ():
        if reason := plan.why_unavailable(line_item.item, state):
            raise ActionError(action, f'"{line_item.item.name}" is not available: {reason}; order something else')
    lines = add_items(state.lines, additions, next_line=state.next_line_number)
    number = state.next_line_number + len(lines) - len(state.lines)
    line_items = [line_item for line_item, _ in additions]
    questions = tuple(question for question in state.questions if not is_answered(question, line_items))
    return replace(state, lines=lines, next_line_number=number, questions=questions)


def _accept(state: SessionState, action: Accept, plan: SessionPlan) -> SessionState:
    offer, name = _accepted_offer(state, action, plan)
    try:
        item = plan.menu.item(name)
    except LookupError as error:
        raise ActionError(action, f"the offered item cannot be ordered: {error}") from None
    foreign = [modifier.name for modifier in action.modifiers if modifier not in plan.menu.modifiers_of(item)]
    if foreign and not plan.menu.takes_any_modifier(item):
        raise ActionError(action, f'"{item.name}" does not take "{foreign[0]}"; accept it without')
    if _modifies_existing_item(state, action, offer, item):
        state = replace(state, lines=add_modifiers(state.lines, item, action.modifiers))
    else:
        state = _add_items(state, [(OrderLineItem(item, 1, action.modifiers), action)], plan)
    if offer is state.open_offer:
        return replace(state, open_offer=None)
    return replace(state, suggestions=tuple(suggestion for suggestion in state.suggestions if suggestion is not offer))


def _modifies_existing_item(state: SessionState, action: Accept, offer: Offer, item: Item) -> bool:
    """Whether modifiers are accepted that were suggested for an item that the order has already."""
    names = {modifier.name for modifier in action.modifiers}
    return bool(names) and names.issubset(offer.modifiers) and contains_item(state.lines, item)


def _accepted_offer(state: SessionState, action: Accept, plan: SessionPlan) -> tuple[Offer, str]:
    """The offer that is accepted, and which of its items."""
    waiting = ((state.open_offer,) if state.open_offer else ()) + state.suggestions
    if not waiting:
        raise ActionError(action, f"nothing is offered{_why_nothing_open(state)}; add what the customer wants")
    choices = [(offer, name) for offer in waiting for name in offer.items]
    if action.item is None:
        return _first_offer(choices, action)
    wanted = _menu_name(action.item, plan)
    for offer, name in choices:
        if wanted == _menu_name(name, plan):
            return offer, name
    names = list(dict.fromkeys(name for _, name in choices))
    advice = did_you_mean(action.item, names, otherwise=f"the session offers {_join_names(names)}")
    raise ActionError(action, f'"{action.item}" is not offered{advice}')


def _first_offer(choices: Sequence[tuple[Offer, str]], action: Accept) -> tuple[Offer, str]:
    if not choices:
        raise ActionError(action, "the offer names no item; add the item that the customer takes")
    return choices[0]


def _menu_name(name: str, plan: SessionPlan) -> str:
    """The name of the item on the menu that a name or an id means, else the name itself."""
    try:
        return plan.menu.item(name).name
    except LookupError:
        return name


def _decline(state: SessionState, action: Decline) -> SessionState:
    if state.open_offer:
        return replace(state, open_offer=None, declines=state.declines + 1)
    if state.suggestions:
        return replace(state, suggestions=())
    raise ActionError(action, f"nothing is offered{_why_nothing_open(state)}; remove the decline")


def _why_nothing_open(state: SessionState) -> str:
    if state.offered_in_turn:
        return " now, since the last offer is answered"
    return " yet"


def _join_names(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _canonical_language(text: str, action: Action) -> str:
    """The canonical form of a tag."""
    from trialrun.values.language_tag import canonicalize, check

    tag = canonicalize(text)
    if tag is None:
        message = next((problem.message for problem in check(text)), "write one such as en-US")
        raise ActionError(action, message if text and text in message else f'"{text}" is not a language tag: {message}')
    return tag


def _say(state: SessionState, text: str, action: Say, plan: SessionPlan) -> AppliedActions:
    """What the customer says, mapped: single targets are ordered, questions wait for an answer."""
    mapped_terms = plan.understanding.understand(
        text, language=state.language or plan.active_config.default_language, pending=state.questions
    )
    state = _add_items(
        state,
        [(target, action) for term in mapped_terms if term.kind == "SINGLE_TARGET" for target in term.targets],
        plan,
    )
    if plan.active_config.listens_only:
        return AppliedActions(state, mapped_terms)
    new_questions = tuple(term for term in mapped_terms if term.kind == "DISAMBIGUATION")
    asked_terms = {term.term for term in new_questions}
    questions = (*(term for term in state.questions if term.term not in asked_terms), *new_questions)
    utterances = tuple(reply for term in mapped_terms for reply in plan.understanding.replies(term))
    return AppliedActions(replace(state, questions=questions), mapped_terms, utterances)


def _set_state(state: SessionState, action: SetState, plan: SessionPlan) -> SessionState:
    try:
        return replace(
            state,
            client_state=with_client_value(state.client_state, tuple(action.path), action.value, plan.state_builders),
        )
    except TypeMismatch as error:
        raise ActionError(action, str(error)) from None
