"""The rows of a source that this machine does not see: of files of another file system, or of a table of a database.

Spark lists the files, and finds the columns of Parquet files and of tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.column import Column, parse_column
from trialrun.runtime.feature_view.source.interface import ColumnConversion
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.spark.conversions import (
    IN_YEARS,
    SPARK_TYPES,
    SparkColumn,
    each_item,
    quote_name,
    without_null,
)
from trialrun.runtime.feature_view.source.spark.reading import SourceRows
from trialrun.values.remote_location import JDBC, RemoteLocation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

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


def remote_rows(session: SparkSession, place: TableLocation, location: RemoteLocation) -> SourceRows:
    """The rows of a location that the roots of the engine allow; only their schema is read. Raises Unreadable."""
    if location.scheme == JDBC:
        return _typed_rows(_table(session, location.url, place.table or ""), None)
    listing, url = _listing(location)
    with _setting(session, NANOSECONDS, "false"):
        frame = session.read.options(**listing, mergeSchema="true").parquet(url)
    return _typed_rows(frame, _size(frame))


def _listing(location: RemoteLocation) -> tuple[dict[str, str], str]:
    """How Spark lists the files of a location, and its URL: folders are listed whole, and their names give no columns.

    Spark's own patterns have no `**`, and take it for `*`.
    """
    *folders, name = location.segments or ("",)
    if name.startswith(("_", ".")):
        raise Unreadable(f'Spark passes over files whose names begin with "_" or ".", such as "{name}"; rename it')
    is_deep = folders[-1:] == ["**"]
    if any("**" in part for part in (*folders[: -1 if is_deep else None], name)):
        raise Unreadable("** stands for all folders below one, once, before the name of the files; write * elsewhere")
    if not is_deep:
        return {"recursiveFileLookup": "true"}, location.url
    above = RemoteLocation(location.scheme, location.authority, tuple(folders[:-1]))
    return {"recursiveFileLookup": "true", "pathGlobFilter": name}, above.url


def _typed_rows(frame: DataFrame, size: int | None) -> SourceRows:
    """The rows of a frame whose columns have types of their own."""
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
    quoted = quote_name(name)
    value = quoted if stored.upper() == wanted else f"CAST({quoted} AS {wanted})"
    if column.type == "TIMESTAMP":
        value = each_item(value, IN_YEARS) if column.repeated else IN_YEARS.format(value)
    elif column.repeated:
        value = without_null(value)
    return column, SparkColumn(column, stored, value, column.repeated or column.type == "TIMESTAMP")


def _table(session: SparkSession, url: str, table: str) -> DataFrame:
    """The rows of a table, in parts by the values of its first column of whole numbers."""
    dialect: Any = session._jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(url)
    quoted = ".".join(dialect.quoteIdentifier(part) for part in _table_parts(table))
    reader = session.read.format("jdbc").options(url=url, fetchsize=FETCHED_ROWS, preferTimestampNTZ="true")
    whole = reader.options(dbtable=quoted).load()
    column = next((field.name for field in whole.schema.fields if field.dataType.simpleString() in INTEGERS), None)
    if column is None:
        return whole
    name = dialect.quoteIdentifier(column)
    range_query = f"SELECT MIN({name}) AS least, MAX({name}) AS most FROM {quoted}"
    bounds = session.read.format("jdbc").options(url=url, query=range_query).load().collect()
    return _in_parts(session, reader, column, *bounds[0]) if bounds[0][0] is not None else whole


def _in_parts(session: SparkSession, reader: DataFrameReader, column: str, least: int, most: int) -> DataFrame:
    parts = min(2 * session.sparkContext.defaultParallelism, MOST_CONNECTIONS)
    return reader.options(partitionColumn=column, lowerBound=least, upperBound=most + 1, numPartitions=parts).load()


def _table_parts(table: str) -> Sequence[str]:
    parts = table.split(".")
    if not all(TABLE_PART.fullmatch(part) for part in parts):
        raise Unreadable("the name of a table has letters, digits, _, -, $, # and spaces, and a . after its schema")
    return parts


def _size(frame: DataFrame) -> int:
    """The bytes of the files of a frame, as Spark listed them."""
    statistics: Any = frame._jdf.queryExecution().optimizedPlan().stats()
    return int(str(statistics.sizeInBytes()))


@contextmanager
def _setting(session: SparkSession, name: str, value: str) -> Iterator[None]:
    before = session.conf.get(name)
    session.conf.set(name, value)
    try:
        yield
    finally:
        session.conf.set(name, before or "")
