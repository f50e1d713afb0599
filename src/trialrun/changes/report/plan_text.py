"""Report of a plan for people: the summary line first, then the changes, the highest level first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialrun.changes.change import Change, Level, Plan
from trialrun.changes.report import resources_text, summary_text
from trialrun.report.color import Paint, Style, painter
from trialrun.report.format_value import truncate
from trialrun.report.json_encoding import json_text
from trialrun.report.terminal_width import escape_controls
from trialrun.report.wrap import wrap_text
from trialrun.values.resource_name import last_id

INDENT = "  "
STYLES: dict[Level, Style] = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "note"}
MAX_VALUE_LINES = 2
NOTHING = "nothing"


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write the summary line, the resources, every change, and what was not compared."""
    paint = painter(color=color)
    style = STYLES[plan.changes[0].level] if plan.changes else "clean"
    yield from _lines(summary_text(plan), width, paint, style)
    if resources := resources_text(plan):
        yield from _lines(f"resources: {resources}", width, paint, "gutter")
    for change in plan.changes:
        yield "\n"
        yield from _change(change, width, paint)
    if plan.not_compared:
        yield "\nnot compared\n"
        for one in plan.not_compared:
            yield from _lines(f"{one.what}: {one.why}", width, paint, None, indent=INDENT)


def _change(change: Change, width: int, paint: Paint) -> Iterator[str]:
    level = change.level.word
    title = truncate(f"{change.id}  {last_id(change.resource)}", width - len(level) - 2)
    yield f"{paint(level, STYLES[change.level])}{INDENT}{paint(title, 'rule')}\n"
    start = change.range.start
    place = f"{change.path}:{start.line}:{start.column}"
    yield from _lines(place, width, paint, "place", indent=INDENT)
    yield from _values(change, width, paint)
    yield from _lines(change.why, width, paint, "gutter", indent=INDENT)


def _values(change: Change, width: int, paint: Paint) -> Iterator[str]:
    if change.before is not None:
        yield INDENT + paint(truncate(f"- {value_text(change.before)}", width - 2), "removed") + "\n"
    if change.after is not None:
        yield INDENT + paint(truncate(f"+ {value_text(change.after)}", width - 2), "added") + "\n"


def value_text(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return NOTHING
    return escape_controls(value) if isinstance(value, str) else json_text(value)


def _lines(text: str, width: int, paint: Paint, style: Style | None, *, indent: str = "") -> Iterator[str]:
    room = width - len(indent)
    for line in wrap_text(escape_controls(text), first=room, rest=room):
        yield f"{indent}{paint(line, style) if style else line}\n"
