"""Lists the files of a folder with git, which knows every ignore file, index and worktree."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from trialrun.git import NoAnswer, run_git
from trialrun.repository import Repository
from trialrun.working_folder import real_path, relative_path
from trialrun.workspace.inner_repositories import InnerRepository, inner_repository
from trialrun.workspace.paths import has_ending, is_regular

COULD_NOT_OPEN = re.compile(rb"^warning: could not open directory '(.+?)/?': ", re.MULTILINE)


def list_with_git(folder: str, repository: Repository, pass_by: Callable[[InnerRepository], None]) -> list[str] | None:
    """The files of a folder as git lists them, and subfolders that cannot be read; None if git fails.

    `pass_by` is called with each nested repository, whose files are not listed.
    """
    words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    answer = run_git(repository, *words, folder=folder)
    if isinstance(answer, NoAnswer) or answer.code != 0:
        return None
    shut = _unreadable_folders(answer.err, folder, repository.top)
    inside_shut, files = tuple(shut.values()), list[str]()
    for name in map(os.fsdecode, filter(None, answer.out.split(b"\0"))):
        path = os.path.join(folder, name)
        if has_ending(name) and is_regular(path):
            if not path.startswith(inside_shut):
                files.append(path)
        elif inner := inner_repository(path):
            pass_by(inner)
    return [*shut, *files]


def _unreadable_folders(warnings: bytes, folder: str, top: str) -> dict[str, str]:
    """The folders that git reported it could not open, each with the prefix of the paths of its files."""
    names = [os.fsdecode(name) for name in COULD_NOT_OPEN.findall(warnings)]
    paths = [os.path.join(folder, relative_path(os.path.join(top, name), real_path(folder))) for name in names]
    return {path: os.path.join(path, "") for path in paths}
