"""Report of a plan as Markdown: one comment of a review, which a bot finds again by its marker.

Every text from files is in `<code>`, its punctuation as character references: references are text to Markdown, so that
no link, image, table cell or HTML can come of them, and sites look for no mentions, issues or commits in code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trialrun.changes.change import Change, EffectiveField, Level, Plan, PlanFinding, SessionExample
from trialrun.changes.report import (
    counts_text,
    difference_lines,
    outcome_text,
    played_text,
    resources_text,
    rows_text,
    stores_text,
    value_text,
    why_text,
)
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.replay import replay_command
from trialrun.report.format_value import truncate
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.values.resource_name import last_id

MARKER = "<!-- trialrun plan -->"
"""The first line, by which a bot finds the comment that it updates."""
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


def report(plan: Plan, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write the comment; `color` and `width` are ignored."""
    parts = list(_parts(plan))
    room = MAX_CHARACTERS - ROOM_FOR_END - sum(len(part.text) for part in parts if not part.is_optional)
    left_out = 0
    for part in parts:
        if part.is_optional and len(part.text) > room:
            left_out += part.changes
            continue
        room -= len(part.text) if part.is_optional else 0
        yield part.text
    if left_out:
        yield f"\n{pluralize(left_out, 'row')} left out: run `trialrun plan` to see all.\n"


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the comment; an optional one is left out where there is no room, with how many rows it stands for."""

    text: str
    is_optional: bool = False
    changes: int = 0


def _parts(plan: Plan) -> Iterator[_Part]:
    yield _Part(f"{MARKER}\n### trialrun plan: {counts_text(plan) if plan.changes else 'no changes'}\n\n")
    resources = resources_text(plan)
    yield _Part(f"{code(plan.base)} → {code(plan.head)}{f'; resources: {resources}' if resources else ''}\n")
    if plan.page_url:
        yield _Part(f"\n[The page of this workspace]({plan.page_url})\n")
    main = [change for change in plan.changes if change.level > Level.SAFE]
    if main:
        yield _Part("\n" + TABLE_HEAD)
        yield from (_Part(_row(change), is_optional=True, changes=1) for change in main)
        yield from _folded("What differs, and why", [_detail(change) for change in main])
    safe = [change for change in plan.changes if change.level is Level.SAFE]
    if safe:
        yield from _folded(pluralize(len(safe), "safe change"), [_row(change) for change in safe], head=TABLE_HEAD)
    yield from _played(plan)
    findings = [("new", one) for one in plan.new_findings] + [("gone", one) for one in plan.gone_findings]
    if findings:
        title = f"Findings of check: {len(plan.new_findings)} new, {len(plan.gone_findings)} gone"
        yield from _folded(title, [_finding(word, one) for word, one in findings])
    if plan.not_compared:
        lines = [f"- {code(one.what)}: {code(one.why, MAX_WHY)}\n" for one in plan.not_compared]
        yield from _folded(f"Not compared: {len(lines)}", lines)


def _played(plan: Plan) -> Iterator[_Part]:
    """What was played: what differs, then the sessions that show it, folded."""
    played = plan.played
    if played is None or not (text := played_text(plan)):
        return
    yield _Part(f"\n**Played:** {text}\n\n")
    for outcome in played.outcomes:
        icon = ICONS[Level.SAFE if outcome.after == "passed" else Level.RISKY]
        reason = f": {code(outcome.reason, MAX_WHY)}" if outcome.reason else ""
        line = f"- {icon} {code(outcome_text(outcome, '→'), MAX_WHY)}{reason}\n"
        yield _Part(line, is_optional=True, changes=1)
    for difference in played.differences:
        for line in difference_lines(difference, "→"):
            yield _Part(f"- {code(line, MAX_WHY)}\n", is_optional=True, changes=1)
    examples = [one.example for one in played.differences if one.example]
    if examples:
        yield from _folded("The first session that differs at each of them", list(map(_example, examples)))


def _example(example: SessionExample) -> str:
    lines = [f"- {code(example.store, MAX_WHY)}, session {example.number}"]
    lines += [f"  {number}. {code(line, MAX_WHY)}" for number, line in enumerate(example.session.lines, start=1)]
    lines += [f"  - before: {code(text, MAX_WHY)}" for text in example.before]
    lines += [f"  - after: {code(text, MAX_WHY)}" for text in example.after]
    lines.append(f"  - {code(replay_command(example.store, example.session, example.access), MAX_COMMAND)}")
    return "\n".join(lines) + "\n"


def _finding(word: str, finding: PlanFinding) -> str:
    place = code(f"{finding.path}:{finding.line}", MAX_WHY)
    return f"- {word}: {finding.severity} `{finding.rule}` in {place}: {code(finding.message, MAX_WHY)}\n"


def _folded(title: str, lines: Sequence[str], *, head: str = "") -> Iterator[_Part]:
    yield _Part(f"\n<details><summary>{title}</summary>\n\n{head}")
    yield from (_Part(line, is_optional=True, changes=1) for line in lines)
    yield _Part("\n</details>\n")


def _row(change: Change) -> str:
    """A row of a table."""
    before, after = (code(_value(value)) if value is not None else "" for value in (change.before, change.after))
    cells = (ICONS[change.level], f"`{change.id}`", code(last_id(change.resource)), before, after, _reach(change))
    return f"| {' | '.join(cells)} |\n"


def _value(value: object) -> str:
    return value_text(value) if not isinstance(value, str) else value


def _reach(change: Change) -> str:
    stores = change.reach.stores
    if stores is not None:
        return f"{len(stores.names)} of {pluralize(stores.total, 'store')}"
    others = [view.name for view in change.reach.views if view.name != change.resource]
    return pluralize(len(others), "view") if others else ""


def _detail(change: Change) -> str:
    """A paragraph about a change: where it is, why it has its level, and what differs."""
    start = change.range.start
    place = code(f"{change.path}:{start.line}", MAX_WHY)
    lines = [f"- {ICONS[change.level]} `{change.id}` in {place}: {why_text(change)}"]
    stores = change.reach.stores
    if stores is not None and stores.names:
        lines.append(f"  - {code(stores_text(stores), MAX_WHY)}")
        lines += [f"  - {_field(field)}" for field in stores.fields[:MAX_FIELDS]]
        if len(stores.fields) > MAX_FIELDS:
            lines.append(f"  - and {pluralize(len(stores.fields) - MAX_FIELDS, 'field')} more")
    for view in change.reach.views:
        if view.rows is not None:
            lines.append(f"  - {code(last_id(view.name))}, entities: {rows_text(view.rows)}")
        for runs in view.runs:
            times = " → ".join(code(", ".join(side[:2])) for side in (runs.before, runs.after))
            lines.append(f"  - {code(last_id(view.name))}, runs ({runs.period}): {times}")
    return "\n".join(lines) + "\n"


def _field(field: EffectiveField) -> str:
    values = " → ".join(code(_value(value)) for value in (field.before, field.after))
    return f"{code(field.path, MAX_WHY)}: {values}"


def code(text: str, most: int = MAX_TEXT) -> str:
    """A text from files as code, without any character that Markdown or HTML has a use for."""
    shown = truncate(escape_controls(text), most)
    return f"<code>{NOT_PLAIN.sub(lambda match: f'&#{ord(match[0])};', shown)}</code>"
