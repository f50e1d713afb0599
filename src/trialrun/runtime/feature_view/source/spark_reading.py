"""The rows of a source as Spark reads them: in the columns, and with the values, that the embedded engine finds.

What columns the files have is asked of the embedded engine, which reads footers on this machine; so both see the same
columns and types. The rows themselves are read by executors, which must see the files by the same paths. Of rows that
this machine does not see, Spark finds the columns, too.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from trialrun.guarded_path import Boundary, RefusedPath
from trialrun.runtime.feature_view.column import Column, Type, parse_column
from trialrun.runtime.feature_view.source.column_types import is_renamed
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.iceberg_table import FileColumn, file_groups, literal_text, read_table
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
from trialrun.runtime.options import Options
from trialrun.values.remote_location import JDBC, RemoteLocation, is_below, parse_root
from trialrun.working_folder import real_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SPARK_TYPES: Mapping[Type, str] = {
    "BOOL": "BOOLEAN",
    "INT64": "BIGINT",
    "DOUBLE": "DOUBLE",
    "STRING": "STRING",
    "BYTES": "BINARY",
    "TIMESTAMP": "TIMESTAMP_NTZ",
}
STORED_TYPES = {
    "UBIGINT": "DECIMAL(20, 0)", "UUID": "BINARY", "TIMESTAMP_NS": "BIGINT", "TIMESTAMPTZ_NS": "BIGINT",
    "FLOAT16": "BINARY",
}  # fmt: skip
"""What Spark reads columns of Parquet files as that it does not read in their own type, by DuckDB's words for them.

An unsigned number of 64 bits that is read as a BIGINT is another number, without an error.
"""
IN_YEARS = (
    "CASE WHEN {0} BETWEEN TIMESTAMP_NTZ '0001-01-01' AND TIMESTAMP_NTZ '9999-12-31 23:59:59.999999' THEN {0} END"
)
"""A moment of the years 1 to 9999; null for another one."""
FROM_NANOSECONDS = (
    "CASE WHEN {0} NOT IN (-9223372036854775807, 9223372036854775807) "
    "THEN CAST(TIMESTAMP_MICROS({0} DIV 1000 - IF({0} % 1000 < 0, 1, 0)) AS TIMESTAMP_NTZ) END"
)
"""A moment cut to microseconds; these two numbers are infinity to the embedded engine."""
HALF_BITS = "CAST(CONV(CONCAT(SUBSTR(HEX({0}), 3, 2), SUBSTR(HEX({0}), 1, 2)), 16, 10) AS INT)"
HALF_EXPONENT, HALF_FRACTION = f"({HALF_BITS} DIV 1024 % 32)", f"({HALF_BITS} % 1024)"
DECODED = {
    "FLOAT16": f"IF({HALF_BITS} < 32768, 1D, -1D) * CASE {HALF_EXPONENT} WHEN 0 THEN {HALF_FRACTION} * POWER(2D, -24) "
    f"WHEN 31 THEN IF({HALF_FRACTION} = 0, DOUBLE('Infinity'), DOUBLE('NaN')) "
    f"ELSE (1024 + {HALF_FRACTION}) * POWER(2D, {HALF_EXPONENT} - 25) END",
    "UBIGINT": "TRY_CAST({0} AS BIGINT)",
    "UUID": "REGEXP_REPLACE(LOWER(HEX({0})), '^(.{{8}})(.{{4}})(.{{4}})(.{{4}})', '$1-$2-$3-$4-')",
    "TIMESTAMP_NS": FROM_NANOSECONDS,
    "TIMESTAMPTZ_NS": FROM_NANOSECONDS,
}


def quote_text(text: str) -> str:
    """A text as Spark writes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass(frozen=True)
class SparkColumn:
    """A column as Spark reads it: `stored` is the type it is read as, and `expression` gives its value from that."""

    column: Column
    stored: str
    expression: str
    unsure: bool


def _spark_columns(conversions: Sequence[ColumnConversion]) -> tuple[SparkColumn, ...]:
    """How Spark reads columns of Parquet files that DuckDB reads so; those of unsupported types are left out."""
    columns = []
    for conversion in conversions:
        column, inside = conversion.column, conversion.column.source_type.removesuffix("[]")
        if column.type != "UNSUPPORTED":
            stored = STORED_TYPES.get(inside, SPARK_TYPES[column.type])
            decoded = DECODED.get(inside) or (IN_YEARS if column.type == "TIMESTAMP" else "{0}")
            value = _value(quote_name(column.name), column, decoded)
            stored = f"ARRAY<{stored}>" if column.repeated else stored
            columns.append(SparkColumn(column, stored, value, conversion.unsure))
    return tuple(columns)


