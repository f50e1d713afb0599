"""The sync of a view: its latest values go from the tables into the online store, all at once or not at all.

Where the engine of a plan and the store allow it, the rows never pass through this process: the machines of the engine
write them into the store themselves.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import reduce
from itertools import chain, groupby, islice, repeat
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.batches import list_positions, split_rows
from trialrun.runtime.feature_view.data_finding import CannotSync, DataFinding, SkippedCheck
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan
from trialrun.runtime.feature_view.plan_query import PlanQuery
from trialrun.runtime.feature_view.row_checks import RowChecks
from trialrun.runtime.feature_view.source.engine import EngineCache, open_engine
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, StoreError, SyncCounts
from trialrun.runtime.feature_view.table_profile import PlanEngines, profile_tables, tables_of
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.store.interface import OnlineStore, Scan

Row = Sequence[Any]
Progress = Callable[[int, int | None], None]
BeforeServing = Callable[[int, "Scan"], None]
BATCH_SIZE = 10_000


@dataclass(frozen=True)
class SyncReport:
    """What a sync did: counts, what is to be said of the rows, what it rests on, and what it took.

    `counts.read` counts the rows of the tables; `bytes` is the size of their files. `next_row` is the moment of
    the first row that is later than the sync, None where there is none.
    """

    view: str
    plan: SyncPlan
    counts: SyncCounts
    findings: tuple[DataFinding, ...]
    assumptions: tuple[str, ...]
    skipped: tuple[SkippedCheck, ...]
    seconds: float
    bytes: int
    next_row: datetime | None = None


def sync_view(
    view: DeclaredResource[FeatureView],
    catalog: Catalog,
    store: OnlineStore,
    *,
    clock: Clock,
    options: Options = DEFAULT_OPTIONS,
    before_serving: BeforeServing | None = None,
    progress: Progress | None = None,
) -> SyncReport:
    """Serve the latest values that the tables of a view have now; a continuous view asks only for what is newer.

    `progress` is told how many entities there are so far, of how many where that is known. When anything fails, what
    was served before still is. Raises CannotSync, and SyncRunning.
    """
    started = time.perf_counter()
    now = clock.now()
    with closing(EngineCache(options)) as cache:
        plan = build_plan(view, catalog, cutoff=now, options=options, engine=cache)
        if since := _watermark(view.node, plan, store, now):
            plan = build_plan(view, catalog, cutoff=now, since=since, options=options, engine=cache)
        checks = RowChecks(plan)
        with open_engines(plan, options, cache) as engines:
            profile = profile_tables(plan, engines)
            load = RowLoad(
                layout=plan.layout,
                rows=_checked_rows(plan, engines, checks, progress),
                synced_at=now,
                watermark=lambda: profile.watermark,
                plan=plan.digest,
                keep_vanished=keeps_vanished(view.node, catalog, options),
                incremental=plan.incremental,
                before_serving=before_serving,
            )
            counts = _load_where_rows_are(store, plan, load, engines) or store.load(plan.view, load)
            sizes = {selection.place.uri: engine for selection, engine in tables_of(engines)}
            size = sum(engine.size(uri) for uri, engine in sizes.items())
    # What an incremental sync does not ask for is not gone.
    counts = replace(counts, read=profile.rows, vanished=0 if plan.incremental else counts.vanished)
    findings = (*plan.findings, *profile.findings, *checks.findings())
    brought = (ASSUMPTION_OF_FINDING[finding.code] for finding in findings if finding.code in ASSUMPTION_OF_FINDING)
    vanished = ["sync-vanished"] if counts.vanished else []
    return SyncReport(
        plan.view,
        plan,
        counts,
        findings,
        tuple(dict.fromkeys([*plan.assumptions, *brought, *vanished])),
        plan.skipped,
        time.perf_counter() - started,
        size,
        profile.next_row,
    )


ASSUMPTION_OF_FINDING = {
    "timestamp-ties": "sync-ties",
    "duplicate-entity-ids": "sync-duplicates",
    "null-entity-ids": "sync-null-ids",
    "null-timestamps": "sync-null-timestamps",
    "future-rows": "sync-cutoff",
    "value-does-not-fit": "sync-misfits",
    "unsupported-type": "sync-types",
    "null-vectors": "sync-vectors",
    "wrong-vector-length": "sync-vectors",
    "non-finite-vectors": "sync-vectors",
}
"""The row of docs/assumptions.md that says what becomes of what a finding tells."""


def keeps_vanished(view: FeatureView, catalog: Catalog, options: Options) -> bool:
    """Whether entities that are not in the tables any more stay served: by choice, else under a KEY_VALUE store."""
    if options.vanished_entities:
        return options.vanished_entities == "keep"
    above = catalog.store_of(view.name or "")
    return above is not None and above.node.type == "KEY_VALUE"


def _watermark(view: FeatureView, plan: SyncPlan, store: OnlineStore, now: datetime) -> datetime | None:
    """The moment to go on from: of a continuous view whose snapshot was made by the same plan, and not after now."""
    if not (view.syncConfig and view.syncConfig.continuous):
        return None
    snapshot = store.snapshot(plan.view)
    if snapshot is None or snapshot.plan != plan.digest or snapshot.synced_at > now:
        return None
    return snapshot.watermark


def _checked_rows(
    plan: SyncPlan, engines: PlanEngines, checks: RowChecks, progress: Progress | None
) -> Iterator[Sequence[Any]]:
    """The rows to load, which are looked at as they pass, or all at once where they are."""
    (query, engine), *others = engines
    relation = None if others else engine.latest_relation(query)
    if relation is None:
        return checks.check(row_batches(plan, engines), progress)
    checks.check_relation(engine, relation)
    return checks.without_choices(row_batches(plan, engines), progress)


@contextmanager
def open_engines(plan: SyncPlan, options: Options, last: EngineCache) -> Iterator[PlanEngines]:
    """Open the engines of a plan for as long as they are needed; where it needs one, that is `last`'s.

    Raises CannotSync, also for what cannot be read while they are open.
    """
    engines: list[Engine] = []
    try:
        if len(plan.queries) == 1:
            yield [(plan.queries[0], last.of(plan.queries[0].locations))]
            return
        last.close()
        for query in plan.queries:
            engines.append(open_engine(query.locations, options))
        yield list(zip(plan.queries, engines, strict=True))
    except Unreadable as error:
        raise CannotSync(f"the rows cannot be read: {error}", steps=plan.queries[0].extractions[0].steps) from error
    finally:
        for opened in engines:
            opened.close()


def row_batches(plan: SyncPlan, engines: PlanEngines) -> Iterator[list[Row]]:
    """The rows of a plan as its layout has them, and at the end of each the choice that each table had."""
    if len(engines) == 1:
        ((query, query_engine),) = engines
        return query_engine.latest(query)
    streams = [_stream(place, query, query_engine) for place, (query, query_engine) in enumerate(engines)]
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


class Writer(Protocol):
    """Writes rows into a load from any process; what it returns can be added. It can be pickled."""

    def write(self, rows: Iterable[Sequence[object]]) -> Any:
        """Write rows. Raises StoreError."""
        ...


class Session(Protocol):
    """A load that was begun."""

    @property
    def writer(self) -> Any:
        """What writes its rows."""
        ...

    def write(self, rows: Iterable[Sequence[object]]) -> Any:
        """Write rows in this process. Raises StoreError."""
        ...

    def serve(self, load: RowLoad, written: Any) -> SyncCounts:
        """Serve what was written. Raises StoreError."""
        ...


@runtime_checkable
class PartitionedStore(Protocol):
    """A store that any number of processes may write the rows of a load to."""

    def begin_load(self, view: str, layout: RowLayout, synced_at: datetime) -> AbstractContextManager[Any]:
        """Begin a load. Raises SyncRunning."""
        ...


@dataclass(frozen=True)
class WritePartition:
    """Writes a partition of the rows of a query; its result is what was written, or why it could not be."""

    writer: Writer
    width: int

    def __call__(self, rows: Iterator[Sequence[Any]]) -> Any:
        try:
            return self.writer.write(row[: self.width] for row in rows)
        except StoreError as error:
            return str(error)


def _load_where_rows_are(store: OnlineStore, plan: SyncPlan, load: RowLoad, engines: PlanEngines) -> SyncCounts | None:
    """Have the machines of an engine load the rows of a plan; None where there are none. Raises StoreError."""
    if len(engines) != 1 or not isinstance(store, PartitionedStore):
        return None
    ((query, engine),) = engines
    layout = load.layout
    width = len(layout.keys) + layout.timestamp_count + len(layout.features)
    with store.begin_load(plan.view, layout, load.synced_at) as session:
        partitions = engine.each_partition(query, WritePartition(session.writer, width))
        if partitions is None:
            return None
        written = list(partitions)
        if reason := next((part for part in written if isinstance(part, str)), None):
            raise StoreError(reason)
        counts: SyncCounts = session.serve(load, reduce(add, written, session.write(())))
        return counts
