"""A frame: lines of a source with their numbers, and what is wrong underlined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter

from trialrun.diagnostic import Diagnostic, Range
from trialrun.report.color import Paint, Style, severity_style
from trialrun.report.terminal_width import CellLayout, escape_controls, is_plain_ascii, measure_cells, width, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.text import Position, Source

ELLIPSIS = "…"
MIN_TEXT_WIDTH = 20
"""The cells of text that a frame shows however narrow the terminal is."""
MIN_MESSAGE_WIDTH = 24
"""A message with fewer cells than this to its right is moved to the left."""
MAX_WHOLE_LINES = 6
"""A range of at most so many lines is shown whole; of a longer one, the first three and the last two."""

StyledCharacter = tuple[str, Style | None]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A range of the frame's source: the diagnostic's own, or a related one with its message."""

    range: Range
    style: Style
    message: str = ""

    @property
    def has_bar(self) -> bool:
        """Whether it is a range of several lines with a bar beside them; of a related one, a line is underlined."""
        return self.style != "related" and self.range.start.line < self.range.end.line


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


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a frame is drawn on, and the range that has a bar beside its lines.

    The bar of a `slanted` one begins before the text of the first line.
    """

    source: Source
    digits: int
    width: int
    paint: Paint
    marks: dict[int, list[Mark]]
    bar: Annotation | None
    slanted: bool


def render_frame(
    source: Source, places: Sequence[Annotation], *, digits: int, width: int, paint: Paint
) -> Iterator[str]:
    """The rows of a frame, the first one an empty gutter; the places are settled ones, and their line numbers have
    at most `digits` digits.

    A diagnostic's own range of several lines gets a bar beside them; of a related one, the first line is underlined.
    """
    if len(places) == 1 and _is_plain_underline(source, places[0], width - digits - len(" | ")):
        start, end = places[0].range.start, places[0].range.end  # as most frames, in a third of the time
        sign = _underline_sign(places[0].style) * (end.column - start.column)
        empty = paint(f"{'':>{digits}} |", "gutter")
        yield empty
        yield f"{paint(f'{start.line:>{digits}} |', 'gutter')} {source.line(start.line)}".rstrip()
        yield f"{empty} {' ' * (start.column - 1)}{paint(sign, places[0].style)}"
        return
    bar = next((place for place in places if place.has_bar), None)
    room = width - digits - len(" | ") - (len("| ") if bar else 0)
    slanted = bar is not None and _is_slanted(source, bar)
    sheet = Canvas(source, digits, max(room, MIN_TEXT_WIDTH), paint, defaultdict(list), bar, slanted)
    for place in places:
        for line, mark in _marks(source, place):
            sheet.marks[line].append(mark)
    yield _gutter(sheet, "", "")
    previous = 0
    for number in _visible_lines(sheet):
        if 0 < previous < number - 1:
            beside = bar is not None and bar.range.start.line < number <= bar.range.end.line
            dots = paint("...".ljust(digits + 3 if beside else 3), "gutter")
            yield dots + (paint("|", bar.style) if bar and beside else "")
        yield from _render_line(sheet, number)
        previous = number


def _is_plain_underline(source: Source, place: Annotation, room: int) -> bool:
    """Whether a frame is a line of ASCII that fits, and one underline without a message below its characters."""
    start, end = place.range.start, place.range.end
    line = source.line(start.line)
    is_inside = start.line == end.line and start.column < end.column <= len(line) + 1
    return is_inside and not place.message and len(line) < room and is_plain_ascii(line) and not line.isspace()


def _underline_sign(style: Style) -> str:
    """The character of an underline: `^` under what is wrong, `-` under what is related to it."""
    return "-" if style == "related" else "^"


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


def _is_slanted(source: Source, place: Annotation) -> bool:
    start = place.range.start
    return not source.line(start.line)[: start.column - 1].strip()


def _marks(source: Source, place: Annotation) -> Iterator[tuple[int, Mark]]:
    start, end = place.range.start, place.range.end
    if not place.has_bar:
        stop = end.column - 1 if end.line == start.line else len(source.line(start.line))
        yield start.line, Mark(start.column - 1, stop, place.style, place.message)
        return
    if not _is_slanted(source, place):
        yield start.line, Mark(start.column - 1, start.column, place.style, part="opening")
    yield end.line, Mark(end.column - 2, end.column - 1, place.style, part="closing")


def _visible_lines(sheet: Canvas) -> list[int]:
    """The lines with marks or in the bar, the text above a marked blank line, and lines that are alone between."""
    if len(sheet.marks) == 1 and sheet.bar is None and sheet.source.line(min(sheet.marks)).strip():
        return list(sheet.marks)  # as in most frames: one line, and nothing to join
    lines = set(sheet.marks)
    if sheet.bar:
        first, last = sheet.bar.range.start.line, sheet.bar.range.end.line
        whole = last - first < MAX_WHOLE_LINES
        lines |= {*range(first, last + 1 if whole else first + 3), *range(last - 1, last + 1)}
    for number in sheet.marks:
        if not sheet.source.line(number).strip():
            # where a file ends too early, what is wrong is at an empty line: a line above it says what was begun
            above = range(number - 1, max(0, number - 4), -1)
            lines.add(next((line for line in above if sheet.source.line(line).strip()), number))
    return sorted(lines | {line + 1 for line in lines if line + 2 in lines})


def _render_line(sheet: Canvas, number: int) -> Iterator[str]:
    """A line with what is under it; twice or more where its marks are too far apart for one row."""
    for text, marks in _excerpts(sheet.source.line(number), sheet.marks.get(number, ()), room=sheet.width):
        yield _gutter(sheet, str(number), _bar_columns(sheet, number, "text") + text)
        whole = [mark for mark in marks if mark.part == "whole"]
        if whole:
            for row in _render_labels(whole, room=sheet.width, paint=sheet.paint):
                yield _gutter(sheet, "", _bar_columns(sheet, number, "below") + row)
        for mark in marks:  # from the bar to the first or the last character of the range
            if mark.part != "whole":
                side = " " if mark.part == "opening" else "|"
                corner = side + "_" * (mark.start + 1) + _underline_sign(mark.style)
                yield _gutter(sheet, "", sheet.paint(corner, mark.style))


def _bar_columns(sheet: Canvas, number: int, row: str) -> str:
    """The two columns of the bar beside a row, where the frame has one."""
    if sheet.bar is None:
        return ""
    first, last = sheet.bar.range.start.line, sheet.bar.range.end.line
    if number == first and sheet.slanted:
        return sheet.paint("/" if row == "text" else "|", sheet.bar.style) + " "
    return sheet.paint("|", sheet.bar.style) + " " if first < number <= last else "  "


def _gutter(sheet: Canvas, number: str, text: str) -> str:
    return f"{sheet.paint(f'{number:>{sheet.digits}} |', 'gutter')} {text}".rstrip()


def _excerpts(line: str, marks: Sequence[Mark], *, room: int) -> Iterator[tuple[str, Sequence[Mark]]]:
    """The line in at most `room` cells, with its marks in cells; marks too far apart for that get an excerpt each."""
    marks = sorted(marks, key=attrgetter("start"))
    if len(line) < room and is_plain_ascii(line) and all(mark.start < mark.end <= len(line) for mark in marks):
        yield line, marks  # as in most frames: it fits, and characters are cells
        return
    if len(marks) < 2 or _fits(line, room - 1):
        yield _excerpt(line, marks, room)
        return
    group: list[Mark] = []
    for mark in marks:
        if group and not _fits(line[group[0].start : mark.end], room - 2):
            yield _excerpt(line, group, room)
            group = []
        group.append(mark)
    yield _excerpt(line, group, room)


def _fits(text: str, room: int) -> bool:
    return len(text) <= 4 * room and width(text) <= room


def _excerpt(line: str, marks: Sequence[Mark], room: int) -> tuple[str, Sequence[Mark]]:
    """Cut in code points first, so that a line of a megabyte costs no more than a short one, then in cells."""
    first = min((mark.start for mark in marks), default=0)
    begin, stop = max(0, first - 2 * room), first + 4 * room
    cells = measure_cells(line[begin:stop])
    marks = [_mark_in_cells(mark, cells, begin) for mark in marks]
    total = max([cells.width, *(mark.end for mark in marks)])
    open_left, open_right = begin > 0, stop < len(line)
    if total <= room and not open_left and not open_right:
        return "".join(cells.texts), marks
    left, right = _window(total, marks, room, open_left=open_left, open_right=open_right)
    head = ELLIPSIS if left or open_left else ""
    tail = ELLIPSIS if right < total or open_right else ""
    # the whole clusters between two cells; a mark that goes on where nothing is shown ends under the ellipsis
    visible = [index for index, start in enumerate(cells.left) if left <= start and cells.right[index] <= right]
    origin = (cells.left[visible[0]] if visible else left) - len(head)
    end = (cells.right[visible[-1]] if visible else left) - origin + len(tail)
    if not tail:
        end = max(end, right - origin)
    moved = []
    for mark in marks:
        start = min(max(mark.start - origin, 0), end - 1)
        moved.append(replace(mark, start=start, end=max(start + 1, min(mark.end - origin, end))))
    return head + "".join(cells.texts[index] for index in visible) + tail, moved


def _mark_in_cells(mark: Mark, cells: CellLayout, begin: int) -> Mark:
    """The mark in cells; it covers one cell at least, the one after the line where it is at its end."""
    start, end = mark.start - begin, mark.end - begin
    left = cells.left[start] if start < len(cells.left) else cells.width
    right = cells.right[min(end, len(cells.right)) - 1] if end > start and cells.right else left
    return replace(mark, start=left, end=max(right, left + 1))


def _window(total: int, marks: Sequence[Mark], room: int, *, open_left: bool, open_right: bool) -> tuple[int, int]:
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


def _render_labels(marks: Sequence[Mark], *, room: int, paint: Paint) -> Iterator[str]:
    """The rows under a line: all underlines in one, the last message beside them, the others hanging below."""
    if len(marks) == 1 and not marks[0].message:  # as in most frames
        sign = _underline_sign(marks[0].style)
        yield " " * marks[0].start + paint(sign * (marks[0].end - marks[0].start), marks[0].style)
        return
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end))
    inks: list[StyledCharacter] = [(" ", None)] * max(mark.end for mark in ordered)
    for mark in sorted(ordered, key=lambda mark: mark.style != "related"):  # what is wrong is drawn over the others
        inks[mark.start : mark.end] = [(_underline_sign(mark.style), mark.style)] * (mark.end - mark.start)
    beside = _inline_message(ordered[-1], len(inks) + 1, room, alone=not any(mark.message for mark in ordered[:-1]))
    first, *others = beside or [""]
    yield _draw_row(inks, first, ordered[-1].style, paint)
    for line in others:
        yield " " * (len(inks) + 1) + paint(line, ordered[-1].style)
    hanging = [mark for mark in (ordered[:-1] if beside else ordered) if mark.message]
    if hanging:
        yield _draw_row(_stems(hanging), "", None, paint)
    for nth in range(len(hanging) - 1, -1, -1):  # from the last, each on the line that comes down from its mark
        mark = hanging[nth]
        column, lines = _position_message(escape_controls(mark.message), mark.start, room)
        inks = _stems(hanging[:nth])[: max(0, column - 1)]
        inks += [(" ", None)] * (column - len(inks))
        for line in lines:
            yield _draw_row(inks, line, mark.style, paint, gap="")


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
    drawn = ""
    for ink, run in groupby(inks, key=itemgetter(1)):
        signs = "".join(sign for sign, _ in run)
        drawn += paint(signs, ink) if ink else signs
    return drawn + gap + (paint(text, style) if style else text) if text else drawn


HANGING_INDENT = 4
"""The spaces before the further lines of a message."""


@dataclass(frozen=True, slots=True)
class TextOutput:
    """What a report is written on."""

    sources: Callable[[str], Source | None]
    width: int
    paint: Paint


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """The places of one file that a diagnostic speaks of: those that can be shown, settled, and those that cannot.

    `position` is where the first of them is; `is_primary` says that it is the diagnostic's.
    """

    path: str
    position: Position
    source: Source | None
    visible: tuple[Annotation, ...]
    missing: tuple[Annotation, ...]
    is_primary: bool


def format_finding(diagnostic: Diagnostic, page: TextOutput) -> Iterator[str]:
    """The lines of a finding; none is wider than the page, except for words and paths that are."""
    style = severity_style(diagnostic.severity)
    scenes = [
        _file_excerpt(path, of_path, page.sources(path), own=path == diagnostic.path)
        for path, of_path in annotated_places(diagnostic).items()
    ]
    digits = len(str(max((place.range.end.line for scene in scenes for place in scene.visible), default=1)))
    word, rule = diagnostic.severity.word, f"[{escape_controls(diagnostic.rule)}]"
    room = page.width - width_of(word + rule) - len(": ")
    first, *others = wrap_text(escape_controls(diagnostic.message), first=room, rest=page.width - HANGING_INDENT)
    yield f"{page.paint(word, style)}{page.paint(rule, 'rule')}: {first}".rstrip()
    yield from (" " * HANGING_INDENT + line for line in others)
    for scene in scenes:
        yield from _excerpt_lines(scene, digits, page)
    advice = list(_advice(diagnostic))
    if advice and any(scene.visible for scene in scenes):
        yield page.paint(" " * digits + " |", "gutter")
    for word, text in advice:
        yield from note_lines(word, text, digits, page)


def annotated_places(diagnostic: Diagnostic) -> dict[str, list[Annotation]]:
    """The places that a diagnostic speaks of by the paths of their files, its own first."""
    places = {diagnostic.path: [Annotation(diagnostic.range, severity_style(diagnostic.severity))]}
    for related in diagnostic.related:
        places.setdefault(related.path, []).append(Annotation(related.range, "related", related.message))
    return places


def _file_excerpt(path: str, places: Sequence[Annotation], source: Source | None, *, own: bool) -> FileExcerpt:
    """Files change and vanish after they were checked; where a diagnostic's own place is gone, none is shown."""
    ranges = [clamp_range(source, place.range) if source else None for place in places]
    if own and ranges[0] is None:
        ranges = [None] * len(places)
    settles = list(zip(places, ranges, strict=True))
    settled_places = tuple(
        place if where is place.range else replace(place, range=where) for place, where in settles if where
    )
    lost = tuple(place for place, where in settles if not where)
    return FileExcerpt(path, places[0].range.start, source, settled_places, lost, own)


