"""The comments and settings tables that suppress diagnostics, and what is wrong with each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from typing import Literal

from trialrun.diagnostic import Diagnostic, Finding, Range, Severity, Suppressed, SymbolicLocation
from trialrun.lint import registry
from trialrun.lint.selection import Selection
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.settings.globs import matches
from trialrun.lint.suppression.suppression import (
    ExpiredSuppression,
    RuleReference,
    Scope,
    Suppression,
    SuppressionSubject,
    UnexplainedSuppression,
    UnknownRuleName,
    UnusedReason,
    UnusedSuppression,
    is_active,
    is_at_or_below,
    parse_last_day,
    reason_and_owner,
)
from trialrun.text import Position

_header = re.compile(
    r"^[ \t]*\[\[[ \t]*(?:tool[ \t]*\.[ \t]*trialrun[ \t]*\.[ \t]*)?(ignore|suppress)[ \t]*\]\]", re.MULTILINE
)


@dataclass(frozen=True)
class SuppressTables:
    """The `[[suppress]]` tables of a settings file: `path` as displayed, `ranges` of their headers.

    `path_of_settings` converts a displayed path to one that the globs of the settings match.
    """

    path: str
    all: tuple[IgnoreTable, ...]
    ranges: tuple[Range, ...]
    path_of_settings: Callable[[str], str]

    def applies_to(self, table: IgnoreTable, path: str) -> bool:
        """Whether a table applies to a path."""
        return matches([table.path], self.path_of_settings(path))

    def is_only_of(self, table: IgnoreTable, path: str) -> bool:
        """Whether a table applies to this path alone: it names the file, from the folder of the settings."""
        is_path = "/" in table.path and not {"*", "?"} & {*table.path}
        return is_path and table.path.removeprefix("/") == self.path_of_settings(path)

    def covers(self, table: IgnoreTable, diagnostic: Diagnostic) -> bool:
        """Whether a table covers a diagnostic, apart from its rule."""
        return is_at_or_below(diagnostic.pointer, table.pointer) and self.applies_to(table, diagnostic.path)


def table_ranges(text: str, tables: Sequence[IgnoreTable]) -> tuple[Range, ...]:
    """The ranges of the headers of the tables; the start of the file if there is none."""
    found: dict[str, list[Range]] = {"ignore": [], "suppress": []}
    for match in _header.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        indent = len(match[0]) - len(match[0].lstrip(" \t"))
        found[match[1]].append(Range(Position(line, indent + 1), Position(line, len(match[0]) + 1)))
    nowhere = Range(Position(1, 1), Position(1, 1))
    return tuple(next(iter(found[table.key][table.number :]), nowhere) for table in tables)


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


@dataclass(eq=False)
class Suppressor:
    """A suppression in effect: a comment or a table of the settings, and what becomes of it.

    `range` is that of the comment or of the header of the table, `area` what it covers in words or as a JSON Pointer.
    `silenced` is the number of suppressed findings, `used` their rules; `unused` are rules without effect, and
    `unknown` names that are not rules.
    """

    declaration: Suppression | IgnoreTable
    path: str
    range: Range
    covers: Callable[[Diagnostic], bool]
    rules: tuple[str, ...]
    area: str
    reason: str
    owner: str | None
    until: str | None
    expired: bool
    silenced: int = 0
    used: set[str] = field(default_factory=set)
    unused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def sort(self) -> Literal["comment", "settings"]:
        """Where it is declared."""
        return "comment" if isinstance(self.declaration, Suppression) else "settings"

    @property
    def line(self) -> int:
        """The line of the comment, or of the header of the table."""
        return self.range.start.line

    @cached_property
    def active_rules(self) -> frozenset[str]:
        """The rules whose findings it suppresses."""
        return frozenset[str]() if self.expired else frozenset(self.rules) - NOT_SUPPRESSIBLE

    def suppress(self, diagnostic: Diagnostic) -> Suppressed:
        """A diagnostic with the reason why it is suppressed."""
        return Suppressed(diagnostic, self.reason, self.until, self.sort)


def comment_suppressors(suppressions: Sequence[Suppression], today: date) -> Iterator[tuple[Suppressor, Scope]]:
    """The comments with their scopes, by file and position; one with an unknown word suppresses nothing."""
    for suppression in sorted(suppressions, key=lambda suppression: (suppression.path, suppression.range)):
        suppressor = Suppressor(
            suppression,
            suppression.path,
            suppression.range,
            suppression.scope.covers,
            tuple(mention.rule for mention in suppression.references) if suppression.kind else (),
            _covered_rules(suppression),
            suppression.reason,
            suppression.owner,
            suppression.until,
            suppression.kind is not None and not is_active(suppression.until, today),
        )
        yield suppressor, suppression.scope


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
        yield Suppressor(
            table,
            tables.path,
            where,
            partial(tables.covers, table),
            table.rules,
            f"{table.path} {table.pointer}".rstrip(),
            *reason_and_owner(table.reason),
            table.until,
            not is_active(table.until, today),
        )


EXPLICIT_FILES_RULE = "unknown-kind"
"""A rule that applies to some files only if they are named explicitly: its suppression is never called unused."""


class SuppressionDiagnostics:
    """Diagnostics about suppressions; in `faulty` files, where a rule failed, no suppression is unused."""

    def __init__(self, terms: SuppressionContext, faulty: frozenset[str]) -> None:
        self.terms = terms
        self._faulty = faulty
        self._known: dict[str, dict[str, None]] = {}
        groups = {rule: group for rule, (group, _) in registry.files().items()}
        self._across = {rule for rule, group in groups.items() if group == "workspace"}

    def unconditional(self, suppressor: Suppressor) -> Iterator[Diagnostic]:
        """Diagnostics that do not depend on what is suppressed: unknown names, the date, the reason."""
        source = suppressor.declaration
        if isinstance(source, Suppression):
            for unnamed in _unknown_rules(source, self._rule_names(source.path)):
                suppressor.unknown += [unnamed.name] if unnamed.name else []
                yield from self._run_rule("unknown-rule", unnamed, unnamed.name or "", suppressor)
        if not suppressor.rules:
            return
        if suppressor.expired:
            until = suppressor.until or ""
            range_ = source.until_range if isinstance(source, Suppression) else suppressor.range
            yield from self._run_rule(
                "expired-suppression",
                ExpiredSuppression(until, parse_last_day(until) is not None, range_),
                "",
                suppressor,
            )
        if not suppressor.reason:
            unexplained = UnexplainedSuppression(suppressor.range, suppressor.sort)
            yield from self._run_rule("unexplained-suppression", unexplained, "", suppressor)

    def unused(self, suppressor: Suppressor) -> Iterator[tuple[str, list[Diagnostic]]]:
        """Each rule that the suppression names without effect, with the diagnostics about it."""
        if suppressor.expired:
            return
        source = suppressor.declaration
        unused_rules = (
            self._unused_in_comment(suppressor, source)
            if isinstance(source, Suppression)
            else self._unused_in_table(suppressor, source)
        )
        for unused in unused_rules:
            yield unused.rule, list(self._run_rule("unused-suppression", unused, unused.rule, suppressor))

    def _rule_names(self, path: str) -> dict[str, None]:
        """The names that may be suppressed: all rules, the policies, and the rules enabled for a path."""
        names = self._known.get(path)
        if names is None:
            selection = self.terms.selection_of(path)
            further = [*selection.policies.rules, *sorted(selection.rules)]
            names = self._known[path] = dict.fromkeys([*registry.ids(), *further])
        return names

    # ---- unused suppressions

    def _unused_in_comment(self, suppressor: Suppressor, suppression: Suppression) -> Iterator[UnusedSuppression]:
        """The unused rules of a comment; the whole comment is removed if all are unused."""
        if suppression.kind is None or not suppression.references:
            return
        if suppression.kind == "ignore-file" and not suppression.scope.whole_file:
            yield UnusedSuppression(suppression.references[0].rule, "misplaced", suppression.range)
            return
        first_mentions = {reference.rule: reference for reference in reversed(suppression.references)}
        reasons = (
            (reference, self._reason_unused(suppressor, suppression, reference, first_mentions[reference.rule]))
            for reference in suppression.references
        )
        unused = [(reference, reason) for reference, reason in reasons if reason]
        for mention, reason in unused:
            alone = len(unused) == len(suppression.references)
            yield UnusedSuppression(
                mention.rule, reason, mention.range, suppression.removal if alone else mention.removal, alone
            )

    def _reason_unused(
        self, suppressor: Suppressor, suppression: Suppression, rule_reference: RuleReference, first: RuleReference
    ) -> UnusedReason | None:
        """Why a name has no effect; None if it has one, or if that is not known.

        `first` is the first mention of the same rule.
        """
        rule = rule_reference.rule
        if rule in NOT_SUPPRESSIBLE:
            return "never"
        if rule_reference is not first:
            return "twice"
        return (
            "nothing"
            if suppression.is_fully_read and self._ran(rule, suppression.path) and rule not in suppressor.used
            else None
        )

    def _unused_in_table(self, suppressor: Suppressor, table: IgnoreTable) -> Iterator[UnusedSuppression]:
        """The unused rules of a table; only if all files that it may apply to were checked."""
        tables: SuppressTables | None = self.terms.tables
        checked_paths = [path for path in self.terms.paths if tables is not None and tables.applies_to(table, path)]
        if not self.terms.is_whole_workspace and not any(
            tables and tables.is_only_of(table, path) for path in checked_paths
        ):
            return
        for rule in table.rules:
            if rule in NOT_SUPPRESSIBLE:
                yield UnusedSuppression(rule, "never", suppressor.range)
            elif rule not in suppressor.used and all(self._ran(rule, path) for path in checked_paths):
                yield UnusedSuppression(rule, "nothing", suppressor.range)

    def _ran(self, rule: str, path: str) -> bool:
        """Whether a rule ran on a file with all the input it needs."""
        if rule == EXPLICIT_FILES_RULE or path in self._faulty:
            return False
        selection = self.terms.selection_of(path)
        across = self._across | {policy.id for policy in selection.policies.all if policy.scope == "workspace"}
        return rule in selection.rules and (
            rule not in across or self.terms.is_whole_workspace or self.terms.has_all_facts
        )

    # ---- as diagnostics

    def _run_rule(
        self, rule_id: str, subject: SuppressionSubject, word: str, suppressor: Suppressor
    ) -> Iterator[Diagnostic]:
        selection = self.terms.selection_of(suppressor.path)
        if rule_id not in selection.rules:
            return
        rule = registry.load(rule_id)
        for check in rule.checks:
            for remark in check(subject):
                severity = selection.severity(rule, Finding(remark.message, SymbolicLocation(None)))
                yield _empty_diagnostic(suppressor, word)._replace(
                    rule=rule_id,
                    severity=severity,
                    message=remark.message,
                    range=remark.range,
                    fix=remark.fix,
                )


def _empty_diagnostic(suppressor: Suppressor, word: str) -> Diagnostic:
    """A diagnostic without a message yet; at a comment, it is about the node that the comment covers."""
    said = suppressor.declaration
    if isinstance(said, IgnoreTable):
        named = "\x1f".join((said.path, said.pointer, word))
        return Diagnostic("", Severity.NOTE, "", suppressor.path, suppressor.range, fingerprint=named)
    return Diagnostic(
        "",
        Severity.NOTE,
        "",
        said.path,
        said.range,
        max(said.scope.document, 0),
        said.pointer,
        fingerprint=f"{said.fingerprint}\x1f{word}",
        resource=said.resource,
    )


def _unknown_rules(suppression: Suppression, known: Collection[str]) -> Iterator[UnknownRuleName]:
    """The names in a comment that are not rules, or the lack of any name."""
    if suppression.kind is None:
        yield UnknownRuleName(suppression.keyword_range, replacement=suppression.keyword)
    elif not suppression.references:
        yield UnknownRuleName(suppression.range)
    else:
        yield from (_unknown_rule(mention, known) for mention in suppression.references if mention.rule not in known)


def _unknown_rule(mention: RuleReference, known: Collection[str]) -> UnknownRuleName:
    from trialrun.values.suggest import suggest

    return UnknownRuleName(mention.range, mention.rule, suggest(mention.rule, known, min_similarity=0.7))


GROUP = "suppression"
