"""The part of a line that a frame shows, and the cells of the marks under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.report.color import Style
from trialrun.report.terminal_width import CellLayout, is_plain_ascii, measure_cells, width

ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to draw under the characters from `start` up to `end` of a line: code points from 0, then cells.

    `part` tells a whole underline from the two ends of a range of several lines.
    """

    start: int
    end: int
    style: Style
    message: str = ""
    part: str = "whole"

    @property
    def sign(self) -> str:
        return underline_sign(self.style)


def underline_sign(style: Style) -> str:
    """The character of an underline: `^` under what is wrong, `-` under what is related to it."""
    return "-" if style == "related" else "^"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a line, and its marks in cells of that."""

    text: str
    marks: tuple[Mark, ...]


def excerpts(line: str, marks: Sequence[Mark], *, room: int) -> Iterator[Excerpt]:
    """The line, in at most `room` cells; marks that are too far apart for that get an excerpt each."""
    if len(line) < room and is_plain_ascii(line) and all(mark.start < mark.end <= len(line) for mark in marks):
        yield Excerpt(line, tuple(sorted(marks, key=_start)))  # as in most frames: it fits, and characters are cells
        return
    for group in _groups(line, sorted(marks, key=_start), room):
        yield _excerpt(line, group, room)


def _start(mark: Mark) -> int:
    return mark.start


def _groups(line: str, marks: Sequence[Mark], room: int) -> Iterator[list[Mark]]:
    if len(marks) < 2 or _fits(line, room - 1):
        yield list(marks)
        return
    group: list[Mark] = []
    for mark in marks:
        if group and not _fits(line[group[0].start : mark.end], room - 2):
            yield group
            group = []
        group.append(mark)
    yield group


def _fits(text: str, room: int) -> bool:
    return len(text) <= 4 * room and width(text) <= room


def _excerpt(line: str, marks: list[Mark], room: int) -> Excerpt:
    """Cut in code points first, so that a line of a megabyte costs no more than a short one, then in cells."""
    first = min((mark.start for mark in marks), default=0)
    begin, stop = max(0, first - 2 * room), first + 4 * room
    cells = measure_cells(line[begin:stop])
    marks = [_mark_in_cells(mark, cells, begin) for mark in marks]
    total = max([cells.width, *(mark.end for mark in marks)])
    open_left, open_right = begin > 0, stop < len(line)
    if total <= room and not open_left and not open_right:
        return Excerpt("".join(cells.texts), tuple(marks))
    left, right = _window(total, marks, room, open_left=open_left, open_right=open_right)
    head = ELLIPSIS if left or open_left else ""
    tail = ELLIPSIS if right < total or open_right else ""
    return _crop(cells, marks, left, right, head, tail)


def _mark_in_cells(mark: Mark, cells: CellLayout, begin: int) -> Mark:
    """The mark in cells; it covers one cell at least, the one after the line where it is at its end."""
    start, end = mark.start - begin, mark.end - begin
    left = cells.left[start] if start < len(cells.left) else cells.width
    right = cells.right[min(end, len(cells.right)) - 1] if end > start and cells.right else left
    return Mark(left, max(right, left + 1), mark.style, mark.message, mark.part)


def _window(total: int, marks: list[Mark], room: int, *, open_left: bool, open_right: bool) -> tuple[int, int]:
    """The cells to show: the beginning of the line where the marks are in it, else the marks and what is around them.

    One cell is kept for the ellipsis at each side that is not an end of the line.
    """
    left = min((mark.start for mark in marks), default=0)
    right = max((mark.end for mark in marks), default=0)
    if right < room and not open_left:
        return 0, room - 1
    spare = max(room // 4, room - 2 - (right - left))
    begin = max(0, left - spare * 2 // 3)
    if begin == 0 and not open_left:
        return 0, room - 1
    if begin + room - 1 >= total and not open_right:
        return total - room + 1, total
    return begin, begin + room - 2


def _crop(cells: CellLayout, marks: list[Mark], left: int, right: int, head: str, tail: str) -> Excerpt:
    """The whole clusters between two cells; a mark that goes on where nothing is shown ends under the ellipsis."""
    visible = [index for index, start in enumerate(cells.left) if left <= start and cells.right[index] <= right]
    origin = (cells.left[visible[0]] if visible else left) - len(head)
    stop = (cells.right[visible[-1]] if visible else left) - origin + len(tail)
    if not tail:
        stop = max(stop, right - origin)
    moved = tuple(_clamp_mark(replace(mark, start=mark.start - origin, end=mark.end - origin), stop) for mark in marks)
    return Excerpt(head + "".join(cells.texts[index] for index in visible) + tail, moved)


def _clamp_mark(mark: Mark, stop: int) -> Mark:
    start = min(max(mark.start, 0), stop - 1)
    return replace(mark, start=start, end=max(start + 1, min(mark.end, stop)))
