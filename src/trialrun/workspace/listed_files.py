"""What the settings make of the files of a workspace: which are checked, or why not, and patterns without any."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trialrun.lint.file_result import ALWAYS_REPORTED
from trialrun.lint.policy import is_policy
from trialrun.lint.settings import Settings
from trialrun.lint.settings.globs import matches
from trialrun.model.wrapper import resources
from trialrun.parser import parse
from trialrun.working_folder import relative_path
from trialrun.workspace.discovery import SETTINGS_FILES, WorkspaceRoots, files_inside
from trialrun.workspace.file_system import UnreadableFile, UnrelatedFile
from trialrun.workspace.workspaces import split_by_workspace

if TYPE_CHECKING:
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.discovery import DiscoveredFile


NO_KNOWN_KIND = "no known kind"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file: the kinds of its documents, or the reason why it is not checked."""

    path: str
    kinds: tuple[str, ...] = ()
    reason: str = ""


def listed_files(request: CheckRequest) -> Iterator[ListedFile]:
    """Every file of the workspaces of a request, sorted by path. Raises UnknownPath.

    Includes excluded files, and the folders of repositories that the search does not enter.
    """
    parts, excluded = split_by_workspace(request)
    found = {file.display_path: (file, part) for part in parts for file in part.files.find(part.paths)}
    folders = {folder.path: folder for part in parts for folder in part.not_entered}
    links = {link: file.display_path for file, _ in found.values() for link in file.links}
    for shown in sorted({*found, *links, *excluded, *folders}):
        if shown in links:
            yield ListedFile(shown, reason=f"another name of {links[shown]}")
        elif shown in found:
            yield _list_file(*found[shown])
        elif shown in folders:
            yield ListedFile(shown, reason=f"not checked: {folders[shown].why}")
        else:
            yield ListedFile(shown, reason="excluded by the settings")


def _list_file(discovered_file: DiscoveredFile, request: CheckRequest) -> ListedFile:
    data = request.files.read(discovered_file)
    if isinstance(data, UnreadableFile):
        return ListedFile(
            discovered_file.display_path, reason=data.reason if data.is_limit else f"cannot be read: {data.reason}"
        )
    if isinstance(data, UnrelatedFile):
        return ListedFile(discovered_file.display_path, reason="it no longer exists" if data.is_gone else NO_KNOWN_KIND)
    parsed = parse(data, discovered_file.display_path)
    by_path = request.profiles.kind_by_glob(discovered_file.display_path)
    values = [document.value for document in parsed.documents]
    kinds = tuple(dict.fromkeys(kind for value in values for kind, _, _ in resources(value, by_path=by_path)))
    if kinds:
        return ListedFile(discovered_file.display_path, kinds)
    if any(is_policy(value) for value in values):
        return ListedFile(discovered_file.display_path, reason="a policy; trialrun rules test checks it")
    broken = next((error for error in parsed.errors if error.rule in ALWAYS_REPORTED), None)
    return ListedFile(discovered_file.display_path, reason=broken.message if broken else NO_KNOWN_KIND)


MIN_SIMILARITY = 0.5


def unmatched_globs(settings: Settings, root: str) -> list[str]:
    """A note with line for each pattern of the settings that matches no file of the workspace."""
    globs = list(_globs(settings))
    if not globs or settings.text is None:
        return []
    paths = _paths(settings.folder, root)
    if paths is None:
        return []
    return [
        f'{settings.text.where(path, glob)}: {key}: "{glob}" matches nothing{_nearest(glob, paths)}'
        for path, key, glob in globs
        if not any(matches([glob.removeprefix("!")], path) for path in paths)
    ]


def _globs(settings: Settings) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Each pattern with the path of its key, and the name of the key for messages."""
    yield from ((("exclude",), "exclude", glob) for glob in settings.exclude)
    yield from ((("kinds", glob), "kinds", glob) for glob in settings.kinds)
    for number, override in enumerate(settings.overrides):
        yield from ((("overrides", number, "paths"), f"overrides[{number}].paths", glob) for glob in override.paths)
    for table in settings.ignore_tables:
        yield (table.key, table.number, "path"), f"{table.key}[{table.number}].path", table.path


def _paths(folder: str, root: str) -> list[str] | None:
    """The files of a workspace, and the settings files of nested ones, relative to the folder of the settings.

    None if there are too many to search.
    """
    roots, files = WorkspaceRoots(), set[str]()
    for discovered_file in files_inside(root, root):
        if discovered_file.limit:
            return None
        nearest = roots.root_of_file(discovered_file.file) or root
        files.update(
            [discovered_file.file] if nearest == root else (os.path.join(nearest, name) for name in SETTINGS_FILES)
        )
    return sorted(relative_path(file, folder).replace(os.sep, "/") for file in files)


def _nearest(glob: str, paths: list[str]) -> str:
    from trialrun.values.suggest import closest_name

    folders = {path[: at + 1] for path in paths for at, letter in enumerate(path) if letter == "/"}
    meant = glob.lstrip("!/").replace("**/", "").rstrip("*")
    near = closest_name(meant, sorted({*paths, *folders}), min_similarity=MIN_SIMILARITY)
    return f"; the nearest path is {near}" if near else ""
