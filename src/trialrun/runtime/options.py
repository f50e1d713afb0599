"""Options of a workspace where the specifications are silent, and the limits that documents of others keep to.

`docs/assumptions.md` has a row for each option.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from trialrun.cores import available_cores
from trialrun.values.amounts import format_bytes, parse_bytes
from trialrun.values.cron import Semantics

ALIASES = ("engine", "store")
"""The keys of `[runtime]` that name an alias of the user's settings."""
MessageDraw = Literal["offer", "type"]
"""Which messages are weighed together: those of all greeting or all closing offers, or of each offer by itself."""


@dataclass(frozen=True)
class EngineAddress:
    """A remote engine by its address, which has no credentials.

    `options` are the engine's own settings, `python` is the interpreter of its workers. `roots` are the locations below
    which Sources may name rows beyond this machine. The secret is never shown.
    """

    address: str
    options: tuple[tuple[str, str], ...] = ()
    python: str | None = None
    secret: str | None = field(default=None, repr=False)
    roots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of a workspace for its trial runs.

    `vanished_entities` says whether entities that a sync does not find any more stay served; None: a KEY_VALUE store
    keeps them, any other drops them. `cron_semantics` is for clock changes. `list_merge` says what a later config does
    to a list of an earlier one that has no keys to merge by. `message_draw` says which messages are weighed together:
    those of all offers of a type, or of one offer. `memory_limit` bounds what an engine takes before it
    spills to the disk, in its own words such as `4GB`; `threads` is all cores when 0. `confined` has sources read
    by a process of their own, under limits: nobody vouched for the documents. `bounded` has the system refuse this
    process memory far above `memory_limit` while it reads them: for a process that does nothing else meanwhile.
    `engine` is the address of the engine that reads all sources, of this user's choice; None: those of this machine.
    """

    vanished_entities: Literal["keep", "drop"] | None = None
    cron_semantics: Semantics = "wall-clock"
    list_merge: Literal["replace", "append"] = "replace"
    message_draw: MessageDraw = "type"
    memory_limit: str = "2GB"
    threads: int = 0
    confined: bool = False
    bounded: bool = False
    engine: EngineAddress | None = None


DEFAULT_OPTIONS = Options()
"""What holds where nothing is chosen."""


def runtime_options(runtime: Mapping[str, Any]) -> Options:
    """The choices of the `[runtime]` table of the settings, which was checked when it was read; aliases are not."""
    return Options(**{key.replace("-", "_"): value for key, value in runtime.items() if key not in ALIASES})


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
