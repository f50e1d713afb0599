"""Internal errors, shown to the user so that they can be reported."""

from __future__ import annotations

from collections.abc import Callable

from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.version import __version__

MAX_REPORTS = 100
PLEASE_REPORT = f"trialrun {__version__} failed; the fault is ours: please report it"


class CrashReports:
    """Shows each internal error once, up to a limit."""

    def __init__(self, report: Callable[[ShowMessage], None]) -> None:
        self._send = report
        self._reported: set[str] = set()

    def report(self, message: str) -> None:
        """Show an internal error, unless it has been shown."""
        if message not in self._reported and len(self._reported) < MAX_REPORTS:
            self._reported.add(message)
            self._send(ShowMessage("error", f"{PLEASE_REPORT}: {message}"))


def error_summary(error: Exception) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
