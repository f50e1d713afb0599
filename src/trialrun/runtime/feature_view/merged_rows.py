"""The rows of a plan: what its engines give, merged by entity id where there are several."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, groupby, islice, repeat
from operator import itemgetter
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.batches import list_positions, split_rows
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.extraction import ColumnSelection
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.plan_query import PlanQuery
from trialrun.runtime.feature_view.source.engine import EngineCache, open_engine
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.options import Options

Row = Sequence[Any]
BATCH_SIZE = 10_000


@dataclass(frozen=True)
class PlanEngines:
    """The engines of a plan's queries, in their order."""

    by_query: tuple[tuple[PlanQuery, Engine], ...]

    @property
    def tables(self) -> Iterator[tuple[ColumnSelection, Engine]]:
        """Each table that is read, once, and what reads it."""
        seen = set()
        for query, table_engine in self.by_query:
            for extraction in query.extractions:
                if (extraction.place.uri, extraction.moment, extraction.keys) not in seen:
                    seen.add((extraction.place.uri, extraction.moment, extraction.keys))
                    yield extraction, table_engine


@contextmanager
def open_engines(plan: SyncPlan, options: Options, last: EngineCache) -> Iterator[PlanEngines]:
    """Open the engines of a plan for as long as they are needed; where it needs one, that is `last`'s.

    Raises CannotSync, also for what cannot be read while they are open.
    """
    engines: list[Engine] = []
    try:
        if len(plan.queries) == 1:
            yield PlanEngines(((plan.queries[0], last.of(plan.queries[0].locations)),))
            return
        last.close()
        for query in plan.queries:
            engines.append(open_engine(query.locations, options))
        yield PlanEngines(tuple(zip(plan.queries, engines, strict=True)))
    except Unreadable as error:
        raise CannotSync(f"the rows cannot be read: {error}", steps=plan.queries[0].extractions[0].steps) from error
    finally:
        for opened in engines:
            opened.close()


def row_batches(plan: SyncPlan, engines: PlanEngines) -> Iterator[list[Row]]:
    """The rows of a plan as its layout has them, and at the end of each the choice that each table had."""
    if len(engines.by_query) == 1:
        ((query, query_engine),) = engines.by_query
        return query_engine.latest(query)
    streams = [_stream(place, query, query_engine) for place, (query, query_engine) in enumerate(engines.by_query)]
    return _merge(plan, streams)


def _stream(place: int, query: PlanQuery, query_engine: Engine) -> Iterator[tuple[Row, int, Row]]:
    width = len(query.layout.keys)
    for row in chain.from_iterable(query_engine.latest(query)):
        yield tuple(row[:width]), place, row


def _merge(plan: SyncPlan, streams: Sequence[Iterable[tuple[Row, int, Row]]]) -> Iterator[list[Row]]:
    """One row for an entity that any stream has; streams are in the order of the ids."""
    merged = heapq.merge(*streams, key=itemgetter(0, 1))
    shapes = [
        (query.layout.timestamp_count, len(query.layout.features), len(query.extractions)) for query in plan.queries
    ]
    joined = (
        _join_parts(id, {place: row for _, place, row in parts}, shapes)
        for id, parts in groupby(merged, key=itemgetter(0))
    )
    return split_rows(joined, BATCH_SIZE, list_positions(plan.layout.features, plan.layout.feature_start))


def _join_parts(id: Row, parts: dict[int, Row], shapes: Sequence[tuple[int, int, int]]) -> Row:
    """The row of an entity: the moments of all parts, their features, their choices; null where a part has none."""
    columns: tuple[list[Any], ...] = ([], [], [])
    for place, shape in enumerate(shapes):
        values = iter(parts[place][len(id) :] if place in parts else repeat(None))
        for column, count in zip(columns, shape, strict=True):
            column += islice(values, count)
    return [*id, *columns[0], *columns[1], *columns[2]]
