"""The rows of a source as Spark reads them: in the columns, and with the values, that the embedded engine finds.

What columns the files have is asked of the embedded engine, which reads footers on this machine; so both see the same
columns and types. The rows themselves are read by executors, which must see the files by the same paths. Rows that this
machine does not see are those of `remote_reading.py`.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from trialrun.guarded_path import Boundary, RefusedPath
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.column_types import is_renamed
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.iceberg.file_groups import FileColumn, FileGroup, file_groups, literal_text
from trialrun.runtime.feature_view.source.iceberg.table import read_table
from trialrun.runtime.feature_view.source.interface import ColumnConversion, Engine, sql_literal
from trialrun.runtime.feature_view.source.location import (
    TableLocation,
    Unreadable,
    files_of,
    has_types,
    is_elsewhere,
    is_iceberg,
    remote_location,
    size_of,
)
from trialrun.runtime.feature_view.source.spark.conversions import SparkColumn, quote_name, quote_text, spark_column
from trialrun.runtime.options import Options
from trialrun.values.remote_location import is_below, parse_root
from trialrun.working_folder import real_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PATTERN = re.compile(r"[\\\[\]{}*?]")
NO_COLUMN = "none INT"
"""Columns of files of which none is read, but how many rows they have."""


@dataclass(frozen=True)
class SourceRows:
    """The rows of a source: `frame` has them as they are stored, and `columns` say how they are read.

    `size` is the bytes of its files; None of a table of a database, which says nothing of them.
    """

    frame: DataFrame
    conversions: tuple[ColumnConversion, ...]
    columns: tuple[SparkColumn, ...]
    size: int | None


def source_rows(session: SparkSession, place: TableLocation, options: Options) -> SourceRows:
    """The rows of a place; only its schema is read. Raises Unreadable."""
    if is_iceberg(place):
        return _iceberg_rows(session, place, options)
    files = files_of(place)
    _refuse_hidden(files)
    with closing(DuckDbEngine([place], replace(options, engine=None))) as engine:
        half_floats = _half_floats(engine, files)
        conversions = tuple(_as_stored(conversion, half_floats) for conversion in engine.readings[place.uri])
    _refuse_renamed(conversions)
    columns = spark_columns(conversions)
    types = {column.column.name: column.stored for column in columns}
    frame = session.read.schema(schema_text(types)).parquet(*_urls(files))
    return SourceRows(frame, conversions, columns, size_of(place))


def require_types(place: TableLocation) -> None:
    """Refuse what has no types of its own, and databases of this machine. Raises Unreadable."""
    if place.database is not None and not is_elsewhere(place):
        raise Unreadable(
            f'Spark reads no database, such as "{place.database}"; export its table to Parquet, or use no engine'
        )
    if not has_types(place):
        raise Unreadable(
            f'Spark reads no files of CSV or JSON, such as "{place.files}"; write them as Parquet, or use no engine'
        )


def spark_columns(conversions: Sequence[ColumnConversion]) -> tuple[SparkColumn, ...]:
    """How Spark reads the columns of a place; those of unsupported types are left out."""
    return tuple(column for column in map(spark_column, conversions) if column)


def _half_floats(engine: Engine, files: Sequence[str]) -> set[str]:
    """The columns of Parquet files that may be floats of two bytes, or lists of them."""
    file_list = ", ".join(sql_literal(glob.escape(file)) for file in files)
    path = f"SELECT DISTINCT split_part(path_in_schema, ', ', 1) FROM parquet_metadata([{file_list}])"
    return {name for (name,) in engine.all(f"{path} WHERE type = 'FIXED_LEN_BYTE_ARRAY'")}


def _as_stored(conversion: ColumnConversion, half_floats: set[str]) -> ColumnConversion:
    column = conversion.column
    if column.name not in half_floats or column.source_type not in ("FLOAT", "FLOAT[]"):
        return conversion
    return replace(conversion, column=replace(column, source_type=column.source_type.replace("FLOAT", "FLOAT16")))


def _iceberg_rows(session: SparkSession, place: TableLocation, options: Options) -> SourceRows:
    """The rows of a table of Iceberg, group by group of its files."""
    if is_elsewhere(place):
        place = _mounted_place(place, options)
    with closing(DuckDbEngine([place], replace(options, engine=None))) as engine:
        conversions, table = tuple(engine.readings[place.uri]), read_table(place)
        groups = file_groups(table, engine.all)
    _refuse_hidden([file for group in groups for file in group.files])
    columns = spark_columns(conversions)
    frames = [_group_frame(session, group, columns) for group in groups]
    if not frames:
        frames = [session.createDataFrame([], schema_text({column.column.name: column.stored for column in columns}))]
    return SourceRows(reduce(lambda one, other: one.union(other), frames), conversions, columns, table.size)


def _mounted_place(place: TableLocation, options: Options) -> TableLocation:
    """A table that a root of the user leads to, as a place below that root on this machine. Raises Unreadable."""
    roots = options.engine.roots if options.engine else ()
    location = remote_location(place, roots)
    root = next(root for root in map(parse_root, roots) if is_below(location, root))
    folder, below = "/" + "/".join(root.segments), location.segments[len(root.segments) :]
    mounted = replace(place, folder=folder, files="/".join(below) or ".")
    inside = Boundary((real_path(folder),))
    try:
        for file in read_table(mounted).files:
            inside.resolve(file.path)
    except RefusedPath as error:
        raise Unreadable(f"a data file of the table is below no root of the engine: {error.strerror}") from error
    return mounted


def _group_frame(session: SparkSession, group: FileGroup, columns: Sequence[SparkColumn]) -> DataFrame:
    """The columns of a table in a group of its files, whatever these call them."""
    places = {place.field.name: place for place in group.columns}
    stored = {places[column.column.name].name: column.stored for column in columns}
    schema = schema_text({name: type for name, type in stored.items() if name is not None})
    frame = session.read.schema(schema or NO_COLUMN).parquet(*_urls(group.files))
    return frame.selectExpr(*(_group_column(places[column.column.name], column) for column in columns))


def _group_column(place: FileColumn, column: SparkColumn) -> str:
    value = quote_name(place.name) if place.name is not None else literal_text(place.value, quote_text)
    return f"CAST({value} AS {column.stored}) AS {quote_name(column.column.name)}"


def schema_text(types: Mapping[str, str]) -> str:
    """Columns and their types as Spark is told them."""
    return ", ".join(f"{quote_name(name)} {type}" for name, type in types.items())


def _urls(files: Sequence[str]) -> list[str]:
    """The files as Spark names them, in which every path is a pattern.

    Where patterns are switched off instead, one name with brackets makes Spark 4 read the other files twice.
    """
    return ["file:" + PATTERN.sub(r"\\\g<0>", file) for file in files]


def _refuse_hidden(files: Sequence[str]) -> None:
    """Refuse files that Spark passes over without an error."""
    for file in files:
        name = file.rpartition("/")[2]
        if name.startswith(("_", ".")):
            raise Unreadable(f'Spark passes over files whose names begin with "_" or ".", such as "{name}"; rename it')


def _refuse_renamed(conversions: Sequence[ColumnConversion]) -> None:
    """Refuse columns that differ in capitals alone, which Spark cannot tell apart."""
    names = [conversion.column.name for conversion in conversions]
    if renamed := next((name for name in names if is_renamed(name, names)), None):
        original = renamed.rpartition("_")[0]
        raise Unreadable(
            f'columns differ from "{original}" in capitals alone, which Spark cannot tell apart; rename one'
        )
