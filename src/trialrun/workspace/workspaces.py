"""The workspaces that the paths of a command lie in: each file is judged by its own nearest settings.

A folder with settings of its own is a workspace of its own, also inside of another one, and nothing of one has to do
with the other: rules across files, baselines, policies and suppressions stop at its border. A search of the outer one
goes on into the inner ones, save those whose settings file the outer one excludes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.workspace.check import Outcome, Request
from trialrun.workspace.discovery import SETTINGS_FILES, Found, Roots, files_inside, shown_path

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, NotChecked
    from trialrun.workspace.inner_repositories import InnerRepository


@dataclass
class _Part:
    """What is looked at of one workspace: paths that were given, or all its files, found in a search around it."""

    request: Request
    paths: list[str] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    is_whole: bool = False
    not_entered: list[NotChecked] = field(default_factory=list)


def workspaces(request: Request) -> list[Request]:
    """A request for each workspace that the paths of a request lie in, in the order of their roots.

    Nothing that it searches is listed again. Raises UsageError for settings that are wrong, UnknownPath.
    """
    return split_by_workspace(request)[0]


def split_by_workspace(request: Request) -> tuple[list[Request], set[str]]:
    """The requests of `workspaces`, and the shown paths of files that settings exclude, own or outer ones."""
    split = _Split(request)
    return split.requests(), split.excluded


class _Split:
    """The parts of a request, by the roots of their workspaces."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._roots = Roots()
        self._parts: dict[str, _Part] = {}
        self._given = {os.path.abspath(path) for path in request.paths}
        self.excluded: set[str] = set()

    def requests(self) -> list[Request]:
        """The requests of all parts."""
        paths = list(self._request.paths)
        roots = self._roots.of_paths(paths) if paths else {}
        if not paths:
            self._search(self._request.root, self._request.root)
        for path in paths:
            part = self._part(roots[path])
            if os.path.isdir(path):
                self._search(path, roots[path])
            else:
                part.paths.append(path)
        return [self._finished(self._parts[root]) for root in sorted(self._parts)]

    def _part(self, root: str) -> _Part:
        if root not in self._parts:
            self._parts[root] = _Part(self._opened(root))
        return self._parts[root]

    def _opened(self, root: str) -> Request:
        """The request of another workspace, as this one in all but its settings."""
        given = self._request
        if root == given.root or given.workspace_at is None:
            return given
        opened = given.workspace_at(root)
        return replace(
            given, root=opened.root, profiles=opened.profiles, baseline=opened.baseline, known=None, paths=()
        )

    def _search(self, folder: str, root: str) -> None:
        """Look for all workspaces in a folder, which is of the one at `root`."""
        part = self._part(root)
        is_whole = os.path.abspath(folder) == root
        own: list[Found] = []
        repositories: list[InnerRepository] = []
        for inner, found in self._by_root(files_inside(folder, repositories.append), root):
            if inner == root:
                own = self._kept(found, part.request)
            elif self._is_left_out(inner, root):
                self.excluded.update(one.shown for one in found)
            else:
                nested = self._part(inner)
                nested.is_whole = True
                nested.found += self._kept(found, nested.request)
        part.found += own
        part.is_whole |= is_whole
        if not is_whole:
            part.paths.append(folder)
        for repository in repositories:
            self._enter(repository, root)

    def _enter(self, repository: InnerRepository, root: str) -> None:
        """Look for the workspaces in a submodule where this is asked for; else note that nothing in it is checked."""
        top = os.path.abspath(repository.folder)
        if top in self._given or self._is_left_out(top, root):
            return
        if self._request.recurse_submodules and repository.is_submodule and not repository.is_absent:
            self._search(repository.folder, top)
        else:
            self._part(root).not_entered.append(repository.not_checked(shown_path(repository.folder)))

    def _by_root(self, found: Iterable[Found], root: str) -> Iterator[tuple[str, list[Found]]]:
        """The files by the roots of their workspaces."""
        known: dict[str, str] = {}
        parts: dict[str, list[Found]] = {root: []}
        for one in found:
            folder = os.path.dirname(one.file)
            if folder not in known:
                known[folder] = self._roots.of(os.path.abspath(folder)) or root
            parts.setdefault(known[folder], []).append(one)
        yield from sorted(parts.items())

    def _is_left_out(self, inner: str, root: str) -> bool:
        """Whether a workspace around one, up to that which is searched, excludes it."""
        around = os.path.dirname(inner)
        while around.startswith(root):
            outer = self._roots.of(around) or root
            excluded = self._part_settings(outer).files.excluded
            if excluded and any(excluded(os.path.join(inner, name)) for name in SETTINGS_FILES):
                return True
            if outer == root:
                return False
            around = os.path.dirname(outer)
        return False

    def _kept(self, found: Sequence[Found], request: Request) -> list[Found]:
        """The files that the settings of their workspace do not exclude."""
        is_excluded = request.files.excluded
        if is_excluded is None:
            return list(found)
        excluded = {one.shown for one in found if is_excluded(one.file)}
        self.excluded |= excluded
        return [one for one in found if one.shown not in excluded]

    def _part_settings(self, root: str) -> Request:
        """The request of a workspace, whether any file of it is looked at or not."""
        return self._parts[root].request if root in self._parts else self._opened(root)

    def _finished(self, part: _Part) -> Request:
        """The request of a part, with its files; what was named counts as named, also where a search met it."""
        named = [path for path in part.paths if not os.path.isdir(path)]
        given = replace(part.request, paths=named, known=None).files.found(named) if named else []
        if part.request.as_found and (is_excluded := part.request.files.excluded):
            self.excluded.update(shown_path(path) for path in named if is_excluded(path) and os.path.lexists(path))
        paths = () if part.is_whole else tuple(part.paths)
        known = _sorted([*given, *part.found])
        return replace(part.request, paths=paths, known=known, not_entered=part.not_entered)


