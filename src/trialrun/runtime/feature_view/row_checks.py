"""What is seen of the rows that a sync loads: ties, duplicates, and vectors that cannot be searched.

Rows that pass through this process are looked at as they pass, which costs least. Those that stay where their engine is
are summed up there, with a few examples of each kind. Each check is defined once for both: its condition in SQL stands
beside it in Python.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from operator import itemgetter
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.extraction import ColumnSelection
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.source.interface import ColumnConversion, Dialect, Engine, quote_identifier

MAX_LENGTH = 100


def format_value(value: object) -> str:
    """A value in a message: null for none, and otherwise its text, or the beginning of a long one."""
    text = "null" if value is None else str(value)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."


def format_id(id: Sequence[object]) -> str:
    """An entity id in a message: its value, or its values in parentheses."""
    return format_value(id[0]) if len(id) == 1 else f"({', '.join(format_value(part) for part in id)})"


MAX_EXAMPLES = 5
Row = Sequence[Any]


class RowCounts:
    """How often something was seen, and the first ids of it in the order of ids."""

    def __init__(self) -> None:
        self.count = 0
        self.ids: list[tuple[Any, ...]] = []

    def add(self, id: tuple[Any, ...]) -> None:
        """Count one more."""
        self.count += 1
        if len(self.ids) < MAX_EXAMPLES or id < self.ids[-1]:
            insort(self.ids, id)
            del self.ids[MAX_EXAMPLES:]

    def add_all(self, count: int, first_ids: Iterable[Sequence[Any]]) -> None:
        """Count many more, of which these are the first ids."""
        self.count += count
        self.ids = sorted([*self.ids, *map(tuple, first_ids)])[:MAX_EXAMPLES]


class RowChecks:
    """Looks at rows as they pass, in bounded memory; what it saw is reported when all rows have passed."""

    def __init__(self, plan: SyncPlan) -> None:
        self._plan = plan
        self._keys = len(plan.layout.keys)
        names = [[column.name for column in columns] for columns in (plan.layout.keys, plan.layout.features)]
        self._places = [*names[0], *[""] * plan.layout.timestamp_count, *names[1]]
        self._width = len(self._places)
        self._several = {code: RowCounts() for code in ("timestamp-ties", "duplicate-entity-ids")}
        self._vectors = {code: RowCounts() for code in ("null-vectors", "wrong-vector-length", "non-finite-vectors")}
        self._empty_filters = {self._places.index(filter_) for filter_ in (plan.index.filters if plan.index else ())}
        self.entities = 0

    def check(
        self, batches: Iterable[Sequence[Row]], progress: Callable[[int, int | None], None] | None
    ) -> Iterator[Row]:
        """The rows, without the choices at their ends."""
        return chain.from_iterable(self._check_batches(batches, progress))

    def _check_batches(
        self, batches: Iterable[Sequence[Row]], progress: Callable[[int, int | None], None] | None
    ) -> Iterator[Iterable[Row]]:
        without_choices = itemgetter(slice(self._width))
        for batch in batches:
            self._check_choices(batch)
            if self._plan.index:
                self._check_vectors(batch)
            self.entities += len(batch)
            if progress:
                progress(self.entities, None)
            yield map(without_choices, batch)

    def without_choices(
        self, batches: Iterable[Sequence[Row]], progress: Callable[[int, int | None], None] | None
    ) -> Iterator[Row]:
        """The rows after `check_relation`, without the choices at their ends."""
        passed = 0
        for batch in batches:
            passed += len(batch)
            if progress:
                progress(passed, self.entities)
            yield from (row[: self._width] for row in batch)

    def check_relation(self, engine: Engine, relation: str) -> None:
        """Look at all rows where they are, in a relation as `Engine.latest_relation` gives it. Raises Unreadable."""
        conditions = list(self._conditions(engine.dialect))
        filters = sorted(self._empty_filters)
        sums = [
            "COUNT(*)",
            *(f"COUNT(CASE WHEN {condition} THEN 1 END)" for _, condition in conditions),
            *(f"COUNT(c{place})" for place in filters),
        ]
        ((entities, *counts),) = engine.all(f"SELECT {', '.join(sums)} FROM {relation}")
        self.entities += entities
        for (seen, condition), count in zip(conditions, counts, strict=False):
            if count:
                seen.add_all(count, engine.all(self._first_ids(relation, condition)))
        self._empty_filters -= {place for place, count in zip(filters, counts[len(conditions) :], strict=True) if count}

    def _first_ids(self, relation: str, condition: str) -> str:
        keys = ", ".join(f"c{place}" for place in range(self._keys))
        return f"SELECT {keys} FROM {relation} WHERE {condition} ORDER BY {keys} LIMIT {MAX_EXAMPLES}"

    def _conditions(self, dialect: Dialect) -> Iterator[tuple[RowCounts, str]]:
        """The conditions of all checks over the columns c0, c1 and so on, and what counts the rows that meet them."""
        for place, code in self._choices():
            yield self._several[code], f"c{place} <> 1"
        if index := self._plan.index:
            vector = f"c{self._places.index(index.embedding)}"
            for code, condition in _vector_conditions(vector, index.dimension, dialect):
                yield self._vectors[code], condition

    def _choices(self) -> Iterator[tuple[int, str]]:
        """The place of each table's choice in a row, and what it means to have had one."""
        for place, table in enumerate(self._plan.selections, self._width):
            yield place, "timestamp-ties" if table.moment else "duplicate-entity-ids"

    def findings(self) -> Iterator[DataFinding]:
        """What was seen, in words."""
        for code, seen in (self._several | self._vectors).items():
            if seen.count:
                have = "has" if seen.count == 1 else "have"
                message = MESSAGES[code].format(count=f"{seen.count:,}", all=f"{self.entities:,}", have=have)
                yield DataFinding(code, message, [format_id(id) for id in seen.ids])
        if self.entities:
            for place in sorted(self._empty_filters):
                yield DataFinding(
                    "null-filter-column",
                    f'the filter column "{self._places[place]}" is null for every entity; no filter on it matches any',
                )

    def _check_choices(self, batch: Sequence[Row]) -> None:
        for place, code in self._choices():
            for row in batch:
                if row[place] != 1 and row[place] is not None:
                    self._several[code].add(tuple(row[: self._keys]))

    def _check_vectors(self, batch: Sequence[Row]) -> None:
        index = self._plan.index
        assert index is not None
        place = self._places.index(index.embedding)
        for row in batch:
            if code := _vector_problem(row[place], index.dimension):
                self._vectors[code].add(tuple(row[: self._keys]))
        self._empty_filters -= {
            empty_filter_
            for empty_filter_ in self._empty_filters
            if any(row[empty_filter_] is not None for row in batch)
        }


