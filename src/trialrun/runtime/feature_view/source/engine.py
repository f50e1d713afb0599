"""Open the engine of some sources: the one whose address the user chose, else one of this machine.

One of this machine works in this process, bounded in its memory, or in a process of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from trialrun.runtime.feature_view.source.interface import (
    DUCKDB,
    SPARK,
    ColumnConversion,
    Dialect,
    Engine,
    EngineKind,
    PartitionFunction,
    Statement,
)
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import Options
from trialrun.values.memory import parse_bytes


class EngineCache:
    """The engine that was opened last, kept open: a plan most often reads the schema of the one table of its rows."""

    def __init__(self, options: Options) -> None:
        self._options, self._places = options, tuple[TableLocation, ...]()
        self._engine: Engine | None = None

    def of(self, places: Sequence[TableLocation]) -> Engine:
        """The engine of these places, the one that is open if it is theirs. Raises Unreadable."""
        if self._engine is None or self._places != tuple(places):
            self.close()
            self._engine, self._places = open_engine(places, self._options), tuple(places)
        return self._engine

    def close(self) -> None:
        """Close it, if there is one."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def memory_limit(self) -> AbstractContextManager[None]:
        """The limit of an engine, for what reads a source without one. Raises Unreadable."""
        data = _data_size() if self._options.bounded else None
        return _memory_limit(None if data is None else data + _memory_of(self._options))


def engine_kind(options: Options) -> EngineKind:
    """The kind of engine that reads the sources; nothing is opened yet. Raises Unreadable.

    What nobody vouched for is read on this machine, whatever address there is.
    """
    if options.engine is None or options.confined:
        return DUCKDB
    return remote_kind(options.engine.address)


def remote_kind(address: str) -> EngineKind:
    """The kind of engine that an address is of. Raises Unreadable."""
    scheme = address.partition("://")[0]
    if scheme == "spark":
        return SPARK
    raise Unreadable(f'there is no engine for addresses that begin with "{scheme}://"; check the address')


def open_engine(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine that reads these sources. Raises Unreadable."""
    if options.engine is not None and not options.confined:
        remote_kind(options.engine.address)
        from trialrun.runtime.feature_view.source.spark.engine import SparkEngine

        return SparkEngine(places, options)
    if options.confined:
        from trialrun.runtime.feature_view.source.confined import ConfinedEngine

        return ConfinedEngine(places, options)
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine

    if options.bounded:
        return BoundedEngine(partial(DuckDbEngine, places, options), _memory_of(options))
    return DuckDbEngine(places, options)


STATM = "/proc/self/statm"
MEMORY_MARGIN = 1_500_000_000
"""Bytes for batches of rows, threads and files beside the memory that an engine manages."""
OUT_OF_MEMORY = "it takes more memory than memory-limit; make the table smaller, or raise memory-limit"


class BoundedEngine:
    """An engine of this process that is refused memory while it works, and only then. Raises Unreadable.

    A view of a database is a program: what an engine takes beside the memory that it manages, such as one large value,
    ends in an error, and not with the machine. Where the system has no such limit, as beside Linux, the engine bounds
    only the memory that it manages itself.
    """

    def __init__(self, open_engine: Callable[[], Engine], memory: int) -> None:
        data = _data_size()
        self._most = None if data is None else data + memory
        with _memory_limit(self._most):
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
        with _memory_limit(self._most):
            return self._engine.all(text)

    def latest(self, statement: Statement) -> Iterator[list[Sequence[Any]]]:
        """The rows of a statement in batches."""
        batches = self._engine.latest(statement)
        while True:
            with _memory_limit(self._most):
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


def _memory_of(options: Options) -> int:
    """The bytes of data that an engine may take."""
    return (parse_bytes(options.memory_limit) or 0) + MEMORY_MARGIN


@contextmanager
def _memory_limit(most: int | None) -> Iterator[None]:
    try:
        with _data_limit(most):
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
