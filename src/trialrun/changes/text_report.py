"""The report of a plan as text for people: all of it, or at most so many lines with counts of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from trialrun.changes.words import (
    MAX_NAMES,
    NOTHING,
    STYLES,
    difference_lines,
    finding_text,
    outcome_text,
    played_text,
    proof_text,
    resources_text,
    rows_text,
    stores_text,
    summary_text,
    value_text,
    why_text,
)
from trialrun.outputs.plan import (
    Change,
    DifferentSession,
    Plan,
    StoreReach,
    field_title,
)
from trialrun.outputs.replay import replay_lines
from trialrun.report.color import Style, painter
from trialrun.report.format_value import truncate
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls, wrap_text
from trialrun.values.resource_name import last_id

INDENT = "  "
MAX_LINES = 200
"""Number of lines of a plan that is not written to a file."""
SHORTER_LISTS = (10, 5, 2, 1)
"""Numbers of entries that are shown of lists where all of them have more lines."""
SHORTENED = "shortened: --output-format text=FILE and --output-format json have all of it"


def text_report(plan: Plan, *, color: bool = False, width: int = 80, max_lines: int | None = None) -> Iterator[str]:
    """The summary line, the resources, every change, the highest level first, and what was not compared.

    Where that has more than `max_lines`, lists are cut to fewer entries, and counts stand for the rest.
    """
    printer = _Printer(plan, color=color, width=width)
    lines = printer.lines()
    if max_lines is not None:
        lines = iter(printer.shortened(max_lines))
    yield from map(disarm_ci_commands, lines)


class _Printer:
    """Writes a plan: a line is wrapped, or cut where it shows a value, to the width that is left at its depth.

    `most` is the number of entries that are shown of a list, `room` that of lines for changes; None is no limit.
    """

    def __init__(self, plan: Plan, *, color: bool, width: int) -> None:
        self.plan = plan
        self.paint = painter(color=color)
        self.width = width
        self.most: int | None = None
        self.room: int | None = None

    def shortened(self, max_lines: int) -> list[str]:
        """The lines with as many entries of lists as leave room for all changes, else as many changes as there is."""
        for self.most in (None, *SHORTER_LISTS):
            lines = list(islice(self.lines(), max_lines + (self.most is None)))
            if len(lines) <= max_lines - (self.most is not None) * 2:
                break
        else:
            self.room = max_lines - 2 - len([*self.summary(), *self.rest()])
            lines = list(self.lines())[: max_lines - 2]
        return lines if self.most is None else [*lines, "\n", self.cut(0, SHORTENED, "gutter")]

    def more(self, depth: int, counts: Mapping[str, int]) -> Iterator[str]:
        """How many entries of lists are not shown, by what they are."""
        if self.most is not None:
            left_out = [pluralize(count - self.most, word) for word, count in counts.items() if count > self.most]
            yield from self.wrapped(depth, f"and {', '.join(left_out)} more", "gutter") if left_out else ()

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

    def lines(self) -> Iterator[str]:
        """All lines."""
        yield from self.summary()
        yield from self.proofs()
        used, changes = 0, self.plan.changes
        for number, change in enumerate(changes):
            lines = ["\n", *self.change(change)]
            used += len(lines)
            if self.room is not None and used > self.room - 2:
                counts = Counter(one.level.word for one in changes[number:])
                levels = ", ".join(f"{count} {word}" for word, count in counts.items())
                yield from ("\n", self.cut(0, f"and {pluralize(len(changes) - number, 'change')} more: {levels}"))
                break
            yield from lines
        yield from self.rest()

    def summary(self) -> Iterator[str]:
        """How many changes and resources there are."""
        plan = self.plan
        yield from self.wrapped(0, summary_text(plan), STYLES[plan.changes[0].level] if plan.changes else "clean")
        if resources := resources_text(plan):
            yield from self.wrapped(0, f"resources: {resources}", "gutter")

    def rest(self) -> Iterator[str]:
        """What follows the changes."""
        plan, most = self.plan, self.most
        yield from self.played()
        new, gone = plan.findings.new, plan.findings.gone
        if new or gone:
            yield from ("\n", f"findings of check: {len(new)} new, {len(gone)} gone\n")
        for one in new[:most]:
            yield from self.wrapped(1, f"+ {finding_text(one)}", "added")
        for one in gone[:most]:
            yield from self.wrapped(1, f"- {finding_text(one)}", "removed")
        yield from self.more(1, {"new finding": len(new), "gone finding": len(gone)})
        if plan.not_compared:
            yield from ("\n", "not compared\n")
            for left_out in plan.not_compared[:most]:
                yield from self.wrapped(1, f"{left_out.what}: {left_out.why}")
            yield from self.more(1, {"item": len(plan.not_compared)})

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
        most = self.most
        for field in stores.fields[:most]:
            yield self.cut(2, f"{field_title(field.path)}: {value_text(field.before)} -> {value_text(field.after)}")
            yield self.cut(3, f"{field.origin_before or NOTHING} -> {field.origin_after or NOTHING}", "gutter")
        counts = {"field": len(stores.fields)}
        for name, differences in (("instruction", stores.instructions), ("tool", stores.tools)):
            texts = [
                (sign, text)
                for one in differences
                for sign in "-+"
                for text in (one.added if sign == "+" else one.removed)
            ]
            for sign, text in texts[:most]:
                yield self.cut(2, f"{sign} {name}: {text}", "added" if sign == "+" else "removed")
            counts[name] = len(texts)
        for order in stores.upsells[:most]:
            yield from self.both(2, f"upsells: {', '.join(order.before)}", f"upsells: {', '.join(order.after)}")
        yield from self.more(2, {**counts, "upsell order": len(stores.upsells)})

    def proofs(self) -> Iterator[str]:
        """What is proved of sessions: that none differs, or one that does."""
        for proof in self.plan.proofs:
            yield "\n"
            yield from self.wrapped(0, proof_text(proof))
            if proof.premises and proof.verdict == "same":
                yield from self.wrapped(1, f"within: {'; '.join(proof.premises)}", "gutter")
            if proof.example:
                yield from self.example(proof.example, "shortest session that was found to differ:")

    def played(self) -> Iterator[str]:
        """What was played on both sides, and what differs there."""
        played = self.plan.played
        if played is None or not (text := played_text(self.plan)):
            return
        yield "\n"
        yield from self.wrapped(0, f"played: {text}")
        for outcome in played.outcomes[: self.most]:
            yield from self.wrapped(1, outcome_text(outcome), "added" if outcome.after == "passed" else "removed")
            for line in filter(None, (f"{outcome.path}:{outcome.line}", outcome.reason, self.causes(outcome.causes))):
                yield from self.wrapped(2, line, "gutter")
        for difference in played.differences[: self.most]:
            for line in difference_lines(difference):
                yield from self.wrapped(1, line, "rule")
            if text := self.causes(difference.causes):
                yield from self.wrapped(2, text, "gutter")
            if difference.example:
                short = "made short" if difference.example.shortest else "not made short"
                head = f"first session that differs, {difference.example.session}, {short}:"
                yield from self.example(difference.example, head)
        yield from self.more(1, {"scenario": len(played.outcomes), "configuration": len(played.differences)})

    def causes(self, causes: Sequence[int]) -> str:
        """The changes to which something is attributed, by id and place; empty where there are none."""
        changes = [self.plan.changes[number] for number in causes[:MAX_NAMES]]
        named = ", ".join(f"{change.id} ({change.path}:{change.range.start.line})" for change in changes)
        others = len(causes) - MAX_NAMES
        further = f" and {pluralize(others, 'other change')}" if others > 0 else ""
        return f"by {named}{further}" if causes else ""

    def example(self, example: DifferentSession, head: str) -> Iterator[str]:
        """A session that differs: its script, what both sides do at its end, and the command that plays it."""
        yield from self.wrapped(2, head)
        lines: Sequence[str] = [f"{number}  {line}" for number, line in enumerate(example.lines, start=1)]
        for line in lines or ["0  the welcome"]:
            yield from self.wrapped(3, line)
        for text in example.before:
            yield from self.wrapped(3, f"- {text}", "removed")
        for text in example.after:
            yield from self.wrapped(3, f"+ {text}", "added")
        for line in replay_lines(example.store, example.played, example.access, room=self.width - len(INDENT) * 2):
            yield f"{INDENT * 2}{self.paint(escape_controls(line), 'gutter')}\n"
