"""`--watch`: check again whenever a file of the workspace changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.cli.output import reader_gone
from trialrun.cli.report_error import refuse
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.workspace import Request

PAUSE = 0.3
"""Seconds between two looks at the files."""
Signature = list[tuple[str, int, int]]
CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watched(request: Callable[[], Request], checked: Callable[[Request], int], *, written: Sequence[str]) -> int:
    """Check, wait for a change, and check again; Ctrl-C ends it, or a reader that goes.

    The files `written` by the check itself are no change.
    """
    own = {os.path.abspath(file) for file in written}
    current, code = request(), None
    while True:
        seen = signature(current, own)
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
        try:
            code = checked(current)
        except UsageError as error:
            if code is None:
                raise
            refuse(error)  # a path may be missing for the moment in which an editor puts a new file in its place
        sys.stdout.flush()
        if reader_gone():
            return code or 0
        print("watching for changes; Ctrl-C ends", file=sys.stderr, flush=True)
        current = _changed(current, seen, request, own)


def _changed(current: Request, seen: Signature, request: Callable[[], Request], own: Set[str]) -> Request:
    """The request once something has changed; settings that are wrong are told, and their next change waited for."""
    while True:
        while (now := signature(current, own)) == seen:
            time.sleep(PAUSE)
        seen = now
        try:
            return request()
        except UsageError as error:
            refuse(error)


def signature(request: Request, own: Set[str]) -> Signature:
    """Path, size and time of the files that a check looks at, save our own, of policies and of settings files."""
    from trialrun.workspace.discovery import UnknownPath, settings_files

    signs: Signature = []
    for part in _parts(request):
        try:
            found = [one.file for one in part.files.found(part.paths)]
        except UnknownPath:  # it was there, and may come back
            found = []
        files = (file for file in found if os.path.abspath(file) not in own)
        policies = sorted(part.profiles.policies.files)
        signs += [(file, *_stat(file)) for file in (*files, *policies, *settings_files(part.root))]
    return signs


def _parts(request: Request) -> Sequence[Request]:
    """The workspaces that are looked at; where settings of some are wrong, that of the request alone."""
    from trialrun.workspace.discovery import UnknownPath
    from trialrun.workspace.workspaces import workspaces

    try:
        return workspaces(request)
    except (UsageError, UnknownPath):
        return [replace(request, known=None)]


def _stat(file: str) -> tuple[int, int]:
    try:
        status = os.stat(file)
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)
