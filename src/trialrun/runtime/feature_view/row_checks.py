"""What is seen of the rows while they pass into the store: ties, duplicates, and vectors that cannot be searched."""

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
        tables = [extraction for query in self._plan.queries for extraction in query.extractions]
        for place, table in enumerate(tables, self._width):
            code = "timestamp-ties" if table.moment else "duplicate-entity-ids"
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
    "non-finite-vectors": "{count} of {all} entities {have} a vector with a null, NaN or infinity; no search finds "
    "them",
}


def _vector_problem(vector: Sequence[float | None] | None, dimension: int | None) -> str | None:
    """What is wrong with a vector, None when nothing is."""
    if vector is None:
        return "null-vectors"
    if dimension is not None and len(vector) != dimension:
        return "wrong-vector-length"
    if None in vector or not all(map(math.isfinite, vector)):  # type: ignore[arg-type]
        return "non-finite-vectors"
    return None
