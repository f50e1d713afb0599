"""What the moves of a customer change; a move that cannot be made raises, and nothing was changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from trialrun.lazy_dataclass import dataclass
from trialrun.model.suggest import nearest
from trialrun.runtime.channel_config.dialogue.understanding import is_answered
from trialrun.runtime.channel_config.menu import Item, Ordered
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Add,
    CannotMove,
    Decline,
    Finish,
    Move,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)
from trialrun.runtime.channel_config.session.cel_state import sent_more
from trialrun.runtime.channel_config.session.order import added, counted, has, modified, removed
from trialrun.runtime.channel_config.session.plan import Plan
from trialrun.runtime.channel_config.session.session_state import Progress
from trialrun.runtime.channel_config.session.turn import Mapped, Offered, Said
from trialrun.runtime.channel_config.session.type_values import Unfit


@dataclass(frozen=True, slots=True)
class Moved:
    """A session after a move, with what was heard in it and what the agent says to that."""

    progress: Progress
    mapped: tuple[Mapped, ...] = ()
    said: tuple[Said, ...] = ()


def moved(now: Progress, moves: Sequence[Move], plan: Plan) -> Moved:
    """The session after all moves of a turn, one after the other. Raises CannotMove."""
    mapped: tuple[Mapped, ...] = ()
    said: tuple[Said, ...] = ()
    for together in _together(moves):
        after = _after(now, together, plan)
        now, mapped, said = after.progress, mapped + after.mapped, said + after.said
    return Moved(now, mapped, said)


def _together(moves: Sequence[Move]) -> Iterator[Sequence[Move]]:
    """The moves one by one, but what is added in a row at once: the order is gone through once for all of it."""
    for is_added, row in groupby(moves, lambda move: isinstance(move, Add)):
        if is_added:
            yield list(row)
        else:
            yield from ([move] for move in row)


def _after(now: Progress, together: Sequence[Move], plan: Plan) -> Moved:
    move = together[0]
    if now.finished and not isinstance(move, Accept | Decline):
        raise CannotMove(move, "the order is complete; accept or decline what was offered last, or begin a new session")
    match move:
        case Add():
            return Moved(_with(now, [(each.ordered, each) for each in together if isinstance(each, Add)]))
        case Remove(item, quantity):
            return Moved(replace(now, lines=removed(now.lines, item, quantity, move=move)))
        case SetQuantity(item, quantity):
            return Moved(replace(now, lines=counted(now.lines, item, quantity, move=move)))
        case Accept():
            return Moved(_accepted(now, move, plan))
        case Decline():
            return Moved(_declined(now, move))
        case Speak(language):
            return Moved(replace(now, language=_language(language, move)))
        case Say(text):
            return _heard(now, text, move, plan)
        case SetState():
            return Moved(_sent(now, move, plan))
        case Finish():
            return Moved(replace(now, finished=True, questions=()))


def _with(now: Progress, more: Sequence[tuple[Ordered, Move]]) -> Progress:
    """The session with more in the order, each by its move; a question that this answers waits no longer."""
    lines = added(now.lines, more, next_line=now.next_line)
    number = now.next_line + len(lines) - len(now.lines)
    ordered = [each for each, _ in more]
    questions = tuple(asked for asked in now.questions if not is_answered(asked, ordered))
    return replace(now, lines=lines, next_line=number, questions=questions)


def _accepted(now: Progress, move: Accept, plan: Plan) -> Progress:
    taken, name = _taken(now, move, plan)
    try:
        item = plan.menu.item(name)
    except LookupError as error:
        raise CannotMove(move, f"what was offered cannot be ordered: {error}") from None
    if _are_for_what_is_there(now, move, taken, item):
        now = replace(now, lines=modified(now.lines, item, move.modifiers))
    else:
        now = _with(now, [(Ordered(item, 1, move.modifiers), move)])
    if taken is now.open:
        return replace(now, open=None)
    return replace(now, shown=tuple(one for one in now.shown if one is not taken))


def _are_for_what_is_there(now: Progress, move: Accept, taken: Offered, item: Item) -> bool:
    """Whether modifiers are accepted that were suggested for an item that the order has already."""
    names = {one.name for one in move.modifiers}
    return bool(names) and names.issubset(taken.modifiers) and has(now.lines, item)


def _taken(now: Progress, move: Accept, plan: Plan) -> tuple[Offered, str]:
    """The offer that is accepted, and which of its items."""
    waiting = ((now.open,) if now.open else ()) + now.shown
    if not waiting:
        raise CannotMove(move, f"nothing is offered{_why_nothing(now)}; add what the customer wants")
    every = [(offer, name) for offer in waiting for name in offer.items]
    if move.item is None:
        return _first(every, move)
    wanted = _meant(move.item, plan)
    for offer, name in every:
        if wanted == _meant(name, plan):
            return offer, name
    names = list(dict.fromkeys(name for _, name in every))
    near = nearest(move.item, names)
    advice = f'did you mean "{near}"?' if near else f"offered is {_listed(names)}"
    raise CannotMove(move, f'"{move.item}" is not offered; {advice}')


def _first(every: Sequence[tuple[Offered, str]], move: Accept) -> tuple[Offered, str]:
    if not every:
        raise CannotMove(move, "the offer names no item; say which item the customer takes by adding it")
    return every[0]


def _meant(name: str, plan: Plan) -> str:
    """The name of the item on the menu that a name or an id means, else the name itself."""
    try:
        return plan.menu.item(name).name
    except LookupError:
        return name


def _declined(now: Progress, move: Decline) -> Progress:
    if now.open:
        return replace(now, open=None, declines=now.declines + 1)
    if now.shown:
        return replace(now, shown=())
    raise CannotMove(move, f"nothing is offered{_why_nothing(now)}; leave the decline out")


def _why_nothing(now: Progress) -> str:
    if now.offered:
        return " that waits for an answer: what was offered last is answered"
    return " yet"


def _listed(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _language(text: str, move: Move) -> str:
    """The canonical form of a tag."""
    from trialrun.values.language_tag import canonical, check

    found = canonical(text)
    if found is None:
        message = next((problem.message for problem in check(text)), "write one such as en-US")
        raise CannotMove(move, message if text and text in message else f'"{text}" is no language tag: {message}')
    return found


def _heard(now: Progress, text: str, move: Say, plan: Plan) -> Moved:
    """What the customer says, mapped: single targets are ordered, questions wait for an answer."""
    mapped = plan.hearing.heard(text, language=now.language or plan.default_language, pending=now.questions)
    now = _with(now, [(one, move) for each in mapped if each.kind == "SINGLE_TARGET" for one in each.targets])
    if plan.listens_only:
        return Moved(now, mapped)
    asked = tuple(each for each in mapped if each.kind == "DISAMBIGUATION")
    again = {each.term for each in asked}
    questions = (*(each for each in now.questions if each.term not in again), *asked)
    said = tuple(one for each in mapped for one in plan.hearing.replies(each))
    return Moved(replace(now, questions=questions), mapped, said)


def _sent(now: Progress, move: SetState, plan: Plan) -> Progress:
    try:
        return replace(now, sent=sent_more(now.sent, tuple(move.path), move.value, plan.shapes))
    except Unfit as unfit:
        raise CannotMove(move, str(unfit)) from None
