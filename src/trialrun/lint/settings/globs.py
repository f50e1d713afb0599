"""The globs of the settings, which speak of paths from the folder of the settings file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


def matches(globs: Iterable[str], path: str) -> bool:
    """Whether one of the globs matches a path."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """A glob as a pattern: `*` and `?` stay within a folder, `**` crosses folders, a folder is all that is in it."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./"))
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    inside = ".*" if glob.endswith("/") else "(?:/.*)?"
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts) + inside, re.DOTALL)