def _value(stored: str, column: Column, item: str) -> str:
    """A value of which each item is converted; a list is null where one does not fit: no response can have a null."""
    if not column.repeated:
        return item.format(stored)
    values = stored if item == "{0}" else f"TRANSFORM({stored}, item -> {item.format('item')})"
    return f"CASE WHEN FORALL({values}, item -> item IS NOT NULL) THEN {values} END"


def quote_name(name: str) -> str:
    """A name as an identifier of Spark."""
    return "`" + name.replace("`", "``") + "`"


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
    roots = options.engine.roots if options.engine else ()
    if is_iceberg(place):
        return _iceberg_rows(session, _mounted_place(place, roots) if is_elsewhere(place) else place, options)
    if is_elsewhere(place):
        return _remote_rows(session, place, remote_location(place, roots))
    files = files_of(place)
    _refuse_hidden(files)
    with closing(DuckDbEngine([place], replace(options, engine=None))) as engine:
        half_floats = _half_floats(engine, files)
        conversions = tuple(
            replace(it, column=replace(it.column, source_type=it.column.source_type.replace("FLOAT", "FLOAT16")))
            if it.column.name in half_floats and it.column.source_type in ("FLOAT", "FLOAT[]")
            else it
            for it in engine.readings[place.uri]
        )
    names = [conversion.column.name for conversion in conversions]
    if renamed := next((name for name in names if is_renamed(name, names)), None):
        original = renamed.rpartition("_")[0]
        raise Unreadable(
            f'columns differ from "{original}" in capitals alone, which Spark cannot tell apart; rename one'
        )
    columns = _spark_columns(conversions)
    frame = session.read.schema(_schema({column.column.name: column.stored for column in columns}))
    return SourceRows(frame.parquet(*_urls(files)), conversions, columns, size_of(place))


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


def _half_floats(engine: Engine, files: Sequence[str]) -> set[str]:
    file_list = ", ".join(sql_literal(glob.escape(file)) for file in files)
    path = f"SELECT DISTINCT split_part(path_in_schema, ', ', 1) FROM parquet_metadata([{file_list}])"
    return {name for (name,) in engine.all(f"{path} WHERE type = 'FIXED_LEN_BYTE_ARRAY'")}


def _iceberg_rows(session: SparkSession, place: TableLocation, options: Options) -> SourceRows:
    """The rows of a table of Iceberg, group by group of its files, whatever these call the columns of the table."""
    with closing(DuckDbEngine([place], replace(options, engine=None))) as engine:
        conversions, table = tuple(engine.readings[place.uri]), read_table(place)
        groups = file_groups(table, engine.all)
    _refuse_hidden([file for files, _ in groups for file in files])
    columns = _spark_columns(conversions)
    frames: list[DataFrame] = []
    for files, group in groups:
        places = {it.field.name: it for it in group}
        stored = {places[it.column.name].name: it.stored for it in columns}
        schema = _schema({name: type for name, type in stored.items() if name is not None})
        frame = session.read.schema(schema or NO_COLUMN).parquet(*_urls(files))
        frames.append(frame.selectExpr(*(_group_column(places[it.column.name], it) for it in columns)))
    if not frames:
        frames = [session.createDataFrame([], _schema({it.column.name: it.stored for it in columns}))]
    return SourceRows(reduce(lambda one, other: one.union(other), frames), conversions, columns, table.size)


def _mounted_place(place: TableLocation, roots: Sequence[str]) -> TableLocation:
    """A table that a root of the user leads to, as a place below that root on this machine. Raises Unreadable."""
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


def _group_column(place: FileColumn, column: SparkColumn) -> str:
    value = quote_name(place.name) if place.name is not None else literal_text(place.value, quote_text)
    return f"CAST({value} AS {column.stored}) AS {quote_name(column.column.name)}"


def _schema(types: Mapping[str, str]) -> str:
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


