"""Clocks: the only source of time, so that a dry run can use any time."""

from __future__ import annotations

from abc import abstractmethod
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    @abstractmethod
    def now(self) -> datetime:
        """The time, in UTC, to the microsecond."""

    def set(self, time: datetime) -> None:
        """Set the clock to a time, which must carry an offset. Raises TypeError for one that cannot be moved."""
        raise TypeError("only a clock that can be set is moved; use a FixedClock")


class SystemClock(Clock):
    """The clock of the machine."""

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)


class FixedClock(Clock):
    """A clock that is where it was set until it is moved."""

    def __init__(self, time: datetime) -> None:
        self._moment = time.astimezone(UTC)

    def now(self) -> datetime:
        """The time that it was set to, in UTC."""
        return self._moment

    def set(self, time: datetime) -> None:
        self._moment = time.astimezone(UTC)

    def advance(self, by: timedelta) -> None:
        """Move the clock on."""
        self._moment += by
