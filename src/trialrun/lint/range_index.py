"""Index of ranges of one file, to find those that enclose a range or are within it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from trialrun.diagnostic import Range


class RangeIndex:
    """Some ranges of a file, in any order."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        ordered = sorted(ranges)
        ends = [range_.end for range_ in ordered]
        self._starts = [range_.start for range_ in ordered]
        self._last_ends = list(accumulate(ends, max))
        self._first_ends = list(accumulate(reversed(ends), min))[::-1]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def any_encloses(self, here: Range) -> bool:
        """Whether one of the ranges encloses or equals a range."""
        before = bisect_right(self._starts, here.start)
        return before > 0 and here.end <= self._last_ends[before - 1]

    def any_within(self, here: Range) -> bool:
        """Whether one of the ranges is within or equals a range."""
        after = bisect_left(self._starts, here.start)
        return after < len(self._starts) and self._first_ends[after] <= here.end