MESSAGES = {
    "timestamp-ties": "{count} of {all} entities {have} several values at their latest time; the greatest of each "
    "column is served",
    "duplicate-entity-ids": "{count} of {all} entities {have} several rows and no timestamp to order them; the row "
    "with the greatest values, column by column, is served",
    "null-vectors": "{count} of {all} entities {have} no vector; no search finds them",
    "wrong-vector-length": "{count} of {all} entities {have} a vector of another length than embeddingDimension; no "
    "search finds them",
    "non-finite-vectors": "{count} of {all} entities {have} a vector with NaN or infinity; no search finds them",
}


def _vector_problem(vector: Sequence[float] | None, dimension: int | None) -> str | None:
    """What is wrong with a vector, None when nothing is."""
    if vector is None:
        return "null-vectors"
    if dimension is not None and len(vector) != dimension:
        return "wrong-vector-length"
    return None if all(map(math.isfinite, vector)) else "non-finite-vectors"


def _vector_conditions(vector: str, dimension: int | None, dialect: Dialect) -> Iterator[tuple[str, str]]:
    """The same of a column of vectors as conditions; each row meets one of them or none."""
    yield "null-vectors", f"{vector} IS NULL"
    fitting = f"{vector} IS NOT NULL"
    if dimension is not None:
        length = dialect.list_length.format(vector)
        yield "wrong-vector-length", f"{fitting} AND {length} <> {dimension}"
        fitting += f" AND {length} = {dimension}"
    yield "non-finite-vectors", f"{fitting} AND NOT {dialect.list_is_finite.format(vector)}"


@dataclass(frozen=True)
class TableProfile:
    """How many rows there are to read, what is to be said of the others, and the moment that all tables have reached:
    of the newest row of the table that is furthest behind, None where one has no row. `next_row` is the moment of the
    first row that is later than the sync; None where there is none."""

    rows: int
    watermark: datetime | None
    next_row: datetime | None
    findings: tuple[DataFinding, ...]


def profile_tables(plan: SyncPlan, engine: Engine) -> TableProfile:
    """The facts of all tables of a plan; only the columns of entity ids and moments are read. Raises Unreadable."""
    tables = {(table.place.uri, table.moment, table.keys): table for table in reversed(plan.selections)}
    profiles = [_profile_table(plan, selection, engine) for selection in reversed(tables.values())]
    moments = [table_profile.watermark for table_profile in profiles]
    return TableProfile(
        sum(table_profile.rows for table_profile in profiles),
        min((moment for moment in moments if moment), default=None) if all(moments) else None,
        min((profile.next_row for profile in profiles if profile.next_row), default=None),
        (
            *(finding for table_profile in profiles for finding in table_profile.findings),
            *_type_mismatches(plan, engine),
        ),
    )


