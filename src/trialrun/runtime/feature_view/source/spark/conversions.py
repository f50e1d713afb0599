"""How columns are read by Spark: each as the embedded engine reads it, from files that have types, and from texts."""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.interface import ColumnConversion
from trialrun.runtime.feature_view.source.location import Format

SPARK_TYPES: Mapping[Type, str] = {
    "BOOL": "BOOLEAN",
    "INT64": "BIGINT",
    "DOUBLE": "DOUBLE",
    "STRING": "STRING",
    "BYTES": "BINARY",
    "TIMESTAMP": "TIMESTAMP_NTZ",
}
STORED_TYPES = {
    "UBIGINT": "DECIMAL(20, 0)", "UUID": "BINARY", "TIMESTAMP_NS": "BIGINT", "TIMESTAMPTZ_NS": "BIGINT"
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
DECODED = {
    "UBIGINT": "TRY_CAST({0} AS BIGINT)",
    "UUID": "REGEXP_REPLACE(LOWER(HEX({0})), '^(.{{8}})(.{{4}})(.{{4}})(.{{4}})', '$1-$2-$3-$4-')",
    "TIMESTAMP_NS": FROM_NANOSECONDS,
    "TIMESTAMPTZ_NS": FROM_NANOSECONDS,
}
DIGITS = "[0-9]+(_[0-9]+)*"
NUMBER = rf"^\\s*([+-]?({DIGITS}\\.?({DIGITS})?|\\.{DIGITS})([eE][+-]?{DIGITS})?|[+-]?(?i:inf|infinity|nan))\\s*$"
MOMENT = r"^\\s*[0-9]{{1,6}}-[0-9]{{1,2}}-[0-9]{{1,2}}([ T].*)?$"
BASE64 = "^([A-Za-z0-9+/]{{4}})*([A-Za-z0-9+/]{{2}}==|[A-Za-z0-9+/]{{3}}=)?$"
FROM_TEXT: Mapping[Type, str] = {
    "BOOL": "CASE WHEN LOWER(TRIM({0})) IN ('true', 't', 'yes', 'y', '1') THEN TRUE "
    "WHEN LOWER(TRIM({0})) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END",
    "INT64": r"CASE WHEN {0} RLIKE '^\\s*[+-]?[0-9]+(\\.0+)?\\s*$' "
    r"THEN TRY_CAST(REGEXP_REPLACE(TRIM({0}), '\\.0+$', '') AS BIGINT) END",
    "DOUBLE": f"CASE WHEN {{0}} RLIKE '{NUMBER}' THEN TRY_CAST(REPLACE(TRIM({{0}}), '_', '') AS DOUBLE) END",
    "STRING": "{0}",
    "BYTES": f"CASE WHEN {{0}} RLIKE '{BASE64}' THEN UNBASE64({{0}}) END",
    "TIMESTAMP": IN_YEARS.format(
        f"CASE WHEN {{0}} RLIKE '{MOMENT}' THEN CAST(TRY_CAST(TRIM({{0}}) AS TIMESTAMP_LTZ) AS TIMESTAMP_NTZ) END"
    ),
}
"""A value of a text as the embedded engine finds it, null where it does not fit; Spark alone takes more spellings."""


@dataclass(frozen=True)
class SparkColumn:
    """A column as Spark reads it: `stored` is the type it is read as, and `expression` gives its value from that."""

    column: Column
    stored: str
    expression: str
    unsure: bool


def spark_column(conversion: ColumnConversion, format: Format, *, declared: bool) -> SparkColumn | None:
    """How Spark reads a column that the embedded engine reads so; None for a type that is not served."""
    column = conversion.column
    if column.type == "UNSUPPORTED":
        return None
    if format == "PARQUET":
        return _stored_column(conversion)
    name = quote_name(column.name)
    text = FROM_TEXT[column.type]
    value = each_item(f"FROM_JSON({name}, 'ARRAY<STRING>')", text) if column.repeated else text.format(name)
    if not declared and (column.type, column.repeated) != ("STRING", False):
        wrong = f"RAISE_ERROR(CONCAT({quote_text(_strict_message(column))}, LEFT({name}, 40)))"
        value = f"CASE WHEN {name} IS NOT NULL THEN COALESCE({value}, {wrong}) END"
    return SparkColumn(column, "STRING", value, conversion.unsure)


def _strict_message(column: Column) -> str:
    return f'column "{column.name}" is {column.type_text} by its first rows, and has another value; declare it: '


def _stored_column(conversion: ColumnConversion) -> SparkColumn:
    """A column of a Parquet file, where a type is the same for all rows."""
    column = conversion.column
    name, inside = quote_name(column.name), column.source_type.removesuffix("[]")
    stored, decoded = STORED_TYPES.get(inside, SPARK_TYPES[column.type]), DECODED.get(inside)
    decoded = decoded or (IN_YEARS if column.type == "TIMESTAMP" else "{0}")
    if not column.repeated:
        return SparkColumn(column, stored, decoded.format(name), conversion.unsure)
    value = name if decoded == "{0}" else each_item(name, decoded)
    return SparkColumn(column, f"ARRAY<{stored}>", value, conversion.unsure)


def each_item(values: str, item: str) -> str:
    """A list of which each value is converted; null where one does not fit."""
    converted = f"TRANSFORM({values}, item -> {item.format('item')})"
    nulls = "SIZE(FILTER({0}, item -> item IS NULL))"
    return f"CASE WHEN {nulls.format(converted)} = {nulls.format(values)} THEN {converted} END"


def quote_name(name: str) -> str:
    """A name as an identifier of Spark."""
    return "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """A text as Spark writes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
