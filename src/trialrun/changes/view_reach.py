"""Which views a change reaches, and where their runs differ: the next ones, and those around changes of the clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from trialrun.changes.change import NotCompared, RowsDifference, RunsDifference, ViewReach
from trialrun.changes.compare import Difference
from trialrun.changes.comparison import ResourcePair
from trialrun.changes.sides import Catalogs, SideCatalogs
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.schedule import rfc_3339
from trialrun.runtime.feature_view.schedule import CronSchedule, SyncSchedule, next_runs, schedule_of
from trialrun.runtime.options import Options
from trialrun.values import time_zone

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.sync import SyncReport
    from trialrun.runtime.feature_view.trial_run import ViewStores

NEXT_RUNS = 5
MAX_RUNS = 10
"""Number of runs that are listed for a side of a period."""
MAX_RUNS_READ = 20_000
"""Number of runs of a side that are read: those of a week, once a minute."""
BEFORE_CLOCK_CHANGE, WEEK = timedelta(days=3), timedelta(days=7)
KINDS_OF_VIEWS = frozenset({"FeatureView", "FeatureGroupTable", "FeatureOnlineStore", "Source"})
SCHEDULE_CHANGES = frozenset({"schedule-changed", "schedule-zone-changed", "source-kind-changed"})
"""Changes of a view after which it may be synced at other times."""
MAX_VIEWS = 50
"""Number of views whose rows are compared; the others are listed as not compared."""
CHANGES_OF_ROWS = frozenset(
    {
        "source-kind-changed",
        "source-uri-changed",
        "entity-id-columns-changed",
        "feature-group-added",
        "feature-group-removed",
        "feature-added",
        "feature-removed",
        "registry-project-changed",
        "feature-group-table-changed",
        "timestamp-column-changed",
        "dense-changed",
        "registered-feature-changed",
        "source-changed",
    }
)
"""Changes after which a view may serve other entities or values."""


@dataclass(frozen=True)
class Views:
    """The views of both sides, and the time from which runs are looked at."""

    catalogs: Catalogs
    now: datetime
    options: Options
    rows: Rows | None = None

    def reach(self, pair: ResourcePair, difference: Difference) -> Sequence[ViewReach]:
        """The views that a difference reaches."""
        if pair.kind == "FeatureView":
            runs = self._runs(pair) if difference.type.id in SCHEDULE_CHANGES else ()
            return [ViewReach(pair.name, list(runs), self._rows(pair.name, difference))]
        if pair.kind not in KINDS_OF_VIEWS:
            return []
        names = dict.fromkeys(
            view.node.name or ""
            for catalog, side in ((self.catalogs.base.views, pair.before), (self.catalogs.head.views, pair.after))
            if side
            for view in views_using(pair.kind, side, catalog)
        )
        return [ViewReach(name, (), self._rows(name, difference)) for name in sorted(names)]

    def _rows(self, name: str, difference: Difference) -> RowsDifference | None:
        """What differs in the entities of a view, where rows are compared and may differ."""
        if self.rows is None or difference.type.id not in CHANGES_OF_ROWS:
            return None
        return self.rows.compare(name)

    def _runs(self, pair: ResourcePair) -> Iterator[RunsDifference]:
        if pair.before is None or pair.after is None:
            return
        before, after = (schedule_of(side.node, self.options) for side in (pair.before, pair.after))
        yield from runs_differences(before, after, self.now)


def views_using(
    kind: str, resource: DeclaredResource[Any], catalog: Catalog
) -> Iterator[DeclaredResource[FeatureView]]:
    """The views that use a companion document: a store, a feature group or a source."""
    node: Any = resource.node
    for view in catalog.views:
        match kind:
            case "FeatureOnlineStore":
                store = catalog.store_of(view.node.name or "")
                is_used = store is not None and store.node is node
            case "FeatureGroupTable":
                is_used = any(group.node is node for group in _groups(view.node, catalog))
            case _:
                is_used = node.uri in _uris(view.node, catalog)
        if is_used:
            yield view


def _groups(view: FeatureView, catalog: Catalog) -> Iterator[DeclaredResource[Any]]:
    source = view.featureRegistrySource
    for group in (source.featureGroups or ()) if source else ():
        table = catalog.group(group.featureGroupId or "", source.projectNumber if source else None)
        if table is not None:
            yield table


def _uris(view: FeatureView, catalog: Catalog) -> Iterator[str | None]:
    """The uris of the tables that a view reads."""
    for source in (view.warehouseSource, view.ragSource):
        if source:
            yield source.uri
    yield from (group.node.uri for group in _groups(view, catalog))


def runs_differences(before: SyncSchedule, after: SyncSchedule, now: datetime) -> Iterator[RunsDifference]:
    """Where the runs of two schedules differ: the next ones, and in the week of the next changes of the clocks."""
    upcoming = [list(islice(next_runs(schedule, after=now), NEXT_RUNS)) for schedule in (before, after)]
    if _instants(upcoming[0]) != _instants(upcoming[1]):
        yield RunsDifference("next", *(list(map(rfc_3339, runs)) for runs in upcoming))
    for change in _clock_changes((before, after), now):
        start = (change - BEFORE_CLOCK_CHANGE).replace(hour=0, minute=0, second=0)
        first, second = (_runs_of_week(schedule, start) for schedule in (before, after))
        only_before, only_after = _without(first, second), _without(second, first)
        if only_before or only_after:
            week = f"week of {start.date()}, clocks change on {change.date()}"
            yield RunsDifference(week, *(list(map(rfc_3339, runs[:MAX_RUNS])) for runs in (only_before, only_after)))


def _without(runs: Iterable[datetime], others: Iterable[datetime]) -> list[datetime]:
    """The runs that are at no time of the others."""
    instants = set(_instants(others))
    return [run for run in runs if run.astimezone(UTC) not in instants]


def _instants(runs: Iterable[datetime]) -> list[datetime]:
    return [run.astimezone(UTC) for run in runs]


def _clock_changes(schedules: Iterable[SyncSchedule], now: datetime) -> list[datetime]:
    """The next change of the clocks forward, and the next one back, in the zones of the schedules, in UTC."""
    zones = {schedule.zone for schedule in schedules if isinstance(schedule, CronSchedule)}
    changes: set[datetime] = set()
    for zone in zones:
        ahead = [
            change
            for year in (now.year, now.year + 1)
            for change in time_zone.transitions_in_year(zone, year)
            if change.at.replace(tzinfo=UTC) > now
        ]
        changes.update(change.at.replace(tzinfo=UTC) for change in ahead[:2])
    return list({change.date(): change for change in sorted(changes, reverse=True)}.values())[::-1]


def _runs_of_week(schedule: SyncSchedule, start: datetime) -> list[datetime]:
    runs: list[datetime] = []
    for run in islice(next_runs(schedule, after=start - timedelta(microseconds=1)), MAX_RUNS_READ):
        if run >= start + WEEK:
            break
        runs.append(run)
    return runs


class Rows:
    """Compares the entities that views serve on both sides, each view once.

    Both sides are synced into a store that is thrown away. The rows are those of the working tree on both sides: data
    is not read from git.
    """

    def __init__(self, catalogs: Catalogs, now: datetime, options: Options) -> None:
        self._catalogs = catalogs
        self._now = now
        self._options = options
        self._known: dict[str, RowsDifference | NotCompared] = {}

    @property
    def not_compared(self) -> Iterator[NotCompared]:
        """The views whose rows were asked for and could not be compared."""
        return (result for result in self._known.values() if isinstance(result, NotCompared))

    def compare(self, name: str) -> RowsDifference | None:
        """What differs in the entities of a view that both sides have; None where that cannot be said."""
        if name not in self._known:
            self._known[name] = self._compare(name)
        result = self._known[name]
        return result if isinstance(result, RowsDifference) else None

    def _compare(self, name: str) -> RowsDifference | NotCompared:
        what = f"rows of {name}"
        if len(self._known) >= MAX_VIEWS:
            return NotCompared(what, f"rows are compared for {MAX_VIEWS} views; compare fewer changes at once")
        report: SyncReport | str = ""
        with _temporary_stores() as stores:
            for word, side in (("BASE", self._catalogs.base), ("HEAD", self._catalogs.head)):
                view = _view(side, name)
                report = self._sync(view, side, stores) if view else "no view has this name, or several"
                if isinstance(report, str):
                    return NotCompared(what, f"{word}: {report}")
        assert not isinstance(report, str)
        return RowsDifference(report.counts.new, report.counts.vanished, report.counts.changed)

    def _sync(self, view: DeclaredResource[FeatureView], side: SideCatalogs, stores: ViewStores) -> SyncReport | str:
        """Sync a view into a temporary store; the reason where that is not possible."""
        from trialrun.runtime.clock import FixedClock
        from trialrun.runtime.feature_view.data_finding import CannotSync
        from trialrun.runtime.feature_view.store.interface import StoreError
        from trialrun.runtime.feature_view.trial_run import TrialRun

        try:
            trial = TrialRun(side.views, stores, FixedClock(self._now), self._confined_options)
            return trial.sync(view, with_index=False)
        except (CannotSync, StoreError) as error:
            return str(error)

    @cached_property
    def _confined_options(self) -> Options:
        """The choices within the limits of the user: nobody has looked at the documents of both sides."""
        from dataclasses import replace

        from trialrun.runtime.limits import cap_options, user_limits

        return replace(cap_options(self._options, user_limits()), confined=True, engine=None)


def _view(side: SideCatalogs, name: str) -> DeclaredResource[Any] | None:
    views = [view for view in side.views.views if view.node.name == name]
    return views[0] if len(views) == 1 else None


@contextmanager
def _temporary_stores() -> Iterator[ViewStores]:
    from trialrun.runtime.feature_view.store.store_folder import StoreFolder
    from trialrun.runtime.feature_view.trial_run import ViewStores

    with TemporaryDirectory(prefix="trialrun-plan-") as folder:
        yield ViewStores(StoreFolder(folder, temporary=True))
