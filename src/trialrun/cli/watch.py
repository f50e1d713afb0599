"""`--watch`: check again whenever a file of the workspace changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING

from trialrun.cli.output import is_reader_gone, report_error, send_control
from trialrun.errors import UsageError
from trialrun.workspace.file_changes import POLL_INTERVAL, Signature, settled_signature, signature

if TYPE_CHECKING:
    from trialrun.workspace import CheckRequest

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
            send_control(sys.stdout, CLEAR)
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
        seen = settled_signature(lambda: signature(current, own))
        try:
            return request()
        except UsageError as error:
            report_error(error)
