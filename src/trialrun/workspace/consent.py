"""Files that the user allows to be read by starting a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from trialrun.guarded_path import allow_arguments, allow_folder


def allow_named_paths(root: str, named: Sequence[str] = (), *, is_isolated: bool = False, cache: bool = False) -> None:
    """Allow paths to lead into the workspace at `root`, to what the user named, and where the user's settings allow it.

    Also applies the limits of these settings to trial runs; with `cache`, they may be known to be valid. Raises
    UsageError for errors in the user's settings.
    """
    allow_folder(root)
    if named:
        allow_arguments(named, root)
    if not is_isolated and _has_user_settings():
        from trialrun.lint.settings.user import read_user_settings
        from trialrun.workspace.settings_cache import validate_once

        settings = read_user_settings(root, validate_once if cache else None)
        for folder in settings.allow_paths:
            allow_folder(folder)
        if settings.limits:
            from trialrun.runtime.limits import set_user_limits

            set_user_limits(settings.limits)


def _has_user_settings() -> bool:
    """Whether the user may have settings; most have none, which saves imports."""
    if "TRIALRUN_USER_SETTINGS" in os.environ:
        return True
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    base = base or os.path.expanduser("~/.config")
    return os.path.lexists(os.path.join(base, "trialrun", "settings.toml"))
