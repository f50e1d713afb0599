"""What holds of the plan of any two workspaces: nothing where they mean the same, and the same backwards."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.cases import seeds
from tests.changes.drawn_workspaces import draw_workspace, edit_workspace, rewrite, side
from trialrun.changes.compare import Difference
from trialrun.changes.comparison import Comparison, compare_resources

IN_SUITE, ALL = 25, 10_000
BATCH = 25
EACH_BATCH = pytest.mark.parametrize("batch", seeds(ALL // BATCH, IN_SUITE // BATCH))


def differences(comparison: Comparison) -> list[tuple[str, str, Difference]]:
    return [
        (one.pair.kind, one.pair.name, difference)
        for one in comparison.resources
        for difference in one.differences
        if not difference.is_implicit
    ]


def shown(comparison: Comparison) -> list[str]:
    return [f"{kind} {name} {one.type.id} {one.place.keys}" for kind, name, one in differences(comparison)]


@EACH_BATCH
def test_a_workspace_differs_from_itself_in_nothing(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        workspace = draw_workspace(random.Random(seed))
        comparison = compare_resources(side(workspace), side(workspace))
        assert (seed, comparison.resources, comparison.not_compared) == (seed, [], [])


@EACH_BATCH
def test_writing_moving_and_reordering_are_no_changes(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        dice = random.Random(seed)
        workspace = draw_workspace(dice)
        moved = side(rewrite(dice, workspace), prefix="moved/", as_json=seed % 2 == 0)
        comparison = compare_resources(side(workspace), moved)
        assert (seed, shown(comparison)) == (seed, [])
        assert comparison.counts.moved == len(workspace)


@EACH_BATCH
def test_backwards_is_the_same_with_both_sides_exchanged(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        dice = random.Random(seed)
        before = draw_workspace(dice)
        after = edit_workspace(dice, before)
        there = Counter(
            (kind, one.type.id, repr(one.before), repr(one.after), one.place.before, one.place.after)
            for kind, _, one in differences(compare_resources(side(before), side(after)))
        )
        back = Counter(
            (kind, one.type.mirror, repr(one.after), repr(one.before), one.place.after, one.place.before)
            for kind, _, one in differences(compare_resources(side(after), side(before)))
        )
        assert (seed, there - back, back - there) == (seed, Counter(), Counter())
