"""Faults of ours, told to a person so that they can be reported."""

from __future__ import annotations

from collections.abc import Callable

from trialrun import __version__
from trialrun.lsp.ipc.messages import Told

MOST = 100
REPORT_IT = f"trialrun {__version__} failed; the fault is ours: please report it"


class Faults:
    """Tells each fault once, and of many the first."""

    def __init__(self, tell: Callable[[Told], None]) -> None:
        self._tell = tell
        self._known: set[str] = set()

    def tell(self, message: str) -> None:
        """Tell a fault, unless it has been told."""
        if message not in self._known and len(self._known) < MOST:
            self._known.add(message)
            self._tell(Told("error", f"{REPORT_IT}: {message}"))


def what(error: Exception) -> str:
    """What went wrong, in a line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
