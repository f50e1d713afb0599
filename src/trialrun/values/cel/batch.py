"""Evaluates many checks on one state together, and expressions on many messages beside values that they share.

A call of the engine costs more than a short check. So checks are combined in chunks into one integer whose bits are the
failed checks. If a chunk as a whole fails, its checks are evaluated one by one, so that the result of a check never
depends on others.

An activation converts its values when they are first read and keeps them. So the shared values are variables of an
activation, and the variables of a message come from functions, whose results `cel.bind` names.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from mmap import PAGESIZE as PAGE_SIZE
from operator import is_
from types import MappingProxyType
from typing import Any

from trialrun.values.cel.environment import Activation, Expression, engine_with, environment, plain_engine
from trialrun.values.cel.evaluate import CelError, compile_typed, evaluate_expression
from trialrun.values.cel.type_schema import Schema

CHUNK_SIZE = 16
"""Checks per chunk: the engine nests 32 levels, and an integer has 63 usable bits."""


Failure = tuple[int, str | None]
"""The index of a check that is false, or that could not be evaluated, with the error."""


@dataclass(frozen=True, slots=True)
class PlainStateEngine:
    """Converts each state as a whole; `library` names functions of ours that expressions call."""

    names: tuple[str, ...]
    library: str = ""

    def compile(self, text: str) -> Expression:
        """Compile a valid expression for plain values of the variables. Raises CelError."""
        return compile_expression(text, self.names, self.library)

    def activation(self, state: dict[str, Any]) -> Activation:
        """The values of a state."""
        return plain_engine(self.names, self.library).Activation(data=state)


@dataclass(frozen=True, slots=True)
class SchemaEngine:
    """Compiles with the types of a schema."""

    schema: Schema

    def compile(self, text: str) -> Expression:
        """Compile a valid expression. Raises CelError."""
        return compile_typed(text, self.schema)

    def activation(self, state: dict[str, Any]) -> Activation:
        """The values of a state."""
        return environment(self.schema).plain.Activation(data=state)


class CheckBatch:
    """Checks over plain values of the same variables; each is a valid expression."""

    def __init__(self, texts: Sequence[str], engine: StateEngine) -> None:
        self._texts, self._engine = texts, engine
        starts = range(0, len(texts), CHUNK_SIZE)
        self._chunks = [(start, _join_checks(texts[start : start + CHUNK_SIZE], engine)) for start in starts]

    def failed_checks(self, state: dict[str, Any], passed_over: Set[int] = frozenset()) -> Iterator[Failure]:
        """The failed checks for a state, in order; values are plain and have the types of the schema.

        The checks with indexes in `passed_over` are not evaluated.
        """
        activation = self._engine.activation(state)
        for start, together in self._chunks:
            indexes = range(start, min(start + CHUNK_SIZE, len(self._texts)))
            is_whole = together is not None and passed_over.isdisjoint(indexes)
            bits = _evaluate_bits(together, activation) if is_whole else None
            if bits is None:
                yield from self._one_by_one([index for index in indexes if index not in passed_over], activation)
                continue
            while bits:
                lowest = bits & -bits
                yield start + lowest.bit_length() - 1, None
                bits ^= lowest

    def _one_by_one(self, indexes: Sequence[int], activation: Activation) -> Iterator[Failure]:
        for index in indexes:
            alone = self._engine.compile(self._texts[index])
            try:
                value = evaluate_expression(alone, activation)
            except CelError as error:
                yield index, error.message
                continue
            if value is not True:
                yield index, None if value is False else f"its result is {value!r}, not true or false"


def _join_checks(texts: Sequence[str], engine: StateEngine) -> Expression | None:
    """The checks combined into one integer expression; None if the engine rejects it."""
    # a line feed, since a check may end with a comment
    bits = [f"(({text}\n) ? 0 : {1 << index})" for index, text in enumerate(texts)]
    while len(bits) > 1:
        bits = [f"({' + '.join(bits[at : at + 2])})" for at in range(0, len(bits), 2)]
    try:
        return engine.compile(bits[0]) if len(texts) > 1 else None
    except CelError:
        return None


def _evaluate_bits(together: Expression, activation: Activation) -> int | None:
    try:
        value = together.eval(activation)
    except (RuntimeError, ValueError):  # ValueError: range of a negative length
        return None
    return int(value.value()) if value.type().name() == "INT" else None


@lru_cache(maxsize=4096)
def compile_expression(text: str, names: tuple[str, ...], library: str = "") -> Expression:
    """Compile a valid expression for plain values of the variables. Raises CelError."""
    try:
        return plain_engine(names, library).compile(text)
    except RuntimeError as refusal:
        raise CelError(str(refusal).split("\n")[0]) from None


def evaluate_text(text: str, state: dict[str, Any], engine: StateEngine) -> str:
    """The string that a valid expression returns for a state. Raises CelError."""
    value = evaluate_expression(engine.compile(text), engine.activation(state))
    if not isinstance(value, str):
        raise CelError(f"its result is {value!r}, not text")
    return value


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


StateEngine = PlainStateEngine | SchemaEngine | DocumentEngine
"""Compiles expressions, and gives what they are evaluated with for a state."""


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
