"""What `explore` prints as JSON, and the shell commands that play its examples again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import (
    Assumptions,
    DocumentError,
    MaybeSourced,
    Moment,
    Severity,
    Sourced,
    document_errors,
    origin_object,
)
from trialrun.outputs.session import RefusedStore
from trialrun.report.format_value import format_rfc3339
from trialrun.runtime.channel_config.explore.report import count_by_severity
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.explore.anomaly import Anomaly, Example, Exploration, SkipCount


class KeptBack(TypedDict):
    """How often an upsell was skipped for a reason."""

    reason: str
    sessions: int
    turns: int


class UpsellShare(Sourced):
    """How often an upsell was offered."""

    upsell: str
    kind: Literal["greeting-offer", "closing-offer", "upsell", "suggestion"]
    disabled: bool
    offered: Annotated[float, Field(ge=0, le=1, description="share of the sessions")]
    accepted: Annotated[float, Field(ge=0, le=1, description="share of the sessions")]
    declined: Annotated[float, Field(ge=0, le=1, description="share of the sessions")]
    passed_over: list[KeptBack]


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


class Surprise(MaybeSourced):
    """Behavior that may be unintended."""

    kind: str
    severity: Severity
    message: str
    upsells: list[str]
    sessions: int
    certain: Annotated[bool, Field(description="whether it is proven from the config, rather than only not observed")]
    passed_over: NotRequired[list[KeptBack]]
    nearest: NotRequired[str]
    example: NotRequired[SessionExample]


class Explored(TypedDict):
    """`trialrun explore STORE --output-format json`."""

    version: Literal[1]
    store: str
    seed: int
    at: Moment
    sessions: Annotated[int, Field(ge=0, description="sessions played; fewer than requested after Ctrl-C")]
    sessions_wanted: int
    turns: int
    habits: Annotated[dict[str, float], Field(description="probabilities from 0 to 1")]
    command: Annotated[str, Field(description="the command that replays the same sessions")]
    upsells: list[UpsellShare]
    surprises: list[Surprise]
    assumptions: Assumptions
    summary: Annotated[dict[str, int], Field(description="number of surprises by severity")]


class ExploredGroup(TypedDict):
    """Stores with equal configurations, of which the first was explored, or what prevents that."""

    stores: list[str]
    result: NotRequired[Explored]
    errors: NotRequired[list[DocumentError]]


class ExploredStores(TypedDict):
    """`trialrun explore --all-stores --output-format json`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    groups: list[ExploredGroup]
    summary: Annotated[dict[str, int], Field(description="number of different surprises by severity")]


ExploreOutput = Explored | ExploredStores | RefusedStore

DIGITS = 6


def explore_object(exploration: Exploration, command: Sequence[str], access: Sequence[str]) -> dict[str, Any]:
    """What was found by a search, and the command that makes it `again`, in parts, of which `access` says what is read.

    So are the commands that replay examples made.
    """
    sessions = exploration.sessions
    return {
        "version": 1,
        "store": exploration.store,
        "seed": exploration.seed,
        "at": format_rfc3339(exploration.begin),
        "sessions": sessions,
        "sessions_wanted": exploration.requested_sessions,
        "turns": exploration.turns,
        "habits": asdict(exploration.profile),
        "command": " ".join(command),
        "upsells": [
            {
                "upsell": upsell_name(share.upsell),
                "kind": share.kind,
                "disabled": bool(share.upsell.disabled),
                **{
                    key: round(count / sessions, DIGITS) if sessions else 0.0
                    for key, count in (
                        ("offered", share.offered),
                        ("accepted", share.accepted),
                        ("declined", share.declined),
                    )
                },
                "passed_over": _kept_back(share.skip_counts),
                "from": origin_object(share.origin),
            }
            for share in exploration.shares
        ],
        "surprises": [_surprise(anomaly, exploration.store, access) for anomaly in exploration.anomalies],
        "assumptions": list(exploration.assumptions),
        "summary": count_by_severity(exploration.anomalies),
    }


def explored_stores_object(
    groups: Sequence[tuple[Sequence[str], Sequence[Diagnostic], dict[str, Any] | None]],
) -> dict[str, Any]:
    """What was found at groups of stores: the names of each, errors of its documents, and the object of a search."""
    different = {
        (surprise["kind"], surprise["message"], surprise["severity"])
        for _, _, result in groups
        for surprise in (result or {}).get("surprises", ())
    }
    counts = Counter(severity for _, _, severity in different)
    return {
        "version": 1,
        "stores": sum(len(stores) for stores, _, _ in groups),
        "groups": [
            {"stores": list(stores), **({"errors": document_errors(errors)} if result is None else {"result": result})}
            for stores, errors, result in groups
        ],
        "summary": {severity: counts[severity] for severity in ("error", "warning", "note")},
    }


def _kept_back(skip_counts: Sequence[SkipCount]) -> list[dict[str, Any]]:
    return [{"reason": skip.code, "sessions": skip.sessions, "turns": skip.turns} for skip in skip_counts]


def _surprise(anomaly: Anomaly, store: str, access: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "kind": anomaly.kind,
        "severity": anomaly.severity,
        "message": anomaly.message,
        "upsells": list(anomaly.upsells),
        "sessions": anomaly.sessions,
        "certain": anomaly.is_certain,
    }
    if anomaly.origin:
        result["from"] = origin_object(anomaly.origin)
    if anomaly.skip_counts:
        result["passed_over"] = _kept_back(anomaly.skip_counts)
    if anomaly.near_miss:
        result["nearest"] = anomaly.near_miss
    if example := anomaly.example:
        result["example"] = example_object(example, store, access)
    return result


def example_object(example: Example, store: str, access: Sequence[str]) -> dict[str, Any]:
    """A session that shows something: its script, how it begins, and the command that plays it."""
    return {
        "script": list(example.lines),
        "turn": example.turn,
        "seed": example.recording.seed,
        "at": format_rfc3339(example.recording.begin),
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
        f"--at {format_rfc3339(recording.begin)}",
        *([] if recording.language is None else [f"--language {shlex.quote(recording.language)}"]),
        *access,
    ]
