"""Reports of plans: text for people, JSON for programs, Markdown for a review comment, annotations for GitHub.

Markdown has every text from files in `<code>`, its punctuation as character references: references are text to
Markdown, so that no link, image, table cell or HTML can come of them, and sites look for no mentions, issues or commits
in code. No line of text is a command to a CI system, also where the report is written to a file and shown later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

from trialrun.outputs.explore import replay_lines
from trialrun.outputs.plan import (
    MAX_STORES,
    Change,
    DifferentSession,
    Level,
    OfferCounts,
    Plan,
    PlanFinding,
    ProvedSessions,
    Rows,
    ScenarioOutcome,
    SessionsDifference,
    StoreReach,
    field_title,
    plan_object,
)
from trialrun.report.color import Style, painter
from trialrun.report.format_value import truncate
from trialrun.report.github import workflow_command
from trialrun.report.json_encoding import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.report.wrap import wrap_text
from trialrun.repository import paths_from_top
from trialrun.values.resource_name import last_id

NOTHING = "nothing"
MAX_NAMES = 3
"""Number of stores and of changes that are named in a line about what was played."""
UPSELL_KEYS = {"displayName", "priority"}
"""What an upsell has in an order of upsells."""
ONE_DECIMAL_BELOW = 0.095
MAX_DECIMALS = 3
VERSIONS = {"both": "", "base": ", the scenario as BASE has it", "head": ", the scenario as HEAD has it"}
INDENT = "  "
ALSO_LESS = {"both": "more and less"}
STYLES: dict[Level, Style] = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "note"}
"""How people see a change of a level; the commands to GitHub are called so, too."""
MAX_LINES = 200
"""Number of lines of a plan that is not written to a file."""
SHORTER_LISTS = (10, 5, 2, 1)
"""Numbers of entries that are shown of lists where all of them have more lines."""
SHORTENED = "shortened: --output-format text=FILE and --output-format json have all of it"
MARKER = "<!-- trialrun plan -->"
"""The first line of a comment, by which a bot finds the one that it updates."""
MAX_CHARACTERS = 60_000
"""Sites cut comments at 65,536 characters."""
ROOM_FOR_END = 300
MAX_TEXT = 80
MAX_WHY = 300
MAX_COMMAND = 2_000
MAX_FIELDS = 10
NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ,/\u0080-\U0010ffff-]")
ICONS = {Level.BREAKING: "🛑", Level.RISKY: "⚠️", Level.SAFE: "✅"}
TABLE_HEAD = "| | change | resource | before | after | reach |\n|---|---|---|---|---|---|\n"


def counts_text(plan: Plan) -> str:
    """How many changes of each level there are."""
    summary = plan.summary
    return f"{summary.breaking} breaking, {summary.risky} risky, {summary.safe} safe"


def summary_text(plan: Plan) -> str:
    """The summary of a plan in one line."""
    between = f"between {plan.base} and {plan.head}"
    if plan.changes:
        return f"{counts_text(plan)}: {pluralize(len(plan.changes), 'change')} {between}"
    moved = plan.summary.resources.moved
    return f"no changes {between}" + (f"; {pluralize(moved, 'resource')} in other files" if moved else "")


def resources_text(plan: Plan) -> str:
    """How many resources were added, changed, removed and moved."""
    return ", ".join(f"{number} {word}" for word, number in asdict(plan.summary.resources).items() if number)


def why_text(change: Change) -> str:
    """Why a change has its level."""
    return f"{change.why} (lowered from {change.lowered_from.word})" if change.lowered_from else change.why


def value_text(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return NOTHING
    if isinstance(value, list) and value and all(isinstance(one, dict) and one.keys() == UPSELL_KEYS for one in value):
        value = ", ".join(f"{upsell['displayName'] or 'no name'} ({upsell['priority']})" for upsell in value)
    return escape_controls(value) if isinstance(value, str) else json_text(value)


def rows_text(rows: Rows) -> str:
    """How many entities appear, vanish and change."""
    return ", ".join(f"{number:,} {word}" for word, number in asdict(rows).items() if number) or "the same"


def stores_text(stores: StoreReach) -> str:
    """How many stores are reached, with the names of the first ones."""
    names = stores.names
    if not names:
        return f"reaches no store of {stores.total}"
    named = ", ".join(map(last_id, names[:MAX_STORES])) + (", …" if len(names) > MAX_STORES else "")
    return f"reaches {len(names)} of {pluralize(stores.total, 'store')}: {named}"


def played_text(plan: Plan) -> str:
    """What was played, in one line; empty where nothing was."""
    played = plan.played
    if played is None or not (played.scenarios or played.sessions):
        return ""
    counts = {"scenario": played.scenarios, "session": played.sessions}
    parts = [f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items() if count]
    differences = []
    if ended := len(played.outcomes):
        differences.append(f"{pluralize(ended, 'scenario')} {'ends' if ended == 1 else 'end'} differently")
    if stores := sum(len(one.stores) for one in played.differences if one.differing):
        differences.append(f"sessions differ at {pluralize(stores, 'store')}")
    return f"{' and '.join(parts)} on each side, {', '.join(differences) or 'no difference'}"


def proof_text(proof: ProvedSessions) -> str:
    """What is proved of the sessions at some stores, in one line."""
    others = len(proof.stores) - MAX_NAMES
    more = f" and {pluralize(others, 'other store')}" if others > 0 else ""
    stores = f"at {', '.join(map(last_id, proof.stores[:MAX_NAMES]))}{more}"
    if proof.verdict == "same":
        return f"no session differs {stores} (proved)"
    if proof.verdict == "unknown":
        return f"not decided whether sessions differ {stores}: {proof.reason}"
    upsells = (f"{one.upsell} {ALSO_LESS.get(one.offered, one.offered)}" for one in proof.upsells)
    offered = ", ".join(upsells)
    return f"sessions differ {stores}{f'; offered: {offered}' if offered else ''}"


def outcome_text(outcome: ScenarioOutcome, arrow: str = "->") -> str:
    """A scenario and how it ends on both sides."""
    return f"{outcome.name}: {outcome.before} {arrow} {outcome.after}{VERSIONS[outcome.version]}"


def difference_lines(difference: SessionsDifference, arrow: str = "->") -> Iterator[str]:
    """What the sessions at some stores came to: a line for each upsell, in which shares it is offered and accepted."""
    stores, sessions = ", ".join(map(last_id, difference.stores[:MAX_NAMES])), difference.sessions
    if (others := len(difference.stores) - MAX_NAMES) > 0:
        stores += f" and {pluralize(others, 'other store')}"
    for upsell in difference.upsells:
        before, after = (counts or OfferCounts(0, 0, 0) for counts in (upsell.before, upsell.after))
        offered = _shares(before.offered, after.offered, sessions, arrow)
        accepted = _shares(before.accepted, after.accepted, sessions, arrow)
        state = " (new)" if upsell.before is None else " (gone)" if upsell.after is None else ""
        answered = f", accepted in {accepted}" if before.accepted or after.accepted else ""
        yield f"{stores}: {upsell.upsell}{state} offered in {offered} of {sessions:,} sessions{answered}"
    if not difference.upsells:
        differing = f"{difference.differing:,} of {sessions:,} sessions differ" if difference.differing else ""
        yield f"{stores}: {differing or 'no session differs'}, and each upsell is offered in as many as before"


def _shares(before: int, after: int, sessions: int, arrow: str) -> str:
    """Two shares, with as many decimals as it takes to tell them apart, and one below a tenth."""
    shares = [count / max(sessions, 1) for count in (before, after)]
    first = 1 if 0 < max(shares) < ONE_DECIMAL_BELOW else 0
    for decimals in range(first, MAX_DECIMALS + 1):
        texts = [f"{share:.{decimals}%}" for share in shares]
        if before == after:
            return texts[0]
        if texts[0] != texts[1]:
            break
    return f" {arrow} ".join(texts)


def _finding_text(finding: PlanFinding) -> str:
    return f"{finding.path}:{finding.line} {finding.severity.word} {finding.rule}: {finding.message}"


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
            yield from self.wrapped(1, f"+ {_finding_text(one)}", "added")
        for one in gone[:most]:
            yield from self.wrapped(1, f"- {_finding_text(one)}", "removed")
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


def json_report(plan: Plan, **_: Any) -> Iterator[str]:
    """One JSON object with a line for every change."""
    written = plan_object(plan)
    yield json_text({key: written[key] for key in ("version", "base", "head", "summary")})[:-1]
    for opening, values in (
        (',\n "changes": [', written["changes"]),
        *((('],\n "proofs": [', written["proofs"]),) if plan.proofs else ()),
        ('],\n "not_compared": [', written["not_compared"]),
        ('],\n "findings": {"new": [', written["findings"]["new"]),
        ('],\n "gone": [', written["findings"]["gone"]),
    ):
        yield opening + ",".join(f"\n  {json_text(value)}" for value in values)
    yield "]}}\n"


def markdown_report(plan: Plan, **_: Any) -> Iterator[str]:
    """One comment of a review, which a bot finds again by its marker; rows for which there is no room are left out."""
    parts = list(_markdown_parts(plan))
    room = MAX_CHARACTERS - ROOM_FOR_END - sum(len(text) for text, is_row in parts if not is_row)
    left_out = 0
    for text, is_row in parts:
        if is_row and len(text) > room:
            left_out += 1
            continue
        room -= len(text) if is_row else 0
        yield text
    if left_out:
        yield f"\n{pluralize(left_out, 'row')} left out: run `trialrun plan` to see all.\n"


def _markdown_parts(plan: Plan) -> Iterator[tuple[str, bool]]:
    """The parts of a comment, and whether each is a row, which can be left out."""
    yield f"{MARKER}\n### trialrun plan: {counts_text(plan) if plan.changes else 'no changes'}\n\n", False
    resources = resources_text(plan)
    yield f"{code(plan.base)} → {code(plan.head)}{f'; resources: {resources}' if resources else ''}\n", False
    for proof in plan.proofs:
        yield f"\n**{code(proof_text(proof), MAX_WHY)}**\n", True
        if proof.example:
            yield _markdown_example(proof.example, "the shortest session that was found"), True
    if plan.page_url:
        yield f"\n[The page of this workspace]({plan.page_url})\n", False
    main = [change for change in plan.changes if change.level > Level.SAFE]
    if main:
        yield "\n" + TABLE_HEAD, False
        yield from ((_markdown_row(change), True) for change in main)
        yield from _folded("What differs, and why", [_markdown_detail(change) for change in main])
    safe = [_markdown_row(change) for change in plan.changes if change.level is Level.SAFE]
    if safe:
        yield from _folded(pluralize(len(safe), "safe change"), safe, head=TABLE_HEAD)
    if plan.played is not None and (text := played_text(plan)):
        yield f"\n**Played:** {text}\n\n", False
        for outcome in plan.played.outcomes:
            icon = ICONS[Level.SAFE if outcome.after == "passed" else Level.RISKY]
            reason = f": {code(outcome.reason, MAX_WHY)}" if outcome.reason else ""
            yield f"- {icon} {code(outcome_text(outcome, '→'), MAX_WHY)}{reason}\n", True
        for difference in plan.played.differences:
            yield from ((f"- {code(line, MAX_WHY)}\n", True) for line in difference_lines(difference, "→"))
        examples = [_markdown_example(one.example) for one in plan.played.differences if one.example]
        if examples:
            yield from _folded("The first session that differs at each of them", examples)
    new, gone = plan.findings.new, plan.findings.gone
    findings = [("new", one) for one in new] + [("gone", one) for one in gone]
    if findings:
        lines = [
            f"- {word}: {one.severity.word} `{one.rule}` in {code(f'{one.path}:{one.line}', MAX_WHY)}: "
            f"{code(one.message, MAX_WHY)}\n"
            for word, one in findings
        ]
        yield from _folded(f"Findings of check: {len(new)} new, {len(gone)} gone", lines)
    if plan.not_compared:
        lines = [f"- {code(one.what)}: {code(one.why, MAX_WHY)}\n" for one in plan.not_compared]
        yield from _folded(f"Not compared: {len(lines)}", lines)


def _folded(title: str, rows: Sequence[str], *, head: str = "") -> Iterator[tuple[str, bool]]:
    yield f"\n<details><summary>{title}</summary>\n\n{head}", False
    yield from ((row, True) for row in rows)
    yield "\n</details>\n", False


def _markdown_example(example: DifferentSession, which: str = "") -> str:
    lines = [f"- {code(example.store, MAX_WHY)}, {which or f'session {example.session}'}"]
    lines += [f"  {number}. {code(line, MAX_WHY)}" for number, line in enumerate(example.lines, start=1)]
    lines += [f"  - before: {code(text, MAX_WHY)}" for text in example.before]
    lines += [f"  - after: {code(text, MAX_WHY)}" for text in example.after]
    lines.append(f"  - {code(example.command, MAX_COMMAND)}")
    return "\n".join(lines) + "\n"


def _markdown_row(change: Change) -> str:
    """A row of a table of changes."""
    before, after = ("" if value is None else code(value_text(value)) for value in (change.before, change.after))
    stores, others = change.reach.stores, [view for view in change.reach.views if view.name != change.resource]
    reach = pluralize(len(others), "view") if others else ""
    if stores is not None:
        reach = f"{len(stores.names)} of {pluralize(stores.total, 'store')}"
    cells = (ICONS[change.level], f"`{change.id}`", code(last_id(change.resource)), before, after, reach)
    return f"| {' | '.join(cells)} |\n"


def _markdown_detail(change: Change) -> str:
    """A paragraph about a change: where it is, why it has its level, and what differs."""
    place = code(f"{change.path}:{change.range.start.line}", MAX_WHY)
    lines = [f"- {ICONS[change.level]} `{change.id}` in {place}: {why_text(change)}"]
    stores = change.reach.stores
    if stores is not None and stores.names:
        lines.append(f"  - {code(stores_text(stores), MAX_WHY)}")
        for field in stores.fields[:MAX_FIELDS]:
            values = f"{code(value_text(field.before))} → {code(value_text(field.after))}"
            lines.append(f"  - {code(field_title(field.path), MAX_WHY)}: {values}")
        if len(stores.fields) > MAX_FIELDS:
            lines.append(f"  - and {pluralize(len(stores.fields) - MAX_FIELDS, 'field')} more")
    for view in change.reach.views:
        name = code(last_id(view.name))
        if view.rows is not None:
            lines.append(f"  - {name}, entities: {rows_text(view.rows)}")
        for runs in view.runs:
            times = " → ".join(code(", ".join(side[:2])) for side in (runs.before, runs.after))
            lines.append(f"  - {name}, runs ({runs.period}): {times}")
    return "\n".join(lines) + "\n"


def code(text: str, most: int = MAX_TEXT) -> str:
    """A text from files as code, without any character that Markdown or HTML has a use for."""
    shown = truncate(escape_controls(text), most)
    return f"<code>{NOT_PLAIN.sub(lambda match: f'&#{ord(match[0])};', shown)}</code>"


def github_report(plan: Plan, **_: Any) -> Iterator[str]:
    """Annotations for breaking and risky changes, and lines of the log for each safe one and the summary."""
    from_top, lines = paths_from_top(), []
    for change in plan.changes:
        path, start = from_top(change.path), change.range.start
        title = f"{path}:{start.line}:{start.column}: {change.id} {last_id(change.resource)}"
        if change.level is Level.SAFE:
            lines.append(f"{change.level.word}: {title}")
            continue
        heading = f"{change.level.word} change: {change.id}"
        message = "\n".join(map(escape_controls, _github_message(change, title)))
        yield workflow_command(STYLES[change.level], path, change.range, heading, message)
    if plan.played is not None and (text := played_text(plan)):
        lines += [f"played: {line}" for line in (text, *map(outcome_text, plan.played.outcomes))]
        lines += [f"played: {line}" for one in plan.played.differences for line in difference_lines(one)]
    lines += [f"proved: {proof_text(one)}" for one in plan.proofs]
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
