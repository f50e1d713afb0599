"""What was served at a moment: the newest sync by then is made again, in a store of its own.

The tables are read anew, so a row counts by its own moment, and not by when it was written into the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan, open_engine_of
from trialrun.runtime.feature_view.row_checks import RowChecks
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    OnDemand,
    SyncSchedule,
    created_at,
    last_run,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.store.interface import DirectWrite, InvalidWrite, NeverSynced, RowLoad, Snapshot
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore
    from trialrun.runtime.feature_view.sync import BeforeServing

ROWS, RUN, NO_MOMENT, WRITES = "as-of-rows", "as-of-run", "as-of-no-moment", "as-of-writes"


@dataclass(frozen=True)
class SyncRun:
    """Where the values of a view were from: a sync on record, a scheduled one, a continuous one, or writes alone."""

    at: datetime
    kind: Literal["recorded", "scheduled", "continuous", "written"]


@dataclass(frozen=True)
class PointInTime:
    """What was served at a moment: `store` has it, as of `run`.

    `again` says that the sync was made again in a store of its own; where it was not, `store` is the one that still
    serves that very run, with its indexes. The `assumptions` are ids of docs/assumptions.md.
    """

    store: OnlineStore
    run: SyncRun
    is_replayed: bool
    findings: tuple[DataFinding, ...] = ()
    assumptions: tuple[str, ...] = ()


def restore_as_of(
    view: DeclaredResource[FeatureView],
    catalog: Catalog,
    store: OnlineStore,
    moment: datetime,
    *,
    ids: Sequence[EntityId] | None = None,
    options: Options = DEFAULT_OPTIONS,
    before_serving: BeforeServing | None = None,
) -> PointInTime:
    """What a view served at a moment, of some entities or of all; `store` is the one that it is served from now.

    `before_serving` makes the index, where one is wanted, of a sync that is made again. Raises NeverSynced where there
    was no sync by then, and CannotSync.
    """
    if not has_source(view.node):
        return _restore_writes(view.node.name or "", store, moment)
    run = newest_run(view, store, moment, options)
    name = view.node.name or ""
    writes = store.history(name).writes
    if _is_still_served(store.snapshot(name), run) and all(write.at <= moment for write in writes):
        return PointInTime(store, run, is_replayed=False, assumptions=(WRITES,) if writes else ())
    past = SqliteStore(":memory:")
    with closing(EngineCache(options)) as engines:
        planned = build_plan(view, catalog, cutoff=run.at, ids=ids, options=options, engine=engines)
        findings = _replay_sync(planned, past, run, engines, before_serving)
    id_set = None if ids is None else set(ids)
    _write(
        past, name, [write for write in writes if write.at <= moment and (id_set is None or write.id in id_set)], moment
    )
    assumptions = tuple(dict.fromkeys(_assumptions(run, planned, writes)))
    return PointInTime(past, run, is_replayed=True, findings=findings, assumptions=assumptions)


def _restore_writes(name: str, store: OnlineStore, moment: datetime) -> PointInTime:
    """What a view without a source served: the values that were written by then. Raises NeverSynced."""
    snapshot, writes = store.snapshot(name), store.history(name).writes
    written = [write for write in writes if write.at <= moment]
    if snapshot is None or not written:
        raise NeverSynced(f'"{name}" has no source, and nothing was written into it by {format_timestamp(moment)}')
    run = SyncRun(max(direct_write.at for direct_write in written), "written")
    if len(written) == len(writes):
        return PointInTime(store, run, is_replayed=False, assumptions=(WRITES,))
    past = SqliteStore(":memory:")
    past.extend(name, snapshot.layout, now=moment)
    _write(past, name, written, moment)
    return PointInTime(past, run, is_replayed=True, assumptions=(WRITES,))


def _replay_sync(
    planned: SyncPlan,
    past: OnlineStore,
    run: SyncRun,
    engines: EngineCache,
    before_serving: BeforeServing | None,
) -> tuple[DataFinding, ...]:
    """Load what a sync read then; it looks at no rows but those that it serves."""
    observation = RowChecks(planned)
    with open_engine_of(planned, engines) as engine:
        rows = observation.check(engine.latest(planned.statement), None)
        load = RowLoad(planned.layout, rows, run.at, lambda: None, planned.digest, before_serving=before_serving)
        past.load(planned.view, load)
    return (*planned.findings, *observation.findings())


def newest_run(
    view: DeclaredResource[FeatureView], store: OnlineStore, moment: datetime, options: Options = DEFAULT_OPTIONS
) -> SyncRun:
    """The newest sync of a view at or before a moment, on record or by its schedule. Raises NeverSynced."""
    created, recorded = created_at(view.node), _last_recorded(view, store, moment)
    scheduled = _last_scheduled(schedule_of(view.node, options), moment)
    if scheduled and (created is None or scheduled.at >= created) and (recorded is None or scheduled.at > recorded):
        return scheduled
    if recorded is not None:
        return SyncRun(recorded, "recorded")
    advice = _advice(schedule_of(view.node, options), max(moment, created or moment))
    raise NeverSynced(f'"{view.node.name}" was not synced by {format_timestamp(moment)}; {advice}')


def _last_recorded(view: DeclaredResource[FeatureView], store: OnlineStore, moment: datetime) -> datetime | None:
    return max((at for at in store.history(view.node.name or "").syncs if at <= moment), default=None)


def _last_scheduled(schedule: SyncSchedule, moment: datetime) -> SyncRun | None:
    if isinstance(schedule, Continuous):
        return SyncRun(moment, "continuous")
    at = last_run(schedule, until=moment)
    return None if at is None else SyncRun(at, "scheduled")


def _advice(schedule: SyncSchedule, after: datetime) -> str:
    following = next(next_runs(schedule, after=after), None)
    if following is not None:
        return f"its first run by schedule is at {format_timestamp(following)}"
    if isinstance(schedule, Continuous):
        return f"it is synced continuously since it was created, at {format_timestamp(after)}"
    if isinstance(schedule, OnDemand):
        return f"it is synced on demand only, since {schedule.reason}: sync it at an earlier time"
    return "sync it at an earlier time"


def _is_still_served(snapshot: Snapshot | None, run: SyncRun) -> bool:
    return run.kind == "recorded" and snapshot is not None and snapshot.synced_at == run.at


def _write(past: OnlineStore, view: str, writes: Sequence[DirectWrite], moment: datetime) -> None:
    """Put direct writes into what was served then; those whose feature has gone or changed are left out."""
    try:
        past.write(view, writes, now=moment)
    except InvalidWrite:  # none was made: those that fit are, one by one
        for write in writes if len(writes) > 1 else ():
            _write(past, view, [write], moment)


def _assumptions(run: SyncRun, planned: SyncPlan, writes: Sequence[DirectWrite]) -> Iterator[str]:
    yield ROWS
    if run.kind == "scheduled":
        yield RUN
    if not all(selection.moment for selection in planned.selections):
        yield NO_MOMENT
    if writes:
        yield WRITES
    yield from planned.assumptions
