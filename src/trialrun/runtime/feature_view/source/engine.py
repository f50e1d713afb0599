"""The role of an engine: it has sources as tables of the names of their uris, and runs statements over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from trialrun.runtime.feature_view.source.place import TablePlace, is_sqlite
from trialrun.runtime.feature_view.source.reading import Reading
from trialrun.runtime.options import Options

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


def engine(places: Sequence[TablePlace], options: Options) -> Engine:
    """The engine that reads these sources: SQLite for one table of its own, else DuckDB. Raises Unreadable."""
    if is_sqlite(places[0]):
        from trialrun.runtime.feature_view.source.lite import SQLite

        return SQLite(places[0])
    from trialrun.runtime.feature_view.source.duck import DuckDB

    return DuckDB(places, options)
