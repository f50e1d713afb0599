"""The user's own settings: what this user allows to every repository, which no repository can allow to itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from trialrun.errors import UsageError, did_you_mean, os_error_reason
from trialrun.guarded_path import Boundary
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings.runtime import CHECKS

MEANINGS = {
    "allow-paths": "Folders outside of the work tree that documents may name files of; whole paths, or from `~`.",
    "limits.memory-limit": "The most memory that a repository may set for trial runs; `2GB` when unset.",
    "limits.threads": "The most threads that a repository may set for trial runs; all cores when unset.",
}
KEYS = ("allow-paths", "limits")
LIMITS = ("memory-limit", "threads")
MOST_BYTES = 2**20


@dataclass(frozen=True)
class UserSettings:
    """Folders that documents may name files of, and limits of trial runs: `threads`, 0 for all cores, `memory-limit`.

    `file` is None where there is no such file.
    """

    file: str | None = None
    allow_paths: tuple[str, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)


def user_settings_file() -> str | None:
    """Where the user's settings stand or would stand: TRIALRUN_USER_SETTINGS, else in the user's folder for settings.

    None where a relative path is all that the environment says.
    """
    named = os.environ.get("TRIALRUN_USER_SETTINGS")
    if named is not None:
        return named if os.path.isabs(named) else None
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "trialrun", "settings.toml") if os.path.isabs(base) else None


def read_user_settings(root: str) -> UserSettings:
    """The settings of the user, none where their file lies inside of the workspace at `root`. Raises UsageError."""
    file = user_settings_file()
    if file is None or not os.path.lexists(file):
        return UserSettings()
    if Boundary((Boundary.around(root).folders[0], os.path.realpath(root))).contains(os.path.realpath(file)):
        return UserSettings()
    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{file}: {os_error_reason(error)}") from error
    return _settings(_toml(data, file), file)


def _toml(data: bytes, file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from error


def _settings(content: Mapping[str, Any], file: str) -> UserSettings:
    _require_known(content, KEYS, file, "")
    paths = content.get("allow-paths", [])
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise UsageError(f"{file}: allow-paths is a list of folders")
    folders = tuple(os.path.expanduser(path) for path in paths)
    relative = next((path for path in folders if not os.path.isabs(path)), None)
    if relative is not None:
        raise UsageError(f'{file}: allow-paths: "{relative}" is relative; write the whole path, or one from ~')
    limits = content.get("limits", {})
    if not isinstance(limits, Mapping):
        raise UsageError(f"{file}: limits is a table; write [limits]")
    _require_known(limits, LIMITS, file, "limits.")
    problems = (f"limits.{key} {problem}" for key, value in limits.items() if (problem := CHECKS[key](value)))
    if problem := next(problems, None):
        raise UsageError(f"{file}: {problem}")
    return UserSettings(file, folders, limits)


def _require_known(table: Mapping[str, Any], keys: tuple[str, ...], file: str, prefix: str) -> None:
    for key in table:
        if key not in keys:
            raise UsageError(f'{file}: there is no setting "{prefix}{key}"{did_you_mean(key, keys)}')
