"""Plans: the changes between two revisions of a workspace, their levels, places and reach, that of views included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from tempfile import TemporaryDirectory
from typing import Any

from trialrun.changes.change import Change, Level, NotCompared, Plan, Played, Reach, RunsDifference, ViewReach
from trialrun.changes.compare import Difference, ResourcePair, compare_resources
from trialrun.changes.played import NO_PLAYER, PlanInput, Player, play
from trialrun.changes.sides import Sides
from trialrun.changes.stores import Stores
from trialrun.cores import available_cores
from trialrun.diagnostic import Diagnostic, Path, SymbolicLocation, json_pointer
from trialrun.display_path import display_path
from trialrun.model.node import Node
from trialrun.outputs.schedule import rfc_3339
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.schedule import CronSchedule, SyncSchedule, next_runs, schedule_of
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.options import Options, cap_options, user_limits
from trialrun.values import time_zone
from trialrun.working_folder import absolute_path
from trialrun.workspace.relevant_diagnostics import documents_of_view
from trialrun.workspace.worker_pool import run_beside

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
        self._rows: dict[str, Mapping[str, int] | NotCompared] = {}

    def reach(self, pair: ResourcePair, difference: Difference) -> Sequence[ViewReach]:
        """The views that a difference reaches."""
        runs: list[RunsDifference] = []
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
        return [ViewReach(name, runs, self._rows_of(name) if with_rows else None) for name in names]

    @property
    def not_compared(self) -> Iterator[NotCompared]:
        """The views whose rows were asked for and could not be compared."""
        return (result for result in self._rows.values() if isinstance(result, NotCompared))

    def _rows_of(self, name: str) -> Mapping[str, int] | None:
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

    def _compare_rows(self, name: str) -> Mapping[str, int] | str:
        """What differs in the entities of a view; the reason where that cannot be said.

        It is read within the limits of the user: nobody has looked at the documents of both sides.
        """
        from trialrun.runtime.feature_view.store.store_folder import StoreFolder
        from trialrun.runtime.feature_view.trial_run import TrialRun, ViewStores

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
        return {"appear": counts.new, "vanish": counts.vanished, "change": counts.changed}


def _views_using(kind: str, resource: DeclaredResource[Any], catalog: Catalog) -> Iterator[str]:
    """The names of the views that use a companion document: a store, a feature group or a source, by its uri."""
    for view in catalog.views:
        for document in documents_of_view(view, catalog):
            is_source = kind == "Source" and isinstance(document.node, type(resource.node))
            if document.node is resource.node or (is_source and document.node.uri == resource.node.uri):
                yield view.node.name or ""


def runs_differences(before: SyncSchedule, after: SyncSchedule, now: datetime) -> Iterator[RunsDifference]:
    """Where the runs of two schedules differ: the next ones, and in the week of the next changes of the clocks."""
    schedules = before, after
    first, second = (list(islice(next_runs(schedule, after=now), NEXT_RUNS)) for schedule in schedules)
    if _instants(first) != _instants(second):
        yield RunsDifference("next", list(map(rfc_3339, first)), list(map(rfc_3339, second)))
    for change in _clock_changes(schedules, now):
        start = (change - BEFORE_CLOCK_CHANGE).replace(hour=0, minute=0, second=0)
        first, second = (_runs_of_week(schedule, start) for schedule in schedules)
        instants = set(_instants(first)), set(_instants(second))
        only_before = [rfc_3339(run) for run in first if run.astimezone(UTC) not in instants[1]]
        only_after = [rfc_3339(run) for run in second if run.astimezone(UTC) not in instants[0]]
        if only_before or only_after:
            week = f"week of {start.date()}, clocks change on {change.date()}"
            yield RunsDifference(week, only_before[:MAX_RUNS], only_after[:MAX_RUNS])


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


MIN_FILES_FOR_PROCESS = 200
"""Number of files from which findings are computed in a process of their own."""
KINDS_AT_STORES = frozenset({"ChannelConfig", "Brand"})
Levels = Mapping[str, Level]
"""The levels of the settings, by id."""


def make_plan(
    sides: Sides, levels: Levels, options: Options, *, with_rows: bool = False, player: Player = NO_PLAYER
) -> Plan:
    """The plan of two sides; `levels` are those of the settings, by id.

    `with_rows` reads the rows of sources; `player` is what is played.
    """
    is_large = len(sides.head.files) > MIN_FILES_FOR_PROCESS and sides.head.different
    with run_beside(lambda: _findings(sides), jobs=available_cores() if is_large else 1) as findings:
        plan = _plan_without_findings(sides, levels, options, player, with_rows=with_rows)
        new, gone = findings()
        return replace(plan, new_findings=new, gone_findings=gone)


def _plan_without_findings(sides: Sides, levels: Levels, options: Options, player: Player, *, with_rows: bool) -> Plan:
    pairs, left_out = compare_resources(sides.base.parsed, sides.head.parsed)
    not_compared = {*sides.not_compared, *left_out}
    stores = None
    if any(pair.kind in KINDS_AT_STORES and pair.differences for pair in pairs):
        before, after = sides.base.brands, sides.head.brands
        if before.stores or after.stores:
            stores = Stores(before, after, options)
        else:
            not_compared.add(NotCompared("stores", "the workspace declares none; add them to the stores of a Brand"))
        for path in (*before.unreadable_paths, *after.unreadable_paths):
            why = "a part of it cannot be read, so that no change is lowered; run trialrun check"
            not_compared.add(NotCompared(path, why))
    views = Views(sides, options, with_rows=with_rows)
    changes = list(_changes(pairs, stores, views, levels))
    changes.sort(key=lambda change: (-change.level, change.path, change.range, change.id, change.pointer))
    not_compared.update([*views.not_compared, *_rows_left_out(sides, changes, with_rows=with_rows)])
    played = play(PlanInput(sides, pairs, changes, stores, options, not_compared), player)
    if played:
        changes = [_with_played(change, number, played) for number, change in enumerate(changes)]
    left_out = sorted(not_compared, key=lambda one: (one.what, one.why))
    return Plan(sides.base.name, sides.head.name, changes, count_resources(pairs), left_out, played=played)


def _with_played(change: Change, number: int, played: Played) -> Change:
    """The change with the scenarios and the sessions that are attributed to it."""
    outcomes = [one for one in played.outcomes if number in one.causes]
    differences = [one for one in played.differences if number in one.causes]
    return replace(change, reach=replace(change.reach, scenarios=outcomes, sessions=differences))


def count_resources(pairs: Sequence[ResourcePair]) -> dict[str, int]:
    """How many of the resources that differ or moved were added, changed, removed, or only moved."""
    both = [pair for pair in pairs if pair.before and pair.after]
    explicit = [any(not difference.is_implicit for difference in pair.differences) for pair in both]
    return {
        "added": sum(pair.before is None for pair in pairs),
        "changed": sum(explicit),
        "removed": sum(pair.after is None for pair in pairs),
        "moved": sum(pair.is_moved and not differs for pair, differs in zip(both, explicit, strict=True)),
    }


def _rows_left_out(sides: Sides, changes: Sequence[Change], *, with_rows: bool) -> Iterator[NotCompared]:
    """That rows were not read where they may differ, or of the base, where files differ that are no documents."""
    if not with_rows:
        if any(change.id in CHANGES_OF_ROWS and change.reach.views for change in changes):
            yield NotCompared("rows", "sources are read only with --rows")
        return
    both = (*sides.base.parsed.resources, *sides.head.parsed.resources)
    documents = {absolute_path(resource.path) for _, resource in both}
    others = [file for file in sides.data_files if file not in documents]
    if others:
        why = "both sides read the data of the working tree, though files differ that may be data"
        yield NotCompared("rows of BASE", f"{why}, such as {display_path(others[0])}")


def _findings(sides: Sides) -> tuple[Sequence[Diagnostic], Sequence[Diagnostic]]:
    """The findings of `check` that only one of the sides has: those of the later one, and those of the earlier one."""
    if not sides.head.different:
        return [], []
    from trialrun.workspace.since import findings_new_and_gone

    files = sides.base.request.files
    then = {file: files.bytes_of(file) for file in sides.head.different}
    return findings_new_and_gone(replace(sides.head.request, with_fixes=False), then)


def _changes(pairs: Sequence[ResourcePair], stores: Stores | None, views: Views, levels: Levels) -> Iterator[Change]:
    for pair in pairs:
        for difference in pair.differences:
            store_reach = stores.reach(pair, difference) if stores else None
            reach = Reach(store_reach, views.reach(pair, difference))
            if difference.is_implicit and not (store_reach and store_reach.fields):
                continue
            level = levels.get(difference.type.id, difference.type.level)
            lowered = None if level is Level.SAFE else _lowered_level(level, pair, reach, stores)
            lower_level, why = lowered or (level, difference.type.why)
            resource, steps = pair.resource, difference.place.before if pair.after is None else difference.place.after
            yield Change(
                difference.type.id,
                lower_level,
                level if lowered else None,
                pair.name,
                pair.kind,
                resource.path,
                resource.pointer + json_pointer(steps),
                difference.before,
                difference.after,
                resource.locate(SymbolicLocation(resource.node, _existing(resource.node, steps))),
                reach,
                why,
            )


def _lowered_level(level: Level, pair: ResourcePair, reach: Reach, stores: Stores | None) -> tuple[Level, str] | None:
    """A lower level than that of the id, and why; None where the change keeps its level.

    Only changes of ChannelConfigs are lowered, and those of feature groups and online stores that no view uses: readers
    of views are not in the repository.
    """
    if pair.kind in ("FeatureGroupTable", "FeatureOnlineStore"):
        return None if reach.views else (Level.SAFE, "No view of this repository uses it.")
    if pair.kind != "ChannelConfig" or stores is None or not stores.is_certain or reach.stores is None:
        return None
    if not stores.is_used(pair):
        return Level.SAFE, "No store has this config."
    if not reach.stores.fields:
        return Level(level - 1), "It alters no effective value at any store."
    return None


def _existing(node: Node, steps: Path) -> Path:
    """The part of a path that leads to something, to the nearest message around it that the document has."""
    value: object = node
    for count, step in enumerate(steps):
        if isinstance(step, str):
            value = getattr(value, step, None)
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
        if value is None:
            return steps[:count]
    return steps
