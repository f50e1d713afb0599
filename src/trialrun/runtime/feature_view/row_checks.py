"""What is seen of the rows that a sync loads: ties, duplicates, and vectors that cannot be searched.

Rows that pass through this process are looked at as they pass, which costs least. Those that stay where their engine is
are summed up there, with a few examples of each kind. Each check is defined once for both: its condition in SQL stands
beside it in Python.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.format_value import format_id
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.source.interface import Dialect, Engine

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
