"""How columns of Parquet files are read by Spark: each as the embedded engine reads it."""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.interface import ColumnConversion

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


def spark_column(conversion: ColumnConversion) -> SparkColumn | None:
    """How Spark reads a column of Parquet files that DuckDB reads so; None for a type that is not served."""
    column = conversion.column
    if column.type == "UNSUPPORTED":
        return None
    name, inside = quote_name(column.name), column.source_type.removesuffix("[]")
    stored, decoded = STORED_TYPES.get(inside, SPARK_TYPES[column.type]), DECODED.get(inside)
    decoded = decoded or (IN_YEARS if column.type == "TIMESTAMP" else "{0}")
    if not column.repeated:
        return SparkColumn(column, stored, decoded.format(name), conversion.unsure)
    value = without_null(name) if decoded == "{0}" else each_item(name, decoded)
    return SparkColumn(column, f"ARRAY<{stored}>", value, conversion.unsure)


def each_item(values: str, item: str) -> str:
    """A list of which each value is converted; null where one does not fit."""
    return without_null(f"TRANSFORM({values}, item -> {item.format('item')})")


def without_null(values: str) -> str:
    """A list, null where it has a null: no response can have one."""
    return f"CASE WHEN FORALL({values}, item -> item IS NOT NULL) THEN {values} END"


def quote_name(name: str) -> str:
    """A name as an identifier of Spark."""
    return "`" + name.replace("`", "``") + "`"
