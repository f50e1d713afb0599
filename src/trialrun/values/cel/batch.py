"""Evaluates many checks on one state together.

A call of the engine costs more than a short check. So checks are combined in chunks into one integer whose bits are the
failed checks. If a chunk as a whole fails, its checks are evaluated one by one, so that the result of a check never
depends on others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property, lru_cache
from typing import Any

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


class CheckBatch:
    """Checks over plain values of the same variables; each is a valid expression.

    `library` names functions of ours that they call.
    """

    def __init__(self, texts: Sequence[str], names: tuple[str, ...], library: str = "") -> None:
        starts = range(0, len(texts), CHUNK_SIZE)
        self._chunks = [_Chunk(start, texts[start : start + CHUNK_SIZE], names, library) for start in starts]
        self._engine = plain_engine(names, library)

    def failed_checks(self, state: dict[str, Any], passed_over: Set[int] = frozenset()) -> Iterator[FailedCheck]:
        """The failed checks for a state, in order; values are plain and have the types of the schema.

        The checks with indexes in `passed_over` are not evaluated.
        """
        activation = self._engine.Activation(data=state)
        for chunk in self._chunks:
            yield from chunk.failed_checks(activation, passed_over)


class _Chunk:
    def __init__(self, first: int, texts: Sequence[str], names: tuple[str, ...], library: str) -> None:
        self._first, self._texts, self._names, self._library = first, texts, names, library
        self._indexes = range(first, first + len(texts))
        self._together = _join_checks(texts, names, library)

    @cached_property
    def _alone(self) -> list[Expression]:
        return [compile_expression(text, self._names, self._library) for text in self._texts]

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


def _join_checks(texts: Sequence[str], names: tuple[str, ...], library: str) -> Expression | None:
    """The checks combined into one integer expression; None if the engine rejects it."""
    # a line feed, since a check may end with a comment
    bits = [f"(({text}\n) ? 0 : {1 << index})" for index, text in enumerate(texts)]
    while len(bits) > 1:
        bits = [f"({' + '.join(bits[at : at + 2])})" for at in range(0, len(bits), 2)]
    try:
        return compile_expression(bits[0], names, library) if len(texts) > 1 else None
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


def evaluate_text(text: str, state: dict[str, Any], names: tuple[str, ...], library: str = "") -> str:
    """The string that a valid expression returns for a state. Raises CelError."""
    activation = plain_engine(names, library).Activation(data=state)
    value = evaluate_expression(compile_expression(text, names, library), activation)
    if not isinstance(value, str):
        raise CelError(f"its result is {value!r}, not text")
    return value