def _profile_table(plan: SyncPlan, selection: ColumnSelection, engine: Engine) -> TableProfile:
    counted = {"rows": "1 = 1", "null-entity-ids": _null_id(selection)}
    if selection.moment:
        moment, cutoff = quote_identifier(selection.moment.name), engine.dialect.literal(plan.bounds.cutoff)
        counted |= {"null-timestamps": f"{moment} IS NULL", "future-rows": f"{moment} > {cutoff}"}
        read = f"CASE WHEN {moment} <= {cutoff} THEN {moment} END"
        later = f"CASE WHEN {moment} > {cutoff} THEN {moment} END"
        ends = ", ".join(f"CAST({end} AS VARCHAR(40))" for end in (f"MAX({read})", f"MIN({later})"))
    else:
        ends = "NULL, NULL"
    sums = ", ".join(f"COUNT(CASE WHEN {condition} THEN 1 END)" for condition in counted.values())
    ((*counts, newest, following),) = engine.all(f"SELECT {sums}, {ends} FROM {_rows_of(selection, engine)}")
    numbers = dict(zip(counted, counts, strict=True))
    return TableProfile(
        numbers["rows"],
        _parse_timestamp(newest),
        _parse_timestamp(following),
        tuple(_findings(selection, engine, numbers, counted)),
    )


def _parse_timestamp(written: str | None) -> datetime | None:
    """A moment as an engine writes it."""
    return datetime.fromisoformat(written).replace(tzinfo=UTC) if written else None


def _findings(
    selection: ColumnSelection, engine: Engine, numbers: dict[str, int], conditions: dict[str, str]
) -> Iterator[DataFinding]:
    messages = {
        "null-entity-ids": "{} of {} rows with a null in the entity id; they are not served",
        "null-timestamps": "{} of {} rows without a timestamp; they are not read",
        "future-rows": "{} of {} rows later than the sync; they are not read",
    }
    if numbers["rows"] == 0:
        yield DataFinding("empty-source", f'"{selection.place.uri}" has no rows; nothing is served from it')
    for code, message in messages.items():
        if count := numbers.get(code):
            text = message.format(f"{count:,}", f"{numbers['rows']:,}")
            yield DataFinding(
                code, f'"{selection.place.uri}" has {text}', _examples(selection, engine, conditions[code])
            )


def _examples(selection: ColumnSelection, engine: Engine, condition: str) -> list[str]:
    """The first rows of a kind, by the entity id and the moment."""
    columns = [*selection.keys, *([selection.moment] if selection.moment else [])]
    names = [_text(column, engine) for column in columns]
    order = ", ".join(f"{place + 1} NULLS LAST" for place in range(len(names)))
    text = f"SELECT {', '.join(names)} FROM {_rows_of(selection, engine)} WHERE {condition}"
    return [
        ", ".join(f"{column.name} {format_value(value)}" for column, value in zip(columns, row, strict=True))
        for row in engine.all(f"{text} ORDER BY {order} LIMIT {MAX_EXAMPLES}")
    ]


def _type_mismatches(plan: SyncPlan, engine: Engine) -> Iterator[DataFinding]:
    """Values that are not of the type of their column and are read as null, table by table."""
    used: dict[str, set[str]] = {}
    for selection in plan.selections:
        columns = [
            *selection.keys,
            *([selection.moment] if selection.moment else []),
            *(column for _, column in selection.features),
        ]
        used.setdefault(selection.place.uri, set()).update(column.name for column in columns)
    for uri, names in used.items():
        unsure = [reading for reading in engine.readings[uri] if reading.unsure and reading.column.name in names]
        if unsure:
            yield from _table_type_mismatches(uri, engine, unsure)


def _table_type_mismatches(uri: str, engine: Engine, unsure: Sequence[ColumnConversion]) -> Iterator[DataFinding]:
    relation = engine.relation(uri)
    counts = ", ".join(f"COUNT(CASE WHEN {_mismatch_condition(reading)} THEN 1 END)" for reading in unsure)
    for reading, count in zip(unsure, engine.all(f"SELECT {counts} FROM {relation}")[0], strict=True):
        if count:
            text = (
                f"SELECT DISTINCT CAST({reading.raw} AS VARCHAR(200)) FROM {relation} WHERE "
                f"{_mismatch_condition(reading)}"
            )
            rows = engine.all(f"{text} ORDER BY 1 LIMIT {MAX_EXAMPLES}")
            yield DataFinding(
                "value-does-not-fit",
                f'"{uri}" has {count:,} values in column "{reading.column.name}" that are not '
                f"{reading.column.type_text}; they are read as null",
                [format_value(value) for (value,) in rows],
            )


def _mismatch_condition(reading: ColumnConversion) -> str:
    return f"{reading.raw} IS NOT NULL AND ({reading.expression}) IS NULL"


def _rows_of(selection: ColumnSelection, engine: Engine) -> str:
    """The rows that are meant at all: of a RAG source those of its corpus."""
    table = quote_identifier(selection.place.uri)
    if selection.only is None:
        return table
    column, value = selection.only
    condition = f"{quote_identifier(column)} = {engine.dialect.literal(value)}"
    return f"(SELECT * FROM {table} WHERE {condition}) AS selected"


def _text(column: Column, engine: Engine) -> str:
    """The text of an entity id or a moment, the same on all engines."""
    name = quote_identifier(column.name)
    return engine.dialect.timestamp_text.format(name) if column.type == "TIMESTAMP" else f"CAST({name} AS VARCHAR(200))"


def _null_id(selection: ColumnSelection) -> str:
    return " OR ".join(f"{quote_identifier(key.name)} IS NULL" for key in selection.keys)
