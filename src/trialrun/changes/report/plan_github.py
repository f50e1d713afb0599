"""Report of a plan for GitHub: annotations for breaking and risky changes, and a line of the log for each safe one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trialrun.changes.change import Change, Level, Plan
from trialrun.changes.report import (
    difference_lines,
    outcome_text,
    played_text,
    stores_text,
    summary_text,
    value_text,
    why_text,
)
from trialrun.report.github import escape_data, escape_property, range_properties
from trialrun.report.paths import normalize_path
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.repository import paths_from_top
from trialrun.values.resource_name import last_id

COMMANDS = {Level.BREAKING: "error", Level.RISKY: "warning"}


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write a command for every change, and the summary; `color` and `width` are ignored."""
    from_top = paths_from_top()
    for change in (replace(change, path=from_top(change.path)) for change in plan.changes):
        if change.level in COMMANDS:
            yield _command(change)
        else:
            yield _line(f"{change.level.word}: {_title(change)}")
    if plan.played is not None and (text := played_text(plan)):
        lines = [text, *map(outcome_text, plan.played.outcomes)]
        for difference in plan.played.differences:
            lines += difference_lines(difference)
        yield from (_line(f"played: {line}") for line in lines)
    yield from (_line(f"not compared: {one.what}: {one.why}") for one in plan.not_compared)
    yield _line(summary_text(plan))


def _line(text: str) -> str:
    return f"{disarm_ci_commands(escape_controls(text))}\n"


def _command(change: Change) -> str:
    properties = {
        "file": normalize_path(change.path),
        **range_properties(change.range),
        "title": f"{change.level.word} change: {change.id}",
    }
    written = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
    return f"::{COMMANDS[change.level]} {written}::{escape_data(_message(change))}\n"


def _title(change: Change) -> str:
    start = change.range.start
    return f"{change.path}:{start.line}:{start.column}: {change.id} {last_id(change.resource)}"


def _message(change: Change) -> str:
    lines = [_title(change)]
    if change.before is not None:
        lines.append(f"- {value_text(change.before)}")
    if change.after is not None:
        lines.append(f"+ {value_text(change.after)}")
    lines.append(why_text(change))
    if change.reach.stores is not None:
        lines.append(stores_text(change.reach.stores))
    lines += map(outcome_text, change.reach.scenarios)
    for difference in change.reach.sessions:
        lines += difference_lines(difference)
    return "\n".join(escape_controls(line) for line in lines)
