"""The engines of this process, SQLite and DuckDB, by the kind of a source."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.feature_view.source.dialect import SQLITE_DIALECT, STANDARD
from trialrun.runtime.feature_view.source.interface import Engine, EngineKind
from trialrun.runtime.feature_view.source.location import TableLocation, has_types, is_sqlite
from trialrun.runtime.options import Options


def local_kind(place: TableLocation) -> EngineKind:
    """The kind of engine that reads a place in this process. Raises Unreadable."""
    return SQLITE if is_sqlite(place) else DUCKDB


def open_local(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine of these places in this process, which are all of one kind. Raises Unreadable."""
    return local_kind(places[0]).open(places, options)


def _open_duckdb(places: Sequence[TableLocation], options: Options) -> Engine:
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine

    return DuckDbEngine(places, options)


def _open_sqlite(places: Sequence[TableLocation], options: Options) -> Engine:
    from trialrun.runtime.feature_view.source.sqlite_engine import SQLite

    return SQLite(places[0])


DUCKDB = EngineKind("DuckDB", STANDARD, joins_tables=True, has_types=has_types, open=_open_duckdb)
SQLITE = EngineKind(
    "SQLite",
    SQLITE_DIALECT,
    joins_tables=False,
    has_types=has_types,
    open=_open_sqlite,
    assumptions=("sync-sqlite",),
)
