"""Tables of texts in columns, no wider than the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trialrun.report.cells import width as width_of
from trialrun.report.value import cut

GAP = 2
LEAST = 8
"""The cells that a column keeps, whatever has to be cut."""


def table(rows: Sequence[Sequence[str]], *, width: int, right: Collection[int] = ()) -> list[list[str]] | None:
    """The cells of the rows, cut and filled so that they make columns; None where they are too many for the width.

    The columns of `right` end on one line, as numbers do; the last cell of a row is not filled.
    """
    widths = _widths([max(map(width_of, column)) for column in zip(*rows, strict=True)], width)
    if widths is None:
        return None
    return [[_cell(text, widths, at, right) for at, text in enumerate(row)] for row in rows]


def joined(cells: Sequence[str]) -> str:
    """The line of a row."""
    return (" " * GAP).join(cells).rstrip()


def _widths(natural: Sequence[int], width: int) -> list[int] | None:
    """The widths of the columns: the widest give way until all fit."""
    room = width - GAP * (len(natural) - 1)
    if sum(min(one, LEAST) for one in natural) > room:
        return None
    most = max(natural)
    while sum(min(one, most) for one in natural) > room:
        most -= 1
    return [min(one, most) for one in natural]


def _cell(text: str, widths: Sequence[int], at: int, right: Collection[int]) -> str:
    drawn = cut(text, widths[at])
    blanks = " " * (widths[at] - width_of(drawn))
    if at in right:
        return blanks + drawn
    return drawn if at == len(widths) - 1 else drawn + blanks
