"""Code frames as data: the lines of a file that a finding is about, and what is marked in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.report.code_frame import Annotation, clamp_range

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, Range
    from trialrun.text import Source

MAX_LINE = 240
"""Characters of a line that are shown, around its first mark."""
MAX_WHOLE_LINES = 6
"""Of a longer range, the first three lines and the last two are shown."""
CONTEXT = 1
"""Lines before and after a finding that are shown with it."""

Sources = Callable[[str], "Source | None"]


def cached_sources(sources: Sources) -> Sources:
    """The same texts; the last ones are kept, since the findings of a file follow each other."""
    return lru_cache(maxsize=32)(sources)


def frames(diagnostic: Diagnostic, sources: Sources) -> list[dict[str, Any]]:
    """A frame for each file that a finding speaks of, its own first."""
    places = {diagnostic.path: [Annotation(diagnostic.range, diagnostic.severity.word)]}  # type: ignore[arg-type]
    for related in diagnostic.related:
        places.setdefault(related.path, []).append(Annotation(related.range, "related", related.message))
    return [_frame(path, annotations, sources(path)) for path, annotations in places.items()]


def _frame(path: str, annotations: Sequence[Annotation], source: Source | None) -> dict[str, Any]:
    start = annotations[0].range.start
    place = {"path": path, "line": start.line, "column": start.column}
    if source is None:
        return place | {"lines": []}
    marks: dict[int, list[list[Any]]] = {}
    shown: set[int] = set()
    for annotation in annotations:
        if where := clamp_range(source, annotation.range):
            shown.update(_shown_lines(where, len(source.line_starts)))
            for line, begin, end in _line_marks(where, source):
                message = annotation.message if line == where.start.line else ""
                marks.setdefault(line, []).append([begin, end, annotation.style, message])
    return place | {"lines": [_line(source, number, marks.get(number, [])) for number in sorted(shown)]}


def _shown_lines(where: Range, count: int) -> Iterator[int]:
    first, last = where.start.line, where.end.line
    inner = range(first, last + 1)
    yield from inner if len(inner) <= MAX_WHOLE_LINES else (*inner[:3], *inner[-2:])
    yield from range(max(1, first - CONTEXT), first)
    yield from range(last + 1, min(count, last + CONTEXT) + 1)


def _line_marks(where: Range, source: Source) -> Iterator[tuple[int, int, int]]:
    """The characters from 0 that are marked in each line; a mark without any covers one."""
    first, last = where.start, where.end
    for number in {*_shown_lines(where, len(source.line_starts))} & {*range(first.line, last.line + 1)}:
        text = source.line(number)
        begin = first.column - 1 if number == first.line else len(text) - len(text.lstrip())
        end = last.column - 1 if number == last.line else len(text)
        yield number, begin, max(end, begin + 1)


def _line(source: Source, number: int, marks: list[list[Any]]) -> list[Any]:
    """The number of a line, its text and its marks; a long line is cut around the first mark."""
    text = source.line(number)
    if len(text) <= MAX_LINE:
        return [number, text, sorted(marks)]
    left = max(0, min((mark[0] for mark in marks), default=0) - MAX_LINE // 3)
    cut = ("…" if left else "") + text[left : left + MAX_LINE] + ("…" if left + MAX_LINE < len(text) else "")
    shift = left - (1 if left else 0)
    moved = [
        [min(begin - shift, len(cut) - 1), min(end - shift, len(cut)), style, message]
        for begin, end, style, message in marks
    ]
    return [number, cut, sorted(moved)]
