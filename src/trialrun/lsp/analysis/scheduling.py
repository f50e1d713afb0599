"""When open files are due for their diagnostics, and work that requests would otherwise wait for."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features import FEATURES, feature

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import OpenWorkspace

MAX_WAITING_EDITS = 5
"""So many edits of a file that takes long may wait for a pause; then it is linted, unless a newer text ends that."""
KEPT_COSTS = 3
"""So many lints of a file say what it costs: the least of them, since a busy machine makes some of them longer."""


class PendingDiagnostics:
    """Open files by absolute path; due times are of the monotonic clock."""

    def __init__(self) -> None:
        self._costs: dict[str, deque[float]] = {}
        self._changed_at: dict[str, float] = {}
        self._waited: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._published: dict[str, tuple[int, tuple[Diagnostic, ...]]] = {}
        self._due_at: dict[str, float] = {}

    def __contains__(self, file: object) -> bool:
        return file in self._versions

    def __iter__(self) -> Iterator[str]:
        return iter(self._versions)

    def __bool__(self) -> bool:
        """Whether a file is due, now or later."""
        return bool(self._due_at)

    def version(self, file: str | None) -> int | None:
        """The version of the text of a file; None if it is not open."""
        return None if file is None else self._versions.get(file)

    def schedule(self, file: str, version: int, *, delay: float = 0.0) -> None:
        """A file has another text, and is due after a delay in seconds."""
        self._versions[file] = version
        self._due_at[file] = time.monotonic() + delay if delay else 0.0

    def schedule_change(self, file: str, version: int, *, debounce: float) -> None:
        """Somebody edits a file: it is due now if linting it takes less than the time between two edits.

        If it takes longer, it is due once there has been no edit for `debounce` seconds, or after some edits, since it
        may take less by now.
        """
        now = time.monotonic()
        since_last_change = now - self._changed_at.get(file, 0.0)
        self._changed_at[file] = now
        is_fast = self.cost(file) < since_last_change
        waited = self._waited.get(file, 0) + 1
        self._waited[file] = 0 if is_fast or waited >= MAX_WAITING_EDITS else waited
        self.schedule(file, version, delay=debounce if self._waited[file] else 0.0)

    def note_cost(self, file: str, seconds: float) -> None:
        """Linting a file has taken so long; the first time does not count, since it imports what later ones have."""
        if file in self._versions and file in self._costs:
            self._costs[file].append(seconds)
        elif file in self._versions:
            self._costs[file] = deque(maxlen=KEPT_COSTS)

    def cost(self, file: str) -> float:
        """The seconds that linting a file takes; 0 if it has not been linted yet."""
        return min(self._costs.get(file, ()), default=0.0)

    def close(self, file: str) -> None:
        """A file is closed."""
        for table in (self._versions, self._published, self._due_at, self._costs, self._changed_at, self._waited):
            table.pop(file, None)

    def schedule_all(self) -> None:
        """Make every open file due now."""
        self._due_at = dict.fromkeys(self._versions, 0.0)

    def schedule_if_open(self, file: str | None) -> None:
        """Make a file due now if it is open, unless it is due already."""
        if file in self._versions:
            self._due_at.setdefault(file, 0.0)

    def take_due(self) -> str | None:
        """Remove and return a file that is due."""
        now = time.monotonic()
        ready = next((file for file, due_at in self._due_at.items() if due_at <= now), None)
        if ready is not None:
            del self._due_at[ready]
        return ready

    def is_new(self, file: str, diagnostics: tuple[Diagnostic, ...]) -> bool:
        """Whether these diagnostics of a file have not been published; marks them as published."""
        published = self._versions[file], diagnostics
        if self._published.get(file) == published:
            return False
        self._published[file] = published
        return True

    @property
    def delays(self) -> list[float]:
        """The seconds until each scheduled file is due."""
        now = time.monotonic()
        return [due_at - now for due_at in self._due_at.values()]


def prime_caches(workspace: OpenWorkspace) -> Iterator[str | None]:
    """Compute what requests need of the texts that changed, in small steps; yields the path of a text that was read."""
    for name in FEATURES:
        feature(name)
        yield None
    from trialrun.lsp.symbols.index import occurrences
    from trialrun.workspace.open_workspace.catalog_cache import outdated_paths, prefetch, views

    for path in sorted(outdated_paths(workspace)):
        file = prefetch(workspace, path)
        yield path
        if file is not None:
            occurrences(workspace, file)
            yield None
    views(workspace)


class BackgroundTask:
    """Steps that are made one by one when nothing else is left to do; it begins anew when it is scheduled again."""

    def __init__(self, steps: Callable[[], Iterator[None]]) -> None:
        self._steps = steps
        self._due_at: float | None = None
        self._running: Iterator[None] | None = None

    def schedule(self, seconds: float) -> None:
        """Begin in so many seconds, whatever was scheduled before."""
        self._due_at = time.monotonic() + seconds

    @property
    def is_idle(self) -> bool:
        """Whether it neither runs nor will."""
        return self._due_at is None and self._running is None

    @property
    def delay(self) -> float | None:
        """The seconds until the next step; None for never."""
        if self._running is not None:
            return 0.0
        return None if self._due_at is None else max(self._due_at - time.monotonic(), 0.0)

    def run_step(self) -> bool:
        """Make a step if one is due; whether there was any."""
        if self._due_at is not None and self._due_at <= time.monotonic():
            self._due_at, self._running = None, self._steps()
        running = self._running
        if running is None:
            return False
        try:
            next(running)
        except StopIteration:
            self._running = None
        return True
