"""The signals that end a server: SIGTERM, and Ctrl-C. It has a second to end, whatever it waits for."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
TIME_TO_END = 0.9
"""Seconds after which the process ends as by `kill -9`, which stores outlive: a thread, a disk or a reader hangs."""
INTERRUPTED_EXIT = 130


class StopSignals:
    """Waits for a signal to end; it is meant for the main thread, where alone signals come."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._event = asyncio.Event()

    @property
    def exit_code(self) -> int:
        """The exit code: SIGTERM is an orderly end, as servers have it; Ctrl-C is that of every command."""
        return INTERRUPTED_EXIT if self.received is signal.SIGINT else 0

    async def wait(self) -> None:
        """Wait until a signal comes."""
        await self._event.wait()

    def listen(self) -> None:
        """Take the signals from now on."""
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            _handle(loop, number, self._stop)

    def _stop(self, number: signal.Signals) -> None:
        if self.received is None:
            self.received = number
            last_resort = Timer(TIME_TO_END, os._exit, (self.exit_code,))
            last_resort.daemon = True
            last_resort.start()
        self._event.set()


def _handle(loop: asyncio.AbstractEventLoop, number: signal.Signals, stop: Callable[[signal.Signals], None]) -> None:
    try:
        loop.add_signal_handler(number, stop, number)
    except NotImplementedError:  # on Windows

        def wake(_number: int, _frame: Any) -> None:
            loop.call_soon_threadsafe(stop, number)

        with suppress(ValueError):  # in a thread
            signal.signal(number, wake)
