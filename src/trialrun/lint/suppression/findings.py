"""What there is to say about a suppression itself: the subjects of the rules of the group `suppression`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from trialrun.diagnostic import Range, ResolvedFix, TextEdit
from trialrun.lazy_dataclass import dataclass

UnusedReason = Literal["nothing", "never", "twice", "misplaced"]
"""It silences nothing; nothing can silence the rule; it already exists; `ignore-file` is not at the top."""


@dataclass(frozen=True, slots=True)
class SuppressionFinding:
    """Something to say about a suppression, at characters of its file."""

    message: str
    range: Range
    fix: ResolvedFix | None = None


SuppressionFindings = Iterator[SuppressionFinding]


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """A rule that a suppression names for nothing; `removal` is what to take away with it, None in the settings.

    `alone` is whether the comment names no other rule.
    """

    rule: str
    reason: UnusedReason
    range: Range
    removal: Range | None = None
    is_only_rule: bool = False

    @property
    def advice(self) -> str:
        """What to do about it, in words."""
        if self.removal is None:
            return "remove it from the table, or remove the table"
        return "remove the comment" if self.is_only_rule else "remove it from the comment"

    @property
    def fix(self) -> ResolvedFix | None:
        """Take the name out, or the comment with it."""
        return ResolvedFix("remove it", True, (TextEdit(self.removal, ""),)) if self.removal else None


@dataclass(frozen=True, slots=True)
class ExpiredSuppression:
    """A suppression whose date is past, or is not a date."""

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
    """A comment that names no rule.

    `written` is a name that no rule has, and `candidate` the rule that it was meant to be. `meant` is what to put at
    `range` where the word before the rules is none of ours.
    """

    range: Range
    name: str | None = None
    candidate: str | None = None
    replacement: str | None = None


SuppressionSubject = UnusedSuppression | ExpiredSuppression | UnexplainedSuppression | UnknownRuleName
