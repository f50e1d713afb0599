"""What is seen of the rows that a sync loads: ties, duplicates, and vectors that cannot be searched.

Rows that pass through this process are looked at as they pass, which costs least. Those that stay where their engine is
are summed up there, with a few examples of each kind. Each check is defined once for both: its condition in SQL stands
beside it in Python.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from operator import itemgetter
from typing import Any

from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.extraction import ColumnSelection
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.source.interface import FLOAT32_LIMIT, Dialect, Engine, quote_identifier

MAX_LENGTH = 100


def format_value(value: object) -> str:
    """A value in a message: null for none, and otherwise its text, or the beginning of a long one."""
    text = "null" if value is None else str(value)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."


def format_id(id: Sequence[object]) -> str:
    """An entity id in a message: its value, or its values in parentheses."""
    return format_value(id[0]) if len(id) == 1 else f"({', '.join(format_value(part) for part in id)})"


MAX_EXAMPLES = 5
MESSAGES = {
    "timestamp-ties": "{count} of {all} entities {have} several values at their latest time; the greatest of each "
    "column is served",
    "duplicate-entity-ids": "{count} of {all} entities {have} several rows and no timestamp to order them; the row "
    "with the greatest values, column by column, is served",
    "null-vectors": "{count} of {all} entities {have} no vector; no search finds them",
    "wrong-vector-length": "{count} of {all} entities {have} a vector of another length than embeddingDimension; no "
    "search finds them",
    "non-finite-vectors": "{count} of {all} entities {have} a vector with NaN, infinity or a number too large for "
    "float32; no search finds them",
}
"""What is said of entities by the code of a finding."""
Row = Sequence[Any]
Progress = Callable[[int, int | None], None]


class RowChecks:
    """Looks at rows as they pass, in bounded memory, or at all at once where they are; then says what it saw."""

    def __init__(self, plan: SyncPlan) -> None:
        self._plan, self._index = plan, plan.index
        self._keys = len(plan.layout.keys)
        names = [[column.name for column in columns] for columns in (plan.layout.keys, plan.layout.features)]
        self._places = [*names[0], *[""] * plan.layout.timestamp_count, *names[1]]
        self._width = len(self._places)
        self._counts = Counter[str]()
        self._first_ids: dict[str, list[tuple[Any, ...]]] = {}
        self._empty_filters = {self._places.index(filter) for filter in (self._index.filters if self._index else ())}
        self._entities = 0
        self._expected: int | None = None
        # The place of each table's choice in a row, and what it means to have had one.
        self._choices = [
            (place, "timestamp-ties" if table.moment else "duplicate-entity-ids")
            for place, table in enumerate(plan.selections, self._width)
        ]

    def check(self, batches: Iterable[Sequence[Row]], progress: Progress | None) -> Iterator[Row]:
        """The rows, without the choices at their ends."""
        return chain.from_iterable(self._check_batches(batches, progress))

    def _check_batches(self, batches: Iterable[Sequence[Row]], progress: Progress | None) -> Iterator[Iterable[Row]]:
        without_choices, passed = itemgetter(slice(self._width)), 0
        for batch in batches:
            passed += len(batch)
            if self._expected is None:
                self._entities = passed
                self._check_batch(batch)
            if progress:
                progress(passed, self._expected)
            yield map(without_choices, batch)

    def _check_batch(self, batch: Sequence[Row]) -> None:
        found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for place, code in self._choices:
            found[code] += [tuple(row[: self._keys]) for row in batch if row[place] != 1 and row[place] is not None]
        if self._index:
            place = self._places.index(self._index.embedding)
            for row in batch:
                if problem := _vector_problem(row[place], self._index.dimension):
                    found[problem].append(tuple(row[: self._keys]))
        for code, ids in found.items():
            self._add(code, len(ids), ids)
        self._empty_filters = {place for place in self._empty_filters if all(row[place] is None for row in batch)}

    def check_relation(self, engine: Engine, relation: str) -> None:
        """Look at all rows where they are, in a relation as `Engine.latest_relation` gives it. Raises Unreadable."""
        conditions = [(code, f"c{place} <> 1") for place, code in self._choices]
        if self._index:
            vector = f"c{self._places.index(self._index.embedding)}"
            conditions += _vector_conditions(vector, self._index.dimension, engine.dialect)
        filters = sorted(self._empty_filters)
        sums = [
            "COUNT(*)",
            *(f"COUNT(CASE WHEN {condition} THEN 1 END)" for _, condition in conditions),
            *(f"COUNT(c{place})" for place in filters),
        ]
        ((entities, *counts),) = engine.all(f"SELECT {', '.join(sums)} FROM {relation}")
        self._entities = self._expected = entities
        keys = ", ".join(f"c{place}" for place in range(self._keys))
        for (code, condition), count in zip(conditions, counts, strict=False):
            if count:
                first = f"SELECT {keys} FROM {relation} WHERE {condition} ORDER BY {keys} LIMIT {MAX_EXAMPLES}"
                self._add(code, count, map(tuple, engine.all(first)))
        self._empty_filters -= {place for place, count in zip(filters, counts[len(conditions) :], strict=True) if count}

    def _add(self, code: str, count: int, ids: Iterable[tuple[Any, ...]]) -> None:
        self._counts[code] += count
        self._first_ids[code] = sorted([*self._first_ids.get(code, ()), *ids])[:MAX_EXAMPLES]

    def findings(self) -> Iterator[DataFinding]:
        """What was seen, in words."""
        for code, message in MESSAGES.items():
            if count := self._counts[code]:
                have = "has" if count == 1 else "have"
                text = message.format(count=f"{count:,}", all=f"{self._entities:,}", have=have)
                yield DataFinding(code, text, [format_id(id) for id in self._first_ids[code]])
        for place in sorted(self._empty_filters) if self._entities else ():
            yield DataFinding(
                "null-filter-column",
                f'the filter column "{self._places[place]}" is null for every entity; no filter on it matches any',
            )


def _vector_problem(vector: Sequence[float] | None, dimension: int | None) -> str | None:
    """What is wrong with a vector, None when nothing is."""
    if vector is None:
        return "null-vectors"
    if dimension is not None and len(vector) != dimension:
        return "wrong-vector-length"
    is_short = math.hypot(*vector) < FLOAT32_LIMIT  # so each number is smaller still; this is the fastest check
    return None if is_short or math.isfinite(sum(array("f", vector))) else "non-finite-vectors"


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
    moments = [profile.watermark for profile in profiles]
    return TableProfile(
        sum(profile.rows for profile in profiles),
        min((moment for moment in moments if moment), default=None) if all(moments) else None,
        min((profile.next_row for profile in profiles if profile.next_row), default=None),
        (*(finding for profile in profiles for finding in profile.findings), *_type_mismatches(plan, engine)),
    )


def _profile_table(plan: SyncPlan, selection: ColumnSelection, engine: Engine) -> TableProfile:
    table, uri = quote_identifier(selection.place.uri), selection.place.uri
    if selection.only:  # the rows that are meant at all: of a RAG source those of its corpus
        column, value = selection.only
        table = (
            f"(SELECT * FROM {table} WHERE {quote_identifier(column)} = {engine.dialect.literal(value)}) AS selected"
        )
    null_ids = " OR ".join(f"{quote_identifier(key.name)} IS NULL" for key in selection.keys)
    kinds = {"null-entity-ids": (null_ids, "with a null in the entity id; they are not served")}
    ends = "NULL, NULL"
    if selection.moment:
        moment, cutoff = quote_identifier(selection.moment.name), engine.dialect.literal(plan.bounds.cutoff)
        kinds["null-timestamps"] = f"{moment} IS NULL", "without a timestamp; they are not read"
        kinds["future-rows"] = f"{moment} > {cutoff}", "later than the sync; they are not read"
        read = f"CASE WHEN {moment} <= {cutoff} THEN {moment} END"
        later = f"CASE WHEN {moment} > {cutoff} THEN {moment} END"
        ends = ", ".join(f"CAST({end} AS VARCHAR(40))" for end in (f"MAX({read})", f"MIN({later})"))
    sums = ", ".join(
        f"COUNT(CASE WHEN {condition} THEN 1 END)" for condition in ("1 = 1", *(c for c, _ in kinds.values()))
    )
    ((rows, *counts, newest, following),) = engine.all(f"SELECT {sums}, {ends} FROM {table}")
    findings = [] if rows else [DataFinding("empty-source", f'"{uri}" has no rows; nothing is served from it')]
    for count, (code, (condition, words)) in zip(counts, kinds.items(), strict=True):
        if count:
            examples = _examples(selection, engine, f"FROM {table} WHERE {condition}")
            findings.append(DataFinding(code, f'"{uri}" has {count:,} of {rows:,} rows {words}', examples))
    return TableProfile(rows, _parse_timestamp(newest), _parse_timestamp(following), tuple(findings))


def _parse_timestamp(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written).replace(tzinfo=UTC) if written else None


def _examples(selection: ColumnSelection, engine: Engine, rows: str) -> list[str]:
    """The first rows of a kind, by the entity id and the moment, whose texts are the same on all engines."""
    columns = [*selection.keys, *([selection.moment] if selection.moment else [])]
    texts = [f"CAST({quote_identifier(column.name)} AS VARCHAR(200))" for column in columns]
    order = ", ".join(f"{place} NULLS LAST" for place in range(1, len(texts) + 1))
    return [
        ", ".join(f"{column.name} {format_value(value)}" for column, value in zip(columns, row, strict=True))
        for row in engine.all(f"SELECT {', '.join(texts)} {rows} ORDER BY {order} LIMIT {MAX_EXAMPLES}")
    ]


def _type_mismatches(plan: SyncPlan, engine: Engine) -> Iterator[DataFinding]:
    """Values that are not of the type of their column and are read as null, table by table."""
    used: dict[str, set[str]] = {}
    for selection in plan.selections:
        used.setdefault(selection.place.uri, set()).update(column.name for column in selection.columns)
    for uri, names in used.items():
        unsure = {
            reading: f"{reading.raw} IS NOT NULL AND ({reading.expression}) IS NULL"
            for reading in engine.readings[uri]
            if reading.unsure and reading.column.name in names
        }
        if not unsure:
            continue
        relation = engine.relation(uri)
        sums = ", ".join(f"COUNT(CASE WHEN {condition} THEN 1 END)" for condition in unsure.values())
        (counts,) = engine.all(f"SELECT {sums} FROM {relation}")
        for (reading, condition), count in zip(unsure.items(), counts, strict=True):
            if count:
                text = f"SELECT DISTINCT CAST({reading.raw} AS VARCHAR(200)) FROM {relation} WHERE {condition}"
                rows = engine.all(f"{text} ORDER BY 1 LIMIT {MAX_EXAMPLES}")
                yield DataFinding(
                    "value-does-not-fit",
                    f'"{uri}" has {count:,} values in column "{reading.column.name}" that are not '
                    f"{reading.column.type_text}; they are read as null",
                    [format_value(value) for (value,) in rows],
                )
