"""What there is to say about a suppression itself: the subjects of the rules of the group `suppression`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from trialrun.diagnostic import Range, TextEdit, TextFix
from trialrun.lint.suppression.suppression import Mention, Suppression
from trialrun.record import dataclass
from trialrun.text import Position

NOWHERE = Range(Position(1, 1), Position(1, 1))


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to say about a suppression, at characters of its file."""

    message: str
    range: Range
    fix: TextFix | None = None


Remarks = Iterator[Remark]


@dataclass(frozen=True, slots=True)
class Unused:
    """A rule that a suppression names and that it does not silence: `why` says which of the reasons holds.

    `range` is the rule's name, `removal` what to take away with it; None in the settings.
    """

    rule: str
    why: Literal["nothing", "never", "twice", "misplaced"]
    range: Range
    removal: Range | None
    of: Literal["comment", "table"] = "comment"

    @property
    def fix(self) -> TextFix | None:
        """Take the rule out, or the comment with it."""
        if self.removal is None:
            return None
        return TextFix("remove it", True, (TextEdit(self.removal, ""),))


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
    of: Literal["comment", "table"] = "comment"


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A comment that names no rule: `written` is a name that no rule has, None without one.

    `candidate` is the rule that it was meant to be. `said` is what stands in place of our words, None where they are
    right, and `meant` what to put at `range` instead.
    """

    range: Range
    written: str | None = None
    candidate: str | None = None
    said: str | None = None
    meant: str | None = None

    def replaced(self, title: str, text: str) -> TextFix:
        """Put a text in place of what is wrong; a person should look whether it was meant."""
        return TextFix(title, False, (TextEdit(self.range, text),))


Subject = Unused | Expired | Unexplained | Unnamed


def unnamed(one: Suppression, known: Sequence[str]) -> Iterator[tuple[Unnamed, str]]:
    """What a comment names that is no rule, each with a word for its fingerprint."""
    if one.sort is None:
        yield Unnamed(one.meant_range, said="", meant=one.meant), "word"
    elif not one.mentions:
        yield Unnamed(one.range), "none"
    else:
        names = set(known)
        for mention in one.mentions:
            if mention.rule not in names:
                yield Unnamed(mention.range, mention.rule, _nearest(mention, known)), mention.rule


def _nearest(mention: Mention, known: Sequence[str]) -> str | None:
    from trialrun.model.near import nearest

    return nearest(mention.rule, known, close=0.7)
