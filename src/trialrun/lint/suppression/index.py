"""Which comments of a file silence a finding, without a look at each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from trialrun.diagnostic import Diagnostic
from trialrun.lint.suppression.suppression import Scope
from trialrun.lint.suppression.suppressor import Suppressor
from trialrun.text import Position


class SuppressionIndex:
    """Comments with their scopes, in their order; those that may cover a finding are asked, the others are not."""

    def __init__(self, comments: Sequence[tuple[Suppressor, Scope]]) -> None:
        self._silencers = [silencer for silencer, _ in comments]
        self._of_file: list[int] = []
        self._by_line: dict[int, list[int]] = {}
        self._by_pointer: dict[str, list[int]] = {}
        for number, (_, scope) in enumerate(comments):
            if scope.whole_file:
                self._of_file.append(number)
            self._by_line.setdefault(scope.line, []).append(number)
            for pointer in scope.pointers:
                self._by_pointer.setdefault(pointer, []).append(number)
        spans = [(each.start, each.end, number) for number, (_, scope) in enumerate(comments) for each in scope.ranges]
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._last_ends = list(accumulate((end for _, end, _ in self._spans), max))

    def covering(self, found: Diagnostic) -> list[Suppressor]:
        """Those that cover a diagnostic of the file, in their order."""
        near = {*self._of_file, *self._by_line.get(found.range.start.line, ()), *self._enclosing(found.range.start)}
        for pointer in _with_ancestors(found.pointer):
            near.update(self._by_pointer.get(pointer, ()))
        return [suppressor for suppressor in map(self._silencers.__getitem__, sorted(near)) if suppressor.covers(found)]

    def _enclosing(self, place: Position) -> Iterator[int]:
        """The comments with a node around a place: from the nearest start back, while one may still reach it."""
        at = bisect_right(self._starts, place) - 1
        while at >= 0 and self._last_ends[at] > place:
            yield self._spans[at][2]
            at -= 1


def _with_ancestors(pointer: str) -> Iterator[str]:
    """A JSON Pointer, and those of all that it lies in."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]
    yield ""
