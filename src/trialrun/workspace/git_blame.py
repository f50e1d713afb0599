"""The dates of lines from git blame."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache

from trialrun.git import NoAnswer, disable_filter_switches, run_git
from trialrun.repository import Repository, find_repository

MAX_LINES = 500
"""Lines per call of git, since the length of a command line is limited."""
_commit = re.compile(rb"(?P<commit>[0-9a-f]{40,64}) \d+ (?P<line>\d+)(?: \d+)?")
_NOT_COMMITTED = frozenset(b"0")


def line_dates(places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], date]:
    """The date, in UTC, of each committed line, by path and number."""
    lines: dict[str, list[int]] = {}
    for path, line in sorted(set(places)):
        lines.setdefault(path, []).append(line)
    switches = cache(disable_filter_switches)
    return {
        (path, line): day
        for path, of_file in lines.items()
        if isinstance(repository := find_repository(os.path.dirname(path) or os.curdir), Repository)
        and not isinstance(off := switches(repository), NoAnswer)
        for line, day in _file_line_dates(path, of_file, repository, off).items()
    }


def _file_line_dates(
    path: str, lines: Sequence[int], repository: Repository, switches: Sequence[str]
) -> dict[int, date]:
    folder, name = os.path.split(path)
    found: dict[int, date] = {}
    for first in range(0, len(lines), MAX_LINES):
        ranges = [word for line in lines[first : first + MAX_LINES] for word in ("-L", f"{line},{line}")]
        blame = ("blame", "--no-textconv", "--line-porcelain", *ranges, "--", name)
        answer = run_git(repository, *blame, folder=folder or os.curdir, switches=switches)
        if isinstance(answer, NoAnswer) or answer.code != 0:
            return found
        found.update(_parse_blame(answer.out))
    return found


def _parse_blame(output: bytes) -> dict[int, date]:
    """The date of each line in the output of git blame; the lines of the file itself start with a tab."""
    dates: dict[int, date] = {}
    line = 0
    for part in output.split(b"\n"):
        if match := _commit.fullmatch(part):
            is_committed = bool(frozenset(match["commit"]) - _NOT_COMMITTED)
            line = int(match["line"]) if is_committed else 0
        elif line and part.startswith(b"author-time "):
            with suppress(ValueError, OverflowError, OSError):  # the timestamp of a commit can be anything
                dates[line] = datetime.fromtimestamp(int(part.split()[1]), UTC).date()
    return dates
