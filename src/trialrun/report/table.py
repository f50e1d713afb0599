"""Tables of texts in columns, no wider than the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of

GAP = 2
MIN_COLUMN_WIDTH = 8
"""The cells that a column keeps, whatever has to be cut."""


def align_columns(
    rows: Sequence[Sequence[str]], *, width: int, right: Collection[int] = (), head: bool = False
) -> list[list[str]] | None:
    """The cells of the rows, cut and filled so that they make columns; None if they are too many for the width.

    The columns of `right` end on one line, as numbers do; the last cell of a row is not filled, unless it is one of
    them. A first row that is the `head` is not cut.
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
    """The cells of a table as far as the width has room for one, else as they are, safe for a terminal."""
    return align_columns(rows, width=width, right=right) or [[escape_controls(cell) for cell in row] for row in rows]


def numeric_columns(rows: Sequence[Sequence[object]], *, first: int) -> list[int]:
    """The columns of some values that are numbers or null, counted from `first`."""
    columns = enumerate(zip(*rows, strict=True), first)
    return [at for at, column in columns if all(value is None or type(value) in (int, float) for value in column)]


def join_cells(cells: Sequence[str]) -> str:
    """The line of a row."""
    return (" " * GAP).join(cells).rstrip()


def _widths(natural: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """The widths of the columns: the widest give way until all fit."""
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
