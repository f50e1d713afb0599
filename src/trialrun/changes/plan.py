"""Plans: the changes between two revisions of a workspace, with levels, places and reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trialrun.changes.change import Change, Level, Plan
from trialrun.changes.compare import Difference
from trialrun.changes.comparison import Comparison, PairDifferences, compare_resources
from trialrun.changes.resource_pairs import Resource
from trialrun.changes.sides import Sides
from trialrun.diagnostic import Path, Range, SymbolicLocation, json_pointer
from trialrun.model.node import Node


def make_plan(sides: Sides, levels: Mapping[str, Level]) -> Plan:
    """The plan of two sides; `levels` are those of the settings, by id."""
    comparison = compare_resources(*sides.parsed)
    changes = sorted(_changes(comparison, levels), key=lambda change: change.sort_key)
    not_compared = sorted({*sides.not_compared, *comparison.not_compared}, key=lambda one: (one.what, one.why))
    return Plan(sides.base.name, sides.head.name, changes, comparison.counts, not_compared)


def _changes(comparison: Comparison, levels: Mapping[str, Level]) -> Iterator[Change]:
    for resource in comparison.resources:
        for difference in resource.differences:
            if not difference.is_implicit:
                yield make_change(resource, difference, levels)


def make_change(resource: PairDifferences, difference: Difference, levels: Mapping[str, Level]) -> Change:
    """The change that a difference is, at its place in the files."""
    pair, place = resource.pair, difference.place
    steps = place.before if pair.after is None else place.after
    change_type = difference.type
    return Change(
        change_type.id,
        levels.get(change_type.id, change_type.level),
        pair.name,
        pair.kind,
        pair.resource.path,
        pair.resource.pointer + json_pointer(steps),
        difference.before,
        difference.after,
        _range(pair.resource, steps),
        change_type.why,
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
