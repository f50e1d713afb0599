"""Report of a plan for programs: one JSON object with a line for every change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from trialrun.changes.change import (
    Change,
    EffectiveField,
    Level,
    Plan,
    Reach,
    SessionExample,
    SessionsDifference,
    StoreReach,
    TextDifference,
    UpsellOrder,
    ViewReach,
)
from trialrun.diagnostic import Range
from trialrun.outputs.replay import replay_command
from trialrun.report.format_value import format_rfc3339
from trialrun.report.json_encoding import json_text

VERSION = 1
MAX_NAMES = 10
"""Number of stores that are named."""


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one object; `color` and `width` are ignored. The same plan gives the same bytes."""
    head = {"version": VERSION, "base": plan.base, "head": plan.head, "summary": _summary(plan)}
    yield json_text(head)[:-1] + ',\n "changes": ['
    yield ",".join(f"\n  {json_text(change_object(change))}" for change in plan.changes)
    yield '],\n "not_compared": ['
    yield ",".join(f"\n  {json_text(asdict(one))}" for one in plan.not_compared)
    yield '],\n "findings": {"new": ['
    yield ",".join(f"\n  {json_text(asdict(one))}" for one in plan.new_findings)
    yield '],\n "gone": ['
    yield ",".join(f"\n  {json_text(asdict(one))}" for one in plan.gone_findings)
    yield "]}}\n"


def _summary(plan: Plan) -> dict[str, Any]:
    counts = {level.word: plan.count(level) for level in sorted(Level, reverse=True)}
    return {**counts, "resources": asdict(plan.resources)}


def change_object(change: Change) -> dict[str, Any]:
    """The object of a change."""
    lowered = {"lowered_from": change.lowered_from.word} if change.lowered_from else {}
    return {
        "id": change.id,
        "level": change.level.word,
        **lowered,
        "resource": change.resource,
        "kind": change.kind,
        "path": change.path,
        "pointer": change.pointer,
        "before": change.before,
        "after": change.after,
        "range": _range(change.range),
        "reach": _reach(change.reach),
        "why": change.why,
    }


def _range(place: Range) -> dict[str, Any]:
    return {
        "start": {"line": place.start.line, "column": place.start.column},
        "end": {"line": place.end.line, "column": place.end.column},
    }


def _reach(reach: Reach) -> dict[str, Any]:
    return {
        "stores": None if reach.stores is None else _stores(reach.stores),
        "views": [_view(view) for view in reach.views],
        "scenarios": [asdict(outcome) for outcome in reach.scenarios],
        "sessions": [_sessions(difference) for difference in reach.sessions],
    }


def _sessions(difference: SessionsDifference) -> dict[str, Any]:
    return {
        "stores": list(difference.stores[:MAX_NAMES]),
        "count": len(difference.stores),
        "sessions": difference.sessions,
        "differing": difference.differing,
        "upsells": [asdict(upsell) for upsell in difference.upsells],
        "example": None if difference.example is None else _example(difference.example),
    }


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


def _stores(stores: StoreReach) -> dict[str, Any]:
    return {
        "count": len(stores.names),
        "total": stores.total,
        "names": list(stores.names[:MAX_NAMES]),
        "fields": [_field(field) for field in stores.fields],
        "instructions": [_texts(texts) for texts in stores.instructions],
        "tools": [_texts(texts) for texts in stores.tools],
        "upsells": [_order(order) for order in stores.upsells],
    }


def _field(field: EffectiveField) -> dict[str, Any]:
    return {**asdict(field), "stores": list(field.stores[:MAX_NAMES]), "count": len(field.stores)}


def _texts(texts: TextDifference) -> dict[str, Any]:
    return {
        "removed": list(texts.removed),
        "added": list(texts.added),
        "stores": list(texts.stores[:MAX_NAMES]),
        "count": len(texts.stores),
    }


def _order(order: UpsellOrder) -> dict[str, Any]:
    return {
        "before": list(order.before),
        "after": list(order.after),
        "stores": list(order.stores[:MAX_NAMES]),
        "count": len(order.stores),
    }


def _view(view: ViewReach) -> dict[str, Any]:
    return asdict(view)
