"""The sync of a view: its latest values go from the tables into the online store, all at once or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.data_finding import DataFinding, SkippedCheck
from trialrun.runtime.feature_view.partitioned_load import PartitionedStore, load_partitions
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan, open_engine_of
from trialrun.runtime.feature_view.row_checks import RowChecks
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.store.interface import RowLoad, SyncCounts
from trialrun.runtime.feature_view.table_profile import profile_tables
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
        planned = build_plan(view, catalog, cutoff=now, options=options, engine=engines)
        if since := _watermark(view.node, planned, store, now):
            planned = build_plan(view, catalog, cutoff=now, since=since, options=options, engine=engines)
        observation = RowChecks(planned)
        with open_engine_of(planned, engines) as engine:
            seen = profile_tables(planned, engine)
            keeps = keeps_vanished(view.node, catalog, options)
            load = RowLoad(
                layout=planned.layout,
                rows=_checked_rows(planned, engine, observation, progress),
                synced_at=now,
                watermark=lambda: seen.watermark,
                plan=planned.digest,
                keep_vanished=keeps,
                incremental=planned.incremental,
                before_serving=before_serving,
            )
            counts = _load(store, planned, load, engine)
            size = sum(map(engine.size, {selection.place.uri: None for selection in planned.selections}))
    findings = (*planned.findings, *seen.findings, *observation.findings())
    return SyncReport(
        planned.view,
        planned,
        _counts(counts, planned, seen.rows),
        findings,
        _assumptions(planned, findings, counts),
        planned.skipped,
        time.perf_counter() - started,
        size,
        seen.next_row,
    )


def _load(store: OnlineStore, planned: SyncPlan, load: RowLoad, engine: Engine) -> SyncCounts:
    """Load the rows: from where they are, if the store can be written to from there, else through this process."""
    if isinstance(store, PartitionedStore):
        counts = load_partitions(store, planned.view, load, planned.statement, engine)
        if counts is not None:
            return counts
    return store.load(planned.view, load)


def _checked_rows(
    planned: SyncPlan, engine: Engine, observation: RowChecks, progress: Progress | None
) -> Iterator[Sequence[Any]]:
    """The rows to load, which are looked at as they pass, or all at once where they are."""
    relation = engine.latest_relation(planned.statement)
    if relation is None:
        return observation.check(engine.latest(planned.statement), progress)
    observation.check_relation(engine, relation)
    return observation.without_choices(engine.latest(planned.statement), progress)


def _counts(counts: SyncCounts, planned: SyncPlan, rows: int) -> SyncCounts:
    """The counts of the store, with the rows of the tables; what an incremental sync does not ask for is not gone."""
    return replace(counts, read=rows, vanished=0 if planned.incremental else counts.vanished)


def keeps_vanished(view: FeatureView, catalog: Catalog, options: Options) -> bool:
    """Whether entities that are not in the tables any more stay served: by choice, else under a KEY_VALUE store."""
    if options.vanished_entities:
        return options.vanished_entities == "keep"
    above = catalog.store_of(view.name or "")
    return above is not None and above.node.type == "KEY_VALUE"


def _watermark(view: FeatureView, planned: SyncPlan, store: OnlineStore, now: datetime) -> datetime | None:
    """The moment to go on from: of a continuous view whose snapshot was made by the same plan, and not after now."""
    if not (view.syncConfig and view.syncConfig.continuous):
        return None
    snapshot = store.snapshot(planned.view)
    if snapshot is None or snapshot.plan != planned.digest or snapshot.synced_at > now:
        return None
    return snapshot.watermark


def _assumptions(planned: SyncPlan, findings: Sequence[DataFinding], counts: SyncCounts) -> tuple[str, ...]:
    """The rows of docs/assumptions.md that applied: those of the plan, and those that the rows brought in."""
    brought = (ASSUMPTION_OF_FINDING[finding.code] for finding in findings if finding.code in ASSUMPTION_OF_FINDING)
    vanished = ["sync-vanished"] if counts.vanished else []
    return tuple(dict.fromkeys([*planned.assumptions, *brought, *vanished]))


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
