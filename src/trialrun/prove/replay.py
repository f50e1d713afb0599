"""Plays a witness as a session of the product: a state of the solver counts only when a customer can bring it about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from trialrun.model.channel_config import UpsellConfig
from trialrun.prove.verdict import Witness
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.availability import Moment
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, DrawnMessage, OfferType
from trialrun.runtime.channel_config.explore.anomaly import Example
from trialrun.runtime.channel_config.explore.shrink import shrink
from trialrun.runtime.channel_config.explore.simulated_customer import NO_OP, Recording, TurnActions, only_sets_state
from trialrun.runtime.channel_config.menu import BrandMenu
from trialrun.runtime.channel_config.script import ScriptError, format_actions, parse
from trialrun.runtime.channel_config.session.actions import Action, ActionError, Add, Decline, Finish, Remove, SetState
from trialrun.runtime.channel_config.session.cel_state import DAYPART, StateBuilder
from trialrun.runtime.channel_config.session.plan import SchemaFor, SessionPlan, session_plan
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import Turn
from trialrun.values.cel import CelError, Program
from trialrun.values.time_zone import is_at_end_of_calendar

TURNS, MAX_TURNS = 3, 30
"""The turns of a session that shows something, and those where a condition asks for a later one."""
SEEDS = 10
HOURS = 24 * 7
MAX_DRAWS = 2_000
"""The seeds that are tried for a message that few sessions draw."""
MAX_SESSIONS = 300
"""The sessions that are played for one witness."""
Shows = Callable[[Session, Turn], bool]
"""Whether the last turn of a session shows what was asked for; the turn is that of the session."""


@dataclass(frozen=True)
class Stage:
    """Where sessions are played: what is effective at a store, its menu and its session types."""

    active_config: ActiveConfig
    menu: BrandMenu
    types: SchemaFor
    begin: datetime

    @property
    def plan(self) -> SessionPlan:
        """What the sessions there share."""
        return session_plan(self.active_config, self.menu, self.types)

    def open_session(self, recording: Recording) -> Session:
        """A session of which nothing was played yet. Raises ActionError."""
        return recording.open_session(self.active_config, self.menu, self.types)


def show(witness: Witness, stage: Stage, shows: Shows, earlier: Sequence[Witness] = ()) -> Example | None:
    """The shortest session of those tried that brings a witness about and shows what was asked for.

    `earlier` are states in which the offers are made that the witness takes for made.
    """
    for recording in islice(_attempts(witness, stage, earlier), MAX_SESSIONS):
        if (example := _play(recording, witness.declines, stage, shows)) is not None:
            return example
    return None


def show_message(upsell: UpsellConfig, kind: OfferType, stage: Stage) -> Example | None:
    """The shortest session of those tried in which a greeting or a closing offer is made."""
    messages = [message for _, message in _messages_by_seed(upsell, kind, stage)]
    texts = [text.languageCode for message in messages for text in message.message.messageConfigs or ()]
    languages = [None, *dict.fromkeys(filter(None, texts))]
    acts: tuple[TurnActions, ...] = () if kind == "greetingOffer" else ((Finish(),),)
    for start, dayparts in _moments(Witness(start=stage.begin), stage):
        for seed, _ in _messages_by_seed(upsell, kind, stage) if not dayparts else ():
            for language in languages:
                for late in range(TURNS if acts else 1):
                    recording = Recording(seed, start, language, ((NO_OP,),) * late + acts)
                    if example := _play(recording, 0, stage, offers(upsell)):
                        return example
    return None


def _messages_by_seed(upsell: UpsellConfig, kind: OfferType, stage: Stage) -> list[tuple[int, DrawnMessage]]:
    """The first seeds that draw a message of an upsell: those that attempt it first, then others."""
    first, later = list[tuple[int, DrawnMessage]](), list[tuple[int, DrawnMessage]]()
    for seed in range(MAX_DRAWS):
        for position, (attempt, message) in enumerate(stage.plan.attempts(kind, seed)):
            if attempt.config is upsell and message:
                (later if position else first).append((seed, message))
        if len(first) >= TURNS:
            break
    return [*first[:TURNS], *later[:TURNS]]


def recordings(witness: Witness, stage: Stage, earlier: Sequence[Witness] = ()) -> Iterator[Recording]:
    """Sessions that bring a witness about, each as a whole, for two sides that play the same."""
    for recording in islice(_attempts(witness, stage, earlier), MAX_SESSIONS // TURNS):
        turns = (*recording.turns, *((NO_OP,),) * (TURNS - len(recording.turns)))
        yield replace(recording, turns=(*turns, (Finish(),)))
        if witness.declines:
            answers = [(Decline(),) if 0 < number <= witness.declines else () for number in range(len(turns))]
            yield replace(recording, turns=tuple((*one, *two) for one, two in zip(answers, turns, strict=True)))


def _attempts(witness: Witness, stage: Stage, earlier: Sequence[Witness]) -> Iterator[Recording]:
    """Sessions up to the turn in which a witness is brought about, the shortest first.

    The time and the part of the day are those of the witness first; others are for items that are not sold then.
    """
    language = witness.language if witness.language and witness.language != stage.plan.initial_language else None
    waits = sorted({*range(TURNS if witness.turn > 1 else 1), min(witness.turn, MAX_TURNS) - 1})
    beginnings: list[tuple[tuple[TurnActions, ...], Witness | None]] = [(((NO_OP,),) * wait, None) for wait in waits]
    if earlier:
        reached = tuple(_actions(one, before) for one, before in zip(earlier, (None, *earlier), strict=False))
        with_rests = tuple(turn for one in reached for turn in ((NO_OP,), one))
        ways = (reached, with_rests, (*reached, (NO_OP,)), (*with_rests, (NO_OP,)))
        beginnings = [(way, earlier[-1]) for way in ways]
    for start, dayparts in _moments(witness, stage):
        for seed in _seeds(stage):
            for beginning, before in beginnings:
                last = _actions(witness, before, dayparts)
                yield Recording(seed, start, language, (*beginning, last))


def _actions(
    witness: Witness, before: Witness | None, dayparts: Mapping[tuple[str, ...], str] | None = None
) -> TurnActions:
    """What a customer does in a turn to bring a witness about, from the order of the one before."""
    settings = [SetState(path, value) for path, value in ({**witness.sent, **(dayparts or {})}).items()]
    names = dict.fromkeys(line.item.name for line in (before.lines if before else ()))
    acts: list[Action] = [Remove(name) for name in names]
    acts += [Add(line) for line in witness.lines]
    return (*settings, *(acts or (NO_OP,)))


def _seeds(stage: Stage) -> Iterator[int]:
    """The first seeds, of those that draw the same messages one."""
    found: set[Hashable] = set()
    for seed in range(SEEDS):
        drawn = [message for kind in OFFER_TYPES for _, message in stage.plan.attempts(kind, seed)]
        key = tuple(message and id(message.message) for message in drawn)
        if key not in found:
            found.add(key)
            yield seed


def _moments(witness: Witness, stage: Stage) -> Iterator[tuple[datetime, dict[tuple[str, ...], str]]]:
    """When a session may begin, and the part of the day that the client sends: where not the same is sold."""
    yield witness.start, {}
    menu, store = stage.menu, stage.active_config.store.name
    parts = [name for each in menu.restrictions for name in each.availability.dayparts or ()]
    for name in dict.fromkeys(parts) if DAYPART not in witness.sent else ():
        yield witness.start, {DAYPART: name}
    found: set[Hashable] = set()
    varies = menu.depends_on_time and not is_at_end_of_calendar(witness.start)
    for hours in range(HOURS if varies else 0):
        start = witness.start + timedelta(hours=hours)
        moment = Moment(store, stage.plan.local_time(start))
        sold = frozenset(item for item in menu.offerings if menu.why_unavailable(item, moment) is None)
        if sold not in found and (found or hours):
            yield start, {}
        found.add(sold)


def _play(recording: Recording, declines: int, stage: Stage, shows: Shows) -> Example | None:
    """The session up to the first turn that shows it; after its turns the customer waits in some more."""
    played: list[TurnActions] = []
    try:
        session = stage.open_session(recording)
        turn = session.welcome()
        while not shows(session, turn):
            if len(played) >= max(TURNS, len(recording.turns)) or not recording.turns or session.finished:
                return None
            actions = recording.turns[len(played)] if len(played) < len(recording.turns) else (NO_OP,)
            if declines and any(offer.kind != "suggestion" for offer in session.open_offers):
                actions, declines = (Decline(), *actions), declines - 1
            played.append(actions)
            turn = session.turn(actions)
    except ActionError:
        return None
    return _short_example(replace(recording, turns=tuple(played)), stage, shows)


def _short_example(recording: Recording, stage: Stage, shows: Shows) -> Example | None:
    """A session that shows it, without what it does not need; None where a script cannot say it."""

    def is_shown(candidate: Recording) -> bool:
        if candidate.turns and only_sets_state(candidate.turns[0]):
            return False
        try:
            session = stage.open_session(candidate)
            turn = session.welcome()
            for actions in candidate.turns:
                turn = session.turn(actions)
        except ActionError:
            return False
        return shows(session, turn)

    short = shrink(recording, is_shown, begin=stage.begin, simpler=_fewer)
    lines = tuple(format_actions(actions, stage.menu) for actions in short.turns)
    return Example(short, lines, len(lines)) if _reads_as(lines, short.turns, stage) else None


def _fewer(action: Action) -> Iterator[Action]:
    """An order of fewer of an item: the number by which it is ordered last is what the solver happened to find."""
    if isinstance(action, Add) and action.line_item.quantity > 1:
        numbers = (1, 2, 3, *(action.line_item.quantity >> bits for bits in range(8, 0, -1)))
        fewer = (number for number in numbers if 0 < number < action.line_item.quantity)
        yield from (Add(replace(action.line_item, quantity=number)) for number in fewer)


def _reads_as(lines: Sequence[str], played: Sequence[TurnActions], stage: Stage) -> bool:
    """Whether the script is that session: what is written is what was played."""
    try:
        return [line.actions for line in parse("\n".join(lines), stage.menu)] == list(played)
    except ScriptError:
        return False


def offers(upsell: object) -> Shows:
    """Whether the agent offers an upsell, or suggests it."""
    return lambda session, turn: any(offer.upsell is upsell for offer in turn.offers)


def evaluates(upsell: object, value: bool | None) -> Shows:
    """Whether the condition of an upsell has a value in the turn; None where it fails."""
    return lambda session, turn: any(
        each.upsell is upsell and each.value is value and (value is not None or each.error is not None)
        for each in turn.conditions
    )


def comes_to(program: Program, builder: StateBuilder, value: bool | None) -> Shows:
    """Whether a condition that no upsell has comes to a value after a turn of the customer; None where it fails."""

    def shows(session: Session, turn: Turn) -> bool:
        if turn.number < 1:
            return False
        try:
            return program.value(session.activation(builder)) is value
        except CelError:
            return value is None

    return shows
