"""A frame: lines of a source with their numbers, and what is wrong underlined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from trialrun.diagnostic import Range
from trialrun.lazy_dataclass import dataclass
from trialrun.report.code_frame.excerpt import Mark, excerpts, underline_sign
from trialrun.report.code_frame.labels import render_labels
from trialrun.report.color import Paint, Style
from trialrun.report.terminal_width import is_plain_ascii
from trialrun.text import Position, Source

MIN_TEXT_WIDTH = 20
"""The cells of text that a frame shows however narrow the terminal is."""
MAX_WHOLE_LINES = 6
"""A range of at most so many lines is shown whole; of a longer one, the first three and the last two."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A range of the frame's source: the diagnostic's own, or a related one with its message."""

    range: Range
    style: Style
    message: str = ""


@dataclass(frozen=True, slots=True)
class Connector:
    """The bar beside the lines of a range of several lines; with `slanted`, it begins before the first line's text."""

    first: int
    last: int
    style: Style
    slanted: bool


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a frame is drawn on."""

    source: Source
    digits: int
    width: int
    paint: Paint
    marks: dict[int, list[Mark]]
    connector: Connector | None


def render_frame(
    source: Source, places: Sequence[Annotation], *, digits: int, width: int, paint: Paint
) -> Iterator[str]:
    """The rows of a frame, the first one an empty gutter; the places are settled ones, and their line numbers have
    at most `digits` digits.

    A diagnostic's own range of several lines gets a bar beside them; of a related one, the first line is underlined.
    """
    if len(places) == 1 and _is_plain_underline(source, places[0], width - digits - len(" | ")):
        yield from _render_underline(source, places[0], digits, paint)  # as most frames, in a third of the time
        return
    sheet = _prepare_canvas(source, places, digits=digits, width=width, paint=paint)
    yield _gutter(sheet, "", "")
    previous = 0
    for number in _visible_lines(sheet):
        if 0 < previous < number - 1:
            yield _elision(sheet, number)
        yield from _render_line(sheet, number)
        previous = number


def _is_plain_underline(source: Source, place: Annotation, room: int) -> bool:
    """Whether a frame is a line of ASCII that fits, and one underline without a message below its characters."""
    start, end = place.range.start, place.range.end
    line = source.line(start.line)
    is_inside = start.line == end.line and start.column < end.column <= len(line) + 1
    return is_inside and not place.message and len(line) < room and is_plain_ascii(line) and not line.isspace()


def _render_underline(source: Source, place: Annotation, digits: int, paint: Paint) -> tuple[str, str, str]:
    """The three rows of such a frame."""
    number, column = place.range.start.line, place.range.start.column
    sign = underline_sign(place.style) * (place.range.end.column - column)
    empty = paint(f"{'':>{digits}} |", "gutter")
    text = f"{paint(f'{number:>{digits}} |', 'gutter')} {source.line(number)}".rstrip()
    return empty, text, f"{empty} {' ' * (column - 1)}{paint(sign, place.style)}"


def clamp_range(source: Source, place: Range) -> Range | None:
    """The range within the text as it is now, without blank ends of further lines; None if its line is gone."""
    if not 1 <= place.start.line <= len(source.line_starts):
        return None
    if place.start.line == place.end.line and place.end.column <= len(source.line(place.start.line)) + 1:
        return place  # as nearly every one: the file is as it was when it was checked
    start = _clamp_position(source, place.start)
    end = max(start, _clamp_position(source, place.end))
    while end.line > start.line and not source.line(end.line)[: end.column - 1].strip():
        end = Position(end.line - 1, len(source.line(end.line - 1)) + 1)
    return Range(start, max(start, end))


def _clamp_position(source: Source, position: Position) -> Position:
    line = min(position.line, len(source.line_starts))
    longest = len(source.line(line)) + 1
    return Position(line, longest if line < position.line else max(1, min(position.column, longest)))


def _prepare_canvas(source: Source, places: Sequence[Annotation], *, digits: int, width: int, paint: Paint) -> Canvas:
    bar = next((_connector(source, place) for place in places if _is_multiline(place)), None)
    room = width - digits - len(" | ") - (len("| ") if bar else 0)
    sheet = Canvas(source, digits, max(room, MIN_TEXT_WIDTH), paint, defaultdict(list), bar)
    for place in places:
        for line, mark in _marks(source, place):
            sheet.marks[line].append(mark)
    return sheet


def _is_multiline(place: Annotation) -> bool:
    return place.style != "related" and place.range.start.line < place.range.end.line


def _connector(source: Source, place: Annotation) -> Connector:
    start, end = place.range.start, place.range.end
    slanted = not source.line(start.line)[: start.column - 1].strip()
    return Connector(start.line, end.line, place.style, slanted)


def _marks(source: Source, place: Annotation) -> Iterator[tuple[int, Mark]]:
    start, end = place.range.start, place.range.end
    if not _is_multiline(place):
        stop = end.column - 1 if end.line == start.line else len(source.line(start.line))
        yield start.line, Mark(start.column - 1, stop, place.style, place.message)
        return
    if not _connector(source, place).slanted:
        yield start.line, Mark(start.column - 1, start.column, place.style, part="opening")
    yield end.line, Mark(end.column - 2, end.column - 1, place.style, part="closing")


def _visible_lines(sheet: Canvas) -> list[int]:
    """The lines with marks or in the bar, the text above a marked blank line, and lines that are alone between."""
    if len(sheet.marks) == 1 and sheet.connector is None and sheet.source.line(min(sheet.marks)).strip():
        return list(sheet.marks)  # as in most frames: one line, and nothing to join
    lines = set(sheet.marks) | set(_connector_lines(sheet.connector))
    for number in sheet.marks:
        if not sheet.source.line(number).strip():
            lines.add(_text_above(sheet.source, number))
    return sorted(lines | {line + 1 for line in lines if line + 2 in lines})


def _connector_lines(bar: Connector | None) -> Iterator[int]:
    if bar is None:
        return
    whole = bar.last - bar.first < MAX_WHOLE_LINES
    yield from range(bar.first, bar.last + 1 if whole else bar.first + 3)
    yield from range(bar.last - 1, bar.last + 1)


def _text_above(source: Source, number: int) -> int:
    """Where a file ends too early, what is wrong is at an empty line: a line above it says what was begun."""
    nearest = range(number - 1, max(0, number - 4), -1)
    return next((line for line in nearest if source.line(line).strip()), number)


def _render_line(sheet: Canvas, number: int) -> Iterator[str]:
    """A line with what is under it; twice or more where its marks are too far apart for one row."""
    for excerpt in excerpts(sheet.source.line(number), sheet.marks.get(number, ()), room=sheet.width):
        yield _gutter(sheet, str(number), _connector_columns(sheet, number, "text") + excerpt.text)
        whole = [mark for mark in excerpt.marks if mark.part == "whole"]
        if whole:
            for row in render_labels(whole, room=sheet.width, paint=sheet.paint):
                yield _gutter(sheet, "", _connector_columns(sheet, number, "below") + row)
        yield from (
            _gutter(sheet, "", _connector_corner(sheet, mark)) for mark in excerpt.marks if mark.part != "whole"
        )


def _connector_columns(sheet: Canvas, number: int, row: str) -> str:
    """The two columns of the bar beside a row, where the frame has one."""
    bar = sheet.connector
    if bar is None:
        return ""
    if number == bar.first and bar.slanted:
        return sheet.paint("/" if row == "text" else "|", bar.style) + " "
    return sheet.paint("|", bar.style) + " " if bar.first < number <= bar.last else "  "


def _connector_corner(sheet: Canvas, mark: Mark) -> str:
    """From the bar to the first or the last character of the range."""
    side = " " if mark.part == "opening" else "|"
    return sheet.paint(side + "_" * (mark.start + 1) + mark.sign, mark.style)


def _elision(sheet: Canvas, number: int) -> str:
    bar = sheet.connector
    if bar is None or not bar.first < number <= bar.last:
        return sheet.paint("...", "gutter")
    return sheet.paint("...".ljust(sheet.digits + 3), "gutter") + sheet.paint("|", bar.style)


def _gutter(sheet: Canvas, number: str, text: str) -> str:
    return f"{sheet.paint(f'{number:>{sheet.digits}} |', 'gutter')} {text}".rstrip()
