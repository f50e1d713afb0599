"""The rows of a plan: what its engines give, merged by entity id where there are several."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, groupby
from typing import Any

from trialrun.record import dataclass
from trialrun.runtime.feature_view.extraction import Extraction
from trialrun.runtime.feature_view.plan import Plan, Query
from trialrun.runtime.feature_view.source.engine import Engine, engine
from trialrun.runtime.options import Options

Row = Sequence[Any]


@dataclass(frozen=True)
class Engines:
    """The engines of a plan's queries, in their order."""

    of: tuple[tuple[Query, Engine], ...]

    @property
    def tables(self) -> Iterator[tuple[Extraction, Engine]]:
        """Each table that is read, once, and what reads it."""
        seen = set()
        for query, one in self.of:
            for extraction in query.extractions:
                if (extraction.place.uri, extraction.moment, extraction.keys) not in seen:
                    seen.add((extraction.place.uri, extraction.moment, extraction.keys))
                    yield extraction, one


@contextmanager
def opened(plan: Plan, options: Options) -> Iterator[Engines]:
    """Open the engines of a plan for as long as they are needed. Raises Unreadable."""
    engines: list[Engine] = []
    try:
        for query in plan.queries:
            engines.append(engine(query.places, options))
        yield Engines(tuple(zip(plan.queries, engines, strict=True)))
    finally:
        for one in engines:
            one.close()


def batches(plan: Plan, engines: Engines) -> Iterator[list[Row]]:
    """The rows of a plan as its layout has them, and at the end of each the choice that each table had."""
    if len(engines.of) == 1:
        ((query, one),) = engines.of
        return one.latest(query)
    streams = [_stream(place, query, one) for place, (query, one) in enumerate(engines.of)]
    return _merged(plan, streams)


def _stream(place: int, query: Query, one: Engine) -> Iterator[tuple[Row, int, Row]]:
    width = len(query.keys)
    for row in chain.from_iterable(one.latest(query)):
        yield tuple(row[:width]), place, row


def _merged(plan: Plan, streams: Sequence[Iterable[tuple[Row, int, Row]]]) -> Iterator[list[Row]]:
    """One row for an entity that any stream has; streams are in the order of the ids."""
    merged = heapq.merge(*streams, key=lambda one: one[:2])
    for id, parts in groupby(merged, key=lambda one: one[0]):
        yield [_joined(plan, id, {place: row for _, place, row in parts})]


def _joined(plan: Plan, id: Row, parts: dict[int, Row]) -> Row:
    width = len(id)
    moments = [row[width] for row in parts.values() if row[width] is not None]
    features: list[Any] = []
    choices: list[Any] = []
    for place, query in enumerate(plan.queries):
        count = len(query.features)
        row = parts.get(place) or [None] * (width + 1 + count + len(query.extractions))
        features += row[width + 1 : width + 1 + count]
        choices += row[width + 1 + count :]
    return [*id, max(moments, default=None), *features, *choices]
