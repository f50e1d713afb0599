"""The user's own settings: what this user allows to every repository, which no repository can allow to itself."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import Boundary
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings.lines import Problem, SettingsText
from trialrun.lint.settings.loader import MOST_BYTES
from trialrun.lint.settings.parse_settings import Validate, with_integers
from trialrun.working_folder import real_path


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


def read_user_settings(root: str, validate: Validate | None = None) -> UserSettings:
    """The settings of the user, none where their file lies inside of the workspace at `root`. Raises UsageError."""
    file = user_settings_file()
    if file is None or not os.path.lexists(file):
        return UserSettings()
    if Boundary((Boundary.around(root).folders[0], real_path(root))).contains(real_path(file)):
        return UserSettings()
    try:
        with open(file, "rb") as stream:
            text = stream.read(MOST_BYTES).decode("utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{file}: {os_error_reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from error
    if validate is None:
        from trialrun.lint.settings.validate import validate as validate_by_model

        validate = validate_by_model
    valid, problems = validate(with_integers(content), "user-settings")
    folders = tuple(map(os.path.expanduser, valid.get("allow-paths", ())))
    for name, folder in zip(valid.get("allow-paths", ()), folders, strict=True):
        if not os.path.isabs(folder):
            message = f'allow-paths must be an absolute path, or start with ~, not "{name}"'
            problems.append(Problem(("allow-paths",), message, name))
    if problems:
        raise SettingsText(file, text).error(problems)
    return UserSettings(file, folders, *(valid.get(table, {}) for table in ("limits", "engines", "stores")))
