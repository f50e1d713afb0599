"""The step `resolve`: what is effective at a store, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Inside
from trialrun.runtime.channel_config.active_config import THE_REST, UPSELLS, in_force
from trialrun.runtime.channel_config.field_path import NoField, Unset, find, steps_of
from trialrun.runtime.scenario.environment import store_subject
from trialrun.runtime.scenario.events import Done, Event, Mistake, Unmet
from trialrun.runtime.scenario.format import did_you_mean, value_text
from trialrun.runtime.scenario.origins import misnamed, origin_text, set_by, set_text, set_there
from trialrun.values.resource_name import is_same, last_id

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedValue, ResolveStep
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.effective import Effective
    from trialrun.runtime.channel_config.layers import Layer
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.scenario.environment import Stage

WORDS = {"level": "by a", "rule": "by the rule", "config": "by", "file": "in"}
"""What may be said of where a value comes from, with the words before it."""


def play(step: ResolveStep, stage: Stage) -> Iterator[Event]:
    """Compare effective values of a store with those expected."""
    store = stage.store_called(step, step.store)
    stage.seen.touch("stores", store_subject(store))
    found = in_force(store, stage.brands, stage.options)
    yield Done(f"{stage.now()} resolve {last_id(store.name)}: {layers_text(found)}")
    for expected in (step.expect.values if step.expect else None) or ():
        yield from _compared(expected, found, stage)


def layers_text(found: InForce) -> str:
    """The configs that apply at a store, by type."""
    told = [f"{name} of {', '.join(map(_layer, one.layers))}" for name, one in found.types.items() if one.layers]
    return "; ".join(told) or "no config applies"


def _layer(layer: Layer) -> str:
    return f"{last_id(layer.config.node.name or '')} ({layer.level})"


def _compared(expected: ExpectedValue, found: InForce, stage: Stage) -> Iterator[Event]:
    path = expected.field or ""
    try:
        resolved = _resolved(expected, path, found)
        there = find(resolved.value, path)
    except NoField as error:
        yield Mistake(Inside(expected, ("field",), error.chars), str(error))
        return
    mistakes = [*misnamed(expected, stage.brands)]
    yield from mistakes
    if isinstance(there, Unset):
        yield from _unset(expected, there)
        return
    origin = resolved.origin(there.pointer)
    if expected.absent:
        yield Unmet(expected.at("absent"), "nothing to set it", set_text(origin))
    if expected.value is not None and not matches(there.value, expected.value):
        yield Unmet(expected.at("value"), value_text(expected.value), set_text(origin))
    if not mistakes:
        yield from _places(expected, origin)


def _resolved(expected: ExpectedValue, path: str, found: InForce) -> Effective:
    """The type that is meant: the one that is named, else the one that a session takes the field from."""
    if expected.type is not None:
        return found.types[expected.type]
    names = tuple(step.text for step in steps_of(path))
    top = names[:2] if names[0] == "operationsConfig" else names[:1]
    order = UPSELLS if top == ("operationsConfig", "upsellStrategy") else THE_REST
    return found.taken_from(*top) or found.types[order[0]]


def _unset(expected: ExpectedValue, there: Unset) -> Iterator[Event]:
    if expected.absent:
        return
    near = f'; there is no "{there.missing}"{did_you_mean(there.missing, there.known)}' if there.known else ""
    wanted = "a value" if expected.value is None else value_text(expected.value)
    place = "field" if expected.value is None else "value"
    yield Unmet(expected.at(place), wanted, f"nothing sets it{near}")


def _places(expected: ExpectedValue, origin: Origin) -> Iterator[Event]:
    got = origin_text(origin)
    for name in WORDS:
        wanted = getattr(expected, name)
        if wanted is not None and not _is_met(name, wanted, origin):
            yield Unmet(expected.at(name), f"it to be set {WORDS[name]} {wanted}", got)
    if expected.overrode is None:
        return
    for index, wanted in enumerate(expected.overrode):
        beneath = origin.overrode[index] if index < len(origin.overrode) else None
        if beneath is None or not set_there(wanted, beneath):
            told = "nothing further" if beneath is None else set_text(beneath)
            yield Unmet(expected.at("overrode", index), f"{wanted} to be overwritten at this place", told)
    further = origin.overrode[len(expected.overrode) :]
    if further:
        told = ", ".join(map(set_text, further))
        several = "nothing but those named" if expected.overrode else "nothing"
        yield Unmet(expected.at("overrode"), f"{several} to be overwritten", f"also {told}")


def _is_met(name: str, wanted: str, origin: Origin) -> bool:
    match name:
        case "level":
            return origin.level == wanted
        case "rule":
            return origin.rule is not None and is_same(origin.rule, wanted)
        case "config":
            return is_same(origin.name, wanted)
        case _:
            return set_by(wanted, origin)


def matches(got: Any, expected: Any) -> bool:
    """Whether a value is the expected one: of a message the fields that are named, of a list all items."""
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(key in got and matches(got[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(matches(one, other) for one, other in zip(got, expected, strict=True))
        )
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    return bool(got == expected)
