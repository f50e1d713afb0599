"""Globs of the settings: `.gitignore` patterns for paths relative to the folder of the settings file.

A pattern is matched folder by folder, and each star takes the first possible position, so that matching is fast. A
pattern that matches a folder covers everything in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

_BRACES = re.compile(r"(?<!\\)\{[^{}]*,[^{}]*\}")
_TOKEN = re.compile(r"\\(.)|(\*+)|(\?)|\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]|(.)", re.DOTALL)
_CLASSES = {"[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:alnum:]": "a-zA-Z0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z"}
_NEVER = "(?!)"


class Glob(NamedTuple):
    """A pattern as runs of names, with any folders between them; also before the first one, unless anchored."""

    runs: tuple[tuple[re.Pattern[str], ...], ...]
    is_anchored: bool = True
    is_negated: bool = False
    of_folders: bool = False
    of_contents: bool = False

    def matches(self, names: Sequence[str], *, is_folder: bool = False) -> bool:
        """Whether the pattern matches a path, given as names, or a folder that contains it."""
        at = self._end_of(self.runs, names)
        if at is None:
            return False
        end = at + 1 if self.of_contents or not self.runs else at
        return end < len(names) or (end == len(names) and (is_folder or not self.of_folders))

    def matches_itself(self, names: Sequence[str], *, is_folder: bool = False) -> bool:
        """Whether the pattern matches a path itself, and not only a folder that contains it."""
        if self.of_folders and not is_folder:
            return False
        if self.of_contents or not self.runs:
            return self.matches(names, is_folder=is_folder)
        *before, last = self.runs
        at, start = self._end_of(before, names), len(names) - len(last)
        if at is None or start < at or (start > 0 and self.is_anchored and not before):
            return False
        return _first(last, names, start, only_here=True) is not None

    def _end_of(self, runs: Iterable[tuple[re.Pattern[str], ...]], names: Sequence[str]) -> int | None:
        """The end of a prefix of the path that matches the runs in order; None if there is none."""
        at = 0
        for number, run in enumerate(runs):
            end = _first(run, names, at, only_here=self.is_anchored and number == 0)
            if end is None:
                return None
            at = end
        return at


def matches(globs: Iterable[str], path: str, *, is_folder: bool = False) -> bool:
    """Whether a list of globs, of which later ones win, matches a path or a folder that contains it."""
    patterns = [pattern for glob in globs if (pattern := glob_of(glob))]
    names = path.split("/")
    if not any(pattern.is_negated for pattern in patterns):
        return any(pattern.matches(names, is_folder=is_folder) for pattern in patterns)
    for length in range(1, len(names) + 1):  # as in git, files below a matched folder cannot be included again
        inner = is_folder or length < len(names)
        prefix = names[:length]
        last = next(
            (pattern for pattern in reversed(patterns) if pattern.matches_itself(prefix, is_folder=inner)), None
        )
        if last is not None and not last.is_negated:
            return True
    return False


def problem_of(glob: str) -> str | None:
    """Why a text is not a valid pattern, as a clause for a message; None if it is."""
    if _BRACES.search(glob):
        return f'"{glob}" has braces, which .gitignore patterns do not support; write one pattern for each'
    if glob_of(glob) is None:
        return f'"{glob}" is not a valid .gitignore pattern; write a path or a glob'
    return None


@cache
def glob_of(glob: str) -> Glob | None:
    """The parsed glob; None if it cannot match anything, such as a comment or a lone `!`."""
    text = glob if glob.endswith("\\ ") else glob.rstrip(" ")
    is_negated = text.startswith("!")
    text = text.removeprefix("!").removeprefix("./")
    parts = [part for part in text.split("/") if part]
    if not parts or text.startswith("#") or (text.endswith("\\") and not text.endswith("\\\\")):
        return None
    runs: list[tuple[re.Pattern[str], ...]] = [()]
    for part in parts:
        if part == "**":
            runs.append(())
        else:
            runs[-1] += (_name(part),)
    is_free = "/" not in text.rstrip("/") or parts[0] == "**"
    return Glob(
        tuple(run for run in runs if run),
        is_anchored=not is_free,
        is_negated=is_negated,
        of_folders=text.endswith("/"),
        of_contents=parts[-1] == "**" and len(parts) > 1,
    )


def _first(run: Sequence[re.Pattern[str]], names: Sequence[str], at: int, *, only_here: bool) -> int | None:
    """The end of the first match of a run at or after a position; None if there is none."""
    last = at if only_here else len(names) - len(run)
    for start in range(at, last + 1):
        window = names[start : start + len(run)]
        if len(window) == len(run) and all(pattern.fullmatch(name) for pattern, name in zip(run, window, strict=True)):
            return start + len(run)
    return None


def _name(part: str) -> re.Pattern[str]:
    """The regular expression of one name; between two stars only the first position is tried."""
    pieces = [""]
    for escaped, stars, any_letter, negation, letters, letter in _TOKEN.findall(part):
        if stars:
            pieces.append("")
        elif letters:
            pieces[-1] += _letters(letters, is_negated=bool(negation))
        elif letter == "[":
            pieces[-1] += _NEVER
        else:
            pieces[-1] += "." if any_letter else re.escape(escaped or letter)
    first, *rest = pieces
    between = "".join(f"(?>.*?{piece})" for piece in rest[:-1])
    return re.compile(first + between + (f".*{rest[-1]}" if rest else ""), re.DOTALL)


def _letters(text: str, *, is_negated: bool) -> str:
    """A character class as a regular expression; empty if its ranges are reversed."""
    for name, letters in _CLASSES.items():
        text = text.replace(name, letters)
    inner = re.sub(r"\\(.)|([\[\]^&~|])", lambda found: re.escape(found[1] or found[2]), text)
    pattern = f"[{'^' if is_negated else ''}{inner}]"
    try:
        re.compile(pattern)
    except re.error:
        return _NEVER
    return pattern
