"""The steps at stores: `resolve` compares effective values and their origins, `session` plays an order turn by turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import zip_longest
from typing import Any

from trialrun.diagnostic import SymbolicLocation
from trialrun.model import scenario as model
from trialrun.runtime.channel_config.active_config import ActiveConfig, Origin, resolve_active_config
from trialrun.runtime.channel_config.field_path import UnknownFieldError, UnsetField, find_field, parse_path
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, Speak
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
from trialrun.runtime.options import Options
from trialrun.runtime.scenario.coverage import CoverageRecorder, collapse_spaces, record_turn, store_key
from trialrun.runtime.scenario.environment import (
    Environment,
    Events,
    Mismatch,
    ScenarioError,
    compare_refusal,
    format_value,
)
from trialrun.runtime.scenario.turn_expectations import compare_turn, format_turn
from trialrun.runtime.scenario.turns import SessionContext, parse_turns
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean

LINE = re.compile(r":([0-9]+)\Z")


def play_resolve(step: model.ResolveStep, environment: Environment) -> Events:
    """Compare effective values of a store with those expected."""
    store = environment.store_named(step, step.store)
    environment.recorder.record("stores", store_key(store))
    config = resolve_active_config(store, environment.brands, environment.options)
    types: list[str] = []
    for name, resolved in config.types.items():
        layers = [f"{last_id(layer.config.node.name or '')} ({layer.level})" for layer in resolved.layers]
        types += [f"{name} of {', '.join(layers)}"] if layers else []
    yield f"{environment.now()} resolve {last_id(store.name)}: {'; '.join(types) or 'no config applies'}"
    for expected in (step.expect.values if step.expect else None) or ():
        yield from _compare_value(expected, config, environment)


def _compare_value(expected: model.ExpectedValue, config: ActiveConfig, environment: Environment) -> Events:
    path = expected.field or ""
    try:
        names = [step.text for step in parse_path(path)]
        top = names[: 2 if names[:1] == ["operationsConfig"] else 1]
        source = None if expected.type else config.source_of(*top)  # the type that a session takes the field from
        resolved = source or config.types[expected.type or "AGENT_CUSTOMIZATION"]
        found = find_field(resolved.value, path)
    except UnknownFieldError as error:
        yield Mismatch(SymbolicLocation(expected, ("field",), error.chars), None, str(error))
        return
    mistakes = list(_unknown_names(expected, environment.brands))
    yield from mistakes
    if isinstance(found, UnsetField):
        if not expected.absent:
            near = f'; there is no "{found.missing}"{did_you_mean(found.missing, found.item_names)}'
            field, wanted = ("field", "a value") if expected.value is None else ("value", format_value(expected.value))
            yield Mismatch(expected.location(field), wanted, f"nothing sets it{near if found.item_names else ''}")
        return
    origin = resolved.origin(found.pointer)
    environment.recorder.record_flag(origin)
    if expected.absent:
        yield Mismatch(expected.location("absent"), "nothing to set it", _format_set_value(origin))
    if expected.value is not None and not _matches_subset(found.value, expected.value):
        yield Mismatch(expected.location("value"), format_value(expected.value), _format_set_value(origin))
    if not mistakes:
        yield from _compare_origin(expected, origin)


def _unknown_names(expected: model.ExpectedValue, brands: BrandCatalog) -> Iterator[Mismatch]:
    """The names that no config, no file of one, and no rule of the workspace has."""
    names = [last_id(config.node.name) for config in brands.configs if config.node.name]
    files = [config.path for config in brands.configs]

    def is_file(text: str) -> bool:
        return any(_is_path_suffix(LINE.sub("", text), path) for path in files)

    def mistake(text: str, message: str, candidates: Iterable[str], *place: str | int) -> Mismatch:
        return Mismatch(expected.location(*place), None, f'{message} "{text}"{did_you_mean(text, candidates)}')

    if (config := expected.config) is not None and not brands.configs_named(config):
        yield mistake(config, "there is no ChannelConfig", names, "config")
    if (file := expected.file) is not None and not is_file(file):
        yield mistake(file, "no ChannelConfig is in a file", files, "file")
    if (rule := expected.rule) is not None:
        nodes = [node for brand in brands.brands for node in (brand.node, *(brand.node.stores or ()))]
        rules = [binding.rule for node in nodes for binding in node.bindings or () if binding.rule]
        if not any(is_same_resource(known, rule) for known in rules):
            yield mistake(rule, "no binding has the rule", rules, "rule")
    for index, text in enumerate(expected.overrode or ()):
        if not brands.configs_named(text) and not is_file(text):
            yield mistake(text, "there is no ChannelConfig and no file", [*names, *files], "overrode", index)


def _compare_origin(expected: model.ExpectedValue, origin: Origin) -> Events:
    config, file, rule, overrode = expected.config, expected.file, expected.rule, expected.overrode
    checks = (
        ("level", "by a", expected.level, origin.level == expected.level),
        ("rule", "by the rule", rule, rule and origin.rule is not None and is_same_resource(origin.rule, rule)),
        ("config", "by", config, config and is_same_resource(origin.name, config)),
        ("file", "in", file, file and _is_set_in_file(file, origin)),
    )
    for field, preposition, wanted, is_met in checks:
        if wanted is not None and not is_met:
            yield Mismatch(expected.location(field), f"it to be set {preposition} {wanted}", _format_origin(origin))
    if overrode is None:
        return
    for index, (wanted, other) in enumerate(zip_longest(overrode, origin.overrode[: len(overrode)])):
        if other is None or not (is_same_resource(other.name, wanted) or _is_set_in_file(wanted, other)):
            got = "nothing further" if other is None else _format_set_value(other)
            yield Mismatch(expected.location("overrode", index), f"{wanted} to be overwritten at this place", got)
    if unexpected := origin.overrode[len(overrode) :]:
        wanted = f"nothing{' but those named' if overrode else ''} to be overwritten"
        yield Mismatch(expected.location("overrode"), wanted, f"also {', '.join(map(_format_set_value, unexpected))}")


def _is_set_in_file(file: str, origin: Origin) -> bool:
    """Whether a file, the end of its path, perhaps with a line, is where a value comes from."""
    line = LINE.search(file)
    return _is_path_suffix(LINE.sub("", file), origin.path) and (line is None or int(line[1]) == origin.line)


def _is_path_suffix(end: str, path: str) -> bool:
    return f"/{path}".endswith(f"/{end}")


def _format_set_value(origin: Origin) -> str:
    return f"{format_value(origin.value)}, set by {_format_origin(origin)}"


def _format_origin(origin: Origin) -> str:
    """Where a value comes from: `breakfast (channels/dayparts.yaml:11, store-binding of austin-breakfast)`."""
    rule = f" of {last_id(origin.rule)}" if origin.rule else ""
    return f"{last_id(origin.name)} ({origin.path}:{origin.line}, {origin.level}{rule})"


def _matches_subset(got: Any, expected: Any) -> bool:
    """Whether a value is the expected one: of a message the fields that are named, of a list all items."""
    if isinstance(expected, dict):
        fields = expected.items()
        return isinstance(got, dict) and all(key in got and _matches_subset(got[key], value) for key, value in fields)
    if isinstance(expected, list):
        is_as_long = isinstance(got, list) and len(got) == len(expected)
        return is_as_long and all(_matches_subset(*pair) for pair in zip(got, expected, strict=True))
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    return bool(got == expected)


def play_session(step: model.SessionStep, environment: Environment) -> Events:
    """Play the turns of a session that begins at the time of the clock."""
    store = environment.store_named(step, step.store)
    recorder = environment.recorder
    recorder.record("stores", store_key(store))
    try:
        turns, context, session = open_session(
            step, store, environment.brands, environment.options, environment.clock.now()
        )
    except ActionError as error:
        raise ScenarioError(_error_location(step, error), str(error)) from error
    yield f"{environment.now()} session {last_id(store.name)}, seed {session.seed}"
    if step.expect:
        yield from _compare_instructions(step.expect, session, recorder)
        yield from _compare_tools(step.expect, session, recorder)
    welcome = session.welcome()
    record_turn(welcome, context.active_config, recorder)
    yield format_turn(welcome)
    if turns and turns[0].customer is None:
        expect = turns.pop(0).expect
        if expect and expect.refused is not None:
            yield Mismatch(context.at(expect, "refused"), None, "a welcome is never refused; remove this")
        if expect:
            yield from compare_turn(expect, welcome, context)
    for turn in turns:
        yield from _play_turn(turn, session, context, recorder)


def open_session(
    step: model.SessionStep, store: DeclaredStore, brands: BrandCatalog, options: Options, begin: datetime
) -> tuple[list[model.SessionTurn], SessionContext, Session]:
    """The turns of a step, and the session that begins at a time. Raises ScenarioError and ActionError."""
    turns, locations = parse_turns(step)
    config = resolve_active_config(store, brands, options)
    context = SessionContext(config, brand_menu(store.brand, brands, store.store), locations.at)
    session = Session(
        config,
        context.menu,
        types=brands.schema_for,
        seed=step.seed or 0,
        begin=begin,
        language=step.language,
        state=_nest_state(step.state or {}),
    )
    return turns, context, session


def _nest_state(state: Mapping[str, Any]) -> dict[str, Any]:
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


def _error_location(step: model.SessionStep, error: ActionError) -> SymbolicLocation:
    match error.action:
        case Speak():
            return step.location("language")
        case SetState(path):
            dotted = ".".join(path)
            keys = [key for key in step.state or {} if f"{dotted}.".startswith(f"{key}.") or key.startswith(dotted)]
            return step.location("state", *keys[:1])
    return step.location()


def _play_turn(
    turn: model.SessionTurn, session: Session, context: SessionContext, recorder: CoverageRecorder
) -> Events:
    if turn.customer is None:
        yield Mismatch(context.at(turn), None, "only the first turn can be the welcome; say what the customer does")
        return
    place = context.at(turn, "customer")
    language = session.language
    try:
        result = session.turn(context.parse_actions(turn.customer, place), turn.customer)
    except ScenarioError as error:
        yield from error.mistakes
    except ActionError as error:
        yield f'turn "{turn.customer}" refused: {error}'
        yield from compare_refusal(turn.expect, context.at, place, error)
    else:
        record_turn(result, context.active_config, recorder)
        yield format_turn(result, language)
        yield from compare_refusal(turn.expect, context.at, place, None, "no refusal")
        if turn.expect:
            yield from compare_turn(turn.expect, result, context)


def _compare_instructions(expect: model.ExpectedSession, session: Session, recorder: CoverageRecorder) -> Events:
    instructions = [(collapse_spaces(instruction.text), instruction.origin) for instruction in session.instructions]
    for index, text in enumerate(expect.instructions or ()):
        origins = [origin for instruction, origin in instructions if collapse_spaces(text) in instruction]
        for origin in origins:
            recorder.record_flag(origin)
        if not origins:
            got = " / ".join(instruction for instruction, _ in instructions) or "no instructions"
            yield Mismatch(expect.location("instructions", index), f'an instruction with "{text}"', got)
    for index, text in enumerate(expect.notInstructions or ()):
        for instruction, origin in instructions:
            if collapse_spaces(text) in instruction:
                got = f'"{instruction}", by {_format_origin(origin)}'
                yield Mismatch(expect.location("notInstructions", index), f'no instruction with "{text}"', got)


def _compare_tools(expect: model.ExpectedSession, session: Session, recorder: CoverageRecorder) -> Events:
    tools = {tool.name: tool for tool in session.tools}
    for index, name in enumerate(expect.tools or ()):
        if name in tools:
            recorder.record_flag(tools[name].origin)
        else:
            got = f"{', '.join(tools) or 'no tools'}{did_you_mean(name, tools)}"
            yield Mismatch(expect.location("tools", index), f"the tool {name}", got)
    for index, name in enumerate(expect.notTools or ()):
        if name in tools:
            got = f"it, by {_format_origin(tools[name].origin)}"
            yield Mismatch(expect.location("notTools", index), f"no tool {name}", got)
