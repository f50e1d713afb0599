"""Report of a plan for programs: one JSON object with a line for every change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from trialrun.changes.change import Change, Level, Plan, SessionExample, StoreReach
from trialrun.outputs.replay import replay_command
from trialrun.report.format_value import format_rfc3339
from trialrun.report.json_encoding import json_text

VERSION = 1
MAX_NAMES = 10
"""Number of stores that are named."""


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one object; `color` and `width` are ignored. The same plan gives the same bytes."""
    counts = {level.word: plan.count(level) for level in sorted(Level, reverse=True)}
    summary = {**counts, "resources": asdict(plan.resources)}
    yield json_text({"version": VERSION, "base": plan.base, "head": plan.head, "summary": summary})[:-1]
    yield ',\n "changes": ['
    yield ",".join(f"\n  {json_text(_change(change))}" for change in plan.changes)
    yield '],\n "not_compared": ['
    yield ",".join(f"\n  {json_text(asdict(one))}" for one in plan.not_compared)
    yield '],\n "findings": {"new": ['
    yield ",".join(f"\n  {json_text(asdict(one))}" for one in plan.new_findings)
    yield '],\n "gone": ['
    yield ",".join(f"\n  {json_text(asdict(one))}" for one in plan.gone_findings)
    yield "]}}\n"


def _change(change: Change) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(change)
    if change.lowered_from is None:
        del plain["lowered_from"]
    return plain


def _plain(value: Any) -> Any:
    """A part of a plan as JSON: the fields of its class, of many stores the first ones and how many there are."""
    if isinstance(value, Level):
        return value.word
    if isinstance(value, SessionExample):
        return _example(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if not is_dataclass(value):
        return value
    plain: dict[str, Any] = {"count": 0} if isinstance(value, StoreReach) else {}
    for field in fields(value):
        inner = getattr(value, field.name)
        is_names = field.name in ("names", "stores") and isinstance(inner, (list, tuple))
        plain[field.name] = _plain(inner[:MAX_NAMES] if is_names else inner)
        if is_names:
            plain["count"] = len(inner)
    return plain


def _example(example: SessionExample) -> dict[str, Any]:
    recording = example.session.recording
    return {
        "session": example.number,
        "shortest": example.session.shortest,
        "store": example.store,
        "seed": recording.seed,
        "at": format_rfc3339(recording.begin),
        "language": recording.language,
        "lines": list(example.session.lines),
        "before": list(example.before),
        "after": list(example.after),
        "command": replay_command(example.store, example.session, example.access),
    }
