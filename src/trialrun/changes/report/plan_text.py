"""Report of a plan for people: the summary line first, then the changes, the highest level first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.changes.change import (
    Change,
    Level,
    Plan,
    PlanFinding,
    RowsDifference,
    SessionExample,
    StoreReach,
    ViewReach,
)
from trialrun.changes.report import resources_text, summary_text
from trialrun.changes.report.played_text import causes_text, difference_lines, outcome_text, played_text
from trialrun.outputs.replay import replay_lines
from trialrun.report.color import Paint, Style, painter
from trialrun.report.format_value import truncate
from trialrun.report.json_encoding import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.report.wrap import wrap_text
from trialrun.values.resource_name import last_id

INDENT = "  "
STYLES: dict[Level, Style] = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "note"}
NOTHING = "nothing"
MAX_NAMES = 10
UPSELL_KEYS = {"displayName", "priority"}
"""What an upsell has in an order of upsells."""


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write the summary line, the resources, every change, and what was not compared.

    No line is a command to a CI system, also where the report is written to a file and shown later.
    """
    yield from map(disarm_ci_commands, _parts(plan, color=color, width=width))


def _parts(plan: Plan, *, color: bool, width: int) -> Iterator[str]:
    paint = painter(color=color)
    style = STYLES[plan.changes[0].level] if plan.changes else "clean"
    yield from _lines(summary_text(plan), width, paint, style)
    if resources := resources_text(plan):
        yield from _lines(f"resources: {resources}", width, paint, "gutter")
    for change in plan.changes:
        yield "\n"
        yield from _change(change, width, paint)
    yield from _played(plan, width, paint)
    yield from _findings(plan, width, paint)
    if plan.not_compared:
        yield "\nnot compared\n"
        for one in plan.not_compared:
            yield from _lines(f"{one.what}: {one.why}", width, paint, None, indent=INDENT)


def _played(plan: Plan, width: int, paint: Paint) -> Iterator[str]:
    """What was played on both sides, and what differs there."""
    played = plan.played
    if played is None or not (text := played_text(plan)):
        return
    yield "\n"
    yield from _lines(f"played: {text}", width, paint, None)
    for outcome, causes in zip(played.outcomes, played.outcome_causes, strict=True):
        style: Style = "added" if outcome.after == "passed" else "removed"
        yield from _lines(outcome_text(outcome), width, paint, style, indent=INDENT)
        for line in filter(None, (f"{outcome.path}:{outcome.line}", outcome.reason, causes_text(plan, causes))):
            yield from _lines(line, width, paint, "gutter", indent=INDENT * 2)
    for difference, causes in zip(played.differences, played.difference_causes, strict=True):
        for line in difference_lines(difference):
            yield from _lines(line, width, paint, "rule", indent=INDENT)
        if text := causes_text(plan, causes):
            yield from _lines(text, width, paint, "gutter", indent=INDENT * 2)
        if difference.example:
            yield from _example(difference.example, width, paint)


def _example(example: SessionExample, width: int, paint: Paint) -> Iterator[str]:
    """The first session that differs: its script, what both sides do at its end, and the command that plays it."""
    short = "made short" if example.session.shortest else "not made short"
    yield from _lines(f"first session that differs, {example.number}, {short}:", width, paint, None, indent=INDENT * 2)
    for number, line in enumerate(example.session.lines or ["the welcome"], start=min(len(example.session.lines), 1)):
        yield from _lines(f"{number}  {line}", width, paint, None, indent=INDENT * 3)
    sides: list[tuple[str, Style, Sequence[str]]] = [("-", "removed", example.before), ("+", "added", example.after)]
    for sign, style, texts in sides:
        for text in texts:
            yield from _lines(f"{sign} {text}", width, paint, style, indent=INDENT * 3)
    for line in replay_lines(example.store, example.session, example.access, room=width - len(INDENT) * 2):
        yield f"{INDENT * 2}{paint(escape_controls(line), 'gutter')}\n"


def _findings(plan: Plan, width: int, paint: Paint) -> Iterator[str]:
    """The findings that only one of the revisions has."""
    if plan.new_findings or plan.gone_findings:
        yield f"\nfindings of check: {len(plan.new_findings)} new, {len(plan.gone_findings)} gone\n"
    sides: list[tuple[str, Style, Sequence[PlanFinding]]] = [
        ("+", "added", plan.new_findings),
        ("-", "removed", plan.gone_findings),
    ]
    for sign, style, findings in sides:
        for one in findings:
            text = f"{sign} {one.path}:{one.line} {one.severity} {one.rule}: {one.message}"
            yield from _lines(text, width, paint, style, indent=INDENT)


