"""What was played for a plan in words, for all reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trialrun.changes.change import OfferCounts, Plan, ScenarioOutcome, SessionsDifference, UpsellShares
from trialrun.report.summary import pluralize
from trialrun.values.resource_name import last_id

MAX_NAMES = 3
"""Number of stores and of changes that are named in a line."""
ONE_DECIMAL_BELOW = 0.095
MAX_DECIMALS = 3
VERSIONS = {"both": "", "base": ", the scenario as BASE has it", "head": ", the scenario as HEAD has it"}


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


def stores_title(stores: Sequence[str]) -> str:
    """The first stores by id, and how many others there are."""
    named = ", ".join(map(last_id, stores[:MAX_NAMES]))
    others = len(stores) - MAX_NAMES
    return f"{named} and {pluralize(others, 'other store')}" if others > 0 else named


def difference_lines(difference: SessionsDifference, arrow: str = "->") -> Iterator[str]:
    """What the sessions at some stores came to: a line for each upsell."""
    stores, sessions = stores_title(difference.stores), f"{difference.sessions:,} sessions"
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
    named = [f"{plan.changes[one].id} ({_place(plan, one)})" for one in causes[:MAX_NAMES]]
    others = len(causes) - MAX_NAMES
    text = ", ".join(named) + (f" and {pluralize(others, 'other change')}" if others > 0 else "")
    return f"by {text}" if causes else ""


def _place(plan: Plan, number: int) -> str:
    change = plan.changes[number]
    return f"{change.path}:{change.range.start.line}"
