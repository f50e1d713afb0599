"""Whether files of a workspace have changed, and whether they have stopped changing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.errors import UsageError
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.workspace.check_request import CheckRequest

POLL_INTERVAL = 0.3
"""Seconds between two looks at the files."""
SETTLE_TIME = 0.1
"""Seconds for which nothing may change before files count as written to their end."""
MAX_SETTLE_LOOKS = 20
"""Looks after which files that never stop changing are checked all the same."""
Signature = list[tuple[str, int, int]]


def signature(request: CheckRequest, own: Set[str] = frozenset()) -> Signature:
    """Path, size and time of the files that a check looks at, save our own, of policies and of settings files."""
    from trialrun.workspace.discovery import UnknownPath, settings_files
    from trialrun.workspace.terraform_module import module_inputs

    signs: Signature = []
    for part in _parts(request):
        try:
            found = [file.file for file in part.files.find(part.paths)]
        except UnknownPath:  # it was there, and may come back
            found = []
        files = (file for file in found if absolute_path(file) not in own)
        beside = [*module_inputs(found, part.root)]
        policies = sorted(part.profiles.policies.files)
        signs += [(file, *_stat(file)) for file in (*files, *beside, *policies, *settings_files(part.root))]
    return signs


def settled_signature(look: Callable[[], Signature]) -> Signature:
    """The signature once it stays the same: a file that a program is just writing is empty, or ends in the middle."""
    now = look()
    for _ in range(MAX_SETTLE_LOOKS):
        time.sleep(SETTLE_TIME)
        before, now = now, look()
        if now == before:
            break
    return now


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
