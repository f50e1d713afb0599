"""Sessions that show something, as results have them, and the shell commands that play them again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import Moment
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example


class SessionExample(TypedDict):
    """The shortest session that shows a surprise."""

    script: Annotated[list[str], Field(description="one line per turn")]
    turn: int
    seed: int
    at: Moment
    language: str | None
    shortest: Annotated[bool, Field(description="false if the search for a shorter one was stopped")]
    shows: NotRequired[str]
    replay: Annotated[str, Field(description="the command that replays it")]


def example_object(example: Example, store: str, access: Sequence[str]) -> dict[str, Any]:
    """A session that shows something: its script, how it begins, and the command that plays it."""
    return {
        "script": list(example.lines),
        "turn": example.turn,
        "seed": example.recording.seed,
        "at": format_timestamp(example.recording.begin),
        "language": example.recording.language,
        "shortest": example.shortest,
        **({"shows": example.shows} if example.shows else {}),
        "replay": replay_command(store, example, access),
    }


def replay_command(store: str, example: Example, access: Sequence[str]) -> str:
    """The command on one line of a shell, its script before it; `access` are the options of which files are read."""
    played = " ".join(_session_command(store, example, access))
    return f"{' '.join(_script_command(example))} | {played}" if example.lines else played


def replay_lines(store: str, example: Example, access: Sequence[str], *, room: int) -> list[str]:
    """The command on lines of a shell that can be copied, each as wide as the room as far as its words allow."""
    played = command_lines(_session_command(store, example, access), room=room)
    if not example.lines:
        return played
    *printed, last = command_lines(_script_command(example), room=room)
    return [*printed, f"{last} |", *played]


def command_lines(parts: Sequence[str], *, room: int) -> list[str]:
    """A command, whose parts stay on a line each, on lines of a shell that can be copied."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 1 + len(part) <= room - 2:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:]]


def _script_command(example: Example) -> list[str]:
    """The command that prints the script, in parts that stay on a line each."""
    return ["printf '%s\\n'", *map(shlex.quote, example.lines)]


def _session_command(store: str, example: Example, access: Sequence[str]) -> list[str]:
    """The command that plays it, in parts that stay on a line each: an option and its value are one."""
    recording = example.recording
    return [
        f"trialrun session {shlex.quote(store)}",
        "--script -" if example.lines else "--script /dev/null",
        f"--seed {recording.seed}",
        f"--at {format_timestamp(recording.begin)}",
        *([] if recording.language is None else [f"--language {shlex.quote(recording.language)}"]),
        *access,
    ]
