"""Reports of plans: text for people, JSON for programs, Markdown for a review comment, annotations for GitHub.

What the reports say in the same words is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, cast

from trialrun.changes.change import (
    Change,
    Level,
    OfferCounts,
    Plan,
    PlanFinding,
    RowsDifference,
    ScenarioOutcome,
    SessionsDifference,
    StoreReach,
    UpsellShares,
)
from trialrun.report.json_encoding import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.values.resource_name import last_id

FORMATS = ("text", "json", "markdown", "github")
FOR_PEOPLE = ("text",)
Report = Callable[..., Iterator[str]]
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


def load_report(name: str) -> Report:
    """The report of a format: a function of a plan, whether to use color, and the width of a line."""
    return cast(Report, import_module(f"trialrun.changes.report.plan_{name}").report)


def counts_text(plan: Plan) -> str:
    """How many changes of each level there are."""
    return ", ".join(f"{plan.count(level)} {level.word}" for level in sorted(Level, reverse=True))


def summary_text(plan: Plan) -> str:
    """The summary of a plan in one line."""
    between = f"between {plan.base} and {plan.head}"
    if plan.changes:
        return f"{counts_text(plan)}: {pluralize(len(plan.changes), 'change')} {between}"
    moved = plan.resources.moved
    return f"no changes {between}" + (f"; {pluralize(moved, 'resource')} in other files" if moved else "")


def resources_text(plan: Plan) -> str:
    """How many resources were added, changed, removed and moved."""
    counts = ((word, getattr(plan.resources, word)) for word in ("added", "changed", "removed", "moved"))
    return ", ".join(f"{number} {word}" for word, number in counts if number)


def why_text(change: Change) -> str:
    """Why a change has its level."""
    return f"{change.why} (lowered from {change.lowered_from.word})" if change.lowered_from else change.why


def finding_text(finding: PlanFinding) -> str:
    """A finding of `check` on one line."""
    return f"{finding.path}:{finding.line} {finding.severity} {finding.rule}: {finding.message}"


def value_text(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return NOTHING
    if (
        isinstance(value, list)
        and value
        and all(isinstance(item, dict) and item.keys() == UPSELL_KEYS for item in value)
    ):
        return escape_controls(", ".join(f"{item['displayName'] or 'no name'} ({item['priority']})" for item in value))
    return escape_controls(value) if isinstance(value, str) else json_text(value)


def rows_text(rows: RowsDifference) -> str:
    """How many entities appear, vanish and change."""
    counts = ((rows.appear, "appear"), (rows.vanish, "vanish"), (rows.change, "change"))
    return ", ".join(f"{number:,} {word}" for number, word in counts if number) or "the same"


def stores_text(stores: StoreReach) -> str:
    """How many stores are reached, with the names of the first ones."""
    names = stores.names
    if not names:
        return f"reaches no store of {stores.total}"
    named = ", ".join(map(last_id, names[:MAX_STORES]))
    further = ", …" if len(names) > MAX_STORES else ""
    return f"reaches {len(names)} of {pluralize(stores.total, 'store')}: {named}{further}"


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
    """What the sessions at some stores came to: a line for each upsell."""
    stores, sessions = ", ".join(map(last_id, difference.stores[:MAX_NAMES])), f"{difference.sessions:,} sessions"
    if (others := len(difference.stores) - MAX_NAMES) > 0:
        stores += f" and {pluralize(others, 'other store')}"
    for upsell in difference.upsells:
        yield f"{stores}: {_upsell_text(upsell, difference.sessions, arrow)}"
    if not any(upsell.differs for upsell in difference.upsells):
        differing = f"{difference.differing:,} of {sessions} differ" if difference.differing else "no session differs"
        yield f"{stores}: {differing}, and each upsell is offered in as many as before"


def _upsell_text(upsell: UpsellShares, sessions: int, arrow: str) -> str:
    """In which shares of sessions an upsell is offered and accepted on both sides."""
    before, after = (counts or OfferCounts(0, 0, 0) for counts in (upsell.before, upsell.after))
    offered = _shares(before.offered, after.offered, sessions, arrow)
    accepted = _shares(before.accepted, after.accepted, sessions, arrow)
    state = " (new)" if upsell.before is None else " (gone)" if upsell.after is None else ""
    answered = f", accepted in {accepted}" if before.accepted or after.accepted else ""
    return f"{upsell.upsell}{state} offered in {offered} of {sessions:,} sessions{answered}"


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


def causes_text(plan: Plan, causes: Sequence[int]) -> str:
    """The changes to which something is attributed, by id and place; empty where there are none."""
    changes = [plan.changes[number] for number in causes[:MAX_NAMES]]
    named = [f"{change.id} ({change.path}:{change.range.start.line})" for change in changes]
    others = len(causes) - MAX_NAMES
    text = ", ".join(named) + (f" and {pluralize(others, 'other change')}" if others > 0 else "")
    return f"by {text}" if causes else ""
