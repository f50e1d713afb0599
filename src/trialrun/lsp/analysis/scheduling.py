"""When open files are due for their diagnostics, and work that requests would otherwise wait for."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features import FEATURES, feature

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

MAX_WAITING_EDITS = 5
"""So many edits of a file that takes long may wait for a pause; then it is linted, unless a newer text ends that."""
KEPT_COSTS = 3
"""So many lints of a file say what it costs: the least of them, since a busy machine makes some of them longer."""
PRIMING_PAUSE = 0.5
"""Seconds without a change after which changed texts are read for the requests to come."""


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


class CachePrimer:
    """Primes the caches of a workspace in small steps, when nothing else is left to do.

    Changed texts are read after a pause, not after each of the edits of somebody who types.
    """

    def __init__(self, workspace: OpenWorkspace) -> None:
        self._live = workspace
        self._revision = self._changed_revision = -1
        self._changed_at = 0.0
        self._features = [*FEATURES]
        self._paths: list[str] = []
        self._parsed_file: WorkspaceFile | None = None

    @property
    def delay(self) -> float | None:
        """The seconds until the next step; None if none is left."""
        if self._features or self._paths or self._parsed_file:
            return 0.0
        revision = self._live.revision
        if self._changed_revision != revision:
            self._changed_revision, self._changed_at = revision, time.monotonic()
        return None if self._revision == revision else max(self._changed_at + PRIMING_PAUSE - time.monotonic(), 0.0)

    @property
    def next_path(self) -> str | None:
        """The file that `step` reads next, if any."""
        if self._parsed_file is not None:
            return self._parsed_file.path
        return self._paths[-1] if self._paths and not self._features else None

    def step(self) -> None:
        """Do one step: import a feature, list unread files, read one, or collect its occurrences."""
        if self._features:
            feature(self._features.pop())
        elif self._parsed_file is not None:
            from trialrun.lsp.symbols.index import occurrences

            file, self._parsed_file = self._parsed_file, None
            occurrences(self._live, file)
        elif self._paths:
            from trialrun.workspace.open_workspace.catalog_cache import prefetch

            self._parsed_file = prefetch(self._live, self._paths.pop())
        else:
            self._find_unread()

    def _find_unread(self) -> None:
        """List the files that changed; if none did, build the catalog."""
        from trialrun.workspace.open_workspace.catalog_cache import outdated_paths, views

        self._paths = sorted(outdated_paths(self._live), reverse=True)
        if not self._paths:
            self._revision = self._live.revision
            views(self._live)


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
