"""How columns are read by Spark: each as the embedded engine reads it, from files that have types, and from texts."""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.column_types import MOMENT, TextSql, strict_message
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


def _whole(form: str) -> str:
    """The pattern of a whole text; its groups never go back, or Java's stack ends at some thousand items."""
    return quote_text(rf"^(?:{form.replace(')*', ')*+')})\z")


def _fits(text: str, form: str) -> str:
    return f"{text} RLIKE {_whole(form)}"


def _moment(text: str) -> str:
    """A moment of a text; Spark reads no offset without a second before it."""
    plain = f"REGEXP_REPLACE({text}, {_whole(MOMENT)}, '$1$2$3$4$5')"
    plain = rf"REGEXP_REPLACE({plain}, '^(\\S+[ T][0-9]+:[0-9]+)(?![0-9:])', '$1:00')"
    return IN_YEARS.format(f"CAST(TRY_CAST({plain} AS TIMESTAMP_LTZ) AS TIMESTAMP_NTZ)")


TEXT_SQL = TextSql(_fits, _moment, "UNBASE64")


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
    value = _from_list(name, column.type) if column.repeated else TEXT_SQL.value(name, column.type)
    if not declared and not column.repeated and column.type != "STRING":
        wrong = f"RAISE_ERROR(CONCAT({quote_text(strict_message(column))}, LEFT({name}, 40)))"
        value = f"CASE WHEN {name} IS NOT NULL THEN COALESCE({value}, {wrong}) END"
    return SparkColumn(column, "STRING", value, conversion.unsure)


def _stored_column(conversion: ColumnConversion) -> SparkColumn:
    """A column of a Parquet file, where a type is the same for all rows."""
    column = conversion.column
    name, inside = quote_name(column.name), column.source_type.removesuffix("[]")
    stored, decoded = STORED_TYPES.get(inside, SPARK_TYPES[column.type]), DECODED.get(inside)
    decoded = decoded or (IN_YEARS if column.type == "TIMESTAMP" else "{0}")
    if not column.repeated:
        return SparkColumn(column, stored, decoded.format(name), conversion.unsure)
    value = without_null(name) if decoded == "{0}" else each_item(name, decoded)
    return SparkColumn(column, f"ARRAY<{stored}>", value, conversion.unsure)


def _from_list(name: str, type: Type) -> str:
    """The values of a JSON list, null where it is none.

    What follows the list would be passed over, so it is read as the first of two. Texts must be strings, which only the
    other parser tells; the numbers that JSON has no form for come in quotes.
    """
    lists = f"FROM_JSON(CONCAT('[', {name}, ',[]]'), 'ARRAY<ARRAY<STRING>>', MAP('allowSingleQuotes', 'false'))"
    fitting, text = f"SIZE({lists}) = 2", "TRIM(BOTH '\"' FROM item)" if type == "DOUBLE" else "item"
    if type == "STRING":
        fitting += f" AND SCHEMA_OF_VARIANT(TRY_PARSE_JSON({name})) IN ('ARRAY<STRING>', 'ARRAY<VOID>')"
    values = f"CASE WHEN {fitting} THEN {lists}[0] END"
    return without_null(f"TRANSFORM({values}, item -> {TEXT_SQL.value(text, type)})")


def each_item(values: str, item: str) -> str:
    """A list of which each value is converted; null where one does not fit."""
    return without_null(f"TRANSFORM({values}, item -> {item.format('item')})")


def without_null(values: str) -> str:
    """A list, null where it has a null: no response can have one."""
    return f"CASE WHEN FORALL({values}, item -> item IS NOT NULL) THEN {values} END"


def quote_name(name: str) -> str:
    """A name as an identifier of Spark."""
    return "`" + name.replace("`", "``") + "`"
