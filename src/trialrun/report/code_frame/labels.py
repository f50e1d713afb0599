"""What is under a line: the underlines, and the messages that belong to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from trialrun.report.code_frame.excerpt import Mark
from trialrun.report.color import Paint, Style
from trialrun.report.terminal_width import escape_controls, width
from trialrun.report.wrap import wrap_text

MIN_MESSAGE_WIDTH = 24
"""A message with fewer cells than this to its right is moved to the left."""

StyledCharacter = tuple[str, Style | None]


def render_labels(marks: Sequence[Mark], *, room: int, paint: Paint) -> Iterator[str]:
    """The rows under a line: all underlines in one, the last message beside them, the others hanging below."""
    if len(marks) == 1 and not marks[0].message:  # as in most frames
        yield " " * marks[0].start + paint(marks[0].sign * (marks[0].end - marks[0].start), marks[0].style)
        return
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end))
    inks = _underlines(ordered)
    beside = _inline_message(ordered[-1], len(inks) + 1, room, alone=not any(mark.message for mark in ordered[:-1]))
    first, *others = beside or [""]
    yield _draw_row(inks, first, ordered[-1].style, paint)
    for line in others:
        yield " " * (len(inks) + 1) + paint(line, ordered[-1].style)
    hanging = [mark for mark in (ordered[:-1] if beside else ordered) if mark.message]
    yield from _hanging_messages(hanging, room, paint)


def _underlines(marks: Sequence[Mark]) -> list[StyledCharacter]:
    """What is wrong is drawn over what it has to do with."""
    inks: list[StyledCharacter] = [(" ", None)] * max(mark.end for mark in marks)
    for mark in sorted(marks, key=lambda mark: mark.sign == "^"):
        inks[mark.start : mark.end] = [(mark.sign, mark.style)] * (mark.end - mark.start)
    return inks


def _inline_message(mark: Mark, column: int, room: int, *, alone: bool) -> list[str]:
    """The message in lines, where it can stand to the right of the underlines; empty where it must hang."""
    message = escape_controls(mark.message)
    if not message or mark.end < column - 1:
        return []
    if column + width(message) <= room:
        return [message]
    if not alone or room - column < MIN_MESSAGE_WIDTH:
        return []
    lines = wrap_text(message, first=room - column, rest=room - column)
    return lines if all(width(line) <= room - column for line in lines) else []


def _hanging_messages(marks: Sequence[Mark], room: int, paint: Paint) -> Iterator[str]:
    """The messages from the last to the first, each on the line that comes down from its mark."""
    if marks:
        yield _draw_row(_stems(marks), "", None, paint)
    for nth in range(len(marks) - 1, -1, -1):
        mark = marks[nth]
        column, lines = _position_message(escape_controls(mark.message), mark.start, room)
        inks = _stems(marks[:nth])[: max(0, column - 1)]
        inks += [(" ", None)] * (column - len(inks))
        for line in lines:
            yield _draw_row(inks, line, mark.style, paint, gap="")


def _position_message(message: str, column: int, room: int) -> tuple[int, list[str]]:
    """The column where a hanging message starts, moved to the left where the right has too little room."""
    column = max(0, min(column, room - min(width(message), MIN_MESSAGE_WIDTH)))
    lines = wrap_text(message, first=room - column, rest=room - column)
    return max(0, min([column, *(room - width(line) for line in lines)])), lines


def _stems(marks: Sequence[Mark]) -> list[StyledCharacter]:
    inks: list[StyledCharacter] = [(" ", None)] * max((mark.start + 1 for mark in marks), default=0)
    for mark in marks:
        inks[mark.start] = ("|", mark.style)
    return inks


def _draw_row(inks: Sequence[StyledCharacter], text: str, style: Style | None, paint: Paint, *, gap: str = " ") -> str:
    drawn = "".join(
        _paint_run(style, [sign for sign, _ in run], paint) for style, run in groupby(inks, key=itemgetter(1))
    )
    if not text:
        return drawn
    return drawn + gap + (paint(text, style) if style else text)


def _paint_run(style: Style | None, signs: Sequence[str], paint: Paint) -> str:
    return paint("".join(signs), style) if style else "".join(signs)
