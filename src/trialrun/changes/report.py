"""Reports of plans: text for people, JSON for programs, annotations for GitHub; Markdown is in `markdown_report`.

No line of text is a command to a CI system, also where the report is written to a file and shown later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from trialrun.changes.change import (
    Change,
    EffectiveField,
    Level,
    Plan,
    SessionExample,
    StoreReach,
)
from trialrun.changes.markdown_report import (
    MAX_NAMES,
    MAX_STORES,
    NOTHING,
    difference_lines,
    markdown_report,
    outcome_text,
    played_text,
    resources_text,
    rows_text,
    stores_text,
    summary_text,
    value_text,
    why_text,
)
from trialrun.diagnostic import Diagnostic
from trialrun.outputs.explore import replay_command, replay_lines
from trialrun.report.color import Style, painter
from trialrun.report.format_value import format_rfc3339, truncate
from trialrun.report.github import escape_data, escape_property, range_properties
from trialrun.report.json_encoding import json_text
from trialrun.report.paths import normalize_path
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.report.wrap import wrap_text
from trialrun.repository import paths_from_top
from trialrun.values.resource_name import last_id

VERSION = 1
INDENT = "  "
STYLES: dict[Level, Style] = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "note"}
COMMANDS = {Level.BREAKING: "error", Level.RISKY: "warning"}
"""The commands to GitHub that a change of a level is."""


def _finding_text(finding: Diagnostic) -> str:
    line = finding.range.start.line
    return f"{finding.path}:{line} {finding.severity.word} {finding.rule}: {finding.message}"


def text_report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """The summary line, the resources, every change, the highest level first, and what was not compared."""
    yield from map(disarm_ci_commands, _Printer(plan, color=color, width=width).parts())


class _Printer:
    """Writes a plan: a line is wrapped, or cut where it shows a value, to the width that is left at its depth."""

    def __init__(self, plan: Plan, *, color: bool, width: int) -> None:
        self.plan = plan
        self.paint = painter(color=color)
        self.width = width

    def wrapped(self, depth: int, text: str, style: Style | None = None) -> Iterator[str]:
        room = self.width - len(INDENT) * depth
        for line in wrap_text(escape_controls(text), first=room, rest=room):
            yield f"{INDENT * depth}{self.paint(line, style) if style else line}\n"

    def cut(self, depth: int, text: str, style: Style | None = None) -> str:
        line = truncate(text, self.width - len(INDENT) * depth)
        return f"{INDENT * depth}{self.paint(line, style) if style else line}\n"

    def both(self, depth: int, before: str | None, after: str | None) -> Iterator[str]:
        """What there is on both sides."""
        if before is not None:
            yield self.cut(depth, f"- {before}", "removed")
        if after is not None:
            yield self.cut(depth, f"+ {after}", "added")

    def parts(self) -> Iterator[str]:
        plan = self.plan
        yield from self.wrapped(0, summary_text(plan), STYLES[plan.changes[0].level] if plan.changes else "clean")
        if resources := resources_text(plan):
            yield from self.wrapped(0, f"resources: {resources}", "gutter")
        for change in plan.changes:
            yield "\n"
            yield from self.change(change)
        yield from self.played()
        new, gone = plan.new_findings, plan.gone_findings
        if new or gone:
            yield f"\nfindings of check: {len(new)} new, {len(gone)} gone\n"
        for one in new:
            yield from self.wrapped(1, f"+ {_finding_text(one)}", "added")
        for one in gone:
            yield from self.wrapped(1, f"- {_finding_text(one)}", "removed")
        if plan.not_compared:
            yield "\nnot compared\n"
            for left_out in plan.not_compared:
                yield from self.wrapped(1, f"{left_out.what}: {left_out.why}")

    def change(self, change: Change) -> Iterator[str]:
        level, start = change.level.word, change.range.start
        title = truncate(f"{change.id}  {last_id(change.resource)}", self.width - len(level) - len(INDENT))
        yield f"{self.paint(level, STYLES[change.level])}{INDENT}{self.paint(title, 'rule')}\n"
        yield from self.wrapped(1, f"{change.path}:{start.line}:{start.column}", "place")
        before, after = (None if value is None else value_text(value) for value in (change.before, change.after))
        yield from self.both(1, before, after)
        yield from self.wrapped(1, why_text(change), "gutter")
        for view in change.reach.views:
            if view.name != change.resource:
                yield from self.wrapped(1, f"reaches view {last_id(view.name)}")
            if view.rows is not None:
                yield from self.wrapped(1, f"entities: {rows_text(view.rows)}")
            for runs in view.runs:
                yield from self.wrapped(1, f"runs, {runs.period}")
                yield from self.both(2, ", ".join(runs.before) or "none", ", ".join(runs.after) or "none")
        if change.reach.stores is not None:
            yield from self.stores(change.reach.stores)

    def stores(self, stores: StoreReach) -> Iterator[str]:
        """The stores that a change reaches, and what differs there."""
        yield from self.wrapped(1, stores_text(stores))
        for field in stores.fields:
            yield self.cut(2, f"{field.title}: {value_text(field.before)} -> {value_text(field.after)}")
            yield self.cut(3, f"{field.origin_before or NOTHING} -> {field.origin_after or NOTHING}", "gutter")
        for name, differences in (("instruction", stores.instructions), ("tool", stores.tools)):
            for one in differences:
                yield from (self.cut(2, f"- {name}: {text}", "removed") for text in one.removed)
                yield from (self.cut(2, f"+ {name}: {text}", "added") for text in one.added)
        for order in stores.upsells:
            yield from self.both(2, f"upsells: {', '.join(order.before)}", f"upsells: {', '.join(order.after)}")

    def played(self) -> Iterator[str]:
        """What was played on both sides, and what differs there."""
        played = self.plan.played
        if played is None or not (text := played_text(self.plan)):
            return
        yield "\n"
        yield from self.wrapped(0, f"played: {text}")
        for outcome in played.outcomes:
            yield from self.wrapped(1, outcome_text(outcome), "added" if outcome.after == "passed" else "removed")
            for line in filter(None, (f"{outcome.path}:{outcome.line}", outcome.reason, self.causes(outcome.causes))):
                yield from self.wrapped(2, line, "gutter")
        for difference in played.differences:
            for line in difference_lines(difference):
                yield from self.wrapped(1, line, "rule")
            if text := self.causes(difference.causes):
                yield from self.wrapped(2, text, "gutter")
            if difference.example:
                yield from self.example(difference.example)

    def causes(self, causes: Sequence[int]) -> str:
        """The changes to which something is attributed, by id and place; empty where there are none."""
        changes = [self.plan.changes[number] for number in causes[:MAX_NAMES]]
        named = ", ".join(f"{change.id} ({change.path}:{change.range.start.line})" for change in changes)
        others = len(causes) - MAX_NAMES
        further = f" and {pluralize(others, 'other change')}" if others > 0 else ""
        return f"by {named}{further}" if causes else ""

    def example(self, example: SessionExample) -> Iterator[str]:
        """The first session that differs: its script, what both sides do at its end, and the command that plays it."""
        session = example.session
        short = "made short" if session.shortest else "not made short"
        yield from self.wrapped(2, f"first session that differs, {example.number}, {short}:")
        lines: Sequence[str] = [f"{number}  {line}" for number, line in enumerate(session.lines, start=1)]
        for line in lines or ["0  the welcome"]:
            yield from self.wrapped(3, line)
        for text in example.before:
            yield from self.wrapped(3, f"- {text}", "removed")
        for text in example.after:
            yield from self.wrapped(3, f"+ {text}", "added")
        for line in replay_lines(example.store, session, example.access, room=self.width - len(INDENT) * 2):
            yield f"{INDENT * 2}{self.paint(escape_controls(line), 'gutter')}\n"


def plan_object(plan: Plan) -> dict[str, Any]:
    """The object of JSON; the same plan gives the same object."""
    counts = {level.word: plan.count(level) for level in sorted(Level, reverse=True)}
    return {
        "version": VERSION,
        "base": plan.base,
        "head": plan.head,
        "summary": {**counts, "resources": plan.resources},
        "changes": _plain(plan.changes),
        "not_compared": _plain(plan.not_compared),
        "findings": {"new": _plain(plan.new_findings), "gone": _plain(plan.gone_findings)},
    }


def json_report(plan: Plan, **_: Any) -> Iterator[str]:
    """One JSON object with a line for every change."""
    written = plan_object(plan)
    yield json_text({key: written[key] for key in ("version", "base", "head", "summary")})[:-1]
    for opening, values in (
        (',\n "changes": [', written["changes"]),
        ('],\n "not_compared": [', written["not_compared"]),
        ('],\n "findings": {"new": [', written["findings"]["new"]),
        ('],\n "gone": [', written["findings"]["gone"]),
    ):
        yield opening + ",".join(f"\n  {json_text(value)}" for value in values)
    yield "]}}\n"


def _plain(value: Any) -> Any:
    """A part of a plan as JSON: the fields of its class, of many stores the first ones and how many there are."""
    if isinstance(value, Level):
        return value.word
    if isinstance(value, SessionExample):
        return _plain_example(value)
    if isinstance(value, Diagnostic):
        place = {"path": value.path, "line": value.range.start.line}
        return {"rule": value.rule, "severity": value.severity.word, **place, "message": value.message}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if not is_dataclass(value):
        return value
    plain: dict[str, Any] = {"count": 0} if isinstance(value, StoreReach) else {}
    for field in fields(value):
        inner = (
            value.title if isinstance(value, EffectiveField) and field.name == "path" else getattr(value, field.name)
        )
        if field.name == "causes" or (field.name == "lowered_from" and inner is None):
            continue
        is_names = field.name in ("names", "stores") and isinstance(inner, (list, tuple))
        plain[field.name] = _plain(inner[:MAX_STORES] if is_names else inner)
        if is_names:
            plain["count"] = len(inner)
    return plain


def _plain_example(example: SessionExample) -> dict[str, Any]:
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


def github_report(plan: Plan, **_: Any) -> Iterator[str]:
    """Annotations for breaking and risky changes, and lines of the log for each safe one and the summary."""
    from_top, lines = paths_from_top(), []
    for change in plan.changes:
        path, start = from_top(change.path), change.range.start
        title = f"{path}:{start.line}:{start.column}: {change.id} {last_id(change.resource)}"
        if change.level not in COMMANDS:
            lines.append(f"{change.level.word}: {title}")
            continue
        properties = {
            "file": normalize_path(path),
            **range_properties(change.range),
            "title": f"{change.level.word} change: {change.id}",
        }
        written = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
        message = escape_data("\n".join(map(escape_controls, _github_message(change, title))))
        yield f"::{COMMANDS[change.level]} {written}::{message}\n"
    if plan.played is not None and (text := played_text(plan)):
        lines += [f"played: {line}" for line in (text, *map(outcome_text, plan.played.outcomes))]
        lines += [f"played: {line}" for one in plan.played.differences for line in difference_lines(one)]
    lines += [f"not compared: {one.what}: {one.why}" for one in plan.not_compared]
    yield from (f"{disarm_ci_commands(escape_controls(line))}\n" for line in (*lines, summary_text(plan)))


def _github_message(change: Change, title: str) -> Iterator[str]:
    yield title
    if change.before is not None:
        yield f"- {value_text(change.before)}"
    if change.after is not None:
        yield f"+ {value_text(change.after)}"
    yield why_text(change)
    if change.reach.stores is not None:
        yield stores_text(change.reach.stores)
    yield from map(outcome_text, change.reach.scenarios)
    for difference in change.reach.sessions:
        yield from difference_lines(difference)


REPORTS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {
    "text": text_report,
    "json": json_report,
    "markdown": markdown_report,
    "github": github_report,
}
"""The report of each format: a function of a plan; that for people also takes whether to use color, and the width."""
