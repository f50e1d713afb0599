"""Plans: the changes between two revisions of a workspace, with levels, places and reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trialrun.changes.change import Change, Level, NotCompared, Plan, PlanFinding, Reach
from trialrun.changes.compare import Difference
from trialrun.changes.comparison import Comparison, PairDifferences, Resource, ResourcePair, compare_resources
from trialrun.changes.played import NO_PLAYER, PlanInput, Player, play
from trialrun.changes.sides import Catalogs, Sides, catalogs
from trialrun.changes.store_differences import compare_stores
from trialrun.changes.store_reach import Stores
from trialrun.changes.view_reach import CHANGES_OF_ROWS, Rows, Views
from trialrun.cores import available_cores
from trialrun.diagnostic import Diagnostic, Path, Range, SymbolicLocation, json_pointer
from trialrun.display_path import display_path
from trialrun.model.node import Node
from trialrun.runtime.options import Options
from trialrun.working_folder import absolute_path
from trialrun.workspace.worker_pool import run_beside

MIN_FILES_FOR_PROCESS = 200
"""Number of files from which findings are computed in a process of their own."""
KINDS_AT_STORES = frozenset({"ChannelConfig", "Brand"})
Levels = Mapping[str, Level]
"""The levels of the settings, by id."""


def make_plan(
    sides: Sides,
    levels: Levels,
    options: Options,
    *,
    with_rows: bool = False,
    player: Player = NO_PLAYER,
) -> Plan:
    """The plan of two sides; `levels` are those of the settings, by id.

    `with_rows` reads the rows of sources; `player` is what is played.
    """
    comparison = compare_resources(*sides.parsed)
    jobs = available_cores() if len(sides.head.files) > MIN_FILES_FOR_PROCESS else 1
    with run_beside(lambda: _findings(sides), jobs=jobs if sides.different else 1) as findings:
        plan = _plan_without_findings(sides, comparison, levels, options, player, with_rows=with_rows)
        new, gone = findings()
        return replace(plan, new_findings=new, gone_findings=gone)


def _plan_without_findings(
    sides: Sides,
    comparison: Comparison,
    levels: Levels,
    options: Options,
    player: Player,
    *,
    with_rows: bool,
) -> Plan:
    not_compared = {*sides.not_compared, *comparison.not_compared}
    both = catalogs(sides)
    stores = None
    if any(one.pair.kind in KINDS_AT_STORES and one.differences for one in comparison.resources):
        stores = _stores(both, options)
        not_compared.update(_stores_left_out(both))
    now = sides.head.request.now
    rows = Rows(both, now, options) if with_rows else None
    found = _changes(comparison, stores, Views(both, now, options, rows), levels)
    changes = sorted(found, key=lambda change: change.sort_key)
    not_compared.update([*rows.not_compared, *_data_left_out(sides)] if rows else _rows_left_out(changes))
    left_out = sorted(not_compared, key=lambda one: (one.what, one.why))
    plan = Plan(sides.base.name, sides.head.name, changes, comparison.counts, left_out)
    return play(plan, PlanInput(sides, comparison, both, stores, options), player)


def _data_left_out(sides: Sides) -> Iterator[NotCompared]:
    """That rows of the base were not read, where files differ that are no documents."""
    documents = {absolute_path(resource.path) for side in sides.parsed for _, resource in side.resources}
    others = [file for file in sides.data_files if file not in documents]
    if others:
        why = "both sides read the data of the working tree, though files differ that may be data"
        yield NotCompared("rows of BASE", f"{why}, such as {display_path(others[0])}")


def _rows_left_out(changes: Sequence[Change]) -> Iterator[NotCompared]:
    """That rows were not read, where they may differ."""
    if any(change.id in CHANGES_OF_ROWS and change.reach.views for change in changes):
        yield NotCompared("rows", "sources are read only with --rows")


def _findings(sides: Sides) -> tuple[list[PlanFinding], list[PlanFinding]]:
    """The findings of `check` that only one of the sides has: those of the later one, and those of the earlier one."""
    if not sides.different:
        return [], []
    from trialrun.workspace.since import findings_new_and_gone

    files = sides.base.request.files
    then = {file: files.bytes_of(file) for file in sides.different}
    new, gone = findings_new_and_gone(replace(sides.head.request, with_fixes=False), then)
    return list(map(_plan_finding, new)), list(map(_plan_finding, gone))


def _plan_finding(one: Diagnostic) -> PlanFinding:
    return PlanFinding(one.rule, one.severity.word, one.path, one.range.start.line, one.message)


def _stores(both: Catalogs, options: Options) -> Stores | None:
    """The stores of both sides with what differs there; None where the workspace declares none."""
    before, after = both.base.brands, both.head.brands
    if not before.stores and not after.stores:
        return None
    is_certain = not before.unreadable_paths and not after.unreadable_paths
    return Stores(before, after, *compare_stores(before, after, options), is_certain)


def _stores_left_out(both: Catalogs) -> Iterator[NotCompared]:
    """What keeps stores from being compared, or from being compared in full."""
    before, after = both.base.brands, both.head.brands
    if not before.stores and not after.stores:
        yield NotCompared("stores", "the workspace declares none; add them to the stores of a Brand")
    for path in sorted({*before.unreadable_paths, *after.unreadable_paths}):
        yield NotCompared(path, "a part of it cannot be read, so that no change is lowered; run trialrun check")


def _changes(comparison: Comparison, stores: Stores | None, views: Views, levels: Levels) -> Iterator[Change]:
    for resource in comparison.resources:
        for difference in resource.differences:
            store_reach = stores.reach(resource.pair, difference) if stores else None
            reach = Reach(store_reach, views.reach(resource.pair, difference))
            if not difference.is_implicit or (store_reach and store_reach.fields):
                yield _change(resource, difference, reach, stores, levels)


def _change(
    resource: PairDifferences, difference: Difference, reach: Reach, stores: Stores | None, levels: Levels
) -> Change:
    """The change that a difference is, at its place in the files, with its level and why it has that."""
    pair, place = resource.pair, difference.place
    steps = place.before if pair.after is None else place.after
    level = levels.get(difference.type.id, difference.type.level)
    lowered = None if level is Level.SAFE else _lowered_level(level, pair, reach, stores)
    lower_level, why = lowered or (level, difference.type.why)
    return Change(
        difference.type.id,
        lower_level,
        level if lowered else None,
        pair.name,
        pair.kind,
        pair.resource.path,
        pair.resource.pointer + json_pointer(steps),
        difference.before,
        difference.after,
        _range(pair.resource, steps),
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


def _range(resource: Resource, steps: Path) -> Range:
    """The range of a field, or of the nearest message around it that the document has."""
    return resource.locate(SymbolicLocation(resource.node, _existing(resource.node, steps)))


def _existing(node: Node, steps: Path) -> Path:
    """The part of a path that leads to something."""
    value: object = node
    for count, step in enumerate(steps):
        if isinstance(step, str):
            value = getattr(value, step, None)
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
        if value is None:
            return steps[:count]
    return steps
