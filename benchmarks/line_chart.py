"""Line charts as SVG: both axes logarithmic or not, one line for each series, its name at its end.

Coordinates are rounded, so that the same figures give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 160, 44, 44
COLORS = ("#1f5fa8", "#c2571a", "#3d8b40", "#8e3f97", "#a8324a", "#5d6b7a", "#0e7c7b", "#7a6200")
TEXT, SOFT, GRID, PAPER = "#16202e", "#4a5a70", "#e3e8ef", "#ffffff"
LABEL_HEIGHT = 13.0
"""The least distance of two names at the ends of lines."""
FONT = 'font-family="Helvetica, Arial, sans-serif"'
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class Series:
    """A line: its name, its points, where it is marked by a circle, and which of the colors it has."""

    name: str
    points: Sequence[tuple[float, float]]
    marks: Sequence[float] = ()
    color: int = 0


@dataclass(frozen=True)
class Chart:
    """A chart: what it shows, what its axes are, whether they are logarithmic, and its lines."""

    title: str
    x_title: str
    y_title: str
    series: Sequence[Series]
    x_log: bool = True
    y_log: bool = True


@dataclass(frozen=True)
class Axis:
    """Where values lie between two ends, on a line of so many pixels."""

    low: float
    high: float
    is_log: bool
    start: float
    length: float

    def position(self, value: float) -> float:
        """The coordinate of a value."""
        low, high, at = (math.log10(part) if self.is_log else part for part in (self.low, self.high, value))
        return self.start + (at - low) / (high - low) * self.length

    def ticks(self) -> list[float]:
        """The values that are written at the axis."""
        if not self.is_log:
            step = nice_step(self.high - self.low)
            return [number * step for number in range(round(self.high / step) + 1)]
        powers = range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)
        return [10.0**power for power in powers]


def nice_step(span: float) -> float:
    """A round number that goes four to ten times into a span."""
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(factor * power for factor in (5, 2, 1) if factor * power <= span / 4)


def axis(values: Sequence[float], start: float, length: float, *, is_log: bool) -> Axis:
    """The axis that has room for some values: whole powers of ten, or from 0 to a round number."""
    if is_log:
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return Axis(10.0**low, 10.0 ** max(high, low + 1), True, start, length)
    step = nice_step(max(values) or 1)
    return Axis(0.0, math.ceil((max(values) or 1) / step) * step, False, start, length)


def short_number(value: float) -> str:
    """A number for an axis: `10k`, `0.1`, `1M`."""
    for size, prefix in PREFIXES:
        if value >= size:
            return f"{value / size:g}{prefix}"
    return f"{value:g}"


def draw_charts(charts: Sequence[Chart], *, columns: int = 2) -> str:
    """An SVG of some charts, side by side and below each other."""
    columns = min(columns, len(charts))
    width, height = columns * WIDTH, math.ceil(len(charts) / columns) * HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" {FONT} font-size="11">',
        f"<title>{escape('; '.join(chart.title for chart in charts))}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    for number, chart in enumerate(charts):
        lines += _chart(chart, number % columns * WIDTH, number // columns * HEIGHT)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _chart(chart: Chart, left: float, top: float) -> Iterator[str]:
    points = [point for series in chart.series for point in series.points]
    bottom = top + HEIGHT - BOTTOM
    across = axis([x for x, _ in points], left + LEFT, WIDTH - LEFT - RIGHT, is_log=chart.x_log)
    up = axis([y for _, y in points], bottom, -(HEIGHT - TOP - BOTTOM), is_log=chart.y_log)
    yield _text(left + LEFT, top + 18, chart.title, TEXT, weight="bold", size=13)
    yield _text(left + LEFT, top + 34, chart.y_title, SOFT)
    yield _text(left + LEFT + across.length / 2, bottom + 34, chart.x_title, SOFT, anchor="middle")
    yield from _grid(across, up, bottom)
    ends = label_heights([up.position(series.points[-1][1]) for series in chart.series], top + TOP, bottom)
    for series, end in zip(chart.series, ends, strict=True):
        yield from _series(series, across, up, COLORS[series.color % len(COLORS)], end)


def _grid(across: Axis, up: Axis, bottom: float) -> Iterator[str]:
    right = across.start + across.length
    for value in up.ticks():
        y = up.position(value)
        yield _line(across.start, y, right, y, GRID)
        yield _text(across.start - 6, y + 4, short_number(value), SOFT, anchor="end")
    for value in across.ticks():
        x = across.position(value)
        yield _line(x, bottom, x, bottom + up.length, GRID)
        yield _text(x, bottom + 16, short_number(value), SOFT, anchor="middle")


def _series(series: Series, across: Axis, up: Axis, color: str, label: float) -> Iterator[str]:
    placed = [(across.position(x), up.position(y)) for x, y in series.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
    yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in placed)
    x, y = placed[-1]
    edge = across.start + across.length + 10
    yield _line(x + 3, y, edge - 2, label, color, dashed=True)
    yield _text(edge, label + 4, series.name, color)
    at = dict(series.points)
    for value in series.marks:
        x, y = across.position(value), up.position(at[value])
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="{color}" stroke-width="1.5"/>'


def label_heights(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights near the wanted ones, none nearer to another than a line of text, in the order of the wanted ones."""
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    heights = dict[int, float]()
    lowest = top
    for number in order:
        heights[number] = max(wanted[number], lowest)
        lowest = heights[number] + LABEL_HEIGHT
    highest = bottom
    for number in reversed(order):
        heights[number] = min(heights[number], highest)
        highest = heights[number] - LABEL_HEIGHT
    return [heights[number] for number in range(len(wanted))]


def _line(x: float, y: float, to_x: float, to_y: float, color: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="2 2" stroke-opacity="0.6"' if dashed else ""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{color}"{dash}/>'


def _text(
    x: float, y: float, words: str, color: str, *, anchor: str = "start", weight: str = "normal", size: int = 11
) -> str:
    extra = "" if weight == "normal" else f' font-weight="{weight}"'
    extra += "" if size == 11 else f' font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}"{extra}>{escape(words)}</text>'
