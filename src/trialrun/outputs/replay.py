"""The command that plays an example again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.report.format_value import z_form

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example


def command(store: str, example: Example, access: Sequence[str]) -> str:
    """The command on one line of a shell, its script before it; `access` are the options of which files are read."""
    played = " ".join(_played(store, example, access))
    return f"{' '.join(_printed(example))} | {played}" if example.lines else played


def shell_lines(store: str, example: Example, access: Sequence[str], *, room: int) -> list[str]:
    """The command on lines of a shell that can be copied, each as wide as the room as far as its words allow."""
    printed, played = _filled(_printed(example), room - 2), _filled(_played(store, example, access), room - 2)
    first = [*_continued(printed[:-1]), *(f"{line} |" for line in printed[-1:])]
    return [*first, *_continued(played[:-1]), *played[-1:]]


def command_lines(parts: Sequence[str], *, room: int) -> list[str]:
    """A command, whose parts stay on a line each, on lines of a shell that can be copied."""
    lines = _filled(parts, room - 2)
    return [*_continued(lines[:-1]), *lines[-1:]]


def _printed(example: Example) -> list[str]:
    """The command that prints the script, in parts that stay on a line each."""
    return ["printf '%s\\n'", *map(shlex.quote, example.lines)] if example.lines else []


def _played(store: str, example: Example, access: Sequence[str]) -> list[str]:
    """The command that plays it, in parts that stay on a line each: an option and its value are one."""
    visit = example.visit
    script = "--script -" if example.lines else "--script /dev/null"
    parts = [f"trialrun session {shlex.quote(store)}", script, f"--seed {visit.seed}", f"--at {z_form(visit.begin)}"]
    language = [] if visit.language is None else [f"--language {shlex.quote(visit.language)}"]
    return [*parts, *language, *access]


def _continued(lines: Sequence[str]) -> list[str]:
    return [f"{line} \\" for line in lines]


def _filled(parts: Sequence[str], room: int) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 1 + len(part) <= room:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines
