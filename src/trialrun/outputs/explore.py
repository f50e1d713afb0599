"""JSON output of `explore`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.outputs.replay import replay_command
from trialrun.report.format_value import format_rfc3339
from trialrun.runtime.channel_config.explore.report import count_by_severity
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.explore.anomaly import Anomaly, Example, Exploration, OfferShare, SkipCount

DIGITS = 6


def explore_object(exploration: Exploration, command: Sequence[str], access: Sequence[str]) -> dict[str, Any]:
    """What was found by a search, and the command that makes it `again`, in parts, of which `access` says what is read.

    So are the commands that replay examples made.
    """
    return {
        "version": 1,
        "store": exploration.store,
        "seed": exploration.seed,
        "at": format_rfc3339(exploration.begin),
        "sessions": exploration.sessions,
        "sessions_wanted": exploration.requested_sessions,
        "turns": exploration.turns,
        "habits": asdict(exploration.profile),
        "command": " ".join(command),
        "upsells": [_share(share, exploration.sessions) for share in exploration.shares],
        "surprises": [_surprise(anomaly, exploration, access) for anomaly in exploration.anomalies],
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
        "groups": [_group(stores, errors, result) for stores, errors, result in groups],
        "summary": {severity: counts[severity] for severity in ("error", "warning", "note")},
    }


def _group(stores: Sequence[str], errors: Sequence[Diagnostic], result: dict[str, Any] | None) -> dict[str, Any]:
    if result is not None:
        return {"stores": list(stores), "result": result}
    messages = [{"path": error.path, "line": error.range.start.line, "message": error.message} for error in errors]
    return {"stores": list(stores), "errors": messages}


def _share(share: OfferShare, sessions: int) -> dict[str, Any]:
    return {
        "upsell": upsell_name(share.upsell),
        "kind": share.kind,
        "disabled": bool(share.upsell.disabled),
        "offered": _share_of(share.offered, sessions),
        "accepted": _share_of(share.accepted, sessions),
        "declined": _share_of(share.declined, sessions),
        "passed_over": _skip_counts_json(share.skip_counts),
        "from": origin_object(share.origin),
    }


def _share_of(count: int, sessions: int) -> float:
    return round(count / sessions, DIGITS) if sessions else 0.0


def _skip_counts_json(skip_counts: Sequence[SkipCount]) -> list[dict[str, Any]]:
    return [{"reason": skip.code, "sessions": skip.sessions, "turns": skip.turns} for skip in skip_counts]


def _surprise(anomaly: Anomaly, exploration: Exploration, access: Sequence[str]) -> dict[str, Any]:
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
        result["passed_over"] = _skip_counts_json(anomaly.skip_counts)
    if anomaly.near_miss:
        result["nearest"] = anomaly.near_miss
    if anomaly.example:
        result["example"] = _example(anomaly.example, exploration.store, access)
    return result


def _example(example: Example, store: str, access: Sequence[str]) -> dict[str, Any]:
    recording = example.recording
    shows = {"shows": example.shows} if example.shows else {}
    return {
        "script": list(example.lines),
        "turn": example.turn,
        "seed": recording.seed,
        "at": format_rfc3339(recording.begin),
        "language": recording.language,
        "shortest": example.shortest,
        **shows,
        "replay": replay_command(store, example, access),
    }
