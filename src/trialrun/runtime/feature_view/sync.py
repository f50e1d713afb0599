"""The sync of a view: its latest values go from the tables into the online store, all at once or not at all.

Where the engine of a plan and the store allow it, the rows never pass through this process: the machines of the engine
write them into the store themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from datetime import datetime
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.data_finding import DataFinding, SkippedCheck
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan, open_engine_of
from trialrun.runtime.feature_view.row_checks import RowChecks, profile_tables
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, StoreError, SyncCounts
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.store.interface import OnlineStore, Scan

Progress = Callable[[int, int | None], None]
BeforeServing = Callable[[int, "Scan"], None]


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
    with closing(EngineCache(options)) as engines:
        plan = build_plan(view, catalog, cutoff=now, options=options, engine=engines)
        if since := _watermark(view.node, plan, store, now):
            plan = build_plan(view, catalog, cutoff=now, since=since, options=options, engine=engines)
        checks = RowChecks(plan)
        with open_engine_of(plan, engines) as engine:
            profile = profile_tables(plan, engine)
            load = RowLoad(
                layout=plan.layout,
                rows=_checked_rows(plan, engine, checks, progress),
                synced_at=now,
                watermark=lambda: profile.watermark,
                plan=plan.digest,
                keep_vanished=keeps_vanished(view.node, catalog, options),
                incremental=plan.incremental,
                before_serving=before_serving,
            )
            counts = _load_where_rows_are(store, plan, load, engine) or store.load(plan.view, load)
            size = sum(map(engine.size, {selection.place.uri: None for selection in plan.selections}))
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
    plan: SyncPlan, engine: Engine, checks: RowChecks, progress: Progress | None
) -> Iterator[Sequence[Any]]:
    """The rows to load, which are looked at as they pass, or all at once where they are."""
    relation = engine.latest_relation(plan.statement)
    if relation is None:
        return checks.check(engine.latest(plan.statement), progress)
    checks.check_relation(engine, relation)
    return checks.without_choices(engine.latest(plan.statement), progress)


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
    """Writes a partition of the rows of a statement; its result is what was written, or why it could not be."""

    writer: Writer
    width: int

    def __call__(self, rows: Iterator[Sequence[Any]]) -> Any:
        try:
            return self.writer.write(row[: self.width] for row in rows)
        except StoreError as error:
            return str(error)


def _load_where_rows_are(store: OnlineStore, plan: SyncPlan, load: RowLoad, engine: Engine) -> SyncCounts | None:
    """Have the machines of an engine load the rows of a plan; None where there are none. Raises StoreError."""
    if not isinstance(store, PartitionedStore):
        return None
    layout = load.layout
    width = len(layout.keys) + layout.timestamp_count + len(layout.features)
    with store.begin_load(plan.view, layout, load.synced_at) as session:
        partitions = engine.each_partition(plan.statement, WritePartition(session.writer, width))
        if partitions is None:
            return None
        written = list(partitions)
        if reason := next((part for part in written if isinstance(part, str)), None):
            raise StoreError(reason)
        counts: SyncCounts = session.serve(load, reduce(add, written, session.write(())))
        return counts