def _excerpt_lines(scene: FileExcerpt, digits: int, page: TextOutput) -> Iterator[str]:
    if scene.is_primary:
        yield location_line("-->", scene.path, scene.position, digits, page)
    elif scene.visible:
        yield page.paint(" " * digits + " |", "gutter")
        yield location_line(":::", scene.path, scene.visible[0].range.start, digits, page)
    if scene.source and scene.visible:
        yield from render_frame(scene.source, scene.visible, digits=digits, width=page.width, paint=page.paint)
    for place in scene.missing:
        if place.style == "related":
            yield location_line(":::", scene.path, place.range.start, digits, page) + ":"
            indent = digits + len("::: ")
            lines = wrap_text(escape_controls(place.message), first=page.width - indent, rest=page.width - indent)
            yield from (" " * indent + line for line in lines)


def location_line(sign: str, path: str, position: Position, digits: int, page: TextOutput) -> str:
    """Never broken, so that terminals and editors recognize it."""
    where = f"{escape_controls(path)}:{position.line}:{position.column}"
    return f"{' ' * digits}{page.paint(sign, 'gutter')} {page.paint(where, 'place')}"


def _advice(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    if diagnostic.help:
        yield "help", diagnostic.help
    if diagnostic.fix:
        yield "help", f"{diagnostic.fix.title} ({'safe' if diagnostic.fix.safe else 'unsafe'} fix)"
    if diagnostic.refusal:
        yield "note", f"no fix here: {diagnostic.refusal}"


def note_lines(word: str, text: str, digits: int, page: TextOutput) -> Iterator[str]:
    """A remark below a frame whose line numbers have so many digits, after its word."""
    indent = digits + len(f" = {word}: ")
    safe = "\n".join(escape_controls(line) for line in text.split("\n"))
    first, *others = wrap_text(safe, first=page.width - indent, rest=page.width - indent)
    sign, label = page.paint("=", "gutter"), page.paint(word, "help")
    yield f"{' ' * digits} {sign} {label}: {first}".rstrip()
    yield from ((" " * indent + line).rstrip() for line in others)
