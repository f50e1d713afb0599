"""What there is to say about a suppression itself: the subjects of the rules of the group `suppression`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from trialrun.diagnostic import Range, TextEdit, TextFix
from trialrun.lazy_dataclass import dataclass

Why = Literal["nothing", "never", "twice", "misplaced"]
"""It silences nothing; nothing can silence the rule; it stands there already; `ignore-file` is not at the top."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to say about a suppression, at characters of its file."""

    message: str
    range: Range
    fix: TextFix | None = None


Remarks = Iterator[Remark]


@dataclass(frozen=True, slots=True)
class Unused:
    """A rule that a suppression names for nothing; `removal` is what to take away with it, None in the settings.

    `alone` is whether the comment names no other rule.
    """

    rule: str
    why: Why
    range: Range
    removal: Range | None = None
    alone: bool = False

    @property
    def remedy(self) -> str:
        """What to do about it, in words."""
        if self.removal is None:
            return "take it out of the table, or remove the table"
        return "remove the comment" if self.alone else "take it out of the comment"

    @property
    def fix(self) -> TextFix | None:
        """Take the name out, or the comment with it."""
        return TextFix("remove it", True, (TextEdit(self.removal, ""),)) if self.removal else None


@dataclass(frozen=True, slots=True)
class Expired:
    """A suppression whose date is past, or is no date."""

    until: str
    is_date: bool
    range: Range


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A suppression without a reason."""

    range: Range
    sort: Literal["comment", "settings"]


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A comment that names no rule.

    `written` is a name that no rule has, and `candidate` the rule that it was meant to be. `meant` is what to put at
    `range` where the word before the rules is none of ours.
    """

    range: Range
    written: str | None = None
    candidate: str | None = None
    meant: str | None = None


Subject = Unused | Expired | Unexplained | Unnamed
