"""The owners of files, from the CODEOWNERS file of a repository: the last pattern that matches a file decides."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache

from trialrun.guarded_path import read_file
from trialrun.repository import Repository, find_repository
from trialrun.working_folder import absolute_path, relative_path

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file may be, in the order in which it is looked for."""
MAX_BYTES = 3 * 2**20
SECTION_SIGNS = ("[", "^[")
CodeOwners = Callable[[str], tuple[str, ...]]
"""The owners of a file, by its path as it is shown; none if it has none."""


def read_code_owners(root: str) -> CodeOwners | None:
    """The owners that the repository around a folder names; None where no file does."""
    repository = find_repository(root)
    folders = dict.fromkeys([root, *([repository.top] if isinstance(repository, Repository) else [])])
    for folder in folders:
        for place in PLACES:
            text = _read(os.path.join(folder, place), folder)
            if text is not None:
                return _owners_below(folder, text)
    return None


def _read(file: str, folder: str) -> str | None:
    try:
        return read_file(file, MAX_BYTES, named_in=folder).decode("utf-8", "replace")
    except OSError:
        return None


def _owners_below(folder: str, text: str) -> CodeOwners:
    last_first = list(_patterns(text))[::-1]

    def owners_of(path: str) -> tuple[str, ...]:
        name = relative_path(absolute_path(path), folder).replace(os.sep, "/")
        return next((owners for matches, owners in last_first if matches(name)), ())

    return owners_of


def _patterns(text: str) -> Iterator[tuple[Callable[[str], bool], tuple[str, ...]]]:
    """The patterns of lines; comments, headings of sections and lines that are no pattern are left out."""
    for line in text.splitlines():
        pattern, *owners = line.split("#", 1)[0].replace("\\ ", "\0").split() or [""]
        pattern = pattern.replace("\0", "\\ ")
        if pattern and not pattern.startswith(("!", *SECTION_SIGNS)):
            yield _matcher(pattern), tuple(owners)


@cache
def _matcher(pattern: str) -> Callable[[str], bool]:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines([pattern]).match_file
    except ValueError:
        return lambda path: False
