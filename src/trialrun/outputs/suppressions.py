"""JSON output of `suppressions`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.lint.suppression.apply import SuppressionStatus


def count_suppressions(standings: Sequence[SuppressionStatus]) -> dict[str, int]:
    """How many have expired, are unused, or have no reason."""
    return {
        "expired": sum(standing.expired for standing in standings),
        "unused": sum(bool(standing.unused) for standing in standings),
        "unexplained": sum(not standing.reason for standing in standings),
    }


def suppression_object(suppression_status: SuppressionStatus, born: date | None, today: date) -> dict[str, Any]:
    """The object of a suppression, whose line was last changed on the day `born`."""
    return {
        "path": suppression_status.path,
        "line": suppression_status.line,
        "sort": suppression_status.sort,
        "rules": list(suppression_status.rules),
        "covers": suppression_status.covers,
        "reason": suppression_status.reason,
        "owner": suppression_status.owner,
        "since": born and born.isoformat(),
        "days": born and max((today - born).days, 0),
        "until": suppression_status.until,
        "expired": suppression_status.expired,
        "silenced": suppression_status.silenced,
        "unused": list(suppression_status.unused),
        "unknown": list(suppression_status.unknown),
    }
