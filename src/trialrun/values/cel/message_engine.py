"""Evaluates expressions on many messages beside values that they share, which the engine copies once.

An activation converts its values when they are first read and keeps them. So the shared values are variables of an
activation, and the variables of a message come from functions, whose results `cel.bind` names.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from mmap import PAGESIZE as PAGE_SIZE
from operator import is_
from types import MappingProxyType
from typing import Any

from trialrun.values.cel.environment import Activation, Expression, engine_with
from trialrun.values.cel.evaluate import CelError, evaluate_expression

MAX_EVALUATIONS, MIN_EVALUATIONS = 64, 4
MAX_ITEMS = 100_000
"""Evaluations with one activation, which keeps the memory of all of them, and items of shared lists that they read."""
MAX_KEPT_BYTES = 32 << 20
"""How much memory the evaluations on one document may keep."""
SUFFIX = "__of_message"


class MessageEngine:
    """An engine with `shared` variables and the `names` of those of each message."""

    def __init__(self, shared: dict[str, Any], names: Sequence[str], library: str = "") -> None:
        self._shared = shared
        self._message: Mapping[str, Any] = {}
        self._compiler = _Compiler(tuple(shared), {name: partial(self._read, name) for name in names}, library)
        self._activation: Activation | None = None
        self._evaluations = 0
        items = sum(len(value) for value in shared.values() if isinstance(value, list))
        self._most = max(MIN_EVALUATIONS, min(MAX_EVALUATIONS, MAX_ITEMS // max(items, 1)))

    def evaluate(self, text: str, message: Mapping[str, Any]) -> Any:
        """The plain value of a valid expression for the variables of a message. Raises CelError."""
        self._message = message
        if self._activation is None or self._evaluations >= self._most:
            self._activation, self._evaluations = self._compiler.engine.Activation(data=self._shared), 0
        self._evaluations += 1
        return evaluate_expression(self._compiler.compile(text), self._activation)

    def _read(self, name: str) -> Any:
        return self._message[name]


class _DocumentState(threading.local):
    """What a thread evaluates: the message, and the activation with the values of its document."""

    activation: Activation | None = None
    shared: tuple[object, ...] = ()
    message: Mapping[str, Any] = MappingProxyType({})
    memory_limit: int | None = None


class DocumentEngine:
    """An engine for the messages of one document after the other; values that are the same objects are converted once.

    An activation keeps the memory of all its evaluations, which may be much. Where the system does not say how much
    the process has, each message has an activation of its own.
    """

    def __init__(self, shared: Sequence[str], own: Sequence[str], library: str = "") -> None:
        self._shared = tuple(shared)
        self._state = _DocumentState()
        self._compiler = _Compiler(self._shared, {name: partial(self._read, name) for name in own}, library)

    def compile(self, text: str) -> Expression:
        """Compile a valid expression. Raises CelError, also where it nests as deep as the engine lets it."""
        return self._compiler.compile(text)

    def activation(self, state: dict[str, Any]) -> Activation:
        """The values of a state, until the next one is asked for; those that it shares with the last are not copied."""
        last, shared = self._state, tuple(state[name] for name in self._shared)
        last.message = state
        is_same = len(shared) == len(last.shared) and all(map(is_, shared, last.shared))
        memory = resident_bytes()
        if not is_same:
            last.memory_limit = None
        elif last.memory_limit is None and memory is not None:
            last.memory_limit = memory + MAX_KEPT_BYTES  # with the values of the document, once they are converted
        if is_same and last.activation is not None and memory is not None and memory <= (last.memory_limit or 0):
            return last.activation
        last.shared = shared
        last.activation = self._compiler.engine.Activation(data=dict(zip(self._shared, shared, strict=True)))
        return last.activation

    def _read(self, name: str) -> Any:
        return self._state.message[name]


class _Compiler:
    """Compiles expressions over shared variables, and over others that functions read, whose results it binds."""

    def __init__(self, shared: tuple[str, ...], own: Mapping[str, Callable[[], Any]], library: str) -> None:
        self._names = tuple(own)
        self.engine = engine_with(shared, {f"{name}{SUFFIX}": read for name, read in own.items()}, library)
        self._compiled: dict[str, Expression] = {}

    def compile(self, text: str) -> Expression:
        """Compile a valid expression. Raises CelError."""
        if text not in self._compiled:
            bound = f"({text}\n)"  # a line feed, since an expression may end with a comment
            for name in self._names:
                bound = f"cel.bind({name}, {name}{SUFFIX}(), {bound})"
            try:
                self._compiled[text] = self.engine.compile(bound)
            except RuntimeError as refusal:
                raise CelError(str(refusal).split("\n")[0]) from None
        return self._compiled[text]


def resident_bytes() -> int | None:
    """The memory that this process has now; None where the system does not say."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read(200).split()[1]) * PAGE_SIZE
    except (OSError, ValueError, IndexError):
        return None
