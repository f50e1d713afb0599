"""Conditions of CEL upsells at work: compiled once, evaluated on the state of a turn."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.turn import Condition
from trialrun.values.cel import CelError, Part, Program
from trialrun.values.cel import compile as compiled
from trialrun.values.cel.cost import MOST, swelling
from trialrun.values.cel.environment import Activation
from trialrun.values.cel.type_schema import Schema

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.origin import Origin


@dataclass(frozen=True, slots=True)
class Broken:
    """A condition that is never evaluated, and why."""

    error: str


@lru_cache(maxsize=4096)
def ready(text: str, schema: Schema) -> Program | Broken:
    """A condition that can be evaluated; one that may fill the memory is none (`values/cel/cost.py`)."""
    try:
        program = compiled(text, schema=schema)
    except CelError as error:
        return Broken(f"the condition cannot be read: {error.message}")
    if swelling(program.tree):
        return Broken(f"the condition may hold what it reads more than {MOST} times over; make it smaller")
    return program


@dataclass(frozen=True, slots=True)
class State:
    """The state of a turn as the engine takes it, and the parts of conditions that were worked out on it."""

    activation: Activation
    parts: dict[str, Part] = field(default_factory=dict)


def evaluated(program: Program | Broken, state: State, *, upsell: UpsellConfig, origin: Origin) -> Condition:
    """What a condition comes to on the state of a turn; an error is a value too."""
    if isinstance(program, Broken):
        return Condition(upsell, None, program.error, origin, _no_parts)
    trace = partial(program.parts, state.activation, state.parts)
    instead = partial(_instead, state.activation, program.schema)
    try:
        value = program.value(state.activation)
    except CelError as error:
        return Condition(upsell, None, error.message, origin, trace, instead)
    if not isinstance(value, bool):
        return Condition(upsell, None, f"it gives {value!r}, not true or false", origin, trace, instead)
    return Condition(upsell, value, None, origin, trace, instead)


def _instead(activation: Activation, schema: Schema, text: str) -> bool | None:
    """What another text comes to on the state of a turn; None where it fails."""
    program = ready(text, schema)
    if isinstance(program, Broken):
        return None
    try:
        value = program.value(activation)
    except CelError:
        return None
    return value if isinstance(value, bool) else None


def _no_parts() -> tuple[Part, ...]:
    return ()
