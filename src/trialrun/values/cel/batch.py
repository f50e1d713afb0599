"""Evaluates many checks on one state together.

A call of the engine costs more than a short check. So checks are combined in chunks into one integer whose bits are the
failed checks. If a chunk as a whole fails, its checks are evaluated one by one, so that the result of a check never
depends on others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property, lru_cache
from typing import Any, Protocol

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.environment import Activation, Expression, plain_engine
from trialrun.values.cel.evaluate import CelError, evaluate_expression

CHUNK_SIZE = 16
"""Checks per chunk: the engine nests 32 levels, and an integer has 63 usable bits."""


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A check that is false; with an `error`, one that could not be evaluated."""

    index: int
    error: str | None = None


class StateEngine(Protocol):
    """Compiles expressions, and gives what they are evaluated with for a state."""

    def compile(self, text: str) -> Expression:
        """Compile a valid expression for plain values of the variables. Raises CelError."""
        ...

    def activation(self, state: dict[str, Any]) -> Activation:
        """The values of a state, until the next one is asked for."""
        ...


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


class CheckBatch:
    """Checks over plain values of the same variables; each is a valid expression."""

    def __init__(self, texts: Sequence[str], engine: StateEngine) -> None:
        starts = range(0, len(texts), CHUNK_SIZE)
        self._chunks = [_Chunk(start, texts[start : start + CHUNK_SIZE], engine.compile) for start in starts]
        self._engine = engine

    def failed_checks(self, state: dict[str, Any], passed_over: Set[int] = frozenset()) -> Iterator[FailedCheck]:
        """The failed checks for a state, in order; values are plain and have the types of the schema.

        The checks with indexes in `passed_over` are not evaluated.
        """
        activation = self._engine.activation(state)
        for chunk in self._chunks:
            yield from chunk.failed_checks(activation, passed_over)


class _Chunk:
    def __init__(self, first: int, texts: Sequence[str], compile: Callable[[str], Expression]) -> None:
        self._first, self._texts, self._compile = first, texts, compile
        self._indexes = range(first, first + len(texts))
        self._together = _join_checks(texts, compile)

    @cached_property
    def _alone(self) -> list[Expression]:
        return [self._compile(text) for text in self._texts]

    def failed_checks(self, activation: Activation, passed_over: Set[int]) -> Iterator[FailedCheck]:
        together = None if passed_over and not passed_over.isdisjoint(self._indexes) else self._together
        bits = None if together is None else _evaluate_bits(together, activation)
        if bits is None:
            yield from self._one_by_one(activation, passed_over)
            return
        while bits:
            lowest = bits & -bits
            yield FailedCheck(self._first + lowest.bit_length() - 1)
            bits ^= lowest

    def _one_by_one(self, activation: Activation, passed_over: Set[int]) -> Iterator[FailedCheck]:
        for index, alone in zip(self._indexes, self._alone, strict=True):
            if index in passed_over:
                continue
            try:
                value = evaluate_expression(alone, activation)
            except CelError as error:
                yield FailedCheck(index, error.message)
                continue
            if value is not True:
                yield FailedCheck(index, None if value is False else f"its result is {value!r}, not true or false")


def _join_checks(texts: Sequence[str], compile: Callable[[str], Expression]) -> Expression | None:
    """The checks combined into one integer expression; None if the engine rejects it."""
    # a line feed, since a check may end with a comment
    bits = [f"(({text}\n) ? 0 : {1 << index})" for index, text in enumerate(texts)]
    while len(bits) > 1:
        bits = [f"({' + '.join(bits[at : at + 2])})" for at in range(0, len(bits), 2)]
    try:
        return compile(bits[0]) if len(texts) > 1 else None
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
