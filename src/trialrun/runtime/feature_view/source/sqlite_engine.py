"""SQLite, which has a type for each value and none for a column: declared types say what a value must be."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trialrun.runtime.feature_view.batches import fetch_batches, list_positions
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.declared_columns import parse_column
from trialrun.runtime.feature_view.source.dialect import SQLITE_DIALECT, quote_identifier
from trialrun.runtime.feature_view.source.interface import ColumnConversion
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, database_of, no_table, size_of
from trialrun.runtime.feature_view.source.text_forms import parse_list, parse_text
from trialrun.runtime.feature_view.store.budget import STEPS_BETWEEN_CHECKS, StatementBudget

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.plan_query import PlanQuery

BATCH_SIZE = 50_000
BYTES_PER_SECOND = 500_000
"""What a statement is allowed at least to read in a second: a row of 20 bytes takes 10 µs, a quarter of this."""
RECENT_MOMENTS = 16
EPOCH = datetime(1970, 1, 1)
MILLISECONDS, MICROSECONDS = 10**11, 10**14
"""Numbers from these on are milliseconds, or microseconds, since 1970; as seconds they are years from 5138 on."""
FITTING = {
    "BOOL": "CASE WHEN typeof({0}) = 'text' THEN value_of_text({0}, 'BOOL') WHEN {0} IN (0, 1) THEN {0} END",
    "INT64": "CASE WHEN typeof({0}) = 'text' THEN value_of_text({0}, 'INT64') "
    "WHEN typeof({0}) = 'integer' OR {0} = CAST({0} AS INTEGER) AND typeof({0}) = 'real' "
    "THEN CAST({0} AS INTEGER) END",
    "DOUBLE": "CASE WHEN typeof({0}) = 'text' THEN value_of_text({0}, 'DOUBLE') "
    "WHEN typeof({0}) IN ('integer', 'real') THEN CAST({0} AS REAL) END",
    "STRING": "CASE WHEN typeof({0}) <> 'blob' THEN CAST({0} AS TEXT) END",
    "BYTES": "CASE WHEN typeof({0}) = 'text' THEN value_of_text({0}, 'BYTES') WHEN typeof({0}) = 'blob' THEN {0} END",
    "TIMESTAMP": "moment_of({0})",
}
"""A value in its type, null where it does not fit."""


class SQLite:
    """A connection that only reads, with one table as a view of the name of its uri. Raises Unreadable."""

    dialect = SQLITE_DIALECT

    def __init__(self, place: TableLocation) -> None:
        self._place = place
        path = Path(database_of(place)).as_uri()
        self._connection = sqlite3.connect(f"{path}?mode=ro", uri=True, check_same_thread=False)
        self._budget = StatementBudget()
        try:
            self._guard(database_of(place))
            recent = lru_cache(RECENT_MOMENTS)(moment_of)  # a statement asks for the moment of a row several times
            self._connection.create_function("moment_of", 1, recent, deterministic=True)
            self._connection.create_function("value_of_text", 2, parse_text, deterministic=True)
            self._connection.create_function("list_of", 2, list_of, deterministic=True)
            self._connection.create_function("list_length", 1, list_length, deterministic=True)
            self._connection.create_function("is_finite_list", 1, is_finite_list, deterministic=True)
            self._connection.create_collation("list_order", compare_lists)
            self._text_order = self._prepare_text_order()
            self._relation = f"main.{quote_identifier(self._table(place))}"
            readings = tuple(self._readings(place))
            self.readings = {place.uri: readings}
            select_list = ", ".join(
                f"{column_conversion.expression} AS {quote_identifier(column_conversion.column.name)}"
                for column_conversion in readings
            )
            self.all(f"CREATE TEMP VIEW {quote_identifier(place.uri)} AS SELECT {select_list} FROM {self._relation}")
        except BaseException:
            self.close()
            raise

    def _guard(self, file: str) -> None:
        """Have nothing in the file do more than give rows, and end statements without end."""
        self._budget.fit(file, BYTES_PER_SECOND)
        self._connection.set_progress_handler(self._budget.is_spent, STEPS_BETWEEN_CHECKS)
        self._connection.execute("PRAGMA trusted_schema = OFF")
        self._connection.execute("PRAGMA cell_size_check = ON")

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def rows(self, text: str, lists: Sequence[int] = ()) -> Iterator[list[tuple[Any, ...]]]:
        """What a statement gives, in batches; `lists` has the positions of its lists. Raises Unreadable."""
        self._budget.renew()
        try:
            with closing(self._connection.execute(text)) as done:
                yield from fetch_batches(done.fetchmany, BATCH_SIZE, lists)
        except sqlite3.Error as error:
            self._budget.require_spent(error)
            if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                raise Unreadable("a statement takes too long; make the table smaller, or fix its view") from error
            raise Unreadable(f"SQLite: {error}") from error

    def all(self, text: str) -> list[tuple[Any, ...]]:
        """All rows of a statement that gives few. Raises Unreadable."""
        return [row for batch in self.rows(text) for row in batch]

    def relation(self, uri: str) -> str:
        """The rows of the table as they are, not yet in the types of the specification."""
        return self._relation

    def size(self, uri: str) -> int:
        """How many bytes the file of the table has. Raises Unreadable."""
        return size_of(self._place)

    def latest_relation(self, query: PlanQuery) -> None:
        """Its rows pass through this process."""

    def each_partition(self, query: PlanQuery, function: object) -> None:
        """Its rows pass through this process."""

    def latest(self, query: PlanQuery) -> Iterator[list[Sequence[Any]]]:
        """The rows of a query with the moments in microseconds, and the features as they are served."""
        changes = list(_changes(query))
        for batch in self.rows(query.text, list_positions(query.layout.features, query.layout.feature_start)):
            yield [_changed(list(row), changes) for row in batch]

    def _prepare_text_order(self) -> str:
        """What has texts in the order of their code points, where the file has them in UTF-16 and so in another one."""
        ((encoding,),) = self.all("PRAGMA main.encoding")
        self._connection.create_collation("code_points", lambda one, other: (one > other) - (one < other))
        return "" if encoding == "UTF-8" else " COLLATE code_points"

    def _table(self, place: TableLocation) -> str:
        names = [name for (name,) in self.all("SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view')")]
        table_name: str | None = next(
            (name for name in names if name.casefold() == (place.table or "").casefold()), None
        )
        if table_name is None:
            raise Unreadable(no_table(place, names))
        return table_name

    def _readings(self, place: TableLocation) -> Iterator[ColumnConversion]:
        declared = {column.name.casefold(): column for column in place.declared}
        for _, name, written, required, *_ in self.all(
            f"PRAGMA main.table_xinfo({quote_identifier(self._table(place))})"
        ):
            actual = parse_column(name, written, mode="REQUIRED" if required else "NULLABLE")
            wanted = declared.get(name.casefold(), actual)
            raw = quote_identifier(name)
            type = wanted.type
            if type == "UNSUPPORTED":
                type_text = written or "without a type; declare it in the Source"
                yield ColumnConversion(Column(name, type, False, type_text, bool(required)), raw, raw)
                continue
            expression = f"list_of({raw}, '{type}')" if wanted.repeated else FITTING[type].format(raw)
            if type == "STRING" and not wanted.repeated:
                expression += self._text_order
            yield ColumnConversion(Column(name, type, wanted.repeated, written), raw, expression, unsure=True)


def moment_of(value: object) -> str | None:
    """A moment as statements write it, from an ISO text or a number since 1970; None where it is neither."""
    moment = _moment(value)
    return None if moment is None else moment.isoformat(" ", "microseconds")


def list_of(value: object, type: Type) -> str | None:
    """A JSON list of values of a type as canonical JSON, in which bytes are hexadecimal; None where it is not one."""
    items = parse_list(value, type) if isinstance(value, str) else None
    canonical = CANONICAL.get(type)
    return None if items is None else json.dumps([*map(canonical, items)] if canonical else items)


CANONICAL: dict[str, Callable[[Any], Any]] = {"BYTES": bytes.hex, "TIMESTAMP": str}
"""How the items of a list are written, so that those of one type compare as they do on every engine."""


def list_length(text: str | None) -> int | None:
    """The number of elements of a list, which may have NaN, as SQLite's own functions refuse it."""
    return None if text is None else len(json.loads(text))


