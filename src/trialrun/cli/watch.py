"""`--watch`: check again whenever a file of the workspace changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from trialrun.cli.output import reader_gone

if TYPE_CHECKING:
    from trialrun.workspace import Request

PAUSE = 0.3
"""Seconds between two looks at the files."""
CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watched(request: Callable[[], Request], checked: Callable[[Request], int]) -> int:
    """Check, wait for a change, and check again; Ctrl-C ends it, or a reader that goes."""
    while True:
        current = request()
        seen = signature(current)
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
        code = checked(current)
        sys.stdout.flush()
        if reader_gone():
            return code
        print("watching for changes; Ctrl-C ends", file=sys.stderr, flush=True)
        while signature(current) == seen:
            time.sleep(PAUSE)


def signature(request: Request) -> list[tuple[str, int, int]]:
    """Path, size and time of every file that a check looks at, the settings file included."""
    from trialrun.workspace.discovery import discover

    found = [one.file for one in discover(request.paths, root=request.root, exclude=request.settings.exclude)]
    files = [*found, *([request.settings.file] if request.settings.file else [])]
    return [(file, *_stat(file)) for file in files]


def _stat(file: str) -> tuple[int, int]:
    try:
        status = os.stat(file)
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)
