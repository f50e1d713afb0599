"""The step `resolve`: compares effective values of a store, and their origins, with expectations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import CharRange
from trialrun.runtime.channel_config.active_config import resolve_active_config, type_order
from trialrun.runtime.channel_config.field_path import UnknownFieldError, UnsetField, find_field, parse_path
from trialrun.runtime.scenario.environment import Event, ScenarioMistake, StepDone, UnmetExpectation, store_target_name
from trialrun.runtime.scenario.expected_values import (
    format_origin,
    format_set_value,
    is_set_by,
    is_set_in_file,
    unknown_names,
)
from trialrun.runtime.scenario.format import format_value
from trialrun.runtime.scenario.session.coverage import record_flag
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedValue, ResolveStep
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer
    from trialrun.runtime.scenario.environment import Environment

ORIGIN_PHRASES = {"level": "by a", "rule": "by the rule", "config": "by", "file": "in"}
"""What may be said of where a value comes from, with the words before it."""


def play(step: ResolveStep, environment: Environment) -> Iterator[Event]:
    """Compare effective values of a store with those expected."""
    store = environment.store_named(step, step.store)
    environment.recorder.record("stores", store_target_name(store))
    config = resolve_active_config(store, environment.brands, environment.options)
    yield StepDone(f"{environment.now()} resolve {last_id(store.name)}: {format_layers(config)}")
    for expected in (step.expect.values if step.expect else None) or ():
        yield from _compare_value(expected, config, environment)


def format_layers(config: ActiveConfig) -> str:
    """The configs that apply at a store, by type."""
    texts = [
        f"{name} of {', '.join(map(_layer, resolved.layers))}"
        for name, resolved in config.types.items()
        if resolved.layers
    ]
    return "; ".join(texts) or "no config applies"


def _layer(layer: Layer) -> str:
    return f"{last_id(layer.config.node.name or '')} ({layer.level})"


def _compare_value(expected: ExpectedValue, config: ActiveConfig, environment: Environment) -> Iterator[Event]:
    path = expected.field or ""
    try:
        resolved = _resolve_type(expected, path, config)
        field_value = find_field(resolved.value, path)
    except UnknownFieldError as error:
        yield ScenarioMistake(CharRange(expected, ("field",), error.chars), str(error))
        return
    mistakes = [*unknown_names(expected, environment.brands)]
    yield from mistakes
    if isinstance(field_value, UnsetField):
        yield from _compare_unset(expected, field_value)
        return
    origin = resolved.origin(field_value.pointer)
    record_flag(origin, environment.recorder)
    if expected.absent:
        yield UnmetExpectation(expected.location("absent"), "nothing to set it", format_set_value(origin))
    if expected.value is not None and not matches_subset(field_value.value, expected.value):
        yield UnmetExpectation(expected.location("value"), format_value(expected.value), format_set_value(origin))
    if not mistakes:
        yield from _compare_origin(expected, origin)


def _resolve_type(expected: ExpectedValue, path: str, config: ActiveConfig) -> EffectiveConfig:
    """The type that is meant: the one that is named, else the one that a session takes the field from."""
    if expected.type is not None:
        return config.types[expected.type]
    names = tuple(step.text for step in parse_path(path))
    top = names[:2] if names[0] == "operationsConfig" else names[:1]
    return config.source_of(*top) or config.types[type_order(top)[0]]


def _compare_unset(expected: ExpectedValue, unset: UnsetField) -> Iterator[Event]:
    if expected.absent:
        return
    near = f'; there is no "{unset.missing}"{did_you_mean(unset.missing, unset.item_names)}' if unset.item_names else ""
    expected_text = "a value" if expected.value is None else format_value(expected.value)
    field = "field" if expected.value is None else "value"
    yield UnmetExpectation(expected.location(field), expected_text, f"nothing sets it{near}")


def _compare_origin(expected: ExpectedValue, origin: Origin) -> Iterator[Event]:
    got = format_origin(origin)
    for name in ORIGIN_PHRASES:
        wanted = getattr(expected, name)
        if wanted is not None and not _is_met(name, wanted, origin):
            yield UnmetExpectation(expected.location(name), f"it to be set {ORIGIN_PHRASES[name]} {wanted}", got)
    if expected.overrode is None:
        return
    for index, wanted in enumerate(expected.overrode):
        overridden = origin.overrode[index] if index < len(origin.overrode) else None
        if overridden is None or not is_set_by(wanted, overridden):
            actual = "nothing further" if overridden is None else format_set_value(overridden)
            yield UnmetExpectation(
                expected.location("overrode", index), f"{wanted} to be overwritten at this place", actual
            )
    unexpected = origin.overrode[len(expected.overrode) :]
    if unexpected:
        actual = ", ".join(map(format_set_value, unexpected))
        nothing_else = "nothing but those named" if expected.overrode else "nothing"
        yield UnmetExpectation(expected.location("overrode"), f"{nothing_else} to be overwritten", f"also {actual}")


def _is_met(name: str, wanted: str, origin: Origin) -> bool:
    match name:
        case "level":
            return origin.level == wanted
        case "rule":
            return origin.rule is not None and is_same_resource(origin.rule, wanted)
        case "config":
            return is_same_resource(origin.name, wanted)
        case _:
            return is_set_in_file(wanted, origin)


def matches_subset(got: Any, expected: Any) -> bool:
    """Whether a value is the expected one: of a message the fields that are named, of a list all items."""
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(key in got and matches_subset(got[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(matches_subset(item, expected_item) for item, expected_item in zip(got, expected, strict=True))
        )
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    return bool(got == expected)
