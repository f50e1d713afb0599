"""The columns of a source: as its document declares them, and as its table has them."""

from __future__ import annotations

from contextlib import closing

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source.declared_columns import declared_columns
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

__all__ = ["Unreadable", "declared_columns", "table_columns"]


def table_columns(place: TableLocation, options: Options = DEFAULT_OPTIONS) -> tuple[Column, ...]:
    """The columns that the table of a place has, in its order, in the types that its values are read as.

    Only schemas are read: the footers of Parquet files, the catalogue of a database, and of CSV and JSON files, which
    have no schema, the first rows. Raises Unreadable, also where DuckDB is needed and not installed.
    """
    with closing(open_engine([place], options)) as opened:
        return columns_read(place, opened)


def columns_read(place: TableLocation, engine: Engine) -> tuple[Column, ...]:
    """The same of an engine that is open."""
    return tuple(reading.column for reading in engine.readings[place.uri])
