"""Every call of git: in a repository that is named, under switches by which nothing of its configuration is run.

A hostile repository may name commands in many places of its configuration. Each is switched off: the monitor of files,
hooks, signatures, textconv and external diffs by name, the filter drivers one by one (they are looked up first, where a
command reads files of the work tree), transports by a list of allowed ones that is empty (a partial clone would fetch).
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from trialrun.git_process import FILTER_VALUES, SWITCHES, Answer, NoAnswer, environment, git_program, run_process
from trialrun.repository import Repository

MAX_FILTERS = 100
__all__ = ["Answer", "NoAnswer", "disable_filter_switches", "run_git"]


def run_git(
    repository: Repository, *words: str, folder: str | None = None, given: bytes = b"", switches: Sequence[str] = ()
) -> Answer | NoAnswer:
    """Run a command of git that reads no file of the work tree, or with the switches of `filters_off`.

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
