"""Conditions of CEL upsells: compiled once, and evaluated on the state of a turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.session.turn import EvaluatedCondition
from trialrun.values.cel import CelError, Program, Subexpression
from trialrun.values.cel import compile as compiled
from trialrun.values.cel.cost import MAX_GROWTH, find_oversized
from trialrun.values.cel.environment import Activation
from trialrun.values.cel.type_schema import Schema

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import Origin


@dataclass(frozen=True, slots=True)
class InvalidCondition:
    """A condition that is never evaluated, and why."""

    error: str


@lru_cache(maxsize=4096)
def compile_condition(text: str, schema: Schema) -> Program | InvalidCondition:
    """A condition that can be evaluated; one that may fill the memory is none (`values/cel/cost.py`)."""
    try:
        program = compiled(text, schema=schema)
    except CelError as error:
        return InvalidCondition(f"the condition cannot be read: {error.message}")
    if find_oversized(program.tree):
        return InvalidCondition(
            f"the result of the condition may grow to more than {MAX_GROWTH} times its input; simplify it"
        )
    return program


EvaluationState = tuple[Activation, dict[str, Subexpression]]
"""The state of a turn as the engine takes it, and the parts of conditions that were computed on it."""


def evaluate_condition(
    program: Program | InvalidCondition, state: EvaluationState, *, upsell: UpsellConfig, origin: Origin
) -> EvaluatedCondition:
    """What a condition comes to on the state of a turn; an error is a value too."""
    activation, parts = state
    if isinstance(program, InvalidCondition):
        return EvaluatedCondition(upsell, None, program.error, origin, tuple)
    value, error = None, None
    try:
        result = program.value(activation)
        value = result if isinstance(result, bool) else None
        error = f"its result is {result!r}, not true or false" if value is None else None
    except CelError as failure:
        error = failure.message
    trace, instead = partial(program.parts, activation, parts), partial(_evaluate, activation, program.schema)
    return EvaluatedCondition(upsell, value, error, origin, trace, instead)


def _evaluate(activation: Activation, schema: Schema, text: str) -> bool | None:
    """What another text comes to on the state of a turn; None if it fails."""
    program = compile_condition(text, schema)
    if isinstance(program, InvalidCondition):
        return None
    try:
        value = program.value(activation)
    except CelError:
        return None
    return value if isinstance(value, bool) else None
