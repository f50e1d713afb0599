"""Conditions of CEL upsells: compiled once, and evaluated on the state of a turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from trialrun.values.cel import CelError, Program, Subexpression
from trialrun.values.cel import compile as compiled
from trialrun.values.cel.batch import SchemaEngine
from trialrun.values.cel.cost import MAX_GROWTH, find_oversized
from trialrun.values.cel.environment import Activation
from trialrun.values.cel.type_schema import Schema


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


class EvaluationState:
    """The state of a turn as the engine takes it, and the parts of conditions that were computed on it."""

    def __init__(self, values: dict[str, Any], schema: Schema) -> None:
        self._values, self._schema = values, schema
        self._parts: dict[str, Subexpression] = {}

    @cached_property
    def _activation(self) -> Activation:
        return SchemaEngine(self._schema).activation(self._values)

    def parts(self, program: Program) -> tuple[Subexpression, ...]:
        """Every part of a condition with its value, outer parts first."""
        return program.parts(self._activation, self._parts)

    def value(self, text: str) -> bool | None:
        """What another condition comes to; None if it fails."""
        program = compile_condition(text, self._schema)
        if isinstance(program, InvalidCondition):
            return None
        try:
            value = program.value(self._activation)
        except CelError:
            return None
        return value if isinstance(value, bool) else None
