"""The files of an open workspace: on disk when it was last listed, or in the editor, and what all of them depend on."""

from __future__ import annotations

import os
from collections.abc import Mapping

from trialrun.lint.settings import Profiles
from trialrun.model.kinds import declared_kinds
from trialrun.working_folder import absolute_path, display_path, real_path
from trialrun.workspace.discovery import DiscoveredFile, is_discoverable
from trialrun.workspace.file_system import FileSystem
from trialrun.workspace.session_schemas import may_declare
from trialrun.workspace.walk import has_ending

FileSignature = tuple[int, int]
"""Size and modification time of a file."""


class FileIndex:
    """The files of a workspace; they are only listed again by `rescan`."""

    def __init__(self, files: FileSystem, overlay: Mapping[str, bytes | None]) -> None:
        self._files = files
        self._overlay = overlay
        self._excluded = files.excluded
        self._inside = os.path.join(absolute_path(files.root), "")
        self._list()

    def files(self) -> dict[str, DiscoveredFile]:
        """All files by path: first those open in the editor, including some outside of the workspace."""
        found = {display_path(file): self.file(file) for file in self._overlay}
        found.update((shown, self.file(absolute_path(shown))) for shown in self._listed)
        return {shown: file for shown, file in found.items() if file}

    def file(self, file: str) -> DiscoveredFile | None:
        """A file by its absolute path; None if the workspace does not have it, or has it open by another path."""
        shown = display_path(file)
        if file not in self._overlay and any(self.main_path(opened) == file for opened in self._overlay):
            return None
        if shown in self._listed or self._overlay.get(file) is None:
            return self._listed.get(shown)
        if self.main_path(file) in self._overlay:
            return None
        if not self.is_inside(file):
            return DiscoveredFile(shown, file) if has_ending(file) else None
        return DiscoveredFile(shown, shown) if is_discoverable(file, self._excluded) else None

    def main_path(self, file: str) -> str | None:
        """The listed absolute path of a file that another path, such as a link, leads to."""
        shown = display_path(file)
        if shown in self._listed:
            return None
        main = self._links.get(shown) or display_path(real_path(file))
        return absolute_path(main) if main in self._listed else None

    def names(self, file: str) -> list[str]:
        """The absolute paths of a file that are listed or open, and the one that is given."""
        main = self.main_path(file) or file
        return [*dict.fromkeys((file, main, *(opened for opened in self._overlay if self.main_path(opened) == main)))]

    def is_inside(self, file: str) -> bool:
        """Whether a file is in the folder of the workspace; others do not affect it."""
        return file.startswith(self._inside)

    def is_known(self, file: str) -> bool:
        """Whether a file exists and is listed; for other files, only a listing can tell whether they belong here."""
        known = self._listed.get(display_path(file))
        return known is not None and _signature(known.file) is not None

    @property
    def signatures(self) -> Mapping[str, FileSignature | None]:
        """The signatures of the files at the last listing, by path."""
        return self._signs

    def rescan(self) -> list[str]:
        """List the workspace again; returns the absolute paths of added, removed and changed files."""
        before, signs = self._listed, self._signs
        self._files.relist()
        self._list()
        paths = sorted(before.keys() | self._listed.keys())
        return [absolute_path(path) for path in paths if signs.get(path) != self._signs.get(path)]

    def _list(self) -> None:
        self._listed = {file.display_path: file for file in self._files.files_on_disk()}
        self._links = {link: shown for shown, file in self._listed.items() for link in file.links}
        self._signs = {shown: _signature(file.file) for shown, file in self._listed.items()}


def _signature(file: str) -> FileSignature | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


class SharedInputs:
    """Kinds of companion documents, and session types, by the path of the file that declares them."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles
        self._kinds: dict[str, set[str]] = {}
        self._texts: dict[str, bytes] = {}
        settings = profiles.settings
        named = (settings.session_schema, *(override.session_schema for override in settings.overrides))
        self._named = {absolute_path(file) for file in named if file}
        self.declared = frozenset[str]()

    @property
    def declaring_texts(self) -> list[tuple[str, bytes]]:
        """The files that may declare session types."""
        return sorted(self._texts.items())

    def set_text(self, path: str, data: bytes | None) -> bool:
        """Set the text of a file, None if it is gone; returns whether anything changed for other files."""
        is_named = bool(self._named) and absolute_path(path) in self._named
        by_path = self._profiles.kind_by_glob(path)
        text = data if data is not None and (is_named or may_declare(data, by_path)) else None
        before = self._texts.pop(path, None), self.declared
        if text is not None:
            self._texts[path] = text
        self._set_kinds(path, data)
        return before != (text, self.declared)

    def _set_kinds(self, path: str, data: bytes | None) -> None:
        kinds = set() if data is None else declared_kinds(data, by_path=self._profiles.kind_by_glob(path))
        if kinds == self._kinds.get(path, set()):
            return
        self._kinds[path] = kinds
        self.declared = frozenset[str]().union(*self._kinds.values())
