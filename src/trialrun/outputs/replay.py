"""Shell command that replays an example of `explore`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.report.format_value import format_rfc3339

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example


def replay_command(store: str, example: Example, access: Sequence[str]) -> str:
    """The command on one line of a shell, its script before it; `access` are the options of which files are read."""
    played = " ".join(_session_command(store, example, access))
    return f"{' '.join(_script_command(example))} | {played}" if example.lines else played


def replay_lines(store: str, example: Example, access: Sequence[str], *, room: int) -> list[str]:
    """The command on lines of a shell that can be copied, each as wide as the room as far as its words allow."""
    printed, played = (
        _fill_lines(_script_command(example), room - 2),
        _fill_lines(_session_command(store, example, access), room - 2),
    )
    first = [*_with_backslashes(printed[:-1]), *(f"{line} |" for line in printed[-1:])]
    return [*first, *_with_backslashes(played[:-1]), *played[-1:]]


def command_lines(parts: Sequence[str], *, room: int) -> list[str]:
    """A command, whose parts stay on a line each, on lines of a shell that can be copied."""
    lines = _fill_lines(parts, room - 2)
    return [*_with_backslashes(lines[:-1]), *lines[-1:]]


def _script_command(example: Example) -> list[str]:
    """The command that prints the script, in parts that stay on a line each."""
    return ["printf '%s\\n'", *map(shlex.quote, example.lines)] if example.lines else []


def _session_command(store: str, example: Example, access: Sequence[str]) -> list[str]:
    """The command that plays it, in parts that stay on a line each: an option and its value are one."""
    visit = example.recording
    script = "--script -" if example.lines else "--script /dev/null"
    parts = [
        f"trialrun session {shlex.quote(store)}",
        script,
        f"--seed {visit.seed}",
        f"--at {format_rfc3339(visit.begin)}",
    ]
    language = [] if visit.language is None else [f"--language {shlex.quote(visit.language)}"]
    return [*parts, *language, *access]


def _with_backslashes(lines: Sequence[str]) -> list[str]:
    return [f"{line} \\" for line in lines]


def _fill_lines(parts: Sequence[str], room: int) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 1 + len(part) <= room:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines
