"""Report of a plan for people: the summary line first, then the changes, the highest level first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trialrun.changes.change import Change, Level, Plan, SessionExample, StoreReach, ViewReach
from trialrun.changes.report import (
    NOTHING,
    causes_text,
    difference_lines,
    finding_text,
    outcome_text,
    played_text,
    resources_text,
    rows_text,
    stores_text,
    summary_text,
    value_text,
    why_text,
)
from trialrun.outputs.replay import replay_lines
from trialrun.report.color import Style, painter
from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.report.wrap import wrap_text
from trialrun.values.resource_name import last_id

INDENT = "  "
STYLES: dict[Level, Style] = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "note"}


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write the summary line, the resources, every change, and what was not compared.

    No line is a command to a CI system, also where the report is written to a file and shown later.
    """
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

    def both(self, depth: int, before: str, after: str) -> Iterator[str]:
        """What there is on both sides."""
        yield self.cut(depth, f"- {before}", "removed")
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
        yield from self.findings()
        if plan.not_compared:
            yield "\nnot compared\n"
            for one in plan.not_compared:
                yield from self.wrapped(1, f"{one.what}: {one.why}")

    def change(self, change: Change) -> Iterator[str]:
        level, start = change.level.word, change.range.start
        title = truncate(f"{change.id}  {last_id(change.resource)}", self.width - len(level) - len(INDENT))
        yield f"{self.paint(level, STYLES[change.level])}{INDENT}{self.paint(title, 'rule')}\n"
        yield from self.wrapped(1, f"{change.path}:{start.line}:{start.column}", "place")
        if change.before is not None:
            yield self.cut(1, f"- {value_text(change.before)}", "removed")
        if change.after is not None:
            yield self.cut(1, f"+ {value_text(change.after)}", "added")
        yield from self.wrapped(1, why_text(change), "gutter")
        for view in change.reach.views:
            yield from self.view(change, view)
        if change.reach.stores is not None:
            yield from self.stores(change.reach.stores)

    def view(self, change: Change, view: ViewReach) -> Iterator[str]:
        """A view that a change reaches, with the runs that differ."""
        if view.name != change.resource:
            yield from self.wrapped(1, f"reaches view {last_id(view.name)}")
        if view.rows is not None:
            yield from self.wrapped(1, f"entities: {rows_text(view.rows)}")
        for runs in view.runs:
            yield from self.wrapped(1, f"runs, {runs.period}")
            yield from self.both(2, ", ".join(runs.before) or "none", ", ".join(runs.after) or "none")

    def stores(self, stores: StoreReach) -> Iterator[str]:
        """The stores that a change reaches, and what differs there."""
        yield from self.wrapped(1, stores_text(stores))
        for field in stores.fields:
            yield self.cut(2, f"{field.path}: {value_text(field.before)} -> {value_text(field.after)}")
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
        for outcome, causes in zip(played.outcomes, played.outcome_causes, strict=True):
            yield from self.wrapped(1, outcome_text(outcome), "added" if outcome.after == "passed" else "removed")
            lines = f"{outcome.path}:{outcome.line}", outcome.reason, causes_text(self.plan, causes)
            for line in filter(None, lines):
                yield from self.wrapped(2, line, "gutter")
        for difference, causes in zip(played.differences, played.difference_causes, strict=True):
            for line in difference_lines(difference):
                yield from self.wrapped(1, line, "rule")
            if text := causes_text(self.plan, causes):
                yield from self.wrapped(2, text, "gutter")
            if difference.example:
                yield from self.example(difference.example)

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

    def findings(self) -> Iterator[str]:
        """The findings that only one of the revisions has."""
        new, gone = self.plan.new_findings, self.plan.gone_findings
        if new or gone:
            yield f"\nfindings of check: {len(new)} new, {len(gone)} gone\n"
        for one in new:
            yield from self.wrapped(1, f"+ {finding_text(one)}", "added")
        for one in gone:
            yield from self.wrapped(1, f"- {finding_text(one)}", "removed")
