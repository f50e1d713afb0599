"""The role of an engine: it has sources as tables of the names of their uris, and runs statements over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from trialrun.runtime.feature_view.source.column_types import Reading
from trialrun.runtime.feature_view.source.location import TablePlace, is_sqlite
from trialrun.runtime.options import Options
from trialrun.values.memory import bytes_of

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.plan import Query


class Engine(Protocol):
    """Reads sources; all its methods raise Unreadable."""

    @property
    def readings(self) -> Mapping[str, Sequence[Reading]]:
        """How the columns of each source are read."""
        ...

    def relation(self, uri: str) -> str:
        """The rows of a source as its table has them, not yet in the types of the specification."""
        ...

    def all(self, text: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that gives few."""
        ...

    def latest(self, query: Query) -> Iterator[list[Sequence[Any]]]:
        """The rows of a query in batches, with the moments in microseconds, and the features as they are served."""
        ...

    def close(self) -> None:
        """Close it, and take away what it spilled."""
        ...


class LastEngine:
    """The engine that was opened last, kept open: a plan most often reads the schema of the one table of its rows."""

    def __init__(self, options: Options) -> None:
        self._options, self._places = options, tuple[TablePlace, ...]()
        self._engine: Engine | None = None

    def of(self, places: Sequence[TablePlace]) -> Engine:
        """The engine of these places, the one that is open if it is theirs. Raises Unreadable."""
        if self._engine is None or self._places != tuple(places):
            self.close()
            self._engine, self._places = engine(places, self._options), tuple(places)
        return self._engine

    def close(self) -> None:
        """Close it, if there is one."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None


def engine(places: Sequence[TablePlace], options: Options) -> Engine:
    """The engine that reads these sources, in a process of its own where the choices say so. Raises Unreadable."""
    if options.confined:
        from trialrun.runtime.feature_view.source.confined import ConfinedEngine

        return ConfinedEngine(places, options)
    if options.bounded:
        from trialrun.runtime.feature_view.source.bounded import BoundedEngine

        return BoundedEngine(partial(open_engine, places, options), bytes_of(options.memory_limit) or 0)
    return open_engine(places, options)


def open_engine(places: Sequence[TablePlace], options: Options) -> Engine:
    """The engine of these sources in this process: SQLite for one table of its own, else DuckDB. Raises Unreadable."""
    if is_sqlite(places[0]):
        from trialrun.runtime.feature_view.source.sqlite_engine import SQLite

        return SQLite(places[0])
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDB

    return DuckDB(places, options)
