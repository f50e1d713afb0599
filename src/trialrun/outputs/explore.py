"""What a search for surprises found, as programs read it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.outputs.replay import command
from trialrun.report.format_value import z_form
from trialrun.runtime.channel_config.explore.report import weights
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.runtime.channel_config.explore.anomaly import Example, Exploration, Kept, Share, Surprise

DIGITS = 6


def explore_object(found: Exploration, again: Sequence[str], access: Sequence[str]) -> dict[str, Any]:
    """What was found by a search, and the command that makes it `again`, in parts, of which `access` says what is read.

    So are the commands that replay examples made.
    """
    return {
        "version": 1,
        "store": found.store,
        "seed": found.seed,
        "at": z_form(found.begin),
        "sessions": found.sessions,
        "sessions_wanted": found.wanted,
        "turns": found.turns,
        "habits": asdict(found.habits),
        "command": " ".join(again),
        "upsells": [_share(one, found.sessions) for one in found.shares],
        "surprises": [_surprise(one, found, access) for one in found.surprises],
        "assumptions": list(found.assumptions),
        "summary": weights(found.surprises),
    }


def _share(share: Share, sessions: int) -> dict[str, Any]:
    return {
        "upsell": called(share.upsell),
        "kind": share.kind,
        "disabled": bool(share.upsell.disabled),
        "offered": _part(share.offered, sessions),
        "accepted": _part(share.accepted, sessions),
        "declined": _part(share.declined, sessions),
        "passed_over": _kept(share.kept),
        "from": origin_object(share.origin),
    }


def _part(count: int, sessions: int) -> float:
    return round(count / sessions, DIGITS) if sessions else 0.0


def _kept(kept: Sequence[Kept]) -> list[dict[str, Any]]:
    return [{"reason": one.code, "sessions": one.sessions, "turns": one.turns} for one in kept]


def _surprise(surprise: Surprise, found: Exploration, access: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": surprise.kind,
        "severity": surprise.weight,
        "message": surprise.message,
        "upsells": list(surprise.upsells),
        "sessions": surprise.sessions,
        "certain": surprise.certain,
    }
    if surprise.origin:
        told["from"] = origin_object(surprise.origin)
    if surprise.kept:
        told["passed_over"] = _kept(surprise.kept)
    if surprise.near:
        told["nearest"] = surprise.near
    if surprise.example:
        told["example"] = _example(surprise.example, found.store, access)
    return told


def _example(example: Example, store: str, access: Sequence[str]) -> dict[str, Any]:
    visit = example.visit
    shows = {"shows": example.shows} if example.shows else {}
    return {
        "script": list(example.lines),
        "turn": example.turn,
        "seed": visit.seed,
        "at": z_form(visit.begin),
        "language": visit.language,
        "shortest": example.shortest,
        **shows,
        "replay": command(store, example, access),
    }
