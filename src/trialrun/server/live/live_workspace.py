"""The workspace that a server shows: its documents as they are now, and the sections of the page."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.page.sections import SECTIONS, overview_section
from trialrun.page.sources import PageChoices, PageSources
from trialrun.workspace.store_dry_run import StoreDryRun

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.clock import Clock
    from trialrun.workspace.dry_run import DryRun

MAX_AGE = 60.0
"""Seconds of the server's clock after which the workspace is read again: some sections say what runs next."""
MIN_AGE = 5.0
"""Seconds for which it is kept at any speed of the clock, unless the files change."""


@dataclass(frozen=True)
class ReadWorkspace:
    """The workspace as it was read: of which revision, when, and what was built of it so far."""

    revision: int
    sources: PageSources
    read_at: float
    sections: dict[str, Any]
    errors: dict[str, list[Diagnostic]]
    lock: RLock

    def is_current(self, revision: int, now: datetime) -> bool:
        """Whether it still says what there is."""
        age = abs((now - self.sources.now).total_seconds())
        return self.revision == revision and (age < MAX_AGE or time.monotonic() - self.read_at < MIN_AGE)

    def section(self, name: str) -> Any:
        """A section of the page by its name; None where the workspace has nothing for it.

        It is built alone: of requests for it at one time, the first builds it, and the others wait.
        """
        with self.lock:
            if name not in self.sections:
                self.sections[name] = self._overview() if name == "overview" else SECTIONS[name](self.sources)
            return self.sections[name]

    def _overview(self) -> Any:
        others = {name: self.section(name) for name in SECTIONS}
        return overview_section(self.sources, {name: found for name, found in others.items() if found is not None})


class LiveWorkspace:
    """What the page of a server shows; every method may be called from any thread.

    `current` gives the documents that the server serves now, and their revision: another one after each change.
    """

    def __init__(self, current: Callable[[], tuple[int, DryRun]], clock: Clock) -> None:
        self._current = current
        self._clock = clock
        self._lock = Lock()
        self._workspace: ReadWorkspace | None = None

    @property
    def revision(self) -> int:
        """The revision of the documents."""
        return self._current()[0]

    @property
    def title(self) -> str:
        """The name of the workspace's folder."""
        root = self._current()[1].request.root
        return os.path.basename(root) or root

    def read(self) -> ReadWorkspace:
        """The workspace as it is now."""
        with self._lock:
            (revision, trial), now = self._current(), self._clock.now()
            if self._workspace is None or not self._workspace.is_current(revision, now):
                sources = _sources(trial, now)
                self._workspace = ReadWorkspace(revision, sources, time.monotonic(), {}, {}, RLock())
            return self._workspace

    def store(self, name: str, at: datetime | None = None) -> StoreDryRun:
        """A store under trial, at a time or now. Raises UndeclaredError."""
        sources = self.read().sources
        request = replace(sources.request, now=at or self._clock.now())
        return StoreDryRun(request, sources.brands, sources.options, sources.brands.store(name))

    def errors(self, trial: StoreDryRun) -> list[Diagnostic]:
        """The errors of the documents that sessions at a store use."""
        known, name = self.read().errors, trial.store.name
        if name not in known:
            known[name] = trial.errors()
        return known[name]


def _sources(trial: DryRun, now: datetime) -> PageSources:
    request = replace(trial.request, now=now)
    return PageSources(request, PageChoices(with_data=True), trial=replace(trial, request=request))
