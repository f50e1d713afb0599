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
from trialrun.runtime.feature_view.store.interface import DirectWrite, InvalidWrite, NeverSynced, RowLoad
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import BeforeServing
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore

ROWS, RUN, NO_MOMENT, WRITES = "as-of-rows", "as-of-run", "as-of-no-moment", "as-of-writes"


@dataclass(frozen=True)
class SyncRun:
    """Where the values of a view were from: a sync on record, a scheduled one, a continuous one, or writes alone."""

    at: datetime
    kind: Literal["recorded", "scheduled", "continuous", "written"]


@dataclass(frozen=True)
class PointInTime:
    """What was served at a moment: `store` has it, as of `run`.

    `is_replayed` says that the sync was made again in a store of its own; where it was not, `store` is the one that
    still serves that very run, with its indexes. The `assumptions` are ids of docs/assumptions.md.
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
    into: OnlineStore | None = None,
    ids: Sequence[EntityId] | None = None,
    options: Options = DEFAULT_OPTIONS,
    before_serving: BeforeServing | None = None,
) -> PointInTime:
    """What a view served at a moment, of some entities or of all; `store` is the one that it is served from now.

    A sync is made again `into` an empty store, one in memory unless it is given, and `before_serving` makes the
    index of it, where one is wanted. Raises NeverSynced where there was no sync by then, and CannotSync.
    """
    past = into or SqliteStore(":memory:")
    name = view.node.name or ""
    if not has_source(view.node):
        return _restore_writes(name, store, past, moment)
    run, writes, served = newest_run(view, store, moment, options), store.history(name).writes, store.snapshot(name)
    is_still_served = run.kind == "recorded" and served is not None and served.synced_at == run.at
    if is_still_served and all(write.at <= moment for write in writes):
        return PointInTime(store, run, is_replayed=False, assumptions=(WRITES,) if writes else ())
    with closing(EngineCache(options)) as engines:
        plan = build_plan(view, catalog, cutoff=run.at, ids=ids, options=options, engine=engines)
        checks = RowChecks(plan)  # of the rows that are served alone
        with open_engine_of(plan, engines) as engine:
            rows = checks.check(engine.latest(plan.statement), None)
            load = RowLoad(plan.layout, rows, run.at, lambda: None, plan.digest, before_serving=before_serving)
            past.load(name, load)
    asked = None if ids is None else set(ids)
    by_then = [write for write in writes if write.at <= moment and (asked is None or write.id in asked)]
    _write(past, name, by_then, moment)
    return PointInTime(
        past,
        run,
        is_replayed=True,
        findings=(*plan.findings, *checks.findings()),
        assumptions=tuple(dict.fromkeys(_assumptions(run, plan, writes))),
    )


def _restore_writes(name: str, store: OnlineStore, past: OnlineStore, moment: datetime) -> PointInTime:
    """What a view without a source served: the values that were written by then. Raises NeverSynced."""
    snapshot, writes = store.snapshot(name), store.history(name).writes
    written = [write for write in writes if write.at <= moment]
    if snapshot is None or not written:
        raise NeverSynced(f'"{name}" has no source, and nothing was written into it by {format_timestamp(moment)}')
    run = SyncRun(max(direct_write.at for direct_write in written), "written")
    if len(written) == len(writes):
        return PointInTime(store, run, is_replayed=False, assumptions=(WRITES,))
    past.extend(name, snapshot.layout, now=moment)
    _write(past, name, written, moment)
    return PointInTime(past, run, is_replayed=True, assumptions=(WRITES,))


def newest_run(
    view: DeclaredResource[FeatureView], store: OnlineStore, moment: datetime, options: Options = DEFAULT_OPTIONS
) -> SyncRun:
    """The newest sync of a view at or before a moment, on record or by its schedule. Raises NeverSynced."""
    created, schedule = created_at(view.node), schedule_of(view.node, options)
    recorded = max((at for at in store.history(view.node.name or "").syncs if at <= moment), default=None)
    is_continuous = isinstance(schedule, Continuous)
    scheduled = moment if is_continuous else last_run(schedule, until=moment)
    if scheduled and (created is None or scheduled >= created) and (recorded is None or scheduled > recorded):
        return SyncRun(scheduled, "continuous" if is_continuous else "scheduled")
    if recorded is not None:
        return SyncRun(recorded, "recorded")
    advice = _advice(schedule, max(moment, created or moment))
    raise NeverSynced(f'"{view.node.name}" was not synced by {format_timestamp(moment)}; {advice}')


def _advice(schedule: SyncSchedule, after: datetime) -> str:
    following = next(next_runs(schedule, after=after), None)
    if following is not None:
        return f"its first run by schedule is at {format_timestamp(following)}"
    if isinstance(schedule, Continuous):
        return f"it is synced continuously since it was created, at {format_timestamp(after)}"
    if isinstance(schedule, OnDemand):
        return f"it is synced on demand only, since {schedule.reason}: sync it at an earlier time"
    return "sync it at an earlier time"


def _write(past: OnlineStore, view: str, writes: Sequence[DirectWrite], moment: datetime) -> None:
    """Put direct writes into what was served then; those whose feature has gone or changed are left out."""
    try:
        past.write(view, writes, now=moment)
    except InvalidWrite:  # none was made: those that fit are, one by one
        for write in writes if len(writes) > 1 else ():
            _write(past, view, [write], moment)


def _assumptions(run: SyncRun, plan: SyncPlan, writes: Sequence[DirectWrite]) -> Iterator[str]:
    yield ROWS
    if run.kind == "scheduled":
        yield RUN
    if not all(selection.moment for selection in plan.selections):
        yield NO_MOMENT
    if writes:
        yield WRITES
    yield from plan.assumptions
