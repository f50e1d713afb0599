"""Plans: the changes between two revisions of a workspace, with levels, places and reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trialrun.changes.compare import ResourcePair, compare_resources
from trialrun.changes.played import KINDS_OF_SESSIONS, NO_PLAYER, PlanInput, Player, play
from trialrun.changes.sides import Sides
from trialrun.changes.stores import Stores
from trialrun.changes.view_reach import CHANGES_OF_ROWS, Views
from trialrun.cores import available_cores
from trialrun.diagnostic import Path, SymbolicLocation, json_pointer
from trialrun.model.node import Node
from trialrun.outputs.plan import (
    Change,
    Level,
    NotCompared,
    Plan,
    PlanFinding,
    PlanFindings,
    PlanSummary,
    Played,
    Reach,
    ResourceCounts,
)
from trialrun.runtime.options import Options
from trialrun.values.resource_name import shown_name
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.worker_pool import run_beside

MIN_FILES_FOR_PROCESS = 200
"""Number of files from which findings are computed in a process of their own."""
KINDS_AT_STORES = frozenset({"ChannelConfig", "Brand"})
Levels = Mapping[str, Level]
"""The levels of the settings, by id."""


def make_plan(
    sides: Sides, levels: Levels, options: Options, *, with_rows: bool = False, player: Player = NO_PLAYER
) -> Plan:
    """The plan of two sides; `levels` are those of the settings, `with_rows` reads sources, and `player` plays."""
    is_large = len(sides.head.files) > MIN_FILES_FOR_PROCESS and sides.head.different
    with run_beside(lambda: _findings(sides), jobs=available_cores() if is_large else 1) as findings:
        plan = _plan_without_findings(sides, levels, options, player, with_rows=with_rows)
        return replace(plan, findings=PlanFindings(*findings()))


def _plan_without_findings(sides: Sides, levels: Levels, options: Options, player: Player, *, with_rows: bool) -> Plan:
    pairs, left_out = compare_resources(sides.base.parsed, sides.head.parsed)
    not_compared = {*sides.not_compared, *left_out}
    stores = None
    different = {pair.kind for pair in pairs if pair.differences}
    if different & {*KINDS_AT_STORES, *KINDS_OF_SESSIONS}:
        before, after = sides.base.brands, sides.head.brands
        if before.stores or after.stores:
            stores = Stores(before, after, options)
        elif different & KINDS_AT_STORES:
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
    breaking, risky, safe = (
        sum(change.level is level for change in changes) for level in (Level.BREAKING, Level.RISKY, Level.SAFE)
    )
    return Plan(
        version=1,
        base=sides.base.name,
        head=sides.head.name,
        summary=PlanSummary(breaking, risky, safe, count_resources(pairs)),
        changes=changes,
        not_compared=left_out,
        findings=PlanFindings((), ()),
        played=played,
        proofs=tuple(played.proofs) if played else (),
    )


def _with_played(change: Change, number: int, played: Played) -> Change:
    """The change with the scenarios and the sessions that are attributed to it."""
    outcomes = [one for one in played.outcomes if number in one.causes]
    differences = [one for one in played.differences if number in one.causes]
    return replace(change, reach=replace(change.reach, scenarios=outcomes, sessions=differences))


def count_resources(pairs: Sequence[ResourcePair]) -> ResourceCounts:
    """How many of the resources that differ or moved were added, changed, removed, or only moved."""
    both = [pair for pair in pairs if pair.before and pair.after]
    explicit = [any(not difference.is_implicit for difference in pair.differences) for pair in both]
    return ResourceCounts(
        added=sum(pair.before is None for pair in pairs),
        changed=sum(explicit),
        removed=sum(pair.after is None for pair in pairs),
        moved=sum(pair.is_moved and not differs for pair, differs in zip(both, explicit, strict=True)),
    )


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


def _findings(sides: Sides) -> tuple[Sequence[PlanFinding], Sequence[PlanFinding]]:
    """The findings of `check` that only one of the sides has: those of the later one, and those of the earlier one."""
    if not sides.head.different:
        return [], []
    from trialrun.workspace.since import findings_new_and_gone

    files = sides.base.request.files
    then = {file: files.bytes_of(file) for file in sides.head.different}
    new, gone = (
        [PlanFinding(one.rule, one.severity, one.path, one.range.start.line, one.message) for one in findings]
        for findings in findings_new_and_gone(replace(sides.head.request, with_fixes=False), then)
    )
    return new, gone


def _changes(pairs: Sequence[ResourcePair], stores: Stores | None, views: Views, levels: Levels) -> Iterator[Change]:
    """The changes that the differences are, with their levels, why they have these, and their places in the files."""
    for pair in pairs:
        for difference in pair.differences:
            store_reach = stores.reach(pair, difference) if stores else None
            reach = Reach(store_reach, views.reach(pair, difference), (), ())
            if difference.is_implicit and not (store_reach and store_reach.fields):
                continue
            level = levels.get(difference.type.id, difference.type.level)
            lowered = None if level is Level.SAFE else _lowered_level(level, pair, reach, stores)
            lower_level, why = lowered or (level, difference.type.why)
            resource, steps = pair.resource, difference.place.before if pair.after is None else difference.place.after
            yield Change(
                id=difference.type.id,
                level=lower_level,
                lowered_from=level if lowered else None,
                resource=shown_name(pair.name),
                kind=pair.kind,
                path=resource.path,
                pointer=resource.pointer + json_pointer(steps),
                before=_shown(difference.before),
                after=_shown(difference.after),
                range=resource.locate(SymbolicLocation(resource.node, _existing(resource.node, steps))),
                reach=reach,
                why=why,
            )


def _shown(value: Any) -> Any:
    """A resource name as it is shown, or a whole resource with it; another value as it is."""
    if isinstance(value, dict):
        return {**value, "name": _shown(value["name"])} if "name" in value else value
    return shown_name(value) if isinstance(value, str) and value.startswith("projects/") else value


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
