"""Reports of plans: text for people, JSON for programs, Markdown for a review comment, annotations for GitHub.

Markdown has every text from files in `<code>`, its punctuation as character references: references are text to
Markdown, so that no link, image, table cell or HTML can come of them, and sites look for no mentions, issues or commits
in code. No line of text is a command to a CI system, also where the report is written to a file and shown later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from trialrun.changes.text_report import text_report
from trialrun.changes.words import (
    STYLES,
    counts_text,
    difference_lines,
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
    Level,
    Plan,
    field_title,
    plan_object,
)
from trialrun.report.format_value import truncate
from trialrun.report.github import workflow_command
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.repository import paths_from_top
from trialrun.values.resource_name import last_id

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
