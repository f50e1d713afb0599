"""The clock of a server: it flows at a speed, and never passes a sync that is still to be made."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock

from trialrun.values.timestamp import format_timestamp

END_OF_TIME = datetime.max.replace(tzinfo=UTC)
MAX_SPEED = 1e9


class ClockError(ValueError):
    """A change that a clock cannot make; the message says why."""


class ServerClock:
    """A clock that begins at a time, and from then on moves so many seconds in one: none at a speed of 0.

    It stands at the moment of the next sync until that is made, and then goes on to where it would be by its speed: so
    syncs are made at their very moments, however long they take. It never goes back. Any thread may ask and move it.
    """

    def __init__(self, start: datetime, speed: float = 1.0, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._lock = Lock()
        self._base, self._began, self._speed = start.astimezone(UTC), timer(), speed
        self._limit = self._base

    @property
    def speed(self) -> float:
        """How many seconds it moves in one."""
        return self._speed

    def now(self) -> datetime:
        """The time, in UTC."""
        with self._lock:
            return min(self._flow(), self._limit)

    def target(self) -> datetime:
        """Where the clock would be if no sync were to be made."""
        with self._lock:
            return self._flow()

    def set(self, time: datetime) -> None:
        """Let the clock go to a time, as a scheduler does when all that was due before is made."""
        with self._lock:
            self._limit = max(min(self._flow(), self._limit), time.astimezone(UTC))
            if self._flow() < self._limit:
                self._rebase(self._limit)

    def hold(self) -> None:
        """Stand still until it is known again which sync is the next."""
        with self._lock:
            self._limit = min(self._flow(), self._limit)

    def flow_until(self, moment: datetime | None) -> None:
        """Flow, at most until a moment; on and on with None."""
        with self._lock:
            self._limit = max(min(self._flow(), self._limit), moment or END_OF_TIME)

    def move_to(self, time: datetime, *, speed: float | None = None) -> None:
        """Have the clock go to a time, past the syncs until then, and flow at a speed from there, by default its own.

        Raises ClockError for a time that is gone.
        """
        with self._lock:
            now = min(self._flow(), self._limit)
            if time < now:
                raise ClockError(f"the clock is at {format_timestamp(now)} and does not go back; start another server")
            self._limit = now
            self._rebase(time.astimezone(UTC))
            self._speed = self._speed if speed is None else speed

    def advance(self, by: timedelta, *, speed: float | None = None) -> None:
        """Have the clock go on by a time, as `move_to` does. Raises ClockError where that is after the year 9999."""
        try:
            time = self.target() + by
        except OverflowError as error:
            raise ClockError("the clock ends with the year 9999; advance it by less") from error
        self.move_to(time, speed=speed)

    def change_speed(self, speed: float) -> None:
        """Flow at another speed from now on; what the clock lags behind for syncs is left out."""
        with self._lock:
            self._rebase(min(self._flow(), self._limit))
            self._speed = speed

    def stop_here(self) -> None:
        """Give up moving to where the clock was to go, and flow from where it is."""
        with self._lock:
            self._rebase(min(self._flow(), self._limit))

    def seconds_until(self, moment: datetime) -> float | None:
        """How many seconds from now it reaches a moment, None where it does not."""
        with self._lock:
            distance = (moment - self._flow()).total_seconds()
            return max(distance / self._speed, 0.0) if self._speed else 0.0 if distance <= 0 else None

    def _flow(self) -> datetime:
        moved = (self._timer() - self._began) * self._speed
        try:
            return self._base + timedelta(seconds=moved)
        except OverflowError:
            return END_OF_TIME

    def _rebase(self, time: datetime) -> None:
        self._base, self._began = time, self._timer()
