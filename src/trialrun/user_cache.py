"""Where what can be worked out again is kept from run to run."""

from __future__ import annotations

import os


def cache_folder() -> str:
    """The folder: TRIALRUN_CACHE_DIR, else below the user's cache folder."""
    if told := os.environ.get("TRIALRUN_CACHE_DIR"):
        return told
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "trialrun")
