"""The files of a workspace: those on disk, read in bounded memory, with an overlay of other contents.

A `FileScan` is what is known of them before any is linted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from trialrun.errors import os_error_reason
from trialrun.guarded_path import GuardedFolder
from trialrun.model.kinds import may_be_ours
from trialrun.text import MAX_BYTES
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.discovery import DiscoveredFile, WorkspaceRoots, discover, excluded_by, is_discoverable
from trialrun.workspace.terraform_module import with_module

WHOLE_FILE = "the whole file"
"""What is not checked of an unreadable file."""


class UnreadableFile(NamedTuple):
    """A file that could not be read, with the reason for messages; or a folder whose search was aborted."""

    reason: str
    is_limit: bool = False


class UnrelatedFile(NamedTuple):
    """A discovered file without documents of ours; `is_gone` if it vanished after it was listed."""

    is_gone: bool = False


def read_bytes(file: str, folder: GuardedFolder, *, named: bool) -> bytes | UnreadableFile | UnrelatedFile:
    """The bytes of a file, at most one more than the limit for documents, so that it can be refused.

    A discovered file that has vanished is unrelated.
    """
    try:
        return folder.read(file, MAX_BYTES)
    except FileNotFoundError as error:
        return UnreadableFile(_reason(error)) if named else UnrelatedFile(is_gone=True)
    except (OSError, ValueError) as error:
        return UnreadableFile(_reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return os_error_reason(error)
    return str(error) or type(error).__name__


class FileSystem:
    """The files of the workspace at `root`, without those that `exclude` matches; the workspace is listed once.

    `overlay` has, by absolute path, bytes that replace those of a file, or None for a file that counts as deleted.
    Files given by path count as named by a person, unless `as_found`. `exclude` applies to paths relative to `folder`,
    by default the root. `known` are the files of some paths that have been listed before. `kind_by_glob` is the kind
    that the settings give to a path: such a file is checked whatever its content. `planned` is what a plan of Terraform
    has for the files of a folder.
    """

    def __init__(
        self,
        root: str,
        exclude: Sequence[str],
        overlay: Mapping[str, bytes | None],
        *,
        as_found: bool = False,
        folder: str | None = None,
        known: tuple[Sequence[str], Sequence[DiscoveredFile]] | None = None,
        kind_by_glob: Callable[[str], str | None] = lambda path: None,
        planned: Mapping[str, bytes] | None = None,
    ) -> None:
        self.root = root
        self.exclude = exclude
        self.overlay = overlay
        self.as_found = as_found
        self.folder = folder or root
        self._known = known
        self._kind_by_glob = kind_by_glob
        self._planned = planned or {}
        self._listed: list[DiscoveredFile] | None = None
        self._door: GuardedFolder | None = None

    def with_overlay(self, overlay: Mapping[str, bytes | None]) -> FileSystem:
        """The same files with another overlay."""
        files = copy(self)
        files.overlay, files._listed, files._door = overlay, self._list(()), None
        return files

    def files_on_disk(self) -> list[DiscoveredFile]:
        """The files of the workspace on disk, sorted, without the overlay."""
        return self._list(())

    def relist(self) -> None:
        """List the workspace again when it is next needed."""
        self._listed = self._known = None

    @property
    def excluded(self) -> Callable[[str], bool] | None:
        """A function that tells whether a file is excluded; None if none is."""
        return excluded_by(self.exclude, self.folder)

    def find(self, paths: Sequence[str] = ()) -> list[DiscoveredFile]:
        """The files that the paths name, or all of the workspace, sorted. Raises UnknownPath."""
        if not self.overlay:
            return self._list(paths)
        laid = [path for path in paths if self.overlay.get(absolute_path(path)) is not None]
        others = [path for path in paths if path not in laid]
        found = {} if laid and not others else {file.display_path: file for file in self._on_disk(others)}
        for path in laid:
            if not self.as_found or is_discoverable(path, self.excluded):
                found[display_path(path)] = DiscoveredFile(display_path(path), path, is_named=not self.as_found)
        for file in self._overlay_files(others, whole=not paths):
            found.setdefault(file.display_path, file)
        return [found[shown] for shown in sorted(found)]

    def read(self, discovered_file: DiscoveredFile) -> bytes | UnreadableFile | UnrelatedFile:
        """The bytes of a file, or the reason why there are none; UnrelatedFile for a discovered file without documents
        of ours.
        """
        if discovered_file.limit:
            return UnreadableFile(discovered_file.limit, is_limit=True)
        if self.overlay:
            file = absolute_path(discovered_file.file)
            if file in self.overlay:
                data = self.overlay[file]
                return UnrelatedFile(is_gone=True) if data is None else self._unless_unrelated(discovered_file, data)
        result = read_bytes(discovered_file.file, self._guarded, named=discovered_file.is_named)
        return self._unless_unrelated(discovered_file, result) if isinstance(result, bytes) else result

    @property
    def _guarded(self) -> GuardedFolder:
        if self._door is None:
            self._door = GuardedFolder(self.root)
        return self._door

    def may_be_ours(self, path: str, data: bytes) -> bool:
        """Whether a file may contain documents of ours, by its kind in the settings or its bytes."""
        return may_be_ours(data) or self._kind_by_glob(path) is not None

    def _unless_unrelated(self, discovered_file: DiscoveredFile, data: bytes) -> bytes | UnrelatedFile:
        return (
            with_module(discovered_file.file, data, self._guarded, self.overlay, self._planned)
            if discovered_file.is_named or self.may_be_ours(discovered_file.display_path, data)
            else UnrelatedFile()
        )

    def is_inside(self, folder: str) -> bool:
        """Whether the files in a folder may be read, as no link leads out of the workspace."""
        return self._guarded.is_inside(folder)

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes of a displayed path; None if the file no longer exists."""
        data = self.read(DiscoveredFile(path, path, is_named=True))
        return data if isinstance(data, bytes) else None

    def _list(self, paths: Sequence[str]) -> list[DiscoveredFile]:
        if self._known and list(self._known[0]) == list(paths):
            return list(self._known[1])
        if paths:
            return self._discover(paths)
        if self._listed is None:
            self._listed = self._discover(())
        return self._listed

    def _discover(self, paths: Sequence[str]) -> list[DiscoveredFile]:
        return discover(paths, root=self.root, exclude=self.exclude, as_found=self.as_found, folder=self.folder)

    def _on_disk(self, paths: Sequence[str]) -> Iterator[DiscoveredFile]:
        for file in self._list(paths):
            if self.overlay.get(absolute_path(file.file), b"") is not None:
                yield file

    def _overlay_files(self, folders: Sequence[str], *, whole: bool) -> Iterator[DiscoveredFile]:
        """The files of the overlay in some folders, or in the whole workspace, whether they are on disk or not."""
        excluded, roots = self.excluded, WorkspaceRoots()
        tops = [self.root] if whole else [folder for folder in folders if os.path.isdir(folder)]
        for file, data in self.overlay.items():
            around = [top for top in tops if file.startswith(os.path.join(absolute_path(top), ""))]
            inside = any(roots.root_of_file(file) == roots.root_of(absolute_path(top)) for top in around)
            if data is not None and inside and is_discoverable(file, excluded):
                yield DiscoveredFile(display_path(file), display_path(file))


