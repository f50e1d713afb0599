"""Notes about patterns of the settings that match nothing, with the nearest path."""

from __future__ import annotations

import os
from collections.abc import Iterator

from trialrun.lint.settings import Settings
from trialrun.lint.settings.globs import matches
from trialrun.working_folder import relative_path
from trialrun.workspace.discovery import SETTINGS_FILES, WorkspaceRoots, files_inside

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
