"""Paths of files as other programs want them: short, or as parts of a URI."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

WINDOWS_DRIVE = re.compile(r"[A-Za-z]:/")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Bytes of a name that are no UTF-8, as Python has them; some readers of JSON refuse a whole report for one."""


def normalize_path(path: str) -> str:
    """The path without `./` and other steps that lead nowhere; one that begins with `..` keeps it."""
    return posixpath.normpath(path)


def printable_path(path: str) -> str:
    """The tidy path with U+FFFD in place of what is not a character."""
    return LONE_SURROGATE.sub("\ufffd", normalize_path(path))


def path_to_uri(path: str) -> str:
    """The path as a URI: a relative reference, or a `file:` URI where the path begins at the root of the system.

    Bytes of a name that are no UTF-8 are escaped as they are.
    """
    short = normalize_path(path)
    if WINDOWS_DRIVE.match(short):
        return f"file:///{short[0]}:{_percent_encode(short[2:])}"
    return f"file://{_percent_encode(short)}" if short.startswith("/") else _percent_encode(short)


def _percent_encode(path: str) -> str:
    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a lone surrogate of a name in UTF-16
        return quote(path.encode("utf-8", "surrogatepass"))
