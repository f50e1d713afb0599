"""Every call of git: in a repository that is named, under switches by which nothing of its configuration is run.

A hostile repository may name commands in many places of its configuration. Each is switched off: the monitor of files,
hooks, signatures, textconv and external diffs by name, the filter drivers one by one (they are looked up first, where a
command reads files of the work tree), transports by a list of allowed ones that is empty (a partial clone would fetch).

The parts of a repository may lead elsewhere: its git directory, the one that it shares objects with, other stores of
objects, and links. `part_outside` finds these before anything of the history is read.
"""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache

from trialrun.git_process import FILTER_VALUES, SWITCHES, Answer, NoAnswer, environment, git_program, run_process
from trialrun.guarded_path import TooManyEntries, allowed_folders, files_below, read_file
from trialrun.repository import Repository, common_dir, find_repository, first_line
from trialrun.working_folder import real_path

MAX_FILTERS = 100
MAX_STORES = 1000
MAX_ALTERNATES_BYTES = 2**20
PARTS_OF_HISTORY = ("HEAD", "packed-refs", "index", "shallow", "objects", "refs", "reftable", "logs", "info")
__all__ = ["Answer", "NoAnswer", "disable_filter_switches", "part_outside", "run_git"]


def run_git(
    repository: Repository, *words: str, folder: str | None = None, given: bytes = b"", switches: Sequence[str] = ()
) -> Answer | NoAnswer:
    """Run a command of git that reads no file of the work tree, or with the switches of `disable_filter_switches`.

    It runs in a folder of the work tree, its top where none is named.
    """
    program = git_program(repository.top)
    if program is None:
        return NoAnswer("git is not installed")
    where = (f"--git-dir={repository.git_dir}", f"--work-tree={repository.top}")
    command = [program, *where, *SWITCHES, *switches, *words]
    return run_process(command, folder or repository.top, environment(), given, asked=repository.git_dir)


def disable_filter_switches(repository: Repository) -> tuple[str, ...] | NoAnswer:
    """The switches that turn off each filter driver which the configuration names."""
    answer = run_git(repository, "config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    if isinstance(answer, NoAnswer):
        return answer
    if answer.code not in (0, 1):  # 1: there is none
        return NoAnswer("git cannot read the configuration of the repository")
    keys = {os.fsdecode(key) for key in answer.out.split(b"\0") if key.count(b".") > 1}
    names = sorted({key[len("filter.") : key.rindex(".")] for key in keys})
    if len(names) > MAX_FILTERS:
        return NoAnswer(f"the configuration of the repository has more than {MAX_FILTERS} filters")
    return tuple(
        word for name in names for key, value in FILTER_VALUES.items() for word in _disable_switch(name, key, value)
    )


def _disable_switch(name: str, key: str, value: str) -> tuple[str, ...]:
    """The switch for one setting of a driver; of a name with `=` in it, `-c` would set something else."""
    if "=" in name:
        return (f"--config-env=filter.{name}.{key}=TRIALRUN_{key.upper()}",)
    return ("-c", f"filter.{name}.{key}={value}")


def part_outside(repository: Repository) -> str | None:
    """What the history of a repository is read from outside of its work tree; None if there is nothing.

    The git directory of a worktree or a submodule is taken for its own where that leads back, and so is what the user
    allowed. Raises TooManyEntries.
    """
    git_dir, common = repository.git_dir, common_dir(repository.git_dir)
    own = [repository.top, *allowed_folders()]
    if _is_worktree(repository, common):
        own.append(common)
    elif _is_work_tree_of(repository):
        own.append(git_dir)
    objects = os.path.join(common, "objects")
    named = [
        git_dir,
        common,
        *(os.path.join(folder, name) for folder in (git_dir, common) for name in PARTS_OF_HISTORY),
    ]
    for part in (*named, *_object_stores(objects, own)):
        for path in (part, *(filter(os.path.islink, files_below(part)) if _is_inside(real_path(part), own) else ())):
            if not _is_inside(real := real_path(path), own):
                return real
    return None


def _is_inside(real: str, folders: Sequence[str]) -> bool:
    return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)


def _is_worktree(repository: Repository, common: str) -> bool:
    """Whether a git directory is one of a linked worktree, which leads back to the `.git` file that names it."""
    back = first_line(os.path.join(repository.git_dir, "gitdir"))
    leads_back = back and real_path(os.path.join(repository.git_dir, back)) == os.path.join(repository.top, ".git")
    return bool(leads_back) and os.path.dirname(repository.git_dir) == os.path.join(common, "worktrees")


def _is_work_tree_of(repository: Repository) -> bool:
    """Whether the configuration of a git directory names the work tree, as that of a submodule does."""
    file = os.path.join(repository.git_dir, "config")
    answer = run_git(repository, "config", "--no-includes", "--file", file, "--get", "core.worktree")
    if isinstance(answer, NoAnswer) or answer.code != 0:
        return False
    named = os.path.join(repository.git_dir, os.fsdecode(answer.out.removesuffix(b"\n")))
    return "\0" not in named and real_path(named) == repository.top


def _object_stores(objects: str, own: Sequence[str]) -> Iterator[str]:
    """The other stores of objects that one names, and those that they name; of one outside, nothing is read."""
    pending, seen = [objects], {objects}
    while pending:
        store = pending.pop()
        file = real_path(os.path.join(store, "info", "alternates"))
        if not _is_inside(file, own) or not os.path.isfile(file):
            continue  # a link of `info` that leads out is found with the others
        data = read_file(file, MAX_ALTERNATES_BYTES, named_in=os.path.dirname(file))
        for line in data.splitlines():
            with suppress(ValueError, SyntaxError):  # git takes a text without an end of its quotes as it is
                line = literal_eval(f"b{os.fsdecode(line)}") if line.startswith(b'"') else line
            other = real_path(os.path.join(store, os.fsdecode(line)))
            if line and not line.startswith(b"#") and other not in seen:
                seen.add(other)
                pending.append(other)
                yield other
        if len(seen) > MAX_STORES or len(data) > MAX_ALTERNATES_BYTES:
            raise TooManyEntries


MAX_BLAMED_LINES = 500
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
    for first in range(0, len(lines), MAX_BLAMED_LINES):
        ranges = [word for line in lines[first : first + MAX_BLAMED_LINES] for word in ("-L", f"{line},{line}")]
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
