"""Suppressors: comments and settings tables in one form."""

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
from trialrun.lint.suppression.expiry import is_active
from trialrun.lint.suppression.suppress_tables import SuppressTables
from trialrun.lint.suppression.suppression import Scope, Suppression

NOT_SUPPRESSIBLE = frozenset({"internal-error", "expired-suppression"})
"""Rules that cannot be suppressed: internal errors, and expired suppressions."""


@dataclass(frozen=True)
class SuppressionContext:
    """What suppression depends on: the selection of each path, and the current date.

    `paths` are the checked files: suppressions of other files are not reported. `is_whole_workspace` means that these
    are all files of the workspace, so that rules across files had all their input; `has_all_facts` that they had it for
    these files. `tables` are the suppressions of the settings.
    """

    selection_of: Callable[[str], Selection]
    today: date
    is_whole_workspace: bool
    paths: frozenset[str]
    tables: SuppressTables | None = None
    has_all_facts: bool = False


@dataclass
class SuppressionStatus:
    """The status of a suppression: the number of suppressed findings, whether it has expired, its unused rules.

    `unknown` are names that are not rules. `line` is that of the comment or table header; `covers` describes what it
    covers, in words or as a JSON Pointer.
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


class Suppressor:
    """A suppression in effect: `said` is its comment or table, at `where`."""

    def __init__(
        self,
        declaration: Suppression | IgnoreTable,
        range: Range,
        status: SuppressionStatus,
        covers: Callable[[Diagnostic], bool],
    ) -> None:
        self.said = declaration
        self.where = range
        self.standing = status
        self.covers = covers
        self.rules = frozenset(status.rules) - NOT_SUPPRESSIBLE if not status.expired else frozenset[str]()
        self.used: set[str] = set()

    def count(self, rule: str) -> None:
        """Count a suppressed finding of a rule."""
        self.used.add(rule)
        self.standing.silenced += 1

    def suppressed(self, diagnostic: Diagnostic) -> Suppressed:
        """A diagnostic with the reason why it is suppressed."""
        return Suppressed(diagnostic, self.standing.reason, self.standing.until, self.standing.sort)


def comment_suppressors(suppressions: Sequence[Suppression], today: date) -> Iterator[tuple[Suppressor, Scope]]:
    """The comments with their scopes, by file and position; one with an unknown word suppresses nothing."""
    for suppression in sorted(suppressions, key=lambda suppression: (suppression.path, suppression.range)):
        standing = SuppressionStatus(
            suppression.path,
            suppression.range.start.line,
            tuple(mention.rule for mention in suppression.references) if suppression.kind else (),
            _covered_rules(suppression),
            suppression.reason,
            suppression.owner,
            suppression.until,
            "comment",
            suppression.kind is not None and not is_active(suppression.until, today),
        )
        yield Suppressor(suppression, suppression.range, standing, suppression.scope.covers), suppression.scope


def _covered_rules(suppression: Suppression) -> str:
    if suppression.scope.whole_file:
        return "the whole file"
    if not suppression.scope.line or suppression.kind is None:
        return "nothing"
    if not suppression.scope.pointers:
        return "the document" if suppression.scope.ranges else f"line {suppression.scope.line}"
    return ", ".join(suppression.scope.pointers)


def table_suppressors(tables: SuppressTables, today: date) -> Iterator[Suppressor]:
    """The settings tables in order."""
    for table, where in zip(tables.all, tables.ranges, strict=True):
        reason, owner = reason_and_owner(table.reason)
        standing = SuppressionStatus(
            tables.path,
            where.start.line,
            table.rules,
            f"{table.path} {table.pointer}".rstrip(),
            reason,
            owner,
            table.until,
            "settings",
            not is_active(table.until, today),
        )
        yield Suppressor(table, where, standing, partial(tables.covers, table))
