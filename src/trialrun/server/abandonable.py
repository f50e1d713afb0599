"""Long work in a thread, which ends early where whoever asked for it has gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from threading import Event
from typing import TypeVar

Result = TypeVar("Result")
POLL_INTERVAL = 0.1
"""Seconds between two looks whether whoever asked still waits."""


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
