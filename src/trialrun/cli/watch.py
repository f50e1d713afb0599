"""`--watch`: check again whenever a file of the workspace changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.cli.output import is_reader_gone
from trialrun.cli.report_error import report_error
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.workspace import CheckRequest

POLL_INTERVAL = 0.3
"""Seconds between two looks at the files."""
SETTLE_TIME = 0.1
"""Seconds for which nothing may change before files count as written to their end."""
MAX_SETTLE_LOOKS = 20
"""Looks after which files that never stop changing are checked all the same."""
Signature = list[tuple[str, int, int]]
CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watch(
    request: Callable[[], CheckRequest], checked: Callable[[CheckRequest], int], *, written: Sequence[str]
) -> int:
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
            report_error(error)  # a path may be missing for the time in which an editor puts a new file in its place
        sys.stdout.flush()
        if is_reader_gone():
            return code or 0
        print("watching for changes; press Ctrl-C to stop", file=sys.stderr, flush=True)
        current = _wait_for_change(current, seen, request, own)


def _wait_for_change(
    current: CheckRequest, seen: Signature, request: Callable[[], CheckRequest], own: Set[str]
) -> CheckRequest:
    """The request once something has changed; settings that are wrong are reported, and their next change waited
    for.
    """
    while True:
        while signature(current, own) == seen:
            time.sleep(POLL_INTERVAL)
        seen = _settled_signature(current, own)
        try:
            return request()
        except UsageError as error:
            report_error(error)


def _settled_signature(current: CheckRequest, own: Set[str]) -> Signature:
    """The signature once it stays the same: a file that a program is just writing is empty, or ends in the middle."""
    now = signature(current, own)
    for _ in range(MAX_SETTLE_LOOKS):
        time.sleep(SETTLE_TIME)
        before, now = now, signature(current, own)
        if now == before:
            break
    return now


def signature(request: CheckRequest, own: Set[str]) -> Signature:
    """Path, size and time of the files that a check looks at, save our own, of policies and of settings files."""
    from trialrun.workspace.discovery import UnknownPath, settings_files

    signs: Signature = []
    for part in _parts(request):
        try:
            found = [file.file for file in part.files.find(part.paths)]
        except UnknownPath:  # it was there, and may come back
            found = []
        files = (file for file in found if os.path.abspath(file) not in own)
        policies = sorted(part.profiles.policies.files)
        signs += [(file, *_stat(file)) for file in (*files, *policies, *settings_files(part.root))]
    return signs


def _parts(request: CheckRequest) -> Sequence[CheckRequest]:
    """The workspaces that are looked at; where settings of some are wrong, that of the request alone."""
    from trialrun.workspace.discovery import UnknownPath
    from trialrun.workspace.workspaces import workspaces

    try:
        return workspaces(request)
    except (UsageError, UnknownPath):
        return [replace(request, known_files=None)]


def _stat(file: str) -> tuple[int, int]:
    try:
        status = os.stat(file)
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)
