"""What two sources of one level set to different values, on plain values: only their order says which one counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.level import Level
from trialrun.runtime.channel_config.overlay import By, Message, Tree, Whole, setters


@dataclass(frozen=True, slots=True)
class Twice(Generic[By]):
    """A part that `loser` set, and then `winner` on the same level; `settled` is what stands there in spite of both."""

    path: Path
    winner: Tree[By]
    loser: Tree[By]
    settled: Tree[By] | None


def set_twice(tree: Tree[By], level: Callable[[By], Level]) -> Iterator[Twice[By]]:
    """The parts of a configuration that two sources of one level set to different values, in its order."""
    for path, here in _laid_over(tree, ()):
        for winner, loser in pairwise(_history(here)):
            if level(winner.by) == level(loser.by) and winner.value != loser.value:
                counts = level(winner.by) in map(level, setters(here))
                yield Twice(path, winner, loser, None if counts else here)


def _laid_over(tree: Tree[By], path: Path) -> Iterator[tuple[Path, Tree[By]]]:
    """The parts that took the place of something; there are none in what one source set as it is."""
    if tree.beneath:
        yield path, tree
    if isinstance(tree, Whole):
        return
    for name, field in tree.fields.items():
        yield from _laid_over(field, (*path, name))
    for place, item in enumerate(tree.items):
        if not isinstance(item, Whole) or item.beneath:
            yield from _laid_over(item, (*path, place))


def _history(here: Tree[By]) -> Sequence[Tree[By]]:
    """A value and what it took the place of, the last first; a member of a union as it was when it took that."""
    first = here.at_first if isinstance(here, Message) and here.at_first else here
    found: list[Tree[By]] = [first]
    while (beneath := found[-1].beneath) is not None:
        found.append(beneath)
    return found
