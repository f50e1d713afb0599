"""The daemon that answers `trialrun check` in a terminal: if a user wants, it comes and goes with the editor."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import trialrun

HOURS = 4
"""Hours without a check after which it ends by itself, as when the server was killed."""


class Daemon:
    """Runs `trialrun daemon start`, and `daemon stop` at the end if it was not running before.

    `on_error` is called in a thread with the message of a daemon that does not start.
    """

    def __init__(self, on_error: Callable[[str], None]) -> None:
        self._on_error = on_error
        self._lock = threading.RLock()  # a signal may end the server while it holds the lock
        self._is_wanted = self._is_own = False

    def start(self) -> None:
        """Start it, in the background."""
        self._is_wanted = True
        threading.Thread(target=self._start, daemon=True).start()

    def stop(self) -> None:
        """End it if it was started here; nobody waits for that."""
        self._is_wanted = False
        with self._lock:
            if self._is_own:
                self._is_own = False
                _run_daemon("stop")

    def _start(self) -> None:
        with self._lock:
            if not self._is_wanted or self._is_own:
                return
            starting = _run_daemon("start", "--idle-minutes", str(HOURS * 60))
            out, errors = starting.communicate()
            self._is_own = out.startswith(b"started")
        if starting.returncode:
            self._on_error(errors.decode("utf-8", "replace").strip().removeprefix("error: "))


def _run_daemon(*arguments: str) -> subprocess.Popen[bytes]:
    """Run a command in the folder of our package, so that nothing is imported from the workspace."""
    package_parent = os.path.dirname(os.path.dirname(os.path.abspath(trialrun.__file__)))
    command = [sys.executable, "-m", "trialrun", "daemon", *arguments]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, stdin=null, stdout=pipe, stderr=pipe, cwd=package_parent, start_new_session=True)
