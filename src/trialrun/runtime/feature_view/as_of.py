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
from trialrun.runtime.feature_view.merged_rows import batches, opened
from trialrun.runtime.feature_view.plan import Plan, plan
from trialrun.runtime.feature_view.row_checks import Observation
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    OnDemand,
    Schedule,
    created_at,
    last_run,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.source.engine import LastEngine
from trialrun.runtime.feature_view.store.interface import CannotWrite, Load, NeverSynced, Snapshot, Write
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.options import DEFAULTS, Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore
    from trialrun.runtime.feature_view.sync import BeforeServing

ROWS, RUN, NO_MOMENT, WRITES = "as-of-rows", "as-of-run", "as-of-no-moment", "as-of-writes"


@dataclass(frozen=True)
class Run:
    """Where the values of a view were from: a sync on record, a scheduled one, a continuous one, or writes alone."""

    at: datetime
    sort: Literal["recorded", "scheduled", "continuous", "written"]


@dataclass(frozen=True)
class Past:
    """What was served at a moment: `store` has it, as of `run`.

    `again` says that the sync was made again in a store of its own; where it was not, `store` is the one that still
    serves that very run, with its indexes. The `assumptions` are ids of docs/assumptions.md.
    """

    store: OnlineStore
    run: Run
    again: bool
    findings: tuple[DataFinding, ...] = ()
    assumptions: tuple[str, ...] = ()


def served_at(
    view: Declared[FeatureView],
    catalog: Catalog,
    store: OnlineStore,
    moment: datetime,
    *,
    ids: Sequence[EntityId] | None = None,
    options: Options = DEFAULTS,
    before_serving: BeforeServing | None = None,
) -> Past:
    """What a view served at a moment, of some entities or of all; `store` is the one that it is served from now.

    `before_serving` makes the index, where one is wanted, of a sync that is made again. Raises NeverSynced where there
    was no sync by then, and CannotSync.
    """
    if not has_source(view.node):
        return _written_at(view.node.name or "", store, moment)
    run = run_by(view, store, moment, options)
    name = view.node.name or ""
    writes = store.history(name).writes
    if _is_served_still(store.snapshot(name), run) and all(one.at <= moment for one in writes):
        return Past(store, run, again=False, assumptions=(WRITES,) if writes else ())
    past = SqliteStore(":memory:")
    with closing(LastEngine(options)) as engine:
        planned = plan(view, catalog, cutoff=run.at, ids=ids, options=options, engine=engine)
        findings = _made_again(planned, past, run, options, engine, before_serving)
    asked = None if ids is None else set(ids)
    _write(past, name, [one for one in writes if one.at <= moment and (asked is None or one.id in asked)], moment)
    assumptions = tuple(dict.fromkeys(_assumptions(run, planned, writes)))
    return Past(past, run, again=True, findings=findings, assumptions=assumptions)


def _written_at(name: str, store: OnlineStore, moment: datetime) -> Past:
    """What a view without a source served: the values that were written by then. Raises NeverSynced."""
    snapshot, writes = store.snapshot(name), store.history(name).writes
    written = [one for one in writes if one.at <= moment]
    if snapshot is None or not written:
        raise NeverSynced(f'"{name}" has no source, and nothing was written into it by {moment.isoformat()}')
    run = Run(max(one.at for one in written), "written")
    if len(written) == len(writes):
        return Past(store, run, again=False, assumptions=(WRITES,))
    past = SqliteStore(":memory:")
    past.extend(name, snapshot.layout, now=moment)
    _write(past, name, written, moment)
    return Past(past, run, again=True, assumptions=(WRITES,))


def _made_again(
    planned: Plan,
    past: OnlineStore,
    run: Run,
    options: Options,
    engine: LastEngine,
    before_serving: BeforeServing | None,
) -> tuple[DataFinding, ...]:
    """Load what a sync read then; it looks at no rows but those that it serves."""
    observation = Observation(planned)
    with opened(planned, options, engine) as engines:
        rows = observation.watch(batches(planned, engines), None)
        load = Load(planned.layout, rows, run.at, lambda: None, planned.digest, before_serving=before_serving)
        past.load(planned.view, load)
    return (*planned.findings, *observation.findings())


def run_by(view: Declared[FeatureView], store: OnlineStore, moment: datetime, options: Options = DEFAULTS) -> Run:
    """The newest sync of a view at or before a moment, on record or by its schedule. Raises NeverSynced."""
    created, recorded = created_at(view.node), _recorded(view, store, moment)
    scheduled = _scheduled(schedule_of(view.node, options), moment)
    if scheduled and (created is None or scheduled.at >= created) and (recorded is None or scheduled.at > recorded):
        return scheduled
    if recorded is not None:
        return Run(recorded, "recorded")
    advice = _advice(schedule_of(view.node, options), max(moment, created or moment))
    raise NeverSynced(f'"{view.node.name}" was not synced by {moment.isoformat()}; {advice}')


def _recorded(view: Declared[FeatureView], store: OnlineStore, moment: datetime) -> datetime | None:
    return max((at for at in store.history(view.node.name or "").syncs if at <= moment), default=None)


def _scheduled(schedule: Schedule, moment: datetime) -> Run | None:
    if isinstance(schedule, Continuous):
        return Run(moment, "continuous")
    at = last_run(schedule, until=moment)
    return None if at is None else Run(at, "scheduled")


def _advice(schedule: Schedule, after: datetime) -> str:
    following = next(next_runs(schedule, after=after), None)
    if following is not None:
        return f"its first run by schedule is at {following.isoformat()}"
    if isinstance(schedule, Continuous):
        return f"it is synced continuously since it was created, at {after.isoformat()}"
    if isinstance(schedule, OnDemand):
        return f"it is synced on demand only, since {schedule.reason}: sync it at an earlier moment"
    return "sync it at an earlier moment"


def _is_served_still(snapshot: Snapshot | None, run: Run) -> bool:
    return run.sort == "recorded" and snapshot is not None and snapshot.synced_at == run.at


def _write(past: OnlineStore, view: str, writes: Sequence[Write], moment: datetime) -> None:
    """Put direct writes into what was served then; those whose feature has gone or changed are left out."""
    try:
        past.write(view, writes, now=moment)
    except CannotWrite:  # none was made: those that fit are, one by one
        for one in writes if len(writes) > 1 else ():
            _write(past, view, [one], moment)


def _assumptions(run: Run, planned: Plan, writes: Sequence[Write]) -> Iterator[str]:
    yield ROWS
    if run.sort == "scheduled":
        yield RUN
    if any(not one.moment for query in planned.queries for one in query.extractions):
        yield NO_MOMENT
    if writes:
        yield WRITES
    yield from planned.assumptions