NANOSECONDS = "spark.sql.legacy.parquet.nanosAsLong"
"""While columns are looked for it is off: a moment in nanoseconds would be found to be a number, without an error."""
TABLE_PART = re.compile(r"\w[\w $#-]*")
"""A part of the name of a table: none that ends the quotes of any database."""
WHOLE_DECIMAL = re.compile(r"decimal\((\d|1[0-8]),0\)")
"""How some databases have whole numbers; all of these fit into 64 bits."""
INTEGERS = ("tinyint", "smallint", "int", "bigint")
MOST_CONNECTIONS = 16
"""So many parts of a table are read at a time at most, since each is a connection to its database."""
FETCHED_ROWS = "10000"


def _remote_rows(session: SparkSession, place: TableLocation, location: RemoteLocation) -> SourceRows:
    """The rows of a location that the roots of the engine allow; only their schema is read. Raises Unreadable."""
    if location.scheme == JDBC:
        return _typed_rows(_table(session, location.url, place.table or ""), None)
    listing, url = _listing(location)
    before = session.conf.get(NANOSECONDS)
    session.conf.set(NANOSECONDS, "false")
    try:
        frame = session.read.options(**listing, mergeSchema="true").parquet(url)
    finally:
        session.conf.set(NANOSECONDS, before or "")
    statistics: Any = frame._jdf.queryExecution().optimizedPlan().stats()
    return _typed_rows(frame, int(str(statistics.sizeInBytes())))


def _listing(location: RemoteLocation) -> tuple[dict[str, str], str]:
    """How Spark lists the files of a location, and its URL: folders are listed whole, and their names give no columns.

    Spark's own patterns have no `**`, and take it for `*`.
    """
    *folders, name = location.segments or ("",)
    _refuse_hidden([name])
    is_deep = folders[-1:] == ["**"]
    if any("**" in part for part in (*folders[: -1 if is_deep else None], name)):
        raise Unreadable("** stands for all folders below one, once, before the name of the files; write * elsewhere")
    if not is_deep:
        return {"recursiveFileLookup": "true"}, location.url
    above = RemoteLocation(location.scheme, location.authority, tuple(folders[:-1]))
    return {"recursiveFileLookup": "true", "pathGlobFilter": name}, above.url


def _typed_rows(frame: DataFrame, size: int | None) -> SourceRows:
    columns = [typed_column(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    conversions = tuple(
        ColumnConversion(column, column.name, column.name, unsure=bool(read and read.unsure))
        for column, read in columns
    )
    return SourceRows(frame, conversions, tuple(read for _, read in columns if read), size)


def typed_column(name: str, stored: str) -> tuple[Column, SparkColumn | None]:
    """A column as the specification has it, and as Spark reads it unless it has a type that is not served."""
    plain = "bigint" if WHOLE_DECIMAL.fullmatch(stored) else stored.replace("timestamp_ntz", "timestamp")
    column = parse_column(name, plain)
    column = Column(name, column.type, column.repeated, stored)
    if column.type == "UNSUPPORTED":
        return column, None
    wanted = SPARK_TYPES[column.type]
    wanted = f"ARRAY<{wanted}>" if column.repeated else wanted
    value = quote_name(name) if stored.upper() == wanted else f"CAST({quote_name(name)} AS {wanted})"
    value = _value(value, column, IN_YEARS if column.type == "TIMESTAMP" else "{0}")
    return column, SparkColumn(column, stored, value, column.repeated or column.type == "TIMESTAMP")


def _table(session: SparkSession, url: str, table: str) -> DataFrame:
    if not all(map(TABLE_PART.fullmatch, table.split("."))):
        raise Unreadable("the name of a table has letters, digits, _, -, $, # and spaces, and a . after its schema")
    dialect: Any = session._jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(url)
    quoted = ".".join(map(dialect.quoteIdentifier, table.split(".")))
    reader = session.read.format("jdbc").options(url=url, fetchsize=FETCHED_ROWS, preferTimestampNTZ="true")
    whole = reader.options(dbtable=quoted).load()
    column = next((field.name for field in whole.schema.fields if field.dataType.simpleString() in INTEGERS), None)
    if column is None:
        return whole
    name = dialect.quoteIdentifier(column)
    range_query = f"SELECT MIN({name}) AS least, MAX({name}) AS most FROM {quoted}"
    ((least, most),) = session.read.format("jdbc").options(url=url, query=range_query).load().collect()
    if least is None:
        return whole
    parts = min(2 * session.sparkContext.defaultParallelism, MOST_CONNECTIONS)
    return reader.options(partitionColumn=column, lowerBound=least, upperBound=most + 1, numPartitions=parts).load()