def is_finite_list(text: str | None) -> bool | None:
    """Whether no number of a list is NaN or infinite."""
    return None if text is None else all(map(math.isfinite, json.loads(text)))


def compare_lists(one: str, other: str) -> int:
    """The order of lists, as it is on every engine: element by element."""
    first, second = _list_key(one), _list_key(other)
    return (first > second) - (first < second)


def _list_key(text: str) -> list[tuple[int, Any]]:
    return [(1, 0) if item != item else (0, item) for item in json.loads(text)]


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            return cast("datetime | None", parse_text(value, "TIMESTAMP"))
        if isinstance(value, int | float):
            per_second = 10**6 if abs(value) >= MICROSECONDS else 10**3 if abs(value) >= MILLISECONDS else 1
            return EPOCH + timedelta(microseconds=math.floor(Decimal(str(value)) * (10**6 // per_second)))
    except (ValueError, OverflowError):
        return None
    return None


def _microseconds(text: str) -> int:
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


CHANGES: dict[tuple[str, bool], Callable[[Any], Any]] = {
    ("BOOL", False): bool,
    ("TIMESTAMP", False): _microseconds,
    ("TIMESTAMP", True): lambda text: [*map(_utc, json.loads(text))],
    ("BYTES", True): lambda text: [*map(bytes.fromhex, json.loads(text))],
    **{(type, True): json.loads for type in ("BOOL", "INT64", "DOUBLE", "STRING")},
}
"""What becomes of a value that is not null, by its type and whether it is a list."""


def _changes(query: PlanQuery) -> Iterator[tuple[int, Callable[[Any], Any]]]:
    layout = query.layout
    first = layout.feature_start
    yield from ((place, _microseconds) for place in range(len(layout.keys), first))
    for place, column in enumerate(layout.features, first):
        if change := CHANGES.get((column.type, column.repeated)):
            yield place, change


def _changed(row: list[Any], changes: Sequence[tuple[int, Callable[[Any], Any]]]) -> list[Any]:
    for place, change in changes:
        if row[place] is not None:
            row[place] = change(row[place])
    return row
