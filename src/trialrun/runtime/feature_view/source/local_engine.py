"""The engine of sources in this process: SQLite or DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.location import TableLocation, is_sqlite
from trialrun.runtime.options import Options


def open_engine(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine of these sources in this process: SQLite for one table of its own, else DuckDB. Raises Unreadable."""
    if is_sqlite(places[0]):
        from trialrun.runtime.feature_view.source.sqlite_engine import SQLite

        return SQLite(places[0])
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine

    return DuckDbEngine(places, options)
