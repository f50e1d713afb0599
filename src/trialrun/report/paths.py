"""Formats paths for other programs: normalized, or as URIs."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

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
    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a lone surrogate in a UTF-16 name
        return quote(path.encode("utf-8", "surrogatepass"))
