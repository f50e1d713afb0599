"""Ranges with their columns in the units that other programs count in."""

from __future__ import annotations

from collections.abc import Callable

from trialrun.diagnostic import Range
from trialrun.text import Position, Source

ColumnUnit = Callable[[Source, Position], int]
"""The column of a position in some unit, from 1."""


def convert_columns(place: Range, source: Source | None, unit: ColumnUnit) -> Range | None:
    """The range with its columns in a unit; None if the text is not there, or no longer has these lines."""
    if source is None or not 1 <= place.start.line <= place.end.line <= len(source.line_starts):
        return None
    start, end = (Position(position.line, unit(source, position)) for position in (place.start, place.end))
    return Range(start, max(start, end))


def utf16_column(source: Source, position: Position) -> int:
    """The column in UTF-16 code units; a byte order mark is not counted."""
    return source.utf16_column(position)


def utf8_column(source: Source, position: Position) -> int:
    """The column in bytes of UTF-8 unchanged in the file, a byte order mark among them."""
    mark = 3 if source.bom and source.encoding == "utf-8" and position.line == 1 else 0
    return mark + source.utf8_column(position)