def _sorted(found: Iterable[Found]) -> list[Found]:
    """The files by their paths; of one that was met twice, the named one."""
    known: dict[str, Found] = {}
    for one in found:
        if one.shown not in known or one.named:
            known[one.shown] = one
    return [known[shown] for shown in sorted(known)]


def merged(outcomes: Sequence[tuple[Request, Outcome]]) -> Outcome:
    """The outcomes of some workspaces as one in order, with what a search did not enter.

    A finding whose fingerprint another workspace has as well gets one of its own, made of the root of its workspace.
    """
    whole = outcomes[0][1] if len(outcomes) == 1 else _merged(outcomes)
    whole.workspaces = [(part.root, part.profiles) for part, _ in outcomes]
    whole.not_checked = sorted({*whole.not_checked, *(one for part, _ in outcomes for one in part.not_entered)})
    return whole


def _merged(outcomes: Sequence[tuple[Request, Outcome]]) -> Outcome:
    whole, top = Outcome(), os.path.commonpath([part.root for part, _ in outcomes]) if outcomes else ""
    seen: set[str] = set()
    for part, outcome in outcomes:
        place = os.path.relpath(part.root, top).replace(os.sep, "/")
        whole.diagnostics += [_told_apart(one, seen, place) for one in outcome.diagnostics]
        whole.suppressed += [
            replace(one, diagnostic=_told_apart(one.diagnostic, seen, place)) for one in outcome.suppressed
        ]
        whole.files += outcome.files
        whole.documents += outcome.documents
        whole.baselined += outcome.baselined
        whole.internal |= outcome.internal
        whole.paths += outcome.paths
        whole.standings += outcome.standings
        whole.passed_over += outcome.passed_over
        whole.not_checked += outcome.not_checked
        seen.update(one.fingerprint for one in (*outcome.diagnostics, *(one.diagnostic for one in outcome.suppressed)))
    whole.diagnostics.sort(key=lambda one: one.order)
    whole.suppressed.sort(key=lambda one: one.diagnostic.order)
    whole.paths.sort()
    return whole


def _told_apart(found: Diagnostic, seen: set[str], place: str) -> Diagnostic:
    if found.fingerprint not in seen:
        return found
    from hashlib import blake2b

    text = f"{found.fingerprint}\x1e{place}".encode("utf-8", "surrogatepass")
    return replace(found, fingerprint=blake2b(text, digest_size=8).hexdigest())
