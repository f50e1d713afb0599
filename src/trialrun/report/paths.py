"""Paths of files as other programs want them: short, or as parts of a URI."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

DRIVE = re.compile(r"[A-Za-z]:/")
LONE = re.compile("[\ud800-\udfff]")
"""Bytes of a name that are no UTF-8, as Python has them; some readers of JSON refuse a whole report for one."""


def tidy(path: str) -> str:
    """The path without `./` and other steps that lead nowhere; one that begins with `..` keeps it."""
    return posixpath.normpath(path)


def readable(path: str) -> str:
    """The tidy path with U+FFFD in place of what is no character."""
    return LONE.sub("\ufffd", tidy(path))


def uri(path: str) -> str:
    """The path as a URI: a relative reference, or a `file:` URI where the path begins at the root of the system.

    Bytes of a name that are no UTF-8 are escaped as they are.
    """
    short = tidy(path)
    if DRIVE.match(short):
        return f"file:///{short[0]}:{_quoted(short[2:])}"
    return f"file://{_quoted(short)}" if short.startswith("/") else _quoted(short)


def _quoted(path: str) -> str:
    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a lone surrogate of a name in UTF-16
        return quote(path.encode("utf-8", "surrogatepass"))
