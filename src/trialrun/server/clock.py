"""The clock of a server, which never passes a sync that is still to be made, and what makes the syncs that are due."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, RLock
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, PlainSerializer

from trialrun.service.feature_view.messages import FeatureViewSync
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.values.timestamp import format_timestamp

logger = logging.getLogger("trialrun.server")
END_OF_TIME = datetime.max.replace(tzinfo=UTC)
MAX_SPEED = 1e9
MAX_SYNCS = 100_000
"""So many syncs are made for one request; then the clock stays where it is."""
MAX_SYNCS_LISTED = 1_000
PAUSE_AFTER_FAILURE = 1.0
POLL_INTERVAL = 0.1
"""Seconds between two looks whether whoever asked for long work still waits."""
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)(ms|[smhd])")
Result = TypeVar("Result")


def parse_duration(value: object) -> object:
    """The time that a text such as `3600s` or `1.5h` is."""
    if not isinstance(value, str):
        return value
    match = DURATION.fullmatch(value)
    if match is None:
        raise ValueError(f'"{value}" is not a span of time; write seconds, such as 3600s, or 200ms, 90m, 12h, 365d')
    try:
        return timedelta(seconds=float(match[1]) * SECONDS[match[2]])
    except OverflowError as error:
        raise ValueError(f"{value} is longer than time is; take less") from error


Duration = Annotated[
    timedelta,
    BeforeValidator(parse_duration),
    PlainSerializer(lambda span: f"{span.total_seconds():.6f}".rstrip("0").rstrip(".") + "s", when_used="json"),
]
"""A span of time as requests have it: `3600s`, as JSON has a google.protobuf.Duration, or in a larger unit."""


class ServerClock:
    """A clock that begins at a time, and from then on moves so many seconds in one: none at a speed of 0.

    It stands at the moment of the next sync until that is made, and then goes on to where it would be by its speed: so
    syncs are made at their very moments, however long they take. It never goes back. Any thread may ask and move it.
    """

    def __init__(self, start: datetime, speed: float = 1.0, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._lock = RLock()
        self._base, self._began, self.speed = start.astimezone(UTC), timer(), speed
        self._limit = self._base

    def now(self) -> datetime:
        """The time, in UTC."""
        with self._lock:
            return min(self.target(), self._limit)

    def target(self) -> datetime:
        """Where the clock would be if no sync were to be made."""
        with self._lock:
            moved = (self._timer() - self._began) * self.speed
            try:
                return self._base + timedelta(seconds=moved)
            except OverflowError:
                return END_OF_TIME

    def set(self, time: datetime) -> None:
        """Let the clock go to a time, as a scheduler does when all that was due before is made."""
        with self._lock:
            self._limit = max(self.now(), time.astimezone(UTC))
            if self.target() < self._limit:
                self._base, self._began = self._limit, self._timer()

    def hold(self) -> None:
        """Stand still until it is known again which sync is the next."""
        with self._lock:
            self._limit = self.now()

    def flow_until(self, moment: datetime | None) -> None:
        """Flow, at most until a moment; on and on with None."""
        with self._lock:
            self._limit = max(self.now(), moment or END_OF_TIME)

    def move_to(self, time: datetime, *, speed: float | None = None) -> None:
        """Have the clock go to a time, past the syncs until then, and flow at a speed from there, by default its own.

        Raises ValueError for a time that is gone.
        """
        with self._lock:
            now = self.now()
            if time < now:
                raise ValueError(f"the clock is at {format_timestamp(now)} and does not go back; start another server")
            self._limit = now
            self._base, self._began = time.astimezone(UTC), self._timer()
            self.speed = self.speed if speed is None else speed

    def advance(self, by: timedelta, *, speed: float | None = None) -> None:
        """Have the clock go on by a time, as `move_to` does. Raises ValueError where that is after the year 9999."""
        try:
            time = self.target() + by
        except OverflowError as error:
            raise ValueError("the clock ends with the year 9999; advance it by less") from error
        self.move_to(time, speed=speed)

    def change_speed(self, speed: float) -> None:
        """Flow at another speed from now on; what the clock lags behind for syncs is left out."""
        with self._lock:
            self._base, self._began = self.now(), self._timer()
            self.speed = speed

    def seconds_until(self, moment: datetime) -> float | None:
        """How many seconds from now it reaches a moment, None where it does not."""
        with self._lock:
            distance = (moment - self.target()).total_seconds()
            return max(distance / self.speed, 0.0) if self.speed else 0.0 if distance <= 0 else None


class SyncRun:
    """The syncs that were made on the way to a time, the first of them in full; complete where the clock got there."""

    def __init__(self) -> None:
        self.count = self.failed = 0
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
        self.clock = clock
        self._scheduled = feature_views.scheduled
        self._next: datetime | None = None
        self._thread, self._moves = Lock(), asyncio.Lock()
        self._changed, self._is_asked, self._is_stopped = asyncio.Event(), Event(), Event()
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

            def make(is_stopped: Callable[[], bool]) -> None:
                self._make_due(run, lambda: is_stopped() or run.count >= MAX_SYNCS)

            try:
                await run_abandonable(make, is_abandoned)
            finally:
                self._changed.set()
            if not run.is_complete:  # it flows from where it is, and no longer to where it was to go
                self.clock.change_speed(self.clock.speed)
            return run

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


async def run_abandonable(
    work: Callable[[Callable[[], bool]], Result],
    is_abandoned: Callable[[], Awaitable[bool]],
    executor: Executor | None = None,
) -> Result:
    """The result of work in a thread, which is given a function that says whether to stop."""
    stop = Event()
    done = asyncio.get_running_loop().run_in_executor(executor, work, stop.is_set)
    try:
        while not (await asyncio.wait({done}, timeout=POLL_INTERVAL))[0]:
            if await is_abandoned():
                stop.set()
        return await done
    finally:
        stop.set()
