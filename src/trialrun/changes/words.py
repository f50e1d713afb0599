"""What the reports of a plan say in words, text for people and comments alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from trialrun.outputs.plan import (
    MAX_STORES,
    Change,
    Level,
    OfferCounts,
    Plan,
    PlanFinding,
    ProvedSessions,
    Rows,
    ScenarioOutcome,
    SessionsDifference,
    StoreReach,
)
from trialrun.report.color import Style
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.values.resource_name import last_id

NOTHING = "nothing"
MAX_NAMES = 3
"""Number of stores and of changes that are named in a line about what was played."""
UPSELL_KEYS = {"displayName", "priority"}
"""What an upsell has in an order of upsells."""
ONE_DECIMAL_BELOW = 0.095
MAX_DECIMALS = 3
VERSIONS = {"both": "", "base": ", the scenario as BASE has it", "head": ", the scenario as HEAD has it"}
ALSO_LESS = {"both": "more and less"}
STYLES: dict[Level, Style] = {Level.BREAKING: "error", Level.RISKY: "warning", Level.SAFE: "note"}
"""How people see a change of a level; the commands to GitHub are called so, too."""


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


def finding_text(finding: PlanFinding) -> str:
    return f"{finding.path}:{finding.line} {finding.severity.word} {finding.rule}: {finding.message}"
