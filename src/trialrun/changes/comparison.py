"""Compares the resources of two revisions: pairs, differences, and what could not be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trialrun.changes.catalog import resource_type
from trialrun.changes.change import NotCompared, Operation, ResourceCounts
from trialrun.changes.compare import Difference, Place, Unreadable, compare
from trialrun.changes.resource_pairs import ResourcePair, pair_resources
from trialrun.changes.sides import RUN_CHECK, KindAndResource, ParsedSide
from trialrun.diagnostic import json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.model.kinds import KINDS

OTHER_SIDE_UNREAD = "a part of its file cannot be read on one of the sides"


@dataclass(frozen=True, slots=True)
class PairDifferences:
    """A resource on both sides, and its differences; one that only one side has is one difference."""

    pair: ResourcePair
    differences: Sequence[Difference]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The resources that differ or moved, how many there are, and what could not be compared."""

    resources: Sequence[PairDifferences]
    counts: ResourceCounts
    not_compared: Sequence[NotCompared]


def compare_resources(before: ParsedSide, after: ParsedSide) -> Comparison:
    """Compare the resources of two sides; they may be in any files, in any order."""
    not_compared = [
        NotCompared(path, f"{reason}; {RUN_CHECK}")
        for path, reason in sorted({**before.unread, **after.unread}.items())
    ]
    found: list[PairDifferences] = []
    for pair in _pairs(before.resources, after.resources):
        if _may_be_unread(pair, before, after):
            not_compared.append(NotCompared(pair.name or pair.resource.path, OTHER_SIDE_UNREAD))
            continue
        differences, unread = _compare_pair(pair)
        not_compared += unread
        found.append(PairDifferences(pair, differences))
    return Comparison([one for one in found if one.differences or one.pair.is_moved], _count(found), not_compared)


def _pairs(before: Iterable[KindAndResource], after: Iterable[KindAndResource]) -> Iterator[ResourcePair]:
    by_kind = [
        {kind: [resource for its_kind, resource in side if its_kind == kind] for kind in KINDS}
        for side in (list(before), list(after))
    ]
    for kind in KINDS:
        if by_kind[0][kind] or by_kind[1][kind]:
            yield from pair_resources(kind, by_kind[0][kind], by_kind[1][kind])


def _may_be_unread(pair: ResourcePair, before: ParsedSide, after: ParsedSide) -> bool:
    """Whether a resource that one side lacks is in a file that could not be read on one of them."""
    is_lone = pair.before is None or pair.after is None
    return is_lone and (pair.resource.path in before.unread or pair.resource.path in after.unread)


def _compare_pair(pair: ResourcePair) -> tuple[list[Difference], list[NotCompared]]:
    from trialrun.changes.canonical import plain_value

    if pair.before is None or pair.after is None:
        operation: Operation = "added" if pair.before is None else "removed"
        before, after = (plain_value(one.node) if one else None for one in (pair.before, pair.after))
        return [Difference(resource_type(pair.kind, operation), Place(), before, after)], []
    results = list(compare(pair.kind, pair.before.node, pair.after.node))
    differences = [result for result in results if isinstance(result, Difference)]
    unread = [_not_compared(pair, result) for result in results if isinstance(result, Unreadable)]
    return differences, unread


def _not_compared(pair: ResourcePair, unreadable: Unreadable) -> NotCompared:
    what = f"{pair.name or pair.resource.path} {json_pointer(unreadable.place.after)}"
    return NotCompared(what, f"a side has no valid value there; {RUN_CHECK}")


def _count(resources: Sequence[PairDifferences]) -> ResourceCounts:
    added = sum(one.pair.before is None for one in resources)
    removed = sum(one.pair.after is None for one in resources)
    both = [one for one in resources if one.pair.before and one.pair.after]
    changed = sum(any(not difference.is_implicit for difference in one.differences) for one in both)
    moved = sum(one.pair.is_moved and all(difference.is_implicit for difference in one.differences) for one in both)
    return ResourceCounts(added, changed, removed, moved)
