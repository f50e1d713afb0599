"""Rows that somebody has at hand into a table that a Source can name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from trialrun.extras import needs_libraries
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source.column_types import DUCKDB_TYPES
from trialrun.runtime.feature_view.source.duckdb_engine import interruptible
from trialrun.runtime.feature_view.source.interface import quote_identifier, sql_literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TYPE = re.compile(r"[\w ]+(?:\([\w ,()\[\]]*\))?(?:\[\w*\])*")
AT_ONCE = 1_000
"""How many values a statement takes; for each statement the engine plans anew."""


class CannotMake(Exception):
    """The table cannot be made; the message says why."""


def make_table(file: str, table: str, columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> None:
    """Make a DuckDB database with one table; times are datetimes, in UTC and without an offset. Raises CannotMake.

    A column of an unsupported type has the type of the engine that is written so.
    """
    try:
        import duckdb
    except ImportError as error:
        raise CannotMake(needs_libraries("a scenario with rows", "runtime", "duckdb")) from error
    types = {column.name: _column_sql(column) for column in columns}
    column_list = ", ".join(f"{quote_identifier(name)} {type}" for name, type in types.items())
    database = quote_identifier(file)
    with interruptible(), closing(_engine().cursor()) as connection:
        try:
            connection.execute(f"ATTACH {sql_literal(file)} AS {database}")
            connection.execute(f"CREATE TABLE {database}.{quote_identifier(table)} ({column_list})")
            _insert(connection, f"{database}.{quote_identifier(table)}", list(types.values()), list(rows))
        except duckdb.InterruptException:
            raise
        except duckdb.Error as error:
            raise CannotMake(str(error).split("\n")[0]) from error
        finally:
            connection.execute(f"DETACH DATABASE IF EXISTS {database}")


@cache
def _engine() -> DuckDBPyConnection:
    """One engine for all tables that are made; it keeps none, and starting one takes longer than most tables."""
    import duckdb

    return duckdb.connect(config={"threads": 1, "memory_limit": "1GB", "autoload_known_extensions": False})


def _insert(connection: DuckDBPyConnection, table: str, types: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Insert rows, many in a statement."""
    step = max(1, AT_ONCE // len(types))
    marks = f"({', '.join(f'CAST(? AS {type})' for type in types)})"
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        values = [value for row in part for value in row]
        connection.execute(f"INSERT INTO {table} VALUES {', '.join([marks] * len(part))}", values)


def _column_sql(column: Column) -> str:
    if column.type != "UNSUPPORTED":
        return DUCKDB_TYPES[column.type] + ("[]" if column.repeated else "")
    if not TYPE.fullmatch(column.source_type):  # it becomes a part of a statement, which must not end with it
        raise CannotMake(f'column "{column.name}" has type {column.source_type}, which a table cannot have')
    return column.source_type
