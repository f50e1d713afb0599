"""Report of a plan for GitHub: annotations for breaking and risky changes, and a line of the log for each safe one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trialrun.changes.change import Change, Level, Plan
from trialrun.changes.report import summary_text
from trialrun.changes.report.plan_text import stores_text, value_text
from trialrun.changes.report.played_text import difference_lines, outcome_text, played_text
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
            yield disarm_ci_commands(escape_controls(f"{change.level.word}: {_title(change)}")) + "\n"
    for line in _played(plan):
        yield disarm_ci_commands(escape_controls(line)) + "\n"
    for one in plan.not_compared:
        yield disarm_ci_commands(escape_controls(f"not compared: {one.what}: {one.why}")) + "\n"
    yield disarm_ci_commands(escape_controls(summary_text(plan))) + "\n"


def _played(plan: Plan) -> Iterator[str]:
    """What was played and what differs, a line each."""
    if plan.played is None or not (text := played_text(plan)):
        return
    yield f"played: {text}"
    yield from (f"played: {outcome_text(outcome)}" for outcome in plan.played.outcomes)
    for difference in plan.played.differences:
        yield from (f"played: {line}" for line in difference_lines(difference))


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
    lines.append(f"{change.why} (lowered from {change.lowered_from.word})" if change.lowered_from else change.why)
    if change.reach.stores is not None:
        lines.append(stores_text(change.reach.stores.names, change.reach.stores.total))
    lines += map(outcome_text, change.reach.scenarios)
    for difference in change.reach.sessions:
        lines += difference_lines(difference)
    return "\n".join(escape_controls(line) for line in lines)
