"""Locations as other programs write them: normalized paths, URIs, and columns in their units."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from trialrun.diagnostic import Range
from trialrun.text import Position, Source

WINDOWS_DRIVE = re.compile(r"[A-Za-z]:/")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Bytes of a name that are not UTF-8, as Python decodes them; some JSON readers reject them."""


def normalize_path(path: str) -> str:
    """The path without `./` and similar steps; `..` at the start is kept."""
    return posixpath.normpath(path)


def printable_path(path: str) -> str:
    """The normalized path with U+FFFD for bytes that are not UTF-8."""
    return LONE_SURROGATE.sub("\ufffd", normalize_path(path))


def path_to_uri(path: str) -> str:
    """The path as a URI: a relative reference, or a `file:` URI for an absolute path.

    Bytes of a name that are not UTF-8 are percent-encoded.
    """
    short = normalize_path(path)
    if WINDOWS_DRIVE.match(short):
        return f"file:///{short[0]}:{_percent_encode(short[2:])}"
    return f"file://{_percent_encode(short)}" if short.startswith("/") else _percent_encode(short)


def _percent_encode(path: str) -> str:
    from urllib.parse import quote  # most reports have no URIs

    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a lone surrogate in a UTF-16 name
        return quote(path.encode("utf-8", "surrogatepass"))


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
