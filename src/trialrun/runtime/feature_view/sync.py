"""The sync of a view: its latest values go from the tables into the online store, all at once or not at all.

Where the engine of a plan and the store allow it, the rows never pass through this process: the machines of the engine
write them into the store themselves. How large a sync would be is told by the sizes of tables; no row is read for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from trialrun.errors import StoreError
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan, open_engine_of
from trialrun.runtime.feature_view.row_checks import Progress, RowChecks, profile_tables
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.table_size import (
    Estimate,
    EstimatedRange,
    SourceSize,
    SyncEstimate,
    exactly,
    source_size,
)
from trialrun.runtime.feature_view.store.interface import OnlineStore, RowLayout, RowLoad, Scan, SyncCounts
from trialrun.runtime.options import DEFAULT_OPTIONS, Options, sync_limits
from trialrun.values.amounts import format_bytes, parse_bytes

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.feature_view.store.redis.load_session import LoadSession, PartitionWriter, WrittenRows

BeforeServing = Callable[[int, "Scan"], None]


@dataclass(frozen=True)
class SyncReport:
    """What a sync did: counts, what is to be said of the rows, what it rests on, and what it took.

    `counts.read` counts the rows of the tables; `bytes` is the size of their files. `next_row` is the moment of
    the first row that is later than the sync, None where there is none.
    """

    plan: SyncPlan
    counts: SyncCounts
    findings: tuple[DataFinding, ...]
    assumptions: tuple[str, ...]
    skipped: tuple[DataFinding, ...]
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
            if relation := engine.latest_relation(plan.statement):  # the rows are looked at all at once where they are
                checks.check_relation(engine, relation)
            load = RowLoad(
                layout=plan.layout,
                rows=checks.check(engine.latest(plan.statement), progress),
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
    brought = [ASSUMPTION_OF_FINDING[finding.code] for finding in findings if finding.code in ASSUMPTION_OF_FINDING]
    vanished = ["sync-vanished"] if counts.vanished else []
    assumptions = tuple(dict.fromkeys([*plan.assumptions, *brought, *vanished]))
    seconds = time.perf_counter() - started
    return SyncReport(plan, counts, findings, assumptions, plan.skipped, seconds, size, profile.next_row)


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


@runtime_checkable
class PartitionedStore(Protocol):
    """A store that any number of processes may write the rows of a load to, each with the session's writer."""

    def begin_load(self, view: str, layout: RowLayout, synced_at: datetime) -> AbstractContextManager[LoadSession]:
        """Begin a load. Raises SyncRunning."""


def write_partition(writer: PartitionWriter, width: int, rows: Iterator[Sequence[Any]]) -> WrittenRows | str:
    """Write a partition of the rows of a statement: what was written, or why it could not be."""
    try:
        return writer.write(row[:width] for row in rows)
    except StoreError as error:
        return str(error)


def _load_where_rows_are(store: OnlineStore, plan: SyncPlan, load: RowLoad, engine: Engine) -> SyncCounts | None:
    """Have the machines of an engine load the rows of a plan; None where there are none. Raises StoreError."""
    if not isinstance(store, PartitionedStore):
        return None
    width = load.layout.feature_start + len(load.layout.features)
    with store.begin_load(plan.view, load.layout, load.synced_at) as session:
        partitions = engine.each_partition(plan.statement, partial(write_partition, session.writer, width))
        if partitions is None:
            return None
        written = list(partitions)
        if reason := next((part for part in written if isinstance(part, str)), None):
            raise StoreError(reason)
        return session.serve(load, sum(written, session.write(())))


SNAPSHOT_MARGIN = 1.25
"""There may be so many times more or fewer entities than are served now."""
MEMORY_OF_ROWS = 2.4
"""Bytes that the embedded engine keeps for each byte of the rows that a sync serves."""
GIGABYTE = 1_000_000_000


def estimate_sync(plan: SyncPlan, options: Options, *, served: int | None = None) -> SyncEstimate:
    """How large a planned sync would be; `served` is how many entities the last sync left."""
    columns: dict[TableLocation, dict[str, None]] = {}
    keys: dict[TableLocation, list[str]] = {}
    for selection in plan.selections:
        columns.setdefault(selection.place, {}).update(dict.fromkeys(column.name for column in selection.columns))
        keys[selection.place] = [key.name for key in selection.keys]
    sources = []
    with closing(EngineCache(replace(options, engine=None))) as cache:  # footers are read here, whatever reads the rows
        for place, names in columns.items():
            try:
                sources.append(source_size(place, tuple(names), keys[place], cache))
            except (Unreadable, OSError) as error:  # one that only executors see is none of this machine
                reason = f"cannot be read on this machine: {error}"
                sources.append(SourceSize(place.uri, "unknown", None, reason, 0, 0.0))
    known = [source.rows for source in sources if source.rows]
    rows = sum(known, exactly(0)) if len(known) == len(sources) else None
    entities, basis = _entities(sources, rows, served)
    size = entities and entities.times(sum(source.row_width for source in sources))
    return SyncEstimate(tuple(sources), rows, entities, basis, size, *_beyond_memory(size, options))


def _entities(sources: Sequence[SourceSize], rows: Estimate, served: int | None) -> tuple[Estimate, str]:
    """How many entities there are: as many as rows at most, and as many as the keys of a table can tell apart."""
    limits = [(source.rows.high if source.rows else 0.0, source.most_keys) for source in sources]
    most = None if rows is None else sum(high if keys is None else min(high, keys) for high, keys in limits)
    if served:
        known = EstimatedRange(served / SNAPSHOT_MARGIN, served * SNAPSHOT_MARGIN)
        basis = "the entities served now"
        return known if most is None else EstimatedRange(min(known.low, most), min(known.high, most)), basis
    if rows is None or most is None:
        return None, "nothing tells how many entities there are before a first sync"
    if most < rows.high:
        return EstimatedRange(min(1, most), most), "the least and the greatest entity id in the footers"
    return EstimatedRange(min(1, most), most), "at most one for each row; a first sync tells more"


def _beyond_memory(size: Estimate, options: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """That the statement spills to the disk, perhaps or surely, and the setting that would be enough."""
    most = sync_limits().memory
    limit = parse_bytes(options.memory_limit) or most
    if size is None or size.high * MEMORY_OF_ROWS <= limit:
        return (), ()
    perhaps = "" if size.low * MEMORY_OF_ROWS > limit else " perhaps"
    problems = (f"it{perhaps} needs more memory than memory-limit, {format_bytes(limit)}, and spills to the disk",)
    enough = math.ceil(size.high * MEMORY_OF_ROWS / GIGABYTE) * GIGABYTE
    if enough <= most:
        return problems, (f'set memory-limit = "{format_bytes(enough)}" under [runtime]',)
    return problems, (
        'name an engine alias of a Spark cluster under [runtime] (engine = "ALIAS"), or wait for the disk',
    )
