"""The globs of the settings: those of git's ignore files, which speak of paths from the folder of the settings file.

A pattern is matched folder by folder and each star takes the first place that will do, so that none takes long. What a
pattern names covers all that is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from trialrun.lazy_dataclass import dataclass

_BRACES = re.compile(r"(?<!\\)\{[^{}]*,[^{}]*\}")
_TOKEN = re.compile(r"\\(.)|(\*+)|(\?)|\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]|(.)", re.DOTALL)
_CLASSES = {"[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:alnum:]": "a-zA-Z0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z"}
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern as runs of folder names, between which any folders may lie; before the first too, unless anchored."""

    runs: tuple[tuple[re.Pattern[str], ...], ...]
    is_anchored: bool = True
    is_negated: bool = False
    of_folders: bool = False
    of_contents: bool = False

    def matches(self, names: Sequence[str], *, is_folder: bool = False) -> bool:
        """Whether a path, by its folders and its name, or a folder that it is in, is what the pattern names."""
        at = self._end_of(self.runs, names)
        if at is None:
            return False
        end = at + 1 if self.of_contents or not self.runs else at
        return end < len(names) or (end == len(names) and (is_folder or not self.of_folders))

    def matches_itself(self, names: Sequence[str], *, is_folder: bool = False) -> bool:
        """Whether a path is what the pattern names, which does not count because of a folder that it is in."""
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
        """Where the first runs end in a path that has them in turn; None if it has not."""
        at = 0
        for number, run in enumerate(runs):
            end = _first(run, names, at, only_here=self.is_anchored and number == 0)
            if end is None:
                return None
            at = end
        return at


def matches(globs: Iterable[str], path: str, *, is_folder: bool = False) -> bool:
    """Whether a list of globs, the later ones first, names a path, or a folder that it is in."""
    patterns = [pattern for glob in globs if (pattern := glob_of(glob))]
    names = path.split("/")
    if not any(pattern.is_negated for pattern in patterns):
        return any(pattern.matches(names, is_folder=is_folder) for pattern in patterns)
    for length in range(1, len(names) + 1):  # what is below a folder that is named cannot be taken out again
        inner = is_folder or length < len(names)
        prefix = names[:length]
        last = next(
            (pattern for pattern in reversed(patterns) if pattern.matches_itself(prefix, is_folder=inner)), None
        )
        if last is not None and not last.is_negated:
            return True
    return False


def problem_of(glob: str) -> str | None:
    """Why a text is not a pattern, as a clause for a message; None if it is one."""
    if _BRACES.search(glob):
        return f'"{glob}" has braces, which .gitignore patterns do not support; write one pattern for each'
    if glob_of(glob) is None:
        return f'"{glob}" is not a valid .gitignore pattern; write a path or a glob'
    return None


@cache
def glob_of(glob: str) -> Glob | None:
    """The pattern of a glob; None for a text that names nothing, such as a comment or a lone `!`."""
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
    """Where the first names that a run matches end, from a place on; None if there are none."""
    last = at if only_here else len(names) - len(run)
    for start in range(at, last + 1):
        found = names[start : start + len(run)]
        if len(found) == len(run) and all(one.fullmatch(name) for one, name in zip(run, found, strict=True)):
            return start + len(run)
    return None


def _name(part: str) -> re.Pattern[str]:
    """The pattern of one name; between two stars the first place will do, so that none other is tried."""
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
    """A set of letters as a pattern; one whose ranges run backwards has none."""
    for name, letters in _CLASSES.items():
        text = text.replace(name, letters)
    inner = re.sub(r"\\(.)|([\[\]^&~|])", lambda found: re.escape(found[1] or found[2]), text)
    pattern = f"[{'^' if is_negated else ''}{inner}]"
    try:
        re.compile(pattern)
    except re.error:
        return _NEVER
    return pattern
