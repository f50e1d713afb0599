"""The report of a plan as Markdown for a review comment, and the words that all its reports have in common.

Markdown has every text from files in `<code>`, its punctuation as character references: references are text to
Markdown, so that no link, image, table cell or HTML can come of them, and sites look for no mentions, issues or commits
in code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trialrun.changes.change import (
    Change,
    Level,
    OfferCounts,
    Plan,
    ScenarioOutcome,
    SessionExample,
    SessionsDifference,
    StoreReach,
)
from trialrun.outputs.explore import replay_command
from trialrun.report.format_value import truncate
from trialrun.report.json_encoding import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.values.resource_name import last_id

NOTHING = "nothing"
MAX_STORES = 10
"""Number of stores that are named for a change."""
MAX_NAMES = 3
"""Number of stores and of changes that are named in a line about what was played."""
UPSELL_KEYS = {"displayName", "priority"}
"""What an upsell has in an order of upsells."""
ONE_DECIMAL_BELOW = 0.095
MAX_DECIMALS = 3
VERSIONS = {"both": "", "base": ", the scenario as BASE has it", "head": ", the scenario as HEAD has it"}
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
    return ", ".join(f"{plan.count(level)} {level.word}" for level in sorted(Level, reverse=True))


def summary_text(plan: Plan) -> str:
    """The summary of a plan in one line."""
    between = f"between {plan.base} and {plan.head}"
    if plan.changes:
        return f"{counts_text(plan)}: {pluralize(len(plan.changes), 'change')} {between}"
    moved = plan.resources["moved"]
    return f"no changes {between}" + (f"; {pluralize(moved, 'resource')} in other files" if moved else "")


def resources_text(plan: Plan) -> str:
    """How many resources were added, changed, removed and moved."""
    return ", ".join(f"{number} {word}" for word, number in plan.resources.items() if number)


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


def rows_text(rows: Mapping[str, int]) -> str:
    """How many entities appear, vanish and change."""
    return ", ".join(f"{number:,} {word}" for word, number in rows.items() if number) or "the same"


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
    shares = [count / max(sessions, 1) for count in (before, after)]
    first = 1 if 0 < max(shares) < ONE_DECIMAL_BELOW else 0
    for decimals in range(first, MAX_DECIMALS + 1):
        texts = [f"{share:.{decimals}%}" for share in shares]
        if before == after:
            return texts[0]
        if texts[0] != texts[1]:
            break
    return f" {arrow} ".join(texts)


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
    findings = [("new", one) for one in plan.new_findings] + [("gone", one) for one in plan.gone_findings]
    if findings:
        lines = [
            f"- {word}: {one.severity.word} `{one.rule}` in {code(f'{one.path}:{one.range.start.line}', MAX_WHY)}: "
            f"{code(one.message, MAX_WHY)}\n"
            for word, one in findings
        ]
        yield from _folded(f"Findings of check: {len(plan.new_findings)} new, {len(plan.gone_findings)} gone", lines)
    if plan.not_compared:
        lines = [f"- {code(one.what)}: {code(one.why, MAX_WHY)}\n" for one in plan.not_compared]
        yield from _folded(f"Not compared: {len(lines)}", lines)


def _folded(title: str, rows: Sequence[str], *, head: str = "") -> Iterator[tuple[str, bool]]:
    yield f"\n<details><summary>{title}</summary>\n\n{head}", False
    yield from ((row, True) for row in rows)
    yield "\n</details>\n", False


def _markdown_example(example: SessionExample) -> str:
    lines = [f"- {code(example.store, MAX_WHY)}, session {example.number}"]
    lines += [f"  {number}. {code(line, MAX_WHY)}" for number, line in enumerate(example.session.lines, start=1)]
    lines += [f"  - before: {code(text, MAX_WHY)}" for text in example.before]
    lines += [f"  - after: {code(text, MAX_WHY)}" for text in example.after]
    lines.append(f"  - {code(replay_command(example.store, example.session, example.access), MAX_COMMAND)}")
    return "\n".join(lines) + "\n"


def _markdown_value(value: object) -> str:
    return code(value if isinstance(value, str) else value_text(value))


def _markdown_row(change: Change) -> str:
    before, after = ("" if value is None else _markdown_value(value) for value in (change.before, change.after))
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
            values = f"{_markdown_value(field.before)} → {_markdown_value(field.after)}"
            lines.append(f"  - {code(field.title, MAX_WHY)}: {values}")
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
