"""Where the state of this user's programs is; it imports little, since `trialrun check` looks there first of all."""

from __future__ import annotations

import os
import sys

VARIABLE = "TRIALRUN_STATE_DIR"


def state_path() -> str | None:
    """The folder: TRIALRUN_STATE_DIR, else where the system has the state of a user's programs; None without a home."""
    if chosen := os.environ.get(VARIABLE):
        return os.path.abspath(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME", "")
        # A relative path would lead into the working directory, which may be a stranger's repository.
        base = base if os.path.isabs(base) else os.path.expanduser("~/.local/state")
    return os.path.join(base, "trialrun") if os.path.isabs(base) else None
