"""The files of a folder as git lists them: with every ignore file, index and worktree that it knows."""

from __future__ import annotations

import os
import re

from trialrun.workspace.discovery import ENDINGS, is_regular
from trialrun.workspace.git import ran

COULD_NOT_OPEN = re.compile(rb"^warning: could not open directory '(.+?)/?': ", re.MULTILINE)


def listed_by_git(folder: str, repository: str) -> list[str] | None:
    """What git lists of a folder, and below it the folders that may not be listed; None where git cannot say."""
    done = ran(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    if done is None or done.returncode != 0:
        return None
    names = (os.fsdecode(name) for name in done.stdout.split(b"\0"))
    files = [os.path.join(folder, name) for name in names if name.endswith(ENDINGS)]
    shut = _shut(done.stderr, folder, repository)
    return [*shut, *(file for file in files if is_regular(file) and not file.startswith(tuple(shut.values())))]


def _shut(told: bytes, folder: str, repository: str) -> dict[str, str]:
    """The folders that git tells it could not open, each with how the paths of its files begin."""
    names = [os.fsdecode(name) for name in COULD_NOT_OPEN.findall(told)]
    paths = [os.path.join(folder, os.path.relpath(os.path.join(repository, name), folder)) for name in names]
    return {path: os.path.join(path, "") for path in paths}
