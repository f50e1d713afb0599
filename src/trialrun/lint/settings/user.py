"""The user's own settings: what this user allows to every repository, which no repository can allow to itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import Boundary
from trialrun.lazy_dataclass import dataclass
from trialrun.working_folder import real_path

MOST_BYTES = 2**20


@dataclass(frozen=True)
class UserSettings:
    """Folders that documents may name files of, and limits of trial runs: `threads`, 0 for all cores, `memory-limit`.

    `file` is None if there is no such file; `engines` and `stores` have their tables by alias.
    """

    file: str | None = None
    allow_paths: tuple[str, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    engines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    stores: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def user_settings_file() -> str | None:
    """Where the user's settings stand or would stand: TRIALRUN_USER_SETTINGS, else in the user's folder for settings.

    None if a relative path is all that the environment says.
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
    if Boundary((Boundary.around(root).folders[0], real_path(root))).contains(real_path(file)):
        return UserSettings()
    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{file}: {os_error_reason(error)}") from error
    return _settings(data, file)


def _settings(data: bytes, file: str) -> UserSettings:
    import tomllib

    from trialrun.lint.settings.errors import SettingsText
    from trialrun.lint.settings.validate import Validation

    try:
        text = data.decode("utf-8")
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from error
    validation = Validation(file, "UserFileSettings")
    valid = validation.valid_content(content)
    if validation.problems:
        raise SettingsText(file, text).error(validation.problems)
    folders = tuple(map(os.path.expanduser, valid.get("allow-paths", ())))
    return UserSettings(file, folders, *(valid.get(table, {}) for table in ("limits", "engines", "stores")))
