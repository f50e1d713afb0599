"""An engine in this process that the system refuses memory far above the limit: a view of a database is a program.

A sync works so, which a user starts: what an engine takes beside the memory that it manages, such as one large value,
ends in an error, and not with the machine. Where the system has no such limit, as beside Linux, the engine bounds only
the memory that it manages itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.source.location import Unreadable

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.source.dialect import Dialect
    from trialrun.runtime.feature_view.source.interface import (
        ColumnConversion,
        Engine,
        PartitionFunction,
        Statement,
    )

STATM = "/proc/self/statm"
MEMORY_MARGIN = 1_500_000_000
"""Bytes for batches of rows, threads and files beside the memory that an engine manages."""
OUT_OF_MEMORY = "it takes more memory than memory-limit; make the table smaller, or raise memory-limit"


class BoundedEngine:
    """An engine that is refused memory while it works, and only then. Raises Unreadable."""

    def __init__(self, open_engine: Callable[[], Engine], memory: int) -> None:
        data = _data_size()
        self._most = None if data is None else data + memory + MEMORY_MARGIN
        with self._memory_limit():
            self._engine = open_engine()

    @property
    def dialect(self) -> Dialect:
        """What it writes in its own way."""
        return self._engine.dialect

    @property
    def readings(self) -> Mapping[str, Sequence[ColumnConversion]]:
        """How the columns of each source are read."""
        return self._engine.readings

    def relation(self, uri: str) -> str:
        """The rows of a source as its table has them, not yet in the types of the specification."""
        return self._engine.relation(uri)

    def size(self, uri: str) -> int:
        """How many bytes the files of a source have."""
        return self._engine.size(uri)

    def all(self, text: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that gives few."""
        with self._memory_limit():
            return self._engine.all(text)

    def latest(self, statement: Statement) -> Iterator[list[Sequence[Any]]]:
        """The rows of a statement in batches."""
        batches = self._engine.latest(statement)
        while True:
            with self._memory_limit():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def latest_relation(self, statement: Statement) -> str | None:
        """Its rows pass through this process."""
        return self._engine.latest_relation(statement)

    def each_partition(self, statement: Statement, function: PartitionFunction) -> Iterator[Any] | None:
        """What a function makes of each part of the rows of a statement."""
        return self._engine.each_partition(statement, function)

    def close(self) -> None:
        """Close it, and take away what it spilled."""
        self._engine.close()

    @contextmanager
    def _memory_limit(self) -> Iterator[None]:
        try:
            with _data_limit(self._most):
                yield
        except MemoryError as error:
            raise Unreadable(OUT_OF_MEMORY) from error


@contextmanager
def _data_limit(most: int | None) -> Iterator[None]:
    """Have the system refuse this process more bytes of data meanwhile."""
    if most is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    least = min([most, *(limit for limit in before if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (least, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_size() -> int | None:
    """The bytes of data that this process has, None where the system does not tell, or has no limit for them."""
    try:
        with open(STATM, encoding="ascii") as stream:
            return int(stream.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
