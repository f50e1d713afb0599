"""Plans: the changes between two revisions of a workspace, with levels, places and reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trialrun.changes.catalogs import Catalogs, catalogs
from trialrun.changes.change import Change, Level, NotCompared, Plan, PlanFinding, Reach
from trialrun.changes.compare import Difference
from trialrun.changes.comparison import Comparison, PairDifferences, compare_resources
from trialrun.changes.levels import judge_level
from trialrun.changes.played import NO_PLAYER, PlanInput, Player, play
from trialrun.changes.resource_pairs import Resource
from trialrun.changes.rows import CHANGES_OF_ROWS, Rows
from trialrun.changes.sides import Sides
from trialrun.changes.store_differences import compare_stores
from trialrun.changes.store_reach import Stores
from trialrun.changes.view_reach import Views
from trialrun.cores import available_cores
from trialrun.diagnostic import Diagnostic, Path, Range, SymbolicLocation, json_pointer
from trialrun.display_path import display_path
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.runtime.options import Options
from trialrun.working_folder import absolute_path
from trialrun.workspace.worker_pool import run_beside

MIN_FILES_FOR_PROCESS = 200
"""Number of files from which findings are computed in a process of their own."""
KINDS_AT_STORES = frozenset({"ChannelConfig", "Brand"})


@dataclass(frozen=True)
class PlanContext:
    """What the changes of a plan are judged with: the levels of the settings, and the stores, where they are known."""

    levels: Mapping[str, Level]
    views: Views
    stores: Stores | None = None


def make_plan(
    sides: Sides,
    levels: Mapping[str, Level],
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
    levels: Mapping[str, Level],
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
    context = PlanContext(levels, Views(both, now, options, rows), stores)
    changes = sorted(_changes(comparison, context), key=lambda change: change.sort_key)
    not_compared.update([*rows.not_compared, *_data_left_out(sides)] if rows else _rows_left_out(changes))
    plan = Plan(
        sides.base.name,
        sides.head.name,
        changes,
        comparison.counts,
        sorted(not_compared, key=lambda one: (one.what, one.why)),
    )
    return play(plan, PlanInput(sides, comparison, both, stores, options), player)


def _data_left_out(sides: Sides) -> Iterator[NotCompared]:
    """That rows of the base were not read, where files differ that are no documents."""
    base, head = sides.parsed
    documents = {absolute_path(resource.path) for side in (base, head) for _, resource in side.resources}
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
    return Stores(before, after, compare_stores(before, after, options), is_certain)


def _stores_left_out(both: Catalogs) -> Iterator[NotCompared]:
    """What keeps stores from being compared, or from being compared in full."""
    before, after = both.base.brands, both.head.brands
    if not before.stores and not after.stores:
        yield NotCompared("stores", "the workspace declares none; add them to the stores of a Brand")
    for path in sorted({*before.unreadable_paths, *after.unreadable_paths}):
        yield NotCompared(path, "a part of it cannot be read, so that no change is lowered; run trialrun check")


def _changes(comparison: Comparison, context: PlanContext) -> Iterator[Change]:
    for resource in comparison.resources:
        for difference in resource.differences:
            reach = _reach(resource, difference, context)
            if not difference.is_implicit or (reach.stores and reach.stores.fields):
                yield make_change(resource, difference, context, reach)


def _reach(resource: PairDifferences, difference: Difference, context: PlanContext) -> Reach:
    stores = context.stores.reach(resource.pair, difference) if context.stores else None
    return Reach(stores, context.views.reach(resource.pair, difference))


def make_change(resource: PairDifferences, difference: Difference, context: PlanContext, reach: Reach) -> Change:
    """The change that a difference is, at its place in the files."""
    pair, place = resource.pair, difference.place
    steps = place.before if pair.after is None else place.after
    judged = judge_level(difference.type, pair, reach.stores, reach.views, context.stores, context.levels)
    return Change(
        difference.type.id,
        judged.level,
        pair.name,
        pair.kind,
        pair.resource.path,
        pair.resource.pointer + json_pointer(steps),
        difference.before,
        difference.after,
        _range(pair.resource, steps),
        judged.why,
        judged.lowered_from,
        reach,
    )


def _range(resource: Resource, steps: Path) -> Range:
    """The range of a field, or of the nearest message around it that the document has."""
    return resource.locate(SymbolicLocation(resource.node, _existing(resource.node, steps)))


def _existing(node: Node, steps: Path) -> Path:
    """The part of a path that leads to something."""
    value: object = node
    for count, step in enumerate(steps):
        inner = getattr(value, step, None) if isinstance(step, str) else _item(value, step)
        if inner is None:
            return steps[:count]
        value = inner
    return steps


def _item(value: object, index: int) -> object:
    return value[index] if isinstance(value, list) and index < len(value) else None
