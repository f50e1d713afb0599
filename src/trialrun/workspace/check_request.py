"""A request to check a workspace: which files, under which settings, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.diagnostic import NotChecked
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings import Profiles
from trialrun.working_folder import absolute_path
from trialrun.workspace.file_system import FileSystem

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.text import Source
    from trialrun.workspace.discovery import DiscoveredFile


@dataclass(frozen=True)
class CheckRequest:
    """What to check: the `paths` given by the user, empty for the whole workspace at `root`.

    `overlay` has, by absolute path, bytes that replace those of a file, or None for a file that counts as deleted.
    `as_discovered` means that a program listed the paths, not a user. Findings in the `baseline` are not reported.

    `workspace_at` returns the request of a nested or neighbouring workspace by its root, since files are checked with
    their own nearest settings; without it, only files of this workspace are checked. `known_files` are those of `paths`
    if these have been listed before; `not_entered` are the nested repositories found there, and files passed by a hook
    that discovery would skip. `recurse_submodules` makes discovery enter submodules. Without `with_fixes`, findings
    have no fixes and no reasons for their absence.
    """

    root: str
    now: datetime
    profiles: Profiles
    paths: Sequence[str] = ()
    as_discovered: bool = False
    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    jobs: int = 0
    cache: bool = True
    workspace_at: Callable[[str], CheckRequest] | None = None
    known_files: Sequence[DiscoveredFile] | None = None
    not_entered: Sequence[NotChecked] = ()
    recurse_submodules: bool = False
    with_fixes: bool = True

    @property
    def files(self) -> FileSystem:
        """The files of the workspace."""
        settings = self.profiles.settings
        return FileSystem(
            self.root,
            settings.exclude,
            self.overlay,
            as_found=self.as_discovered,
            folder=settings.folder if settings.file else self.root,
            known=None if self.known_files is None else (self.paths, self.known_files),
            kind_by_glob=self.profiles.kind_by_glob,
        )

    def links(self) -> dict[str, tuple[str, ...]]:
        """The further paths of the files of the request that have any, by the path under which each is checked."""
        return {file.display_path: file.links for file in self.files.find(self.paths) if file.links}

    def with_texts(self, texts: Mapping[str, bytes]) -> CheckRequest:
        """The request with other bytes in place of those of some files, by their paths as they are shown."""
        return replace(self, overlay={**self.overlay, **{absolute_path(path): texts[path] for path in texts}})

    def source(self, path: str) -> Source | None:
        """The text of a file, None if it can no longer be read."""
        return self.source_reader()(path)

    def source_reader(self) -> Callable[[str], Source | None]:
        """Like `source` for many files: the boundary around them is determined only once."""
        files = self.files

        def read(path: str) -> Source | None:
            from trialrun.parser import read_source  # determined lazily: a check without findings does not need it

            data = files.bytes_of(path)
            return None if data is None else read_source(data, path)

        return read
