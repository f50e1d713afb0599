"""Splits a request by workspace: each file is checked with its own nearest settings.

A folder with settings is a separate workspace, also if nested. Rules across files, baselines, policies and suppressions
do not cross its boundary. A search of the outer workspace includes nested ones, unless the outer settings exclude their
settings file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trialrun.diagnostic import NotChecked
from trialrun.guarded_path import Boundary
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import (
    SETTINGS_FILES,
    DiscoveredFile,
    WorkspaceRoots,
    files_inside,
    is_discoverable,
    without_links,
)
from trialrun.workspace.file_system import WHOLE_FILE, UnreadableFile
from trialrun.workspace.walk import ALL_FILES, EXCLUDED, IGNORED, has_files, is_regular

if TYPE_CHECKING:
    from trialrun.workspace.walk import InnerRepository


@dataclass
class _WorkspacePart:
    """The part of a request in one workspace: given paths, or all its files, found by a search around it."""

    request: CheckRequest
    paths: list[str] = field(default_factory=list)
    found: list[DiscoveredFile] = field(default_factory=list)
    is_whole: bool = False
    not_entered: list[NotChecked] = field(default_factory=list)


def workspaces(request: CheckRequest) -> list[CheckRequest]:
    """A request for each workspace of the paths of a request, ordered by root.

    Nothing is listed twice. Raises UsageError for errors in settings, and UnknownPath.
    """
    return split_by_workspace(request)[0]


def split_by_workspace(request: CheckRequest) -> tuple[list[CheckRequest], set[str]]:
    """The requests of `workspaces`, and the displayed paths of files that settings exclude."""
    split = _Split(request)
    return split.requests(), split.excluded


class _Split:
    """The parts of a request, by root of their workspace."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self._roots = WorkspaceRoots()
        self._parts: dict[str, _WorkspacePart] = {}
        self._given = {absolute_path(path) for path in request.paths}
        self.excluded: set[str] = set()

    def requests(self) -> list[CheckRequest]:
        """The requests of all parts."""
        paths = list(self._request.paths)
        roots = self._roots.roots_of_paths(paths) if paths else {}
        if not paths:
            self._search(self._request.root, self._request.root)
        for path in paths:
            part = self._part(roots[path])
            if self._request.as_discovered and (reason := self._reason_passed_over(path, part.request)):
                part.paths.append(path)
                part.not_entered.append(
                    NotChecked(display_path(path), ALL_FILES if os.path.isdir(path) else WHOLE_FILE, reason)
                )
            elif os.path.isdir(path):
                self._search(path, roots[path])
            else:
                part.paths.append(path)
        return [self._to_request(self._parts[root]) for root in sorted(self._parts)]

    def _reason_passed_over(self, path: str, part: CheckRequest) -> str:
        """Why a search would skip a path that a hook passes and that may be ours; empty if it would not."""
        if os.path.isdir(path):
            is_passed_over = Boundary.around(part.root).is_left_by(path)
        else:
            is_passed_over = os.path.lexists(path) and not is_regular(path)
            is_passed_over = is_passed_over and is_discoverable(path, part.files.excluded)
        data = part.files.read(DiscoveredFile(display_path(path), path, is_named=True)) if is_passed_over else b""
        return data.reason if isinstance(data, UnreadableFile) else ""

    def _part(self, root: str) -> _WorkspacePart:
        if root not in self._parts:
            self._parts[root] = _WorkspacePart(self._open(root))
        return self._parts[root]

    def _open(self, root: str) -> CheckRequest:
        """The request for another workspace, with the same options."""
        given = self._request
        if root == given.root or given.workspace_at is None:
            return given
        opened = given.workspace_at(root)
        return replace(
            given, root=opened.root, profiles=opened.profiles, baseline=opened.baseline, known_files=None, paths=()
        )

    def _search(self, folder: str, root: str) -> None:
        """Find all workspaces in a folder, which belongs to the one at `root`."""
        part = self._part(root)
        is_whole = absolute_path(folder) == root
        own: list[DiscoveredFile] = []
        repositories: list[InnerRepository] = []
        inside = files_inside(folder, root, repositories.append)
        for inner, found in self._by_root(inside, root):
            if inner == root:
                own = self._not_excluded(found, part.request)
            elif self._is_left_out(inner, root):
                self.excluded.update(file.display_path for file in found)
            else:
                nested = self._part(inner)
                nested.is_whole = True
                nested.found += self._not_excluded(found, nested.request)
        part.found += own
        part.is_whole |= is_whole
        if not is_whole:
            part.paths.append(folder)
        for repository in repositories:
            self._enter(repository, root)
        if not repositories and all(file.display_path in self.excluded for file in inside) and has_files(folder):
            part.not_entered.append(NotChecked(display_path(folder), ALL_FILES, EXCLUDED if inside else IGNORED))

    def _enter(self, repository: InnerRepository, root: str) -> None:
        """Search a submodule if requested; otherwise note that it is not checked."""
        top = absolute_path(repository.folder)
        if top in self._given or self._is_left_out(top, root):
            return
        if self._request.recurse_submodules and repository.is_submodule and not repository.is_absent:
            self._search(repository.folder, top)
        else:
            self._part(root).not_entered.append(repository.not_checked(display_path(repository.folder)))

    def _by_root(
        self, discovered_files: Iterable[DiscoveredFile], root: str
    ) -> Iterator[tuple[str, list[DiscoveredFile]]]:
        """The files grouped by the root of their workspace."""
        known: dict[str, str] = {}
        parts: dict[str, list[DiscoveredFile]] = {root: []}
        for file in discovered_files:
            folder = os.path.dirname(file.file)
            if folder not in known:
                known[folder] = self._roots.root_of(absolute_path(folder)) or root
            parts.setdefault(known[folder], []).append(file)
        yield from sorted(parts.items())

    def _is_left_out(self, inner: str, root: str) -> bool:
        """Whether a workspace around a nested one excludes it."""
        around = os.path.dirname(inner)
        while around.startswith(root):
            outer = self._roots.root_of(around) or root
            excluded = (self._parts[outer].request if outer in self._parts else self._open(outer)).files.excluded
            if excluded and any(excluded(os.path.join(inner, name)) for name in SETTINGS_FILES):
                return True
            if outer == root:
                return False
            around = os.path.dirname(outer)
        return False

    def _not_excluded(self, discovered_files: Sequence[DiscoveredFile], request: CheckRequest) -> list[DiscoveredFile]:
        """The files that the settings of their workspace do not exclude."""
        is_excluded = request.files.excluded
        if is_excluded is None:
            return list(discovered_files)
        excluded = {file.display_path for file in discovered_files if is_excluded(file.file)}
        self.excluded |= excluded
        return [file for file in discovered_files if file.display_path not in excluded]

    def _to_request(self, part: _WorkspacePart) -> CheckRequest:
        """The request for a part with its files; explicitly named files stay named even if a search found them, too."""
        named = [path for path in part.paths if not os.path.isdir(path)]
        given = replace(part.request, paths=named, known_files=None).files.find(named) if named else []
        if part.request.as_discovered and (is_excluded := part.request.files.excluded):
            self.excluded.update(display_path(path) for path in named if is_excluded(path) and os.path.lexists(path))
        paths = () if part.is_whole else tuple(part.paths)
        known = without_links([*given, *part.found])
        return replace(part.request, paths=paths, known_files=known, not_entered=part.not_entered)
