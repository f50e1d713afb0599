"""Where what can be computed again is kept from run to run."""

from __future__ import annotations

import os
import stat


def cache_dir() -> str:
    """The folder: TRIALRUN_CACHE_DIR, else below the user's cache folder."""
    if folder := os.environ.get("TRIALRUN_CACHE_DIR"):
        return folder
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "trialrun")


def private_cache_dir(folder: str | None = None) -> str | None:
    """The cache folder, made where it is not there; None if it cannot be made, or where others can write.

    Whoever can write to it decides what a run finds, so a folder of another user, or one that everybody may write to,
    is not used.
    """
    folder = folder or cache_dir()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    if not hasattr(os, "geteuid"):
        return folder
    is_own = status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH
    return folder if is_own else None
