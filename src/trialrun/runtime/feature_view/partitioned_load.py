"""Loads whose rows never pass through this process: the machines of the engine write them into the store themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import reduce
from operator import add
from typing import Any, Protocol, runtime_checkable

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.interface import Engine, Statement
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, StoreError, SyncCounts


class Writer(Protocol):
    """Writes rows into a load from any process; what it returns can be added. It can be pickled."""

    def write(self, rows: Iterable[Sequence[object]]) -> Any:
        """Write rows. Raises StoreError."""
        ...


class Session(Protocol):
    """A load that was begun."""

    @property
    def writer(self) -> Any:
        """What writes its rows."""
        ...

    def write(self, rows: Iterable[Sequence[object]]) -> Any:
        """Write rows in this process. Raises StoreError."""
        ...

    def serve(self, load: RowLoad, written: Any) -> SyncCounts:
        """Serve what was written. Raises StoreError."""
        ...


@runtime_checkable
class PartitionedStore(Protocol):
    """A store that any number of processes may write the rows of a load to."""

    def begin_load(self, view: str, layout: RowLayout, synced_at: datetime) -> AbstractContextManager[Any]:
        """Begin a load. Raises SyncRunning."""
        ...


@dataclass(frozen=True)
class WritePartition:
    """Writes a partition of the rows of a statement; its result is what was written, or why it could not be."""

    writer: Writer
    width: int

    def __call__(self, rows: Iterator[Sequence[Any]]) -> Any:
        try:
            return self.writer.write(row[: self.width] for row in rows)
        except StoreError as error:
            return str(error)


def load_partitions(
    store: PartitionedStore, view: str, load: RowLoad, statement: Statement, engine: Engine
) -> SyncCounts | None:
    """Load the rows of a statement from where they are; None where the engine has none elsewhere. Raises StoreError."""
    layout = load.layout
    width = len(layout.keys) + layout.timestamp_count + len(layout.features)
    with store.begin_load(view, layout, load.synced_at) as session:
        partitions = engine.each_partition(statement, WritePartition(session.writer, width))
        if partitions is None:
            return None
        written = list(partitions)
        if reason := next((part for part in written if isinstance(part, str)), None):
            raise StoreError(reason)
        counts: SyncCounts = session.serve(load, reduce(add, written, session.write(())))
        return counts
