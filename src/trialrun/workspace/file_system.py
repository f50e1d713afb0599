"""The files of a workspace as a check sees them: those on disk, with other bytes in place of some."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy

from trialrun.guarded_path import Door
from trialrun.model.kinds import may_be_ours
from trialrun.workspace.discovery import Found, Roots, discover, excluded_by, is_met, shown_path
from trialrun.workspace.read_file import Foreign, Unread, read_bytes


class Files:
    """The files of the workspace at `root`, without those that `exclude` names; the workspace is listed once.

    `overlay` has, by absolute path, the bytes that stand in place of a file's own, or None for a file that is to be
    taken as gone. Files that are given by their paths are taken as named by a person, unless `as_found`. `exclude`
    speaks of paths from `folder`, which is the root when unset. `known` are the files of some paths, listed before.
    `kind_by_glob` is the kind that the settings give to a path: such a file is ours whatever its bytes look like.
    """

    def __init__(
        self,
        root: str,
        exclude: Sequence[str],
        overlay: Mapping[str, bytes | None],
        *,
        as_found: bool = False,
        folder: str | None = None,
        known: tuple[Sequence[str], Sequence[Found]] | None = None,
        kind_by_glob: Callable[[str], str | None] = lambda path: None,
    ) -> None:
        self.root = root
        self.exclude = exclude
        self.overlay = overlay
        self.as_found = as_found
        self.folder = folder or root
        self._known = known
        self._kind_by_glob = kind_by_glob
        self._listed: list[Found] | None = None
        self._door: Door | None = None

    def under(self, overlay: Mapping[str, bytes | None]) -> Files:
        """The same files under another overlay."""
        files = copy(self)
        files.overlay, files._listed, files._door = overlay, self._listing(()), None
        return files

    def listed(self) -> list[Found]:
        """The files of the workspace on disk, sorted, whatever the overlay has."""
        return self._listing(())

    def relist(self) -> None:
        """List the workspace again when it is next asked for."""
        self._listed = self._known = None

    @property
    def excluded(self) -> Callable[[str], bool] | None:
        """Whether a file is excluded; None where none is."""
        return excluded_by(self.exclude, self.folder)

    def found(self, paths: Sequence[str] = ()) -> list[Found]:
        """The files that the paths name, or all of the workspace, sorted. Raises UnknownPath."""
        if not self.overlay:
            return self._listing(paths)
        laid = [path for path in paths if self._is_laid(path)]
        others = [path for path in paths if path not in laid]
        found = {} if laid and not others else {one.shown: one for one in self._on_disk(others)}
        for path in laid:
            if not self.as_found or is_met(path, self.excluded):
                found[shown_path(path)] = Found(shown_path(path), path, named=not self.as_found)
        for one in self._beside(others, whole=not paths):
            found.setdefault(one.shown, one)
        return [found[shown] for shown in sorted(found)]

    def read(self, found: Found) -> bytes | Unread | Foreign:
        """The bytes of a file, or why there are none; a discovered file that has nothing of ours is foreign."""
        if found.ended:
            return Unread(found.ended, is_limit=True)
        if self.overlay:
            file = os.path.abspath(found.file)
            if file in self.overlay:
                data = self.overlay[file]
                return Foreign(is_gone=True) if data is None else self._unless_foreign(found, data)
        if self._door is None:
            self._door = Door(self.root)
        data_or_reason = read_bytes(found.file, self._door, named=found.named)
        return self._unless_foreign(found, data_or_reason) if isinstance(data_or_reason, bytes) else data_or_reason

    def may_be_ours(self, path: str, data: bytes) -> bool:
        """Whether a file, by its shown path, may hold something of ours: by its kind in the settings, or its bytes."""
        return may_be_ours(data) or self._kind_by_glob(path) is not None

    def _unless_foreign(self, found: Found, data: bytes) -> bytes | Foreign:
        return data if found.named or self.may_be_ours(found.shown, data) else Foreign()

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes of a path as it is shown, None where there are none any more."""
        data = self.read(Found(path, path, named=True))
        return data if isinstance(data, bytes) else None

    def _listing(self, paths: Sequence[str]) -> list[Found]:
        if self._known and list(self._known[0]) == list(paths):
            return list(self._known[1])
        if paths:
            return self._discovered(paths)
        if self._listed is None:
            self._listed = self._discovered(())
        return self._listed

    def _discovered(self, paths: Sequence[str]) -> list[Found]:
        return discover(paths, root=self.root, exclude=self.exclude, as_found=self.as_found, folder=self.folder)

    def _is_laid(self, path: str) -> bool:
        return self.overlay.get(os.path.abspath(path)) is not None

    def _on_disk(self, paths: Sequence[str]) -> Iterator[Found]:
        for one in self._listing(paths):
            if self.overlay.get(os.path.abspath(one.file), b"") is not None:
                yield one

    def _beside(self, folders: Sequence[str], *, whole: bool) -> Iterator[Found]:
        """The files of the overlay that lie in the folders, or in the workspace, whether they are on disk or not."""
        excluded, roots = self.excluded, Roots()
        tops = [self.root] if whole else [folder for folder in folders if os.path.isdir(folder)]
        for file, data in self.overlay.items():
            around = [top for top in tops if file.startswith(os.path.join(os.path.abspath(top), ""))]
            inside = any(roots.of_file(file) == roots.of(os.path.abspath(top)) for top in around)
            if data is not None and inside and is_met(file, excluded):
                yield Found(shown_path(file), shown_path(file))
