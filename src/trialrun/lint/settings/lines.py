"""Errors of a settings file, with the lines of their keys in the text, since the TOML parser returns only values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from trialrun.errors import UsageError
from trialrun.working_folder import display_path

Step = str | int
_PART = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)[ \t]*""")
_HEADER = re.compile(r"[ \t]*(\[\[?)([^\]\n#]+)\]")
_TEXT = re.compile(r'''"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#''')


@dataclass(frozen=True)
class Problem:
    """An error at a key of a settings file; `value` is the affected text in its value, if any."""

    path: tuple[Step, ...]
    text: str
    value: object = None


class SettingsText(NamedTuple):
    """The path and text of a settings file, whose tables start at `prefix`."""

    file: str
    text: str = ""
    prefix: tuple[str, ...] = ()

    def where(self, path: tuple[Step, ...], value: object = None) -> str:
        """The file and line of a key, for messages; without a text only the file."""
        file = display_path(self.file)
        return f"{file}:{line_of(self.text, (*self.prefix, *path), value)}" if self.text else file

    def error(self, problems: Collection[Problem]) -> UsageError:
        """The exception for some problems, ordered by line; its `messages` have the file and line of each."""
        messages: dict[str, None] = {}
        file = display_path(self.file)
        lines = [line_of(self.text, (*self.prefix, *problem.path), problem.value) for problem in problems]
        for line, problem in sorted(zip(lines, problems, strict=True), key=itemgetter(0)):
            steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.path[:-1])
            table = "".join(steps).removeprefix(".")  # such as `overrides[0].options`
            where = f"{file}:{line}" if self.text else file
            messages[f"{where}: {table}{': ' if table else ''}{problem.text}"] = None
        return UsageError("\n".join(messages), messages=list(messages))


def line_of(text: str, path: Sequence[Step], value: object = None) -> int:
    """The line of the key at a path, or of a text in its value; if not found, of the table around it, else 1.

    A number in a path is the index in an array of tables.
    """
    lines, starts = _lines_of_keys(text)
    for length in range(len(path), 0, -1):
        if (found := lines.get(tuple(path[:length]))) is not None:
            first, end = found
            if not isinstance(value, str):
                return first
            start, stop = starts[first - 1], starts[max(end - 1, first)]
            return bisect_right(starts, _places_of_texts(text, start, stop).get(value, start))
    return 1


@lru_cache(maxsize=1)
def _lines_of_keys(text: str) -> tuple[dict[tuple[Step, ...], tuple[int, int]], list[int]]:
    """By the path of each header and key, its first line and the line behind its value; and where each line starts."""
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text) + 1]
    entries = list(_entries(text))
    ends = [*(line for _, line in entries[1:]), len(starts)]
    lines: dict[tuple[Step, ...], tuple[int, int]] = {}
    for (path, line), end in zip(entries, ends, strict=False):
        lines.setdefault(path, (line, end))
    return lines, starts


@lru_cache(maxsize=1)
def _places_of_texts(text: str, start: int, stop: int) -> dict[str, int]:
    """Where each text between two quotes of one kind is first, in a part of the settings; a list may have thousands."""
    places: dict[str, int] = {}
    for quote in "\"'":
        marks = [match.start() for match in re.compile(quote).finditer(text, start, stop)]
        for before, behind in pairwise(marks):
            between = text[before + 1 : behind]
            places[between] = min(before, places.get(between, before))
    return places


def _entries(text: str) -> Iterator[tuple[tuple[Step, ...], int]]:
    """Every header and key, with its full path and line; skips the content of multi-line values."""
    table: tuple[Step, ...] = ()
    counts: dict[tuple[Step, ...], int] = {}
    depth, quote = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if depth or quote:
            depth, quote = _after(line, depth, quote)
        elif header := _HEADER.match(line):
            table = _resolved(_keys(header[2])[0], counts, is_item=header[1] == "[[")
            yield table, number
        else:
            keys, end = _keys(line)
            if keys and line[end : end + 1] == "=":
                yield (*table, *keys), number
                depth, quote = _after(line[end + 1 :], 0, "")


def _keys(text: str) -> tuple[list[str], int]:
    """The parts of a dotted key at the start of a text, and its end."""
    keys: list[str] = []
    at = 0
    while match := _PART.match(text, at):
        keys.append(match[1][1:-1] if match[1][0] in "\"'" else match[1])
        at = match.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return keys, at


def _resolved(keys: Sequence[str], counts: dict[tuple[Step, ...], int], *, is_item: bool) -> tuple[Step, ...]:
    """The path of a header, with the index of each array of tables."""
    path: tuple[Step, ...] = ()
    for at, key in enumerate(keys):
        path = (*path, key)
        if is_item and at == len(keys) - 1:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """The open brackets after a line of a value, and the quotes of an open multi-line string."""
    at = 0
    while at < len(line):
        if quote:
            end = line.find(quote, at)
            if end < 0:
                return depth, quote
            at, quote = end + len(quote), ""
        elif match := _TEXT.match(line, at):
            if match[0] == "#":
                break
            quote = match[0] if len(match[0]) == 3 and match[0] in ('"""', "'''") else ""
            at = match.end()
        else:
            depth += (line[at] in "[{") - (line[at] in "]}")
            at += 1
    return max(depth, 0), quote
