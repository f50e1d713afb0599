"""How many cores there are for work that is divided."""

from __future__ import annotations

import os


def available_cores() -> int:
    """How many cores this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
