"""What an engine is: it has each source as a table named by its uri, and runs statements over these tables.

All that differs between engines is theirs: how a source is opened and its schema read, the types of its values and
their conversion, time zones, the sizes of files, and what of SQL they write in their own way. Nothing outside of this
package asks which engine it has. To add one:

- a class with the members of `Engine`, whose methods raise Unreadable alone;
- its `Dialect` below, and in `engine.py` the address that it is for.

**Statements.** Those that `all` and `latest` are given are standard SQL as DuckDB reads it, with the expressions of
the engine's `dialect` in place; an engine of another SQL translates them. Names of tables are the uris of the sources.
Each is a view with the columns of `readings`, in the types of the specification: BOOL, INT64 (64 bits), DOUBLE, STRING,
BYTES, TIMESTAMP (UTC, without a zone, cut to microseconds and never rounded), and lists of them. A value that is not of
the type of its column is null there, and stays what it is in `relation`. Names differ by more than capitals.

**Order.** Ties are decided by the order of values, which is the same on every engine: numbers by their value, NaN above
infinity, -0.0 equal to 0.0, texts by code point, bytes by byte, lists, which have no nulls, element by element and
above their beginnings; a null is least.

**Rows elsewhere.** An engine with many machines does not pass all rows through this process. It then has them in a
relation that `latest_relation` names, and what is to be known of them is asked for by `all`, as few sums and examples.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import RowLayout

FLOAT32_LIMIT = 3.4028235677973366e38
"""The least number that float32, in which vectors are searched, has as infinity."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The expressions that an engine writes in its own way; `{0}` stands for an expression or a literal.

    `list_length` counts the elements of a list that is not null, and `list_is_finite` says whether no number in it is
    NaN or infinite as float32. `assumptions` are rows of docs/assumptions.md that apply to whatever the engine reads.
    """

    list_length: str = "len({0})"
    list_is_finite: str = f"(len(list_filter({{0}}, lambda item: NOT ABS(CAST(item AS DOUBLE)) < {FLOAT32_LIMIT})) = 0)"
    assumptions: tuple[str, ...] = ()

    def literal(self, value: str | int | datetime) -> str:
        """A text, a number or a moment in UTC as a statement has it."""
        if isinstance(value, datetime):
            return f"TIMESTAMP '{value.isoformat(' ', 'microseconds')}'"
        return sql_literal(value) if isinstance(value, str) else str(value)


STANDARD = Dialect()
"""Standard SQL with the functions of DuckDB; sqlglot reads it as its dialect `duckdb`."""
SPARK_DIALECT = Dialect(
    list_length="SIZE({0})",
    list_is_finite=f"FORALL({{0}}, item -> NOT ISNAN(item) AND ABS(item) < {FLOAT32_LIMIT})",
    assumptions=("sync-spark",),
)
"""Timestamp literals are TIMESTAMP_NTZ once they are translated; Spark's TIMESTAMP would be of the session's zone."""


def sql_literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quote_identifier(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


PartitionFunction = Callable[[Iterator[Sequence[Any]]], Any]


@dataclass(frozen=True, slots=True)
class ColumnConversion:
    """A column as it is read: `expression` gives its value from `raw`; `unsure` says that a value may not fit."""

    column: Column
    raw: str
    expression: str
    unsure: bool = False


@dataclass(frozen=True)
class Statement:
    """A statement for the latest rows, and the layout of these; after that each has a choice for each table."""

    text: str
    layout: RowLayout
    choices: int

    @property
    def width(self) -> int:
        """How many columns its rows have."""
        return self.layout.feature_start + len(self.layout.features) + self.choices

    @property
    def moments(self) -> tuple[set[int], list[int]]:
        """The positions of its moments, and of its lists of moments."""
        layout = self.layout
        timestamps = [(at, it) for at, it in enumerate(layout.features, layout.feature_start) if it.type == "TIMESTAMP"]
        single = {at for at, column in timestamps if not column.repeated}
        return {*range(len(layout.keys), layout.feature_start)} | single, [at for at, it in timestamps if it.repeated]


class Engine(Protocol):
    """Reads sources; all its methods raise Unreadable.

    `dialect` is what it writes in its own way, and `readings` how the columns of each source are read.
    """

    dialect: Dialect
    readings: Mapping[str, Sequence[ColumnConversion]]

    @abstractmethod
    def relation(self, uri: str) -> str:
        """The rows of a source as its table has them, not yet in the types of the specification."""

    @abstractmethod
    def size(self, uri: str) -> int:
        """How many bytes the files of a source have."""

    @abstractmethod
    def all(self, text: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that gives few."""

    @abstractmethod
    def latest(self, statement: Statement) -> Iterator[list[Sequence[Any]]]:
        """The rows of a statement in batches, with the moments in microseconds, and the features as they are served."""

    def latest_relation(self, statement: Statement) -> str | None:
        """The relation that has the rows of a statement where the engine is; None where they pass through this process.

        Its columns are c0, c1 and so on, in the order of the layout: entity id, moments, features, choices. It is
        computed once, however often it is asked for, and goes when the engine is closed.
        """
        return None

    def each_partition(self, statement: Statement, function: PartitionFunction) -> Iterator[Any] | None:
        """What a function makes of each part of the rows of a statement, where these are; it is pickled to get there.

        The rows are as `latest` has them. None where they pass through this process, or must not leave from elsewhere.
        """
        return None

    @abstractmethod
    def close(self) -> None:
        """Close it, and take away what it spilled."""