def _change(change: Change, width: int, paint: Paint) -> Iterator[str]:
    level = change.level.word
    title = truncate(f"{change.id}  {last_id(change.resource)}", width - len(level) - 2)
    yield f"{paint(level, STYLES[change.level])}{INDENT}{paint(title, 'rule')}\n"
    start = change.range.start
    place = f"{change.path}:{start.line}:{start.column}"
    yield from _lines(place, width, paint, "place", indent=INDENT)
    yield from _values(change, width, paint)
    why = f"{change.why} (lowered from {change.lowered_from.word})" if change.lowered_from else change.why
    yield from _lines(why, width, paint, "gutter", indent=INDENT)
    for view in change.reach.views:
        yield from _view(change, view, width, paint)
    if change.reach.stores is not None:
        yield from _stores(change.reach.stores, width, paint)


def _values(change: Change, width: int, paint: Paint) -> Iterator[str]:
    if change.before is not None:
        yield INDENT + paint(truncate(f"- {value_text(change.before)}", width - 2), "removed") + "\n"
    if change.after is not None:
        yield INDENT + paint(truncate(f"+ {value_text(change.after)}", width - 2), "added") + "\n"


def _stores(stores: StoreReach, width: int, paint: Paint) -> Iterator[str]:
    """The stores that a change reaches, and what differs there."""
    yield from _lines(stores_text(stores.names, stores.total), width, paint, None, indent=INDENT)
    for field in stores.fields:
        origins = " -> ".join(origin or NOTHING for origin in (field.origin_before, field.origin_after))
        values = f"{value_text(field.before)} -> {value_text(field.after)}"
        yield INDENT * 2 + truncate(f"{field.path}: {values}", width - 4) + "\n"
        yield INDENT * 3 + paint(truncate(origins, width - 6), "gutter") + "\n"
    for name, texts in (("instruction", stores.instructions), ("tool", stores.tools)):
        for one in texts:
            lines = [("removed", text) for text in one.removed] + [("added", text) for text in one.added]
            for style, text in lines:
                sign = "-" if style == "removed" else "+"
                line = truncate(f"{sign} {name}: {text}", width - 4)
                yield INDENT * 2 + paint(line, "removed" if style == "removed" else "added") + "\n"
    for order in stores.upsells:
        yield INDENT * 2 + paint(truncate(f"- upsells: {', '.join(order.before)}", width - 4), "removed") + "\n"
        yield INDENT * 2 + paint(truncate(f"+ upsells: {', '.join(order.after)}", width - 4), "added") + "\n"


def _view(change: Change, view: ViewReach, width: int, paint: Paint) -> Iterator[str]:
    """A view that a change reaches, with the runs that differ."""
    if view.name != change.resource:
        yield from _lines(f"reaches view {last_id(view.name)}", width, paint, None, indent=INDENT)
    if view.rows is not None:
        yield from _lines(f"entities: {rows_text(view.rows)}", width, paint, None, indent=INDENT)
    for runs in view.runs:
        yield from _lines(f"runs, {runs.period}", width, paint, None, indent=INDENT)
        sides: list[tuple[str, Style, Sequence[str]]] = [("-", "removed", runs.before), ("+", "added", runs.after)]
        for sign, style, times in sides:
            text = ", ".join(times) or "none"
            yield (
                INDENT * 2
                + paint(truncate(f"{sign} {text}", width - 4), "removed" if style == "removed" else "added")
                + "\n"
            )


def rows_text(rows: RowsDifference) -> str:
    """How many entities appear, vanish and change."""
    counts = ((rows.appear, "appear"), (rows.vanish, "vanish"), (rows.change, "change"))
    return ", ".join(f"{number:,} {word}" for number, word in counts if number) or "the same"


def stores_text(names: Sequence[str], total: int) -> str:
    """How many stores are reached, with the names of the first ones."""
    if not names:
        return f"reaches no store of {total}"
    named = ", ".join(map(last_id, names[:MAX_NAMES]))
    return f"reaches {len(names)} of {pluralize(total, 'store')}: {named}{', …' if len(names) > MAX_NAMES else ''}"


def _is_upsell_order(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and item.keys() == UPSELL_KEYS for item in value)
    )


def value_text(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return NOTHING
    if _is_upsell_order(value):
        names = (f"{item['displayName'] or 'no name'} ({item['priority']})" for item in value)
        return escape_controls(", ".join(names))
    return escape_controls(value) if isinstance(value, str) else json_text(value)


def _lines(text: str, width: int, paint: Paint, style: Style | None, *, indent: str = "") -> Iterator[str]:
    room = width - len(indent)
    for line in wrap_text(escape_controls(text), first=room, rest=room):
        yield f"{indent}{paint(line, style) if style else line}\n"
