"""What the user consents to by starting a command: which files the paths of a workspace may lead to."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from trialrun.guarded_path import allow_arguments, allow_folder


def allow_named_paths(root: str, named: Sequence[str] = (), *, is_isolated: bool = False) -> None:
    """Let paths lead into the workspace at `root`, to what the user named, and where the user's settings allow it.

    The limits of these settings hold for trial runs from then on.
    Raises UsageError where the user's settings are wrong.
    """
    allow_folder(root)
    if named:
        allow_arguments(named, root)
    if not is_isolated and _has_user_settings():
        from trialrun.lint.settings.user import read_user_settings

        settings = read_user_settings(root)
        for folder in settings.allow_paths:
            allow_folder(folder)
        if settings.limits:
            from trialrun.runtime.limits import set_user_limits

            set_user_limits(settings.limits)


def _has_user_settings() -> bool:
    """Whether the user may have settings: most have none, and then nothing more is imported."""
    if "TRIALRUN_USER_SETTINGS" in os.environ:
        return True
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    base = base or os.path.expanduser("~/.config")
    return os.path.lexists(os.path.join(base, "trialrun", "settings.toml"))
