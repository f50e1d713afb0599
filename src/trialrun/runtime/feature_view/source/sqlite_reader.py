"""SQLite, which has a type for each value and none for a column: its rows are read once, and handed on with types.

Each column is handed on twice: as the value where SQLite has it in a class of the wanted type, and else as a text. What
a text stands for, the engine that takes the rows finds as it does for the texts of CSV files.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from trialrun.runtime.feature_view.column import Column, parse_column
from trialrun.runtime.feature_view.source.interface import quote_identifier
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, database_of, no_table
from trialrun.runtime.feature_view.store.database import STEPS_BETWEEN_CHECKS, StatementBudget

BATCH_SIZE, MAX_BATCH_BYTES = 10_000, 64_000_000
"""Rows of a batch, and the characters and bytes of its texts, from which on the next batch has fewer rows."""
BYTES_PER_SECOND = 500_000
"""What a statement is allowed at least to read in a second: a row of 20 bytes takes 10 µs, a quarter of this."""
RECENT_MOMENTS = 16
EPOCH = datetime(1970, 1, 1)
MILLISECONDS, MICROSECONDS = 10**11, 10**14
"""Numbers from these on are milliseconds, or microseconds, since 1970; as seconds they are years from 5138 on."""
IS_NUMBER = "typeof({0}) IN ('integer', 'real')"
WHOLE_MOMENTS = (
    "WHEN typeof({0}) <> 'integer' THEN microseconds_of({0}) WHEN {0} BETWEEN -62135596800 AND 99999999999 "
    "THEN {0} * 1000000 WHEN {0} BETWEEN 100000000000 AND 99999999999999 THEN {0} * 1000"
)
"""What `microseconds_of` makes of most whole numbers, and SQLite in a tenth of the time."""
VALUES = {
    "BOOL": f"CASE WHEN {IS_NUMBER} AND {{0}} IN (0, 1) THEN CAST({{0}} AS INTEGER) END",
    "INT64": f"CASE WHEN {IS_NUMBER} AND {{0}} = CAST({{0}} AS INTEGER) THEN CAST({{0}} AS INTEGER) END",
    "DOUBLE": f"CASE WHEN {IS_NUMBER} THEN CAST({{0}} AS REAL) END",
    "STRING": "CASE WHEN typeof({0}) <> 'blob' THEN CAST({0} AS TEXT) END",
    "BYTES": "CASE WHEN typeof({0}) = 'blob' THEN {0} END",
    "TIMESTAMP": f"CASE WHEN {IS_NUMBER} THEN CASE {WHOLE_MOMENTS} ELSE microseconds_of({{0}}) END END",
}
"""The value of a column that SQLite has in a class of the wanted type; moments are microseconds since 1970."""
TEXT = (
    "CASE WHEN ({value}) IS NULL THEN CASE WHEN typeof({0}) = 'blob' THEN text_of({0}) ELSE CAST({0} AS TEXT) END END"
)
BLOB_MARK = "\0"
"""What the text of a blob begins with, so that it stands for no value of another type."""
NOT_UTF_8 = "Could not decode to UTF-8"
"""What the message of Python begins with for a text that is none; it has no class or code of its own."""


@dataclass(frozen=True)
class SqliteColumn:
    """A column as it is read: `value` and `text` are what SQLite is asked for, one of which is null in each row."""

    column: Column
    value: str
    text: str

    @property
    def is_served(self) -> bool:
        """Whether a feature can have its type; the values of others are never read."""
        return self.column.type != "UNSUPPORTED"


class SqliteReader:
    """A connection that only reads one table, or one view. Raises Unreadable."""

    def __init__(self, place: TableLocation) -> None:
        file = database_of(place)
        self._connection = sqlite3.connect(f"{Path(file).as_uri()}?mode=ro", uri=True, check_same_thread=False)
        self._budget = StatementBudget()
        try:
            self._budget.fit(file, BYTES_PER_SECOND)
            self._connection.set_progress_handler(self._budget.is_spent, STEPS_BETWEEN_CHECKS)
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._connection.execute("PRAGMA cell_size_check = ON")
            recent = lru_cache(RECENT_MOMENTS)(microseconds_of)  # a row asks for its moment twice
            self._connection.create_function("microseconds_of", 1, recent, deterministic=True)
            self._connection.create_function("text_of", 1, _text_of_blob, deterministic=True)
            name = self._table_name(place)
            self.relation = f"main.{quote_identifier(name)}"
            self.columns = tuple(self._columns(name, place))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def all(self, text: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that gives few. Raises Unreadable."""
        return [row for batch in self._fetch(text) for row in batch]

    def columns_of_rows(self) -> Iterator[Sequence[tuple[Any, ...]]]:
        """The rows in batches, column by column: a 1 for each row, then of each served column its values and texts."""
        asked = ["1", *(part for read in self.columns if read.is_served for part in (read.value, read.text))]
        given = 0
        while True:
            try:
                for batch in self._fetch(f"SELECT {', '.join(asked)} FROM {self.relation} LIMIT -1 OFFSET {given}"):
                    given += len(batch)
                    columns = list(zip(*batch, strict=True))
                    yield columns if self._connection.text_factory is str else _without_broken_texts(columns)
                return
            except _NotUtf8:  # the rest takes longer
                self._connection.text_factory = _decode_text

    def _fetch(self, text: str) -> Iterator[list[tuple[Any, ...]]]:
        self._budget.renew()
        try:
            with closing(self._connection.execute(text)) as done:
                size = 100
                while batch := done.fetchmany(size):
                    yield batch
                    taken = sum(map(_text_size, zip(*batch, strict=True)))
                    size = max(1, min(BATCH_SIZE, 10 * size, MAX_BATCH_BYTES * len(batch) // max(taken, 1)))
        except sqlite3.Error as error:
            self._budget.require_spent(error)
            if str(error).startswith(NOT_UTF_8) and self._connection.text_factory is str:
                raise _NotUtf8 from error
            if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                raise Unreadable("a statement takes too long; make the table smaller, or fix its view") from error
            raise Unreadable(f"SQLite: {error}") from error
        except UnicodeDecodeError as error:  # in the message of an error
            raise Unreadable("SQLite: the schema has a text that is not UTF-8") from error

    def _table_name(self, place: TableLocation) -> str:
        names = [name for (name,) in self.all("SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view')")]
        for name in names:
            if name.casefold() == (place.table or "").casefold():
                return str(name)
        raise Unreadable(no_table(place, names))

    def _columns(self, table: str, place: TableLocation) -> Iterator[SqliteColumn]:
        declared = {column.name.casefold(): column for column in place.declared}
        for _, name, written, required, *_ in self.all(f"PRAGMA main.table_xinfo({quote_identifier(table)})"):
            actual = parse_column(name, written, mode="REQUIRED" if required else "NULLABLE")
            wanted, raw = declared.get(name.casefold(), actual), quote_identifier(name)
            if wanted.type == "UNSUPPORTED":
                type_text = written or "without a type (declare it in the Source)"
                yield SqliteColumn(Column(name, wanted.type, False, type_text, bool(required)), raw, raw)
                continue
            value = "NULL" if wanted.repeated else VALUES[wanted.type].format(raw)
            text = TEXT.format(raw, value=value)
            yield SqliteColumn(Column(name, wanted.type, wanted.repeated, written), value, text)


def microseconds_of(value: int | float) -> int | None:
    """The moment of a number since 1970 in microseconds; None where it is of no year from 1 to 9999."""
    per_second = 10**6 if abs(value) >= MICROSECONDS else 10**3 if abs(value) >= MILLISECONDS else 1
    try:
        exact = value if isinstance(value, int) else Decimal(str(value))
        microseconds = math.floor(exact * (10**6 // per_second))
        EPOCH + timedelta(microseconds=microseconds)
    except (ValueError, OverflowError):
        return None
    return microseconds


def _text_size(column: Sequence[object]) -> int:
    """The characters and bytes of a column; most have none, which their types tell at once."""
    if {*map(type, column)}.isdisjoint((str, bytes, _BrokenText)):
        return 0
    return sum(len(value) for value in column if isinstance(value, (str, bytes)))


class _NotUtf8(Exception):
    """A row has a text that is not UTF-8."""


class _BrokenText(str):
    __slots__ = ()


def _decode_text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return _BrokenText(_text_of_blob(value))


def _without_broken_texts(columns: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The columns of a batch; a text that is not UTF-8 stands for no value, as a blob does."""
    for place in range(1, len(columns), 2):
        values, texts = columns[place : place + 2]
        if _BrokenText in {*map(type, values), *map(type, texts)}:
            pairs = [
                (None, str(value or text)) if _BrokenText in (type(value), type(text)) else (value, text)
                for value, text in zip(values, texts, strict=True)
            ]
            columns[place : place + 2] = zip(*pairs, strict=True)
    return columns


def _text_of_blob(value: bytes) -> str:
    return BLOB_MARK + value.decode(errors="replace")
