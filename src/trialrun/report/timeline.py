"""Many views on one time axis: a lane for each, a sign where it is synced; the times above the lanes are in UTC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, count, groupby
from typing import Literal

from trialrun.report.color import Paint, Style
from trialrun.report.format_value import MONTHS, format_clock, format_day, format_duration, format_utc
from trialrun.report.terminal_width import measure_cells, wrap_text
from trialrun.report.terminal_width import width as width_of

_DAY = 24 * 60
COLUMN_MINUTES = (1, 2, 5, 10, 15, 20, 30, 40, 60, 120, 180, 240, 360, 480, 720, _DAY, 2 * _DAY, 7 * _DAY)
"""The minutes that a column may be long; beyond these, any number of weeks."""
TICK_MINUTES = (10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, _DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 28 * _DAY)
MIN_GAP = 2
"""The blank cells between two texts of the axis."""
EPOCH = datetime(1970, 1, 5, tzinfo=UTC)
"""A Monday, from which columns and ticks are counted, so that weeks begin on one."""


@dataclass(frozen=True, slots=True)
class Axis:
    """`count` columns from `start` on, each as long as `cell`."""

    start: datetime
    cell: timedelta
    count: int

    def column(self, time: datetime) -> int | None:
        """The column that a time falls on, None for one that is not on the axis."""
        at = (time - self.start) // self.cell
        return at if 0 <= at < self.count else None


def choose_axis(start: datetime, span: timedelta, room: int) -> Axis:
    """The axis of a span in at most `room` columns; it begins at a round time, at or before `start`."""
    for minutes in chain(COLUMN_MINUTES, count(14 * _DAY, 7 * _DAY)):
        cell = timedelta(minutes=minutes)
        first = EPOCH + (start - EPOCH) // cell * cell
        columns = -((first - start - span) // cell)
        if columns <= room:
            return Axis(first, cell, columns)
    raise AssertionError("there is a number of weeks for every span")


def header_lines(along: Axis) -> Iterator[str]:
    """The lines above the lanes: the days, where the times are shorter, then the times."""
    step, marked = _tick_step(along), tick_columns(along)
    starts = [along.start + at * along.cell for at in range(along.count)]
    if step < timedelta(days=1):
        # the first column, and those with which a day begins
        days = [at for at in range(along.count) if at == 0 or starts[at].date() != starts[at - 1].date()]
        yield _line([(at, format_day(starts[at], year=along.start.year)) for at in days], along.count)
        yield _line([(at, format_clock(starts[at])) for at in marked], along.count)
        return
    years: dict[int, int] = {}
    for at in marked:
        years.setdefault(starts[at].year, at)
    yield _line([(at, str(year)) for year, at in years.items()], along.count)
    roomy = step // along.cell >= len("Fri 20 Nov") + MIN_GAP
    dates = [
        (
            at,
            format_day(starts[at], year=starts[at].year)
            if roomy
            else f"{starts[at].day} {MONTHS[starts[at].month - 1]}",
        )
        for at in marked
    ]
    yield _line(dates, along.count)


def tick_columns(along: Axis) -> list[int]:
    """The columns that begin at a round time, which is above them."""
    step = _tick_step(along)
    return [at for at in range(along.count) if not (along.start + at * along.cell - EPOCH) % step]


def _tick_step(along: Axis) -> timedelta:
    """The time between two ticks: the shortest that leaves room for what is at them."""
    for minutes in TICK_MINUTES:
        step = timedelta(minutes=minutes)
        wide = len("00:00") if minutes < _DAY else len("20 Nov")
        if not step % along.cell and step // along.cell >= wide + MIN_GAP:
            return step
    return along.cell * (len("20 Nov") + MIN_GAP)


def _line(texts: list[tuple[int, str]], room: int) -> str:
    """The texts at their columns; where two would touch, the later is kept, and none goes beyond the room."""
    line = ""
    for number, (at, text) in enumerate(texts):
        following = texts[number + 1][0] if number + 1 < len(texts) else room + MIN_GAP
        if at + len(text) + MIN_GAP <= following and at + len(text) <= room:
            line += " " * (at - len(line)) + text
    return line


Sign = Literal["run", "several", "herd", "lost", "twice", "continuous", "lane", "tick"]
SIGNS: dict[Sign, tuple[str, str, Style, str]] = {
    "run": ("●", "o", "place", "a run"),
    "several": ("■", "#", "place", "several runs"),
    "herd": ("▲", "^", "warning", "a run in a herd"),
    "lost": ("✕", "x", "error", "a run skipped by a clock change"),
    "twice": ("‼", "!", "warning", "a run repeated by a clock change"),
    "continuous": ("═", "=", "clean", "synced continuously"),
    "lane": ("·", ".", "gutter", ""),
    "tick": ("┊", ":", "gutter", ""),
}
"""The signs, in ASCII as well, their styles, and what they stand for; of several on one column, the later is shown."""
GAP = "  "
MIN_LANE_WIDTH = 8
"""The cells that a lane has at least, and a name where it must be cut."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A view: its name, the signs and their times, and what to say where there are none."""

    name: str
    signs: Sequence[tuple[datetime, Sign]] = ()
    continuous: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a timeline is drawn on; without `unicode` it has signs of ASCII only."""

    width: int
    paint: Paint
    unicode: bool

    def sign(self, sign: Sign) -> str:
        """The character of a sign."""
        return SIGNS[sign][0 if self.unicode else 1]


def can_draw(encoding: str | None) -> bool:
    """Whether an encoding has all signs that are drawn."""
    try:
        "".join((*(sign for sign, *_ in SIGNS.values()), "→…")).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def draw_timeline(lanes: Sequence[Lane], start: datetime, span: timedelta, drawing: Drawing) -> Iterator[str]:
    """Draw the lanes from a time on, the axis in UTC above them and the meaning of the signs below."""
    longest = max((width_of(lane.name) for lane in lanes), default=0)
    label = min(longest, max(drawing.width // 3, MIN_LANE_WIDTH))
    along = choose_axis(start, span, max(drawing.width - label - len(GAP), MIN_LANE_WIDTH))
    title = f"{format_duration(span)} from {format_utc(start)}; a column is {format_duration(along.cell)}"
    yield from (f"{line}\n" for line in wrap_text(title, first=drawing.width, rest=drawing.width))
    for head in header_lines(along):
        yield f"{' ' * label}{GAP}{drawing.paint(head, 'gutter')}".rstrip() + "\n"
    drawn_signs: set[Sign] = set()
    for lane in lanes:
        cells = _cells(lane, along)
        drawn_signs |= set(cells)
        yield f"{_format_name(lane.name, label, drawing)}{GAP}{_draw_lane(lane, cells, drawing)}\n"
    yield from _legend(drawn_signs, drawing)


def _cells(lane: Lane, along: Axis) -> list[Sign]:
    """The sign of every column of a lane."""
    if lane.continuous:
        return ["continuous"] * along.count
    order, marked = list(SIGNS), tick_columns(along)
    cells: list[Sign] = ["tick" if at in marked else "lane" for at in range(along.count)]
    for time, sign in lane.signs:
        at = along.column(time)
        if at is None:
            continue
        current = cells[at]
        is_empty = current in ("tick", "lane")
        if not is_empty and sign == "run":
            sign = "several" if current == "run" else current
        cells[at] = sign if is_empty else max(sign, current, key=order.index)
    return cells


def _draw_lane(lane: Lane, cells: Sequence[Sign], drawing: Drawing) -> str:
    note = f" {lane.note}" if lane.note and set(cells) <= {"lane", "tick"} else ""
    if note and not drawing.unicode:
        note = note.replace("→", "->")
    plain_width = len(cells) - width_of(note)
    if plain_width < 0:
        note, plain_width = "", len(cells)
    line = ""
    for sign, run in groupby(cells[:plain_width]):
        line += drawing.paint(drawing.sign(sign) * len(list(run)), SIGNS[sign][2])
    return line + note


def _format_name(name: str, cells: int, drawing: Drawing) -> str:
    """The name in its cells; one that is too long is cut in its middle, since names begin and end alike."""
    if width_of(name) > cells:
        sign = "…" if drawing.unicode else "~"
        front = cells // 2
        name = f"{_prefix(name, front)}{sign}{_prefix(name[::-1], cells - 1 - front)[::-1]}"
    return drawing.paint(name, "rule") + " " * (cells - width_of(name))


def _prefix(text: str, cells: int) -> str:
    """As many characters from the front as fit into the cells."""
    laid = measure_cells(text)
    return text[: sum(right <= cells for right in laid.right)]


def _legend(drawn_signs: set[Sign], drawing: Drawing) -> Iterator[str]:
    entries = [f"{drawing.sign(sign)} {words}" for sign, (*_, words) in SIGNS.items() if words and sign in drawn_signs]
    for line in wrap_text(GAP.join(entries), first=drawing.width, rest=drawing.width) if entries else ():
        yield drawing.paint(line, "gutter") + "\n"
