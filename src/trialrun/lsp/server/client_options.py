"""Client options (initializationOptions, didChangeConfiguration); only workspace settings affect diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from trialrun.lazy_dataclass import dataclass

DEFAULT_DEBOUNCE = 0.1
"""Seconds without a change after which a text is linted if that takes longer than the time between two changes."""
MAX_DEBOUNCE = 10.0


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Options of the editor. `terminal` is a command of the client that runs a command line, empty without one.

    `workspace_diagnostics` says whether diagnostics of files that are not open are shown; None: if the client
    requests them.
    """

    debounce: float = DEFAULT_DEBOUNCE
    cache: bool = True
    inlay_hints: bool = True
    code_lenses: bool = True
    workspace_diagnostics: bool | None = None
    terminal: str = ""


class InvalidOption(ValueError):
    """An option has an invalid value; the message says which values are valid."""


def apply_client_options(before: ClientOptions, settings: Any) -> tuple[ClientOptions, list[str]]:
    """The options with the settings of an editor, and error messages; unknown settings are ignored."""
    errors: list[str] = []
    after = before
    for name, value in option_mapping(settings).items():
        option = OPTIONS.get(name)
        if option is None or value is None:
            continue
        field, read = option
        try:
            after = replace(after, **{field: read(value)})
        except InvalidOption as error:
            errors.append(f"the setting trialrun.{name} is {value!r}; {error}")
    return after, errors


def option_mapping(settings: Any) -> Mapping[str, Any]:
    """The settings by name, unwrapped from a `trialrun` section; empty for anything else."""
    if not isinstance(settings, Mapping):
        settings = getattr(settings, "_asdict", dict)()
    own = settings.get("trialrun")
    return option_mapping(own) if own is not None and not isinstance(own, str | int) else settings


def _parse_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidOption("write true or false")
    return value


def _parse_debounce(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_DEBOUNCE * 1000:
        raise InvalidOption(f"write milliseconds, from 0 to {MAX_DEBOUNCE * 1000:.0f}")
    return value / 1000


def _parse_command(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidOption("write the name of a command")
    return value


OPTIONS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "pause": ("debounce", _parse_debounce),
    "cache": ("cache", _parse_bool),
    "inlayHints": ("inlay_hints", _parse_bool),
    "codeLenses": ("code_lenses", _parse_bool),
    "workspaceFindings": ("workspace_diagnostics", _parse_bool),
    "terminalCommand": ("terminal", _parse_command),
}
"""The options by their names in editors, below `trialrun`."""
