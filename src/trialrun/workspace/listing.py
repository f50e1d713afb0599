"""The files of a folder as git lists them: with every ignore file, index and worktree that it knows."""

from __future__ import annotations

import os
import re

from trialrun.git import NoAnswer, run_git
from trialrun.repository import Repository
from trialrun.workspace.discovery import ENDINGS, is_regular

COULD_NOT_OPEN = re.compile(rb"^warning: could not open directory '(.+?)/?': ", re.MULTILINE)


def listed_by_git(folder: str, repository: Repository) -> list[str] | None:
    """What git lists of a folder, and below it the folders that may not be listed; None where git cannot say."""
    words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    answer = run_git(repository, *words, folder=folder)
    if isinstance(answer, NoAnswer) or answer.code != 0:
        return None
    names = (os.fsdecode(name) for name in answer.out.split(b"\0"))
    files = [os.path.join(folder, name) for name in names if name.endswith(ENDINGS)]
    shut = _shut(answer.err, folder, repository.top)
    return [*shut, *(file for file in files if is_regular(file) and not file.startswith(tuple(shut.values())))]


def _shut(warnings: bytes, folder: str, top: str) -> dict[str, str]:
    """The folders that git tells it could not open, each with how the paths of its files begin."""
    names = [os.fsdecode(name) for name in COULD_NOT_OPEN.findall(warnings)]
    paths = [os.path.join(folder, os.path.relpath(os.path.join(top, name), os.path.realpath(folder))) for name in names]
    return {path: os.path.join(path, "") for path in paths}
