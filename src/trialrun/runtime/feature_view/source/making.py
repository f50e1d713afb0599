"""Rows that somebody has at hand into a table that a Source can name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source.reading import WRITTEN
from trialrun.runtime.feature_view.statement import quoted


class CannotMake(Exception):
    """The table cannot be made; the message says why."""


def make_table(file: str, table: str, columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> None:
    """Make a DuckDB database with one table; times are datetimes, in UTC and without an offset. Raises CannotMake.

    A column of an unsupported type has the type of the engine that is written so.
    """
    try:
        import duckdb
    except ImportError as error:
        raise CannotMake("given rows need DuckDB; run `pip install 'trialrun[runtime]'`") from error
    shown = ", ".join(f"{quoted(one.name)} {_written(one)}" for one in columns)
    values = list(rows)
    try:
        with duckdb.connect(file, config={"threads": 1}) as connection:
            connection.execute(f"CREATE TABLE {quoted(table)} ({shown})")
            if values:
                marks = ", ".join("?" * len(columns))
                connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", values)
    except duckdb.Error as error:
        raise CannotMake(str(error).split("\n")[0]) from error


def _written(column: Column) -> str:
    word = column.written if column.type == "UNSUPPORTED" else WRITTEN[column.type]
    return f"{word}[]" if column.repeated and column.type != "UNSUPPORTED" else word
