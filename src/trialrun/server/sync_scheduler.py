"""Syncs by the clock of a server: made in a thread of their own, while requests are answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from datetime import datetime
from threading import Event, Lock

from trialrun.server.abandonable import run_abandonable
from trialrun.server.clock import ServerClock
from trialrun.service.feature_view.messages import FeatureViewSync
from trialrun.service.feature_view.service import FeatureViewService

logger = logging.getLogger("trialrun.server")
MAX_SYNCS = 100_000
"""So many syncs are made for one request; then the clock stays where it is."""
MAX_SYNCS_LISTED = 1_000
PAUSE_AFTER_FAILURE = 1.0


class SyncRun:
    """The syncs that were made on the way to a time, the first of them in full.

    It is complete where the clock got there.
    """

    def __init__(self) -> None:
        self.count = 0
        self.failed = 0
        self.first: list[FeatureViewSync] = []
        self.is_complete = True

    def add(self, record: FeatureViewSync) -> None:
        """Count a sync."""
        self.count += 1
        self.failed += record.finalStatus.code != 0
        if len(self.first) < MAX_SYNCS_LISTED:
            self.first.append(record)


class SyncScheduler:
    """Makes the syncs of a service when they are due by the server's clock.

    One thread makes them, one after the other. Requests to move the clock come first: what was due before is made with
    what is due on their way.
    """

    def __init__(self, feature_views: FeatureViewService, clock: ServerClock) -> None:
        self._scheduled = feature_views.scheduled
        self.clock = clock
        self._next: datetime | None = None
        self._thread = Lock()
        self._moves = asyncio.Lock()
        self._changed = asyncio.Event()
        self._is_asked = Event()
        self._is_stopped = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        feature_views.on_view_change(self.wake)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Make syncs until the block is left; one that runs then is not waited for."""
        self._loop = asyncio.get_running_loop()
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            self._is_stopped.set()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            self._loop = None

    def wake(self) -> None:
        """Find out anew which sync is the next; any thread may say so, where views were changed."""
        self.clock.hold()
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._changed.set)

    async def move(self, change: Callable[[], None], is_abandoned: Callable[[], Awaitable[bool]]) -> SyncRun:
        """Change the clock, and make all syncs that are due then; the clock stays on its way where that is abandoned.

        What `change` raises is raised.
        """
        self._is_asked.set()
        async with self._moves:
            self._is_asked.clear()
            change()
            run = SyncRun()
            await self._make_all(run, is_abandoned)
            if not run.is_complete:
                self.clock.stop_here()
            return run

    async def _make_all(self, run: SyncRun, is_abandoned: Callable[[], Awaitable[bool]]) -> None:
        def make(is_stopped: Callable[[], bool]) -> None:
            self._make_due(run, lambda: is_stopped() or run.count >= MAX_SYNCS)

        try:
            await run_abandonable(make, is_abandoned)
        finally:
            self._changed.set()

    async def _run(self) -> None:
        while True:
            self._changed.clear()
            try:
                async with self._moves:
                    await asyncio.to_thread(self._make_due, SyncRun(), self._is_asked.is_set)
                pause = None if self._next is None else self.clock.seconds_until(self._next)
            except Exception:
                logger.exception("internal error in the scheduler; please report it")
                pause = PAUSE_AFTER_FAILURE
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._changed.wait()

    def _make_due(self, run: SyncRun, is_stopped: Callable[[], bool]) -> None:
        """Make all syncs that are due, until the clock is where it was to go, and let it flow to the next one."""
        with self._thread:
            with closing(self._scheduled.run_until(self.clock.target())) as records:
                for record in records:
                    run.add(record)
                    if is_stopped() or self._is_stopped.is_set():
                        run.is_complete, self._next = False, self.clock.now()
                        return
            self._next = self._scheduled.next_run()
            self.clock.flow_until(self._next)
