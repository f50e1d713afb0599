"""Options of a workspace where the specifications are silent; `docs/assumptions.md` has a row for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from trialrun.lazy_dataclass import dataclass
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
