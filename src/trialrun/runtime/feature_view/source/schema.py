"""The columns of a source: as its document declares them, and as its table has them; no rows are served from here."""

from __future__ import annotations

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source.declared import declared_columns
from trialrun.runtime.feature_view.source.place import TablePlace, Unreadable, is_sqlite
from trialrun.runtime.options import Options

__all__ = ["Unreadable", "declared_columns", "table_columns"]


def table_columns(place: TablePlace) -> tuple[Column, ...]:
    """The columns that the table of a place has, in its order, in the types that its values are read as.

    Only schemas are read: the footers of Parquet files, the catalogue of a database, and of CSV and JSON files, which
    have no schema, the first rows. Raises Unreadable, also where DuckDB is needed and not installed.
    """
    if is_sqlite(place):
        raise Unreadable("SQLite tables cannot be read yet; copy the rows into a Parquet file")
    from trialrun.runtime.feature_view.source.duck import DuckDB

    engine = DuckDB([place], Options())
    try:
        return tuple(one.column for one in engine.readings[place.uri])
    finally:
        engine.close()
