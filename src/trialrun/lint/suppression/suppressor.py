"""Who silences: the comments of the files and the tables of the settings, in one form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from datetime import date
from functools import partial
from typing import Literal

from trialrun.diagnostic import Diagnostic, Range, Suppressed
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.selection import Selection
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.suppression.directive import reason_and_owner
from trialrun.lint.suppression.expiry import holds
from trialrun.lint.suppression.suppress_tables import Tables
from trialrun.lint.suppression.suppression import Scope, Suppression

NEVER = frozenset({"internal-error", "expired-suppression"})
"""What cannot be silenced: a fault of ours is no verdict, and an end that can be put off is none."""


@dataclass(frozen=True)
class Terms:
    """What silencing goes by: the selection of each path, and the day of the clock.

    `paths` are the files that were looked at: of the suppressions in other files nothing is said. `whole` is whether
    these are all files of the workspace, so that the rules across files have seen all. `tables` are the suppressions of
    the settings.
    """

    selection_of: Callable[[str], Selection]
    today: date
    whole: bool
    paths: frozenset[str]
    tables: Tables | None = None


@dataclass
class Standing:
    """How a suppression does: how many findings it silences, whether it has ended, which of its rules silence nothing.

    `unknown` are names that no rule has. `line` is that of the comment, or of the table's header; `covers` says in
    words or by a JSON Pointer what it covers.
    """

    path: str
    line: int
    rules: tuple[str, ...]
    covers: str
    reason: str
    owner: str | None
    until: str | None
    sort: Literal["comment", "settings"]
    expired: bool
    silenced: int = 0
    unused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class Silencer:
    """A suppression at work: `said` is the comment or the table that it stands for, `where` it stands."""

    def __init__(
        self, said: Suppression | IgnoreTable, where: Range, standing: Standing, covers: Callable[[Diagnostic], bool]
    ) -> None:
        self.said = said
        self.where = where
        self.standing = standing
        self.covers = covers
        self.rules = frozenset(standing.rules) - NEVER if not standing.expired else frozenset[str]()
        self.used: set[str] = set()

    def use(self, rule: str) -> None:
        """Count a finding of a rule that it covers."""
        self.used.add(rule)
        self.standing.silenced += 1

    def silenced(self, found: Diagnostic) -> Suppressed:
        """A diagnostic with the reason why it is not reported."""
        return Suppressed(found, self.standing.reason, self.standing.until, self.standing.sort)


def of_comments(suppressions: Sequence[Suppression], today: date) -> Iterator[tuple[Silencer, Scope]]:
    """The comments with what they cover, by file and place; one that is none of our words silences nothing."""
    for one in sorted(suppressions, key=lambda one: (one.path, one.range)):
        standing = Standing(
            one.path,
            one.range.start.line,
            tuple(mention.rule for mention in one.mentions) if one.sort else (),
            _covered(one),
            one.reason,
            one.owner,
            one.until,
            "comment",
            one.sort is not None and not holds(one.until, today),
        )
        yield Silencer(one, one.range, standing, one.scope.covers), one.scope


def _covered(one: Suppression) -> str:
    if one.scope.whole_file:
        return "the whole file"
    if not one.scope.line or one.sort is None:
        return "nothing"
    if not one.scope.pointers:
        return "the document" if one.scope.ranges else f"line {one.scope.line}"
    return ", ".join(one.scope.pointers)


def of_tables(tables: Tables, today: date) -> Iterator[Silencer]:
    """The tables of the settings, in their order."""
    for table, where in zip(tables.all, tables.ranges, strict=True):
        reason, owner = reason_and_owner(table.reason)
        standing = Standing(
            tables.path,
            where.start.line,
            table.rules,
            f"{table.path} {table.pointer}".rstrip(),
            reason,
            owner,
            table.until,
            "settings",
            not holds(table.until, today),
        )
        yield Silencer(table, where, standing, partial(tables.covers, table))
