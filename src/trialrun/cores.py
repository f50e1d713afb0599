"""How many cores there are for work that is divided."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

LOAD_FILE = "/proc/loadavg"
"""Where Linux has, as its fourth word, how many processes run or wait for a core now, of how many."""
LOOKS, LOOK_SECONDS = 4, 0.002
"""A process that does not run at every look leaves the core to others."""


def available_cores() -> int:
    """How many cores this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_cores(running: Callable[[], int | None] | None = None) -> int:
    """How many of the available cores no other process uses now; at least one, and all where the system does not say.

    `running` returns how many processes run, ourselves included, or None.
    """
    looks = []
    for look in range(LOOKS):
        if look:
            time.sleep(LOOK_SECONDS)
        count = (running or _running_processes)()
        if count is None:
            return available_cores()
        looks.append(count)
    others = max(min(looks) - 1, 0)
    return max(1, min(available_cores(), (os.cpu_count() or 1) - others))


def _running_processes() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        descriptor = os.open(LOAD_FILE, os.O_RDONLY)
        try:
            return int(os.read(descriptor, 200).split()[3].partition(b"/")[0])
        finally:
            os.close(descriptor)
    return None
