"""The columns of a Source as anyone may ask for them: those that it declares, else those that its table has."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.column import TYPE_OF_WORD, Column, parse_column

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.source.interface import Engine
    from trialrun.runtime.feature_view.source.location import TableLocation
    from trialrun.runtime.options import Options

UNSUPPORTED_TYPES = frozenset(
    {"DATE", "TIME", "TIMETZ", "TIME WITH TIME ZONE", "INTERVAL", "NUMERIC", "DECIMAL", "BIGNUMERIC", "BIGDECIMAL",
     "STRUCT", "RECORD", "ROW", "MAP", "UNION", "JSON", "GEOGRAPHY", "GEOMETRY", "RANGE", "BIT", "BITSTRING", "VARIANT",
     "ARRAY", "LIST", "NULL", "TIME_NS", "BIGNUM", "TUPLE", "TYPE"}
)  # fmt: skip
"""Words for types that tables have and features do not."""
KNOWN_TYPES = UNSUPPORTED_TYPES | TYPE_OF_WORD.keys()
"""The words for types that there are."""
LEADING_WORDS = re.compile(r"\s*([A-Za-z][\w ]*)")


def is_type(written: str) -> bool:
    """Whether tables have a type of this name, also one that no feature can be of: `DATE`, `DOUBLE[][]`."""
    leading = LEADING_WORDS.match(written)
    return parse_column("", written).type != "UNSUPPORTED" or bool(
        leading and leading[1].strip().upper() in KNOWN_TYPES
    )


def has_own_types(source: Mapping[str, Any], folder: str) -> bool:
    """Whether the columns of a Source, known by its fields, have the types of its table; files of JSON have none."""
    from trialrun.runtime.feature_view.source.location import Unreadable, has_types

    try:
        return has_types(_table_location(source, folder))
    except Unreadable:
        return True


def columns_of(source: Mapping[str, Any], folder: str) -> tuple[Column, ...] | str:
    """The columns of a Source that stands in a folder, or why they cannot be told.

    The Source is known by its fields; a column of its `columns` is a name, a type and a mode.
    Declared columns count, so that the answer does not hang on the machine; else the schema of the table is read, once
    as long as its files do not change.
    """
    if columns := source.get("columns"):
        return tuple(parse_column(name, written, mode=mode) for name, written, mode in columns)
    from trialrun.runtime.feature_view.source.location import Unreadable

    place = _table_location(source, folder)
    try:
        columns = _read_schema(place, _file_state(place))
    except (Unreadable, OSError) as reason:
        columns = str(reason)
    return columns if isinstance(columns, tuple) else columns.replace(folder + os.sep, "")


def _table_location(source: Mapping[str, Any], folder: str) -> TableLocation:
    from trialrun.runtime.feature_view.source.location import TableLocation

    files, format, database, table = map(source.get, ("files", "format", "database", "table"))
    return TableLocation("rows", folder, files, format, database, table)


def _file_state(place: TableLocation) -> tuple[tuple[str, int, int], ...]:
    """What tells whether the files of a place have changed. Raises Unreadable."""
    from trialrun.runtime.feature_view.source.iceberg_metadata import metadata_file
    from trialrun.runtime.feature_view.source.location import database_of, files_of, is_iceberg

    if is_iceberg(place):
        files: tuple[str, ...] = (metadata_file(place),)
    else:
        files = files_of(place) if place.database is None else (database_of(place),)
    return tuple((file, stat.st_mtime_ns, stat.st_size) for file in files for stat in [os.stat(file)])


@lru_cache(maxsize=1024)
def _read_schema(place: TableLocation, state: tuple[tuple[str, int, int], ...]) -> tuple[Column, ...] | str:
    """The columns of a table, or why they cannot be read: a table that takes long is not tried for each rule again."""
    from trialrun.runtime.feature_view.source.confined import TimeBudgetSpent
    from trialrun.runtime.feature_view.source.location import Unreadable
    from trialrun.runtime.options import Options, cap_options, user_limits

    try:
        return table_columns(place, cap_options(Options(confined=True), user_limits()))
    except TimeBudgetSpent:  # it may be read another time
        raise
    except Unreadable as reason:
        return str(reason)


def table_columns(place: TableLocation, options: Options | None = None) -> tuple[Column, ...]:
    """The columns that the table of a place has, in its order, in the types that its values are read as.

    Only schemas are read: the footers of Parquet files, the catalogue of a database, and of CSV and JSON files, which
    have no schema, the first rows. Raises Unreadable, also where DuckDB is needed and not installed.
    """
    from trialrun.runtime.feature_view.source.engine import open_engine
    from trialrun.runtime.options import DEFAULT_OPTIONS

    with closing(open_engine([place], options or DEFAULT_OPTIONS)) as opened:
        return columns_read(place, opened)


def columns_read(place: TableLocation, engine: Engine) -> tuple[Column, ...]:
    """The same of an engine that is open."""
    return tuple(reading.column for reading in engine.readings[place.uri])
