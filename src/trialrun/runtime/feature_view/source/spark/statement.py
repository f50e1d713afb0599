"""Our statements in Spark's dialect, and the few expressions that Spark would evaluate in another way."""

from __future__ import annotations

from trialrun.runtime.feature_view.source.dialect import Dialect

SPARK_DIALECT = Dialect(
    list_length="SIZE({0})",
    list_is_finite="FORALL({0}, item -> NOT ISNAN(item) AND ABS(item) < DOUBLE('Infinity'))",
)
"""Timestamp literals are TIMESTAMP_NTZ once they are translated; Spark's TIMESTAMP would be of the session's zone."""


def spark_statement(text: str) -> str:
    """A statement of standard SQL as Spark runs it."""
    import sqlglot

    statement: str = sqlglot.transpile(text, read="duckdb", write="spark")[0]
    return statement
