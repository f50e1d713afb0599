"""The signals that end a server: SIGTERM, and Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """Waits for a signal to end; it is meant for the main thread, where alone signals come."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Wait until a signal comes."""
        await self._event.wait()

    def listen(self) -> None:
        """Take the signals from now on."""
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            _handle(loop, number, self._stop)

    def _stop(self, number: signal.Signals) -> None:
        self.received = self.received or number
        self._event.set()


def _handle(loop: asyncio.AbstractEventLoop, number: signal.Signals, stop: Callable[[signal.Signals], None]) -> None:
    try:
        loop.add_signal_handler(number, stop, number)
    except NotImplementedError:  # on Windows

        def wake(_number: int, _frame: Any) -> None:
            loop.call_soon_threadsafe(stop, number)

        with suppress(ValueError):  # in a thread
            signal.signal(number, wake)
