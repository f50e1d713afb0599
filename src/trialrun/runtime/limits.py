"""Resource limits for untrusted documents: memory and threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trialrun.cores import available_cores
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.options import Options
from trialrun.values.amounts import format_bytes, parse_bytes

SYNC_MEMORY_SHARE = 0.75
"""The share of the machine's memory that a sync may take, which the user starts."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a repository may take without the user's consent: bytes of memory, and threads."""

    memory: int = 2_000_000_000
    threads: int = 0

    @property
    def max_threads(self) -> int:
        """How many threads that is; 0 stands for all cores."""
        return self.threads or available_cores()


_user_limits = [Limits()]


def user_limits() -> Limits:
    """The limits of this user: the defaults, where the user's settings say nothing else."""
    return _user_limits[-1]


def set_user_limits(limits: Mapping[str, Any]) -> None:
    """Go by the table `[limits]` of the user's settings from now on, which was checked when it was read."""
    memory = parse_bytes(limits.get("memory-limit", ""))
    _user_limits[:] = [Limits(memory or Limits().memory, limits.get("threads", 0))]


def sync_limits() -> Limits:
    """What a sync may take, which the user starts: this share of the machine's memory, and all cores."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # the system does not tell
        return Limits(sys.maxsize)
    return Limits(int(memory * SYNC_MEMORY_SHARE))


def cap_options(options: Options, limits: Limits) -> Options:
    """The choices with no more memory and threads than the limits; a repository may only lower these."""
    memory, threads = parse_bytes(options.memory_limit), options.threads or limits.max_threads
    return replace(
        options,
        memory_limit=options.memory_limit if memory and memory <= limits.memory else format_bytes(limits.memory),
        threads=min(threads, limits.max_threads),
    )


def exceeded_limits(runtime: Mapping[str, Any], limits: Limits, whose: str) -> list[str]:
    """What of the `[runtime]` table of a repository's settings is above the limits, as messages without what to do."""
    memory_limit, threads = runtime.get("memory-limit"), runtime.get("threads")
    messages = []
    if memory_limit is not None and (parse_bytes(memory_limit) or 0) > limits.memory:
        limit = format_bytes(limits.memory)
        messages.append(f'memory-limit "{memory_limit}" is above {whose}, {limit}')
    if threads is not None and threads > limits.max_threads:
        messages.append(f"threads {threads} is above {whose}, {limits.max_threads}")
    return messages
