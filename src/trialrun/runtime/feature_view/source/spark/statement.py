"""Our statements in Spark's dialect, and the few expressions that Spark would evaluate in another way.

Spark holds a null in a list for less than any value; the embedded engines, and so all, hold it for greater. So lists
are compared as lists of pairs, whose first says whether the value is null.
"""

from __future__ import annotations

from trialrun.runtime.feature_view.source.dialect import Dialect

PAIRS = "TRANSFORM({0}, item -> STRUCT(item IS NULL AS is_null, item AS value))"
SPARK_DIALECT = Dialect(
    list_order=PAIRS,
    greatest_list=f"TRANSFORM(MAX({PAIRS}), item -> item.value)",
    list_length="SIZE({0})",
    list_is_finite="FORALL({0}, item -> COALESCE(NOT ISNAN(item) AND ABS(item) < DOUBLE('Infinity'), FALSE))",
)
"""Timestamp literals are TIMESTAMP_NTZ once they are translated; Spark's TIMESTAMP would be of the session's zone."""


def spark_statement(text: str) -> str:
    """A statement of standard SQL as Spark runs it."""
    import sqlglot

    statement: str = sqlglot.transpile(text, read="duckdb", write="spark")[0]
    return statement
