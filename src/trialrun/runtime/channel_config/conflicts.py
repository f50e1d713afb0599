"""Values that two sources of one level set differently, so that only their order decides (plain values)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.level import Level
from trialrun.runtime.channel_config.overlay import MergedMessage, MergedTree, Setter, UnmergedValue, setters


@dataclass(frozen=True, slots=True)
class LevelConflict(Generic[Setter]):
    """A part that `loser` set, and then `winner` on the same level; `settled` is what stands there in spite of both."""

    path: Path
    winner: MergedTree[Setter]
    loser: MergedTree[Setter]
    settled: MergedTree[Setter] | None


def same_level_conflicts(tree: MergedTree[Setter], level: Callable[[Setter], Level]) -> Iterator[LevelConflict[Setter]]:
    """The parts of a configuration that two sources of one level set to different values, in its order."""
    for path, tree_part in _overridden_parts(tree, ()):
        for winner, loser in pairwise(_override_history(tree_part)):
            if level(winner.setter) == level(loser.setter) and winner.value != loser.value:
                counts = level(winner.setter) in map(level, setters(tree_part))
                yield LevelConflict(path, winner, loser, None if counts else tree_part)


def _overridden_parts(tree: MergedTree[Setter], path: Path) -> Iterator[tuple[Path, MergedTree[Setter]]]:
    """The parts that took the place of something; there are none in what one source set as it is."""
    if tree.overridden:
        yield path, tree
    if isinstance(tree, UnmergedValue):
        return
    for name, field in tree.fields.items():
        yield from _overridden_parts(field, (*path, name))
    for index, item in enumerate(tree.items):
        if not isinstance(item, UnmergedValue) or item.overridden:
            yield from _overridden_parts(item, (*path, index))


def _override_history(tree: MergedTree[Setter]) -> Sequence[MergedTree[Setter]]:
    """A value and what it took the place of, the last first; a member of a union as it was when it took that."""
    first = tree.before_merge if isinstance(tree, MergedMessage) and tree.before_merge else tree
    history: list[MergedTree[Setter]] = [first]
    while (overridden := history[-1].overridden) is not None:
        history.append(overridden)
    return history
