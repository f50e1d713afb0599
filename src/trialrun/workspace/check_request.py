"""A request to check a workspace: which files, under which settings, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.diagnostic import NotChecked
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings import Profiles
from trialrun.workspace.file_system import FileSystem

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.text import Source
    from trialrun.workspace.discovery import DiscoveredFile


@dataclass(frozen=True)
class CheckRequest:
    """What to check: `paths` as the user gave them, none for the whole workspace at `root`.

    `overlay` has, by absolute path, the bytes that stand in place of a file's own, or None for a file that is to be
    taken as gone. `as_found` says that a program listed the paths: nobody asked for these very files. What the
    `baseline` has is not told.

    `workspace_at` makes the request of a workspace inside of this one, or beside it, by its root: files are checked by
    their own nearest settings. Without it only files of this workspace are looked at. `known` are the files of `paths`
    where these have been listed before, and `not_entered` the repositories that were met there, and what a hook passed
    that no search reads. A search enters submodules where `recurse_submodules` says so. Without `with_fixes` no finding
    of a file has its fix, nor a reason why there is none.
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

    def source(self, path: str) -> Source | None:
        """The text of a file that a finding speaks of, None if it cannot be read any more."""
        return self.source_reader()(path)

    def source_reader(self) -> Callable[[str], Source | None]:
        """What `source` does, for many files at once: the boundary around them is searched for only once."""
        files = self.files

        def read(path: str) -> Source | None:
            from trialrun.parser import read_source  # a check that finds nothing does not wait for it

            data = files.bytes_of(path)
            return None if data is None else read_source(data, path)

        return read
