"""Findings about suppressions: the subjects of the rules in the group `suppression`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from trialrun.diagnostic import Range, ResolvedFix, TextEdit
from trialrun.lazy_dataclass import dataclass

UnusedReason = Literal["nothing", "never", "twice", "misplaced"]
"""Suppresses nothing; names a rule that cannot be suppressed; repeats a name; `ignore-file` is not at the top."""


@dataclass(frozen=True, slots=True)
class SuppressionFinding:
    """A finding about a suppression, at a range of its file."""

    message: str
    range: Range
    fix: ResolvedFix | None = None


SuppressionFindings = Iterator[SuppressionFinding]


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """A rule that a suppression names without effect; `removal` is the range to remove, None in the settings.

    `is_only_rule` is whether the comment names no other rule.
    """

    rule: str
    reason: UnusedReason
    range: Range
    removal: Range | None = None
    is_only_rule: bool = False

    @property
    def advice(self) -> str:
        """What to do about it, for a message."""
        if self.removal is None:
            return "remove it from the table, or remove the table"
        return "remove the comment" if self.is_only_rule else "remove it from the comment"

    @property
    def fix(self) -> ResolvedFix | None:
        """The removal of the name, or of the whole comment."""
        return ResolvedFix("remove it", True, (TextEdit(self.removal, ""),)) if self.removal else None


@dataclass(frozen=True, slots=True)
class ExpiredSuppression:
    """A suppression whose date is over, or is not a date."""

    until: str
    is_date: bool
    range: Range


@dataclass(frozen=True, slots=True)
class UnexplainedSuppression:
    """A suppression without a reason."""

    range: Range
    kind: Literal["comment", "settings"]


@dataclass(frozen=True, slots=True)
class UnknownRuleName:
    """A suppression that names no rule.

    `name` is a name that no rule has, and `candidate` the intended rule. `replacement` is the replacement at `range` if
    the word before the rules is unknown.
    """

    range: Range
    name: str | None = None
    candidate: str | None = None
    replacement: str | None = None


SuppressionSubject = UnusedSuppression | ExpiredSuppression | UnexplainedSuppression | UnknownRuleName
