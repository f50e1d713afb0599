"""Evaluates expressions on many messages beside values that all of them share, which the engine copies once.

An activation converts its values when they are first read and keeps them. So the shared values are variables of an
activation, and the variables of a message come from functions, whose results `cel.bind` names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from trialrun.values.cel.environment import Activation, Expression, engine_with
from trialrun.values.cel.evaluate import CelError, evaluate_expression

MAX_EVALUATIONS, MIN_EVALUATIONS = 64, 4
MAX_ITEMS = 100_000
"""Evaluations with one activation, which keeps the memory of all of them, and items of shared lists that they read."""
SUFFIX = "__of_message"


class MessageEngine:
    """An engine with `shared` variables and the `names` of those of each message."""

    def __init__(self, shared: dict[str, Any], names: Sequence[str], library: str = "") -> None:
        self._shared, self._names = shared, names
        self._message: Mapping[str, Any] = {}
        functions = {f"{name}{SUFFIX}": partial(self._read, name) for name in names}
        self._engine = engine_with(tuple(shared), functions, library)
        self._compiled: dict[str, Expression] = {}
        self._activation: Activation | None = None
        self._evaluations = 0
        items = sum(len(value) for value in shared.values() if isinstance(value, list))
        self._most = max(MIN_EVALUATIONS, min(MAX_EVALUATIONS, MAX_ITEMS // max(items, 1)))

    def evaluate(self, text: str, message: Mapping[str, Any]) -> Any:
        """The plain value of a valid expression for the variables of a message. Raises CelError."""
        self._message = message
        if self._activation is None or self._evaluations >= self._most:
            self._activation, self._evaluations = self._engine.Activation(data=self._shared), 0
        self._evaluations += 1
        return evaluate_expression(self._compile(text), self._activation)

    def _read(self, name: str) -> Any:
        return self._message[name]

    def _compile(self, text: str) -> Expression:
        if text not in self._compiled:
            bound = f"({text}\n)"  # a line feed, since an expression may end with a comment
            for name in self._names:
                bound = f"cel.bind({name}, {name}{SUFFIX}(), {bound})"
            try:
                self._compiled[text] = self._engine.compile(bound)
            except RuntimeError as refusal:
                raise CelError(str(refusal).split("\n")[0]) from None
        return self._compiled[text]
