"""Which views a change reaches, and where their runs differ: the next ones, and those around changes of the clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from trialrun.changes.compare import Difference, ResourcePair
from trialrun.changes.sides import Sides
from trialrun.outputs.plan import NotCompared, Rows, Runs, ViewReach
from trialrun.outputs.schedule import rfc_3339
from trialrun.runtime.feature_view.schedule import CronSchedule, SyncSchedule, next_runs, schedule_of
from trialrun.runtime.options import Options
from trialrun.values import time_zone
from trialrun.values.resource_name import shown_name
from trialrun.workspace.relevant_diagnostics import documents_of_view

if TYPE_CHECKING:
    from trialrun.runtime.declaration import Catalog, DeclaredResource

NEXT_RUNS = 5
MAX_RUNS = 10
"""Number of runs that are listed for a side of a period."""
MAX_RUNS_READ = 20_000
"""Number of runs of a side that are read: those of a week, once a minute."""
BEFORE_CLOCK_CHANGE, WEEK = timedelta(days=3), timedelta(days=7)
KINDS_OF_VIEWS = frozenset({"FeatureGroupTable", "FeatureOnlineStore", "Source"})
SCHEDULE_CHANGES = frozenset({"schedule-changed", "schedule-zone-changed", "source-kind-changed"})
"""Changes of a view after which it may be synced at other times."""
MAX_VIEWS = 50
"""Number of views whose rows are compared; the others are listed as not compared."""
CHANGES_OF_ROWS = frozenset({
    "source-kind-changed", "source-uri-changed", "entity-id-columns-changed", "feature-group-added",
    "feature-group-removed", "feature-added", "feature-removed", "registry-project-changed",
    "feature-group-table-changed", "timestamp-column-changed", "dense-changed", "registered-feature-changed",
    "source-changed",
})  # fmt: skip
"""Changes after which a view may serve other entities or values."""


class Views:
    """The views of both sides: which a difference reaches, and what differs in their runs and, if asked for, rows.

    For rows, both sides are synced into a store that is thrown away, each view once. The rows are those of the working
    tree on both sides: data is not read from git.
    """

    def __init__(self, sides: Sides, options: Options, *, with_rows: bool) -> None:
        self._sides = sides
        self._options = options
        self._with_rows = with_rows
        self._now = sides.head.request.now
        self._rows: dict[str, Rows | NotCompared] = {}

    def reach(self, pair: ResourcePair, difference: Difference) -> Sequence[ViewReach]:
        """The views that a difference reaches."""
        runs: list[Runs] = []
        if pair.kind == "FeatureView":
            names = [pair.name]
            if difference.type.id in SCHEDULE_CHANGES and pair.before and pair.after:
                before, after = (schedule_of(side.node, self._options) for side in pair.sides)
                runs = list(runs_differences(before, after, self._now))
        else:
            catalogs = ((self._sides.base, pair.before), (self._sides.head, pair.after))
            users = (_views_using(pair.kind, one, side.views) for side, one in catalogs if one)
            names = sorted({name for found in users for name in found}) if pair.kind in KINDS_OF_VIEWS else []
        with_rows = self._with_rows and difference.type.id in CHANGES_OF_ROWS
        return [ViewReach(shown_name(name), runs, self._rows_of(name) if with_rows else None) for name in names]

    @property
    def not_compared(self) -> Iterator[NotCompared]:
        """The views whose rows were asked for and could not be compared."""
        return (result for result in self._rows.values() if isinstance(result, NotCompared))

    def _rows_of(self, name: str) -> Rows | None:
        """What differs in the entities of a view that both sides have; None where that cannot be said."""
        if name not in self._rows:
            result = (
                f"rows are compared for {MAX_VIEWS} views; compare fewer changes at once"
                if len(self._rows) >= MAX_VIEWS
                else self._compare_rows(name)
            )
            self._rows[name] = NotCompared(f"rows of {name}", result) if isinstance(result, str) else result
        known = self._rows[name]
        return None if isinstance(known, NotCompared) else known

    def _compare_rows(self, name: str) -> Rows | str:
        """What differs in the entities of a view; the reason where that cannot be said.

        It is read within the limits of the user: nobody has looked at the documents of both sides.
        """
        from trialrun.errors import StoreError
        from trialrun.runtime.clock import FixedClock
        from trialrun.runtime.feature_view.data_finding import CannotSync
        from trialrun.runtime.feature_view.trial_run import StoreFolder, TrialRun, ViewStores
        from trialrun.runtime.options import cap_options, user_limits

        options = replace(cap_options(self._options, user_limits()), confined=True, engine=None)
        with TemporaryDirectory(prefix="trialrun-plan-") as folder:
            stores = ViewStores(StoreFolder(folder, temporary=True))
            for word, side in (("BASE", self._sides.base), ("HEAD", self._sides.head)):
                views = [view for view in side.views.views if view.node.name == name]
                if len(views) != 1:
                    return f"{word}: no view has this name, or several"
                try:
                    trial = TrialRun(side.views, stores, FixedClock(self._now), options)
                    counts = trial.sync(views[0], with_index=False).counts
                except (CannotSync, StoreError) as error:
                    return f"{word}: {error}"
        return Rows(counts.new, counts.vanished, counts.changed)


def _views_using(kind: str, resource: DeclaredResource[Any], catalog: Catalog) -> Iterator[str]:
    """The names of the views that use a companion document: a store, a feature group or a source, by its uri."""
    for view in catalog.views:
        for document in documents_of_view(view, catalog):
            is_source = kind == "Source" and isinstance(document.node, type(resource.node))
            if document.node is resource.node or (is_source and document.node.uri == resource.node.uri):
                yield view.node.name or ""


def runs_differences(before: SyncSchedule, after: SyncSchedule, now: datetime) -> Iterator[Runs]:
    """Where the runs of two schedules differ: the next ones, and in the week of the next changes of the clocks."""
    schedules = before, after
    first, second = (list(islice(next_runs(schedule, after=now), NEXT_RUNS)) for schedule in schedules)
    if _instants(first) != _instants(second):
        yield Runs("next", list(map(rfc_3339, first)), list(map(rfc_3339, second)))
    for change in _clock_changes(schedules, now):
        start = (change - BEFORE_CLOCK_CHANGE).replace(hour=0, minute=0, second=0)
        first, second = (_runs_of_week(schedule, start) for schedule in schedules)
        instants = set(_instants(first)), set(_instants(second))
        only_before = [rfc_3339(run) for run in first if run.astimezone(UTC) not in instants[1]]
        only_after = [rfc_3339(run) for run in second if run.astimezone(UTC) not in instants[0]]
        if only_before or only_after:
            week = f"week of {start.date()}, clocks change on {change.date()}"
            yield Runs(week, only_before[:MAX_RUNS], only_after[:MAX_RUNS])


def _runs_of_week(schedule: SyncSchedule, start: datetime) -> list[datetime]:
    runs = islice(next_runs(schedule, after=start - timedelta(microseconds=1)), MAX_RUNS_READ)
    return list(takewhile(lambda run: run < start + WEEK, runs))


def _instants(runs: Iterable[datetime]) -> list[datetime]:
    return [run.astimezone(UTC) for run in runs]


def _clock_changes(schedules: Iterable[SyncSchedule], now: datetime) -> list[datetime]:
    """The next change of the clocks forward, and the next one back, in the zones of the schedules, in UTC."""
    changes: set[datetime] = set()
    for zone in {schedule.zone for schedule in schedules if isinstance(schedule, CronSchedule)}:
        years = (time_zone.transitions_in_year(zone, year) for year in (now.year, now.year + 1))
        ahead = [at for found in years for one in found if (at := one.at.replace(tzinfo=UTC)) > now]
        changes.update(ahead[:2])
    return list({change.date(): change for change in sorted(changes, reverse=True)}.values())[::-1]
