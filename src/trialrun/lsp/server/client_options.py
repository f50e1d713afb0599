"""What a user sets in the editor itself. It never changes what is found: the settings of the workspace do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from trialrun.lazy_dataclass import dataclass

PAUSE = 0.1
"""Seconds without a change after which a text is linted that is being typed; the first change is linted at once."""
LONGEST_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """The settings of the editor. `terminal` is a command of the client that runs a command line, empty without one.

    `workspace_findings` says whether files that are not open have their findings shown; None: where the client asks.
    """

    pause: float = PAUSE
    cache: bool = True
    inlay_hints: bool = True
    code_lenses: bool = True
    workspace_findings: bool | None = None
    terminal: str = ""


class Unfit(ValueError):
    """A setting has a value that it cannot have; the message says which one it can."""


def wished(before: Wishes, told: Any) -> tuple[Wishes, list[str]]:
    """The wishes with what an editor says, and what is wrong with it; settings that are not ours are passed over."""
    complaints: list[str] = []
    after = before
    for name, value in plain(told).items():
        known = KNOWN.get(name)
        if known is None or value is None:
            continue
        field, read = known
        try:
            after = replace(after, **{field: read(value)})
        except Unfit as error:
            complaints.append(f"the setting trialrun.{name} is {value!r}; {error}")
    return after, complaints


def plain(told: Any) -> Mapping[str, Any]:
    """What an editor sends as settings: by name, whatever is around them; nothing where it sends something else."""
    if not isinstance(told, Mapping):
        told = getattr(told, "_asdict", dict)()
    own = told.get("trialrun")
    return plain(own) if own is not None and not isinstance(own, str | int) else told


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit("write true or false")
    return value


def _pause(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_PAUSE * 1000:
        raise Unfit(f"write milliseconds, from 0 to {LONGEST_PAUSE * 1000:.0f}")
    return value / 1000


def _command(value: Any) -> str:
    if not isinstance(value, str):
        raise Unfit("write the name of a command")
    return value


KNOWN: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "pause": ("pause", _pause),
    "cache": ("cache", _switch),
    "inlayHints": ("inlay_hints", _switch),
    "codeLenses": ("code_lenses", _switch),
    "workspaceFindings": ("workspace_findings", _switch),
    "terminalCommand": ("terminal", _command),
}
"""The settings by the names that editors have for them below `trialrun`."""
