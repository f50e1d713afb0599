"""The globs of the settings, which speak of paths from the folder of the settings file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


def matches(globs: Iterable[str], path: str) -> bool:
    """Whether one of the globs matches a path."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


_TOKEN = re.compile(r"(\*\*/|\*\*|\*[^*]+(?=\*(?!\*/))|\*|\?)")


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """A glob as a pattern: `*` and `?` stay within a folder, `**` crosses folders, a folder is all that is in it."""
    told = re.sub(r"(?:\*\*/)+", "**/", re.sub(r"\*{3,}", "**", glob.removeprefix("./")))
    inside = ".*" if glob.endswith("/") else "(?:/.*)?"
    return re.compile("".join(map(_part, _TOKEN.split(told))) + inside, re.DOTALL)


def _part(token: str) -> str:
    """A token as a pattern; of what stands between two stars the first place will do, so that none other is tried."""
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if token.startswith("*") and token not in known:
        return f"(?>[^/]*?{''.join(known.get(letter, re.escape(letter)) for letter in token[1:])})"
    return known.get(token, re.escape(token))
