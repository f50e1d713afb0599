"""Tables in columns, fitted to the width of the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of

GAP = 2
MIN_COLUMN_WIDTH = 8
"""Minimum width of a column."""


def align_columns(
    rows: Sequence[Sequence[str]], *, width: int, right: Collection[int] = (), head: bool = False
) -> list[list[str]] | None:
    """The cells of the rows, cut and padded to columns; None if there are too many columns for the width.

    The columns in `right` are right-aligned; the last cell of a row is not padded, unless it is one of them. The first
    row is not cut if it is the `head`.
    """
    natural = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    least = [
        max(min(width_pair, MIN_COLUMN_WIDTH), width_of(cell) if head else 0)
        for width_pair, cell in zip(natural, rows[0], strict=True)
    ]
    widths = _widths(natural, least, width - GAP * (len(natural) - 1))
    if widths is None:
        return None
    return [[_cell(text, widths, at, right) for at, text in enumerate(row)] for row in rows]


def align_if_wide_enough(rows: Sequence[Sequence[str]], *, width: int, right: Collection[int] = ()) -> list[list[str]]:
    """The cells as columns if the width allows, otherwise unpadded, with control characters escaped."""
    return align_columns(rows, width=width, right=right) or [[escape_controls(cell) for cell in row] for row in rows]


def numeric_columns(rows: Sequence[Sequence[object]], *, first: int) -> list[int]:
    """The indexes of columns that contain only numbers or null, from `first` on."""
    columns = enumerate(zip(*rows, strict=True), first)
    return [at for at, column in columns if all(value is None or type(value) in (int, float) for value in column)]


def join_cells(cells: Sequence[str]) -> str:
    """The cells of a row as a line."""
    return (" " * GAP).join(cells).rstrip()


def _widths(natural: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """The widths of the columns: the widest are reduced until all fit."""
    if sum(least) > room:
        return None
    most = max(natural)
    while sum(_width(*width_pair, most) for width_pair in zip(natural, least, strict=True)) > room:
        most -= 1
    return [_width(*width_pair, most) for width_pair in zip(natural, least, strict=True)]


def _width(natural: int, least: int, most: int) -> int:
    return max(min(natural, most), least)


def _cell(text: str, widths: Sequence[int], at: int, right: Collection[int]) -> str:
    drawn = truncate(text, widths[at])
    blanks = " " * (widths[at] - width_of(drawn))
    if at in right:
        return blanks + drawn
    return drawn if at == len(widths) - 1 else drawn + blanks
