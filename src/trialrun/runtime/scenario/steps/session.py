"""The step `session`: an order at a store, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.active_config import in_force
from trialrun.runtime.channel_config.menu import menu_of
from trialrun.runtime.channel_config.session.actions import CannotMove, SetState, Speak
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.scenario.environment import store_subject
from trialrun.runtime.scenario.events import CannotPlay, Done, Event, Mistake, Unmet
from trialrun.runtime.scenario.session.context import Misread, Scene
from trialrun.runtime.scenario.session.coverage_hits import exercise
from trialrun.runtime.scenario.session.expectations import compared
from trialrun.runtime.scenario.session.format import turn_text
from trialrun.runtime.scenario.session.session_expectations import whole
from trialrun.runtime.scenario.session.table import turns_of
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Place
    from trialrun.model.scenario_steps import SessionStep, SessionTurn
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.runtime.scenario.coverage_recorder import Seen
    from trialrun.runtime.scenario.environment import Stage


def play(step: SessionStep, stage: Stage) -> Iterator[Event]:
    """Play the turns of a session that begins at the time of the clock."""
    store = stage.store_called(step, step.store)
    stage.seen.touch("stores", store_subject(store))
    turns, places = turns_of(step)
    scene = Scene(in_force(store, stage.brands, stage.options), menu_of(store.brand, stage.brands), places)
    session = _begun(step, scene, stage)
    yield Done(f"{stage.now()} session {last_id(store.name)}, seed {session.seed}")
    yield from whole(step.expect, session)
    first, *others = turns if turns and turns[0].customer is None else [None, *turns]
    yield from _welcome(first, session, scene, stage.seen)
    for turn in others:
        yield from _turn(turn, session, scene, stage.seen) if turn else ()


def _begun(step: SessionStep, scene: Scene, stage: Stage) -> Session:
    try:
        return Session(
            scene.in_force,
            scene.menu,
            types=stage.brands.types,
            seed=step.seed or 0,
            begin=stage.clock.now(),
            language=step.language,
            state=nested(step.state or {}),
        )
    except CannotMove as error:
        raise CannotPlay(_at_fault(step, error), str(error)) from error


def nested(state: Mapping[str, Any]) -> dict[str, Any]:
    """Values by their paths as a tree: `session.partySize` is a field of `session`."""
    tree: dict[str, Any] = {}
    for path, value in state.items():
        *above, name = path.split(".")
        here = tree
        for step in above:
            inner = here.setdefault(step, {})
            here = inner if isinstance(inner, dict) else {}
        here[name] = {**here.get(name, {}), **value} if isinstance(value, dict) else value
    return tree


def _at_fault(step: SessionStep, error: CannotMove) -> Place:
    match error.move:
        case Speak():
            return step.at("language")
        case SetState(path):
            whole = ".".join(path)
            written = [key for key in step.state or {} if f"{whole}.".startswith(f"{key}.") or key.startswith(whole)]
            return step.at("state", *written[:1])
    return step.at()


def _welcome(turn: SessionTurn | None, session: Session, scene: Scene, seen: Seen) -> Iterator[Event]:
    welcome = session.welcome()
    exercise(welcome, scene.in_force, seen)
    yield Done(turn_text(welcome))
    if turn and turn.expect:
        if turn.expect.refused is not None:
            yield Mistake(scene.at(turn.expect, "refused"), "a welcome is never refused; leave this out")
        yield from compared(turn.expect, welcome, scene)


def _turn(turn: SessionTurn, session: Session, scene: Scene, seen: Seen) -> Iterator[Event]:
    if turn.customer is None:
        message = "only the first turn can be the welcome; say what the customer does"
        yield Mistake(scene.at(turn), message)
        return
    try:
        moves = scene.moves(turn.customer, scene.at(turn, "customer"))
        before = session.language
        done = session.turn(moves, turn.customer)
    except Misread as error:
        yield from error.mistakes
        return
    except CannotMove as error:
        yield Done(f'turn "{turn.customer}" refused: {error}')
        yield from _refused(turn, error, scene)
        return
    exercise(done, scene.in_force, seen)
    yield Done(turn_text(done, before))
    yield from _met(turn, done, scene)


def _met(turn: SessionTurn, done: Turn, scene: Scene) -> Iterator[Event]:
    if turn.expect is None:
        return
    if turn.expect.refused is not None:
        yield Unmet(scene.at(turn.expect, "refused"), f'a refusal with "{turn.expect.refused}"', "no refusal")
    yield from compared(turn.expect, done, scene)


def _refused(turn: SessionTurn, error: CannotMove, scene: Scene) -> Iterator[Event]:
    wanted = turn.expect.refused if turn.expect else None
    if turn.expect is None or wanted is None:
        yield Unmet(scene.at(turn, "customer"), "no refusal", f"a refusal: {error}")
    elif wanted not in str(error):
        yield Unmet(scene.at(turn.expect, "refused"), f'a refusal with "{wanted}"', f"a refusal: {error}")
