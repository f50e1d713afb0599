"""The workspace that a server shows: its documents as they are now, and the sections of the page."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.page.sources import PageChoices, PageSources
from trialrun.workspace.store_dry_run import StoreDryRun

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.clock import Clock
    from trialrun.workspace.dry_run import DryRun

MAX_AGE = 60.0
"""Seconds of the server's clock after which sections are built again: they say what runs next."""
MIN_AGE = 5.0
"""Seconds for which sections stay at any speed of the clock, unless the files change."""


@dataclass(frozen=True)
class BuiltPage:
    """The sections of one revision of the workspace, when they were built, and the errors of stores by their names."""

    revision: int
    sources: PageSources
    sections: dict[str, Any]
    built_at: float
    errors: dict[str, list[Diagnostic]]

    def is_current(self, revision: int, now: datetime) -> bool:
        """Whether the sections still say what there is."""
        age = abs((now - self.sources.now).total_seconds())
        return self.revision == revision and (age < MAX_AGE or time.monotonic() - self.built_at < MIN_AGE)


class LiveWorkspace:
    """What the page of a server shows; every method may be called from any thread.

    `current` gives the documents that the server serves now, and their revision: another one after each change.
    """

    def __init__(self, current: Callable[[], tuple[int, DryRun]], clock: Clock) -> None:
        self._current = current
        self._clock = clock
        self._lock = Lock()
        self._page: BuiltPage | None = None

    @property
    def revision(self) -> int:
        """The revision of the documents."""
        return self._current()[0]

    @property
    def title(self) -> str:
        """The name of the workspace's folder."""
        root = self._current()[1].request.root
        return os.path.basename(root) or root

    def page(self) -> BuiltPage:
        """All sections of the page; of requests at one time, the first builds them, and the others wait."""
        with self._lock:
            revision, trial = self._current()
            now = self._clock.now()
            if self._page is None or not self._page.is_current(revision, now):
                self._page = _build_page(revision, trial, now)
            return self._page

    def store(self, name: str, at: datetime | None = None) -> StoreDryRun:
        """A store under trial, at a time or now. Raises UndeclaredError."""
        sources = self.page().sources
        request = replace(sources.request, now=at or self._clock.now())
        return StoreDryRun(request, sources.brands, sources.options, sources.brands.store(name))

    def errors(self, trial: StoreDryRun) -> list[Diagnostic]:
        """The errors of the documents that sessions at a store use, looked for once in each revision."""
        known, name = self.page().errors, trial.store.name
        if name not in known:
            known[name] = trial.errors()
        return known[name]


def _build_page(revision: int, trial: DryRun, now: datetime) -> BuiltPage:
    from trialrun.page.sections import build_sections

    request = replace(trial.request, now=now)
    sources = PageSources(request, PageChoices(with_data=True), trial=replace(trial, request=request))
    return BuiltPage(revision, sources, dict(build_sections(sources)), time.monotonic(), {})