class IndexEntry(NamedTuple):
    """What is known of a file with documents of ours: what a scan says, and its result in the cache.

    `is_silent` means that the result has no findings, no suppressions and nothing that was not checked, and that its
    facts are complete.
    """

    content: str
    size: int
    has_conditions: bool
    kinds: Collection[str]
    key: str
    documents: int
    is_silent: bool
    is_complete: bool
    facts: Mapping[str, str]


class Candidate(NamedTuple):
    """A file with documents of ours; `digest` is that of its bytes, and `kept` are the bytes, if they are kept.

    `kinds` are those of companion documents that it may contain; `entry` is what the index knows of an unchanged file.
    """

    found: DiscoveredFile
    size: int
    digest: bytes
    has_conditions: bool = False
    kept: bytes | None = None
    kinds: Collection[str] = ()
    entry: IndexEntry | None = None


@dataclass
class FileScan:
    """What is known of the files that have been read.

    `candidates` have documents of ours, `unrelated` are displayed paths of files without any. `declaring` are files
    that may declare session types, `kinds` those of companion documents.
    """

    candidates: list[Candidate] = field(default_factory=list)
    unreadable: list[tuple[DiscoveredFile, UnreadableFile]] = field(default_factory=list)
    unrelated: list[str] = field(default_factory=list)
    declaring: list[tuple[str, bytes]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def add_known(self, file: DiscoveredFile, entry: IndexEntry | Literal[""]) -> None:
        """Add an unchanged file: its entry of the index, empty for one without documents of ours."""
        if not entry:
            self.unrelated.append(file.display_path)
            return
        self.kinds.update(entry.kinds)
        content = bytes.fromhex(entry.content)
        known = Candidate(file, entry.size, content, entry.has_conditions, kinds=entry.kinds, entry=entry)
        self.candidates.append(known)
