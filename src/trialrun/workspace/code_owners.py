"""The owners of files, from the CODEOWNERS file of a repository: the last pattern that matches a file decides."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.working_folder import absolute_path, relative_path

if TYPE_CHECKING:
    from collections.abc import Callable

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file may be, in the order in which it is looked for."""
MAX_BYTES = 3 * 2**20
SECTION_SIGNS = ("[", "^[")


@dataclass(frozen=True)
class CodeOwners:
    """The patterns of a file below a folder, each with its owners."""

    folder: str
    patterns: Sequence[tuple[Callable[[str], bool], tuple[str, ...]]]

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a file, by its path as it is shown; none if it has none."""
        name = relative_path(absolute_path(path), self.folder).replace(os.sep, "/")
        return next((owners for matches, owners in reversed(self.patterns) if matches(name)), ())


def read_code_owners(root: str) -> CodeOwners | None:
    """The owners that the repository around a folder names; None where no file does."""
    from trialrun.repository import Repository, find_repository

    repository = find_repository(root)
    folders = dict.fromkeys([root, *([repository.top] if isinstance(repository, Repository) else [])])
    for folder in folders:
        for place in PLACES:
            text = _read(os.path.join(folder, place), folder)
            if text is not None:
                return CodeOwners(folder, list(_patterns(text)))
    return None


def _read(file: str, folder: str) -> str | None:
    from trialrun.guarded_path import read_file

    try:
        return read_file(file, MAX_BYTES, named_in=folder).decode("utf-8", "replace")
    except OSError:
        return None


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
