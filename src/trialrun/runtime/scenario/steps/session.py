"""The step `session`: plays an order at a store turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, Speak
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.scenario.environment import (
    Event,
    ScenarioError,
    ScenarioMistake,
    StepDone,
    UnmetExpectation,
    store_target_name,
)
from trialrun.runtime.scenario.expected_values import format_origin
from trialrun.runtime.scenario.session.context import ScriptTextError, SessionContext
from trialrun.runtime.scenario.session.coverage import record_flag, record_turn
from trialrun.runtime.scenario.session.expectations import compare_turn
from trialrun.runtime.scenario.session.format import collapse_spaces, format_turn
from trialrun.runtime.scenario.session.table import parse_turns
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.scenario_steps import ExpectedSession, SessionStep, SessionTurn
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.runtime.scenario.environment import CoverageRecorder, Environment


def play(step: SessionStep, environment: Environment) -> Iterator[Event]:
    """Play the turns of a session that begins at the time of the clock."""
    store = environment.store_named(step, step.store)
    environment.recorder.record("stores", store_target_name(store))
    turns, locations = parse_turns(step)
    context = SessionContext(
        resolve_active_config(store, environment.brands, environment.options),
        brand_menu(store.brand, environment.brands, store.store),
        locations,
    )
    session = _open_session(step, context, environment)
    yield StepDone(f"{environment.now()} session {last_id(store.name)}, seed {session.seed}")
    yield from compare_session(step.expect, session, environment.recorder)
    first, *others = turns if turns and turns[0].customer is None else [None, *turns]
    yield from _play_welcome(first, session, context, environment.recorder)
    for turn in others:
        yield from _play_turn(turn, session, context, environment.recorder) if turn else ()


def _open_session(step: SessionStep, context: SessionContext, environment: Environment) -> Session:
    try:
        return Session(
            context.active_config,
            context.menu,
            types=environment.brands.schema_for,
            seed=step.seed or 0,
            begin=environment.clock.now(),
            language=step.language,
            state=nest_state(step.state or {}),
        )
    except ActionError as error:
        raise ScenarioError(_error_location(step, error), str(error)) from error


def nest_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Values by their paths as a tree: `session.partySize` is a field of `session`."""
    tree: dict[str, Any] = {}
    for path, value in state.items():
        *above, name = path.split(".")
        target = tree
        for step in above:
            child = target.setdefault(step, {})
            target = child if isinstance(child, dict) else {}
        target[name] = {**target.get(name, {}), **value} if isinstance(value, dict) else value
    return tree


def _error_location(step: SessionStep, error: ActionError) -> SymbolicLocation:
    match error.action:
        case Speak():
            return step.location("language")
        case SetState(path):
            dotted = ".".join(path)
            matching_keys = [
                key for key in step.state or {} if f"{dotted}.".startswith(f"{key}.") or key.startswith(dotted)
            ]
            return step.location("state", *matching_keys[:1])
    return step.location()


def _play_welcome(
    turn: SessionTurn | None, session: Session, context: SessionContext, recorder: CoverageRecorder
) -> Iterator[Event]:
    welcome = session.welcome()
    record_turn(welcome, context.active_config, recorder)
    yield StepDone(format_turn(welcome))
    if turn and turn.expect:
        if turn.expect.refused is not None:
            yield ScenarioMistake(context.at(turn.expect, "refused"), "a welcome is never refused; remove this")
        yield from compare_turn(turn.expect, welcome, context)


def _play_turn(
    turn: SessionTurn, session: Session, context: SessionContext, recorder: CoverageRecorder
) -> Iterator[Event]:
    if turn.customer is None:
        message = "only the first turn can be the welcome; say what the customer does"
        yield ScenarioMistake(context.at(turn), message)
        return
    try:
        actions = context.parse_actions(turn.customer, context.at(turn, "customer"))
        previous_language = session.language
        result = session.turn(actions, turn.customer)
    except ScriptTextError as error:
        yield from error.mistakes
        return
    except ActionError as error:
        yield StepDone(f'turn "{turn.customer}" refused: {error}')
        yield from _compare_refusal(turn, error, context)
        return
    record_turn(result, context.active_config, recorder)
    yield StepDone(format_turn(result, previous_language))
    yield from _compare_result(turn, result, context)


def _compare_result(turn: SessionTurn, result: Turn, context: SessionContext) -> Iterator[Event]:
    if turn.expect is None:
        return
    if turn.expect.refused is not None:
        yield UnmetExpectation(
            context.at(turn.expect, "refused"), f'a refusal with "{turn.expect.refused}"', "no refusal"
        )
    yield from compare_turn(turn.expect, result, context)


def _compare_refusal(turn: SessionTurn, error: ActionError, context: SessionContext) -> Iterator[Event]:
    expected = turn.expect.refused if turn.expect else None
    if turn.expect is None or expected is None:
        yield UnmetExpectation(context.at(turn, "customer"), "no refusal", f"a refusal: {error}")
    elif expected not in str(error):
        yield UnmetExpectation(
            context.at(turn.expect, "refused"), f'a refusal with "{expected}"', f"a refusal: {error}"
        )


def compare_session(expect: ExpectedSession | None, session: Session, recorder: CoverageRecorder) -> Iterator[Event]:
    """What is expected of the instructions and the tools and is not so."""
    if expect is not None:
        yield from _compare_instructions(expect, session, recorder)
        yield from _compare_tools(expect, session, recorder)


def _compare_instructions(expect: ExpectedSession, session: Session, recorder: CoverageRecorder) -> Iterator[Event]:
    instructions = [(collapse_spaces(instruction.text), instruction) for instruction in session.instructions]
    for index, text in enumerate(expect.instructions or ()):
        matches = [
            instruction for instruction_text, instruction in instructions if collapse_spaces(text) in instruction_text
        ]
        for instruction in matches:
            record_flag(instruction.origin, recorder)
        if not matches:
            instruction_texts = (
                " / ".join(instruction_text for instruction_text, _ in instructions) or "no instructions"
            )
            yield UnmetExpectation(
                expect.location("instructions", index), f'an instruction with "{text}"', instruction_texts
            )
    for index, text in enumerate(expect.notInstructions or ()):
        for instruction_text, instruction in instructions:
            if collapse_spaces(text) in instruction_text:
                got = f'"{instruction_text}", by {format_origin(instruction.origin)}'
                yield UnmetExpectation(expect.location("notInstructions", index), f'no instruction with "{text}"', got)


def _compare_tools(expect: ExpectedSession, session: Session, recorder: CoverageRecorder) -> Iterator[Event]:
    tools = {tool.name: tool for tool in session.tools}
    for index, name in enumerate(expect.tools or ()):
        if name in tools:
            record_flag(tools[name].origin, recorder)
        else:
            near = did_you_mean(name, tools)
            yield UnmetExpectation(
                expect.location("tools", index), f"the tool {name}", f"{', '.join(tools) or 'no tools'}{near}"
            )
    for index, name in enumerate(expect.notTools or ()):
        if name in tools:
            got = f"it, by {format_origin(tools[name].origin)}"
            yield UnmetExpectation(expect.location("notTools", index), f"no tool {name}", got)
