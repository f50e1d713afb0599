"""What there is to say about a suppression once the findings are silenced, as diagnostics at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from trialrun.diagnostic import Diagnostic, Finding, Severity, SymbolicLocation
from trialrun.lint import registry
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.suppression.expiry import parse_last_day
from trialrun.lint.suppression.findings import (
    ExpiredSuppression,
    SuppressionSubject,
    UnexplainedSuppression,
    UnknownRuleName,
    UnusedReason,
    UnusedSuppression,
)
from trialrun.lint.suppression.suppress_tables import SuppressTables, names_one_file
from trialrun.lint.suppression.suppression import RuleReference, Suppression
from trialrun.lint.suppression.suppressor import NOT_SUPPRESSIBLE, SuppressionContext, Suppressor

EXPLICIT_FILES_RULE = "unknown-kind"
"""A rule that speaks of some files only when a person names them: silencing it is never called unused."""


class SuppressionDiagnostics:
    """What is said under some terms; of the files in `faulty`, in which a rule of ours failed, nothing is unused."""

    def __init__(self, terms: SuppressionContext, faulty: frozenset[str]) -> None:
        self.terms = terms
        self._faulty = faulty
        self._known: dict[str, dict[str, None]] = {}
        groups = {rule: group for rule, (group, _) in registry.files().items()}
        self._across = {rule for rule, group in groups.items() if group == "workspace"}

    def unconditional(self, silencer: Suppressor) -> Iterator[Diagnostic]:
        """What does not depend on what it silences: names that no rule has, its date, its reason."""
        said, standing = silencer.said, silencer.standing
        if isinstance(said, Suppression):
            for unnamed in _unknown_rules(said, self._rule_names(said.path)):
                standing.unknown += [unnamed.name] if unnamed.name else []
                yield from self._run_rule("unknown-rule", unnamed, unnamed.name or "", silencer)
        if not standing.rules:
            return
        if standing.expired:
            written = standing.until or ""
            where = said.until_range if isinstance(said, Suppression) else silencer.where
            yield from self._run_rule(
                "expired-suppression",
                ExpiredSuppression(written, parse_last_day(written) is not None, where),
                "",
                silencer,
            )
        if not standing.reason:
            unexplained = UnexplainedSuppression(silencer.where, standing.sort)
            yield from self._run_rule("unexplained-suppression", unexplained, "", silencer)

    def unused(self, silencer: Suppressor) -> Iterator[tuple[str, list[Diagnostic]]]:
        """Each rule that it names for nothing, with what is said of that."""
        if silencer.standing.expired:
            return
        said = silencer.said
        found = (
            self._unused_in_comment(silencer, said)
            if isinstance(said, Suppression)
            else self._unused_in_table(silencer, said)
        )
        for unused in found:
            yield unused.rule, list(self._run_rule("unused-suppression", unused, unused.rule, silencer))

    def _rule_names(self, path: str) -> dict[str, None]:
        """The rules that there are: those of the catalogue, the policies, and those that run for a path beside them."""
        found = self._known.get(path)
        if found is None:
            selection = self.terms.selection_of(path)
            beside = [*selection.policies.rules, *sorted(selection.rules)]
            found = self._known[path] = dict.fromkeys([*registry.ids(), *beside])
        return found

    # ---- what is unused

    def _unused_in_comment(self, silencer: Suppressor, said: Suppression) -> Iterator[UnusedSuppression]:
        """The whole comment goes where none of its rules is worth keeping."""
        if said.kind is None or not said.references:
            return
        if said.kind == "ignore-file" and not said.scope.whole_file:
            yield UnusedSuppression(said.references[0].rule, "misplaced", said.range)
            return
        first = {reference.rule: reference for reference in reversed(said.references)}
        whys = (
            (reference, self._reason_unused(silencer, said, reference, first[reference.rule]))
            for reference in said.references
        )
        found = [(one, why) for one, why in whys if why]
        for mention, why in found:
            alone = len(found) == len(said.references)
            yield UnusedSuppression(mention.rule, why, mention.range, said.removal if alone else mention.removal, alone)

    def _reason_unused(
        self, silencer: Suppressor, said: Suppression, rule_reference: RuleReference, first: RuleReference
    ) -> UnusedReason | None:
        """Why a name is there for nothing; None if it silences something, or nobody knows.

        `first` is the first mention of the same rule.
        """
        rule = rule_reference.rule
        if rule in NOT_SUPPRESSIBLE:
            return "never"
        if rule_reference is not first:
            return "twice"
        return "nothing" if said.is_fully_read and self._ran(rule, said.path) and rule not in silencer.used else None

    def _unused_in_table(self, silencer: Suppressor, table: IgnoreTable) -> Iterator[UnusedSuppression]:
        """Only where all files that the table may speak of were looked at."""
        tables: SuppressTables | None = self.terms.tables
        seen = [path for path in self.terms.paths if tables is not None and tables.applies_to(table, path)]
        if not self.terms.is_whole_workspace and not (seen and names_one_file(table)):
            return
        for rule in table.rules:
            if rule in NOT_SUPPRESSIBLE:
                yield UnusedSuppression(rule, "never", silencer.where)
            elif rule not in silencer.used and all(self._ran(rule, path) for path in seen):
                yield UnusedSuppression(rule, "nothing", silencer.where)

    def _ran(self, rule: str, path: str) -> bool:
        """Whether a rule was asked about a file and saw all that it needs."""
        if rule == EXPLICIT_FILES_RULE or path in self._faulty:
            return False
        return rule in self.terms.selection_of(path).rules and (
            self.terms.is_whole_workspace or rule not in self._across
        )

    # ---- how it is said

    def _run_rule(
        self, rule_id: str, subject: SuppressionSubject, word: str, silencer: Suppressor
    ) -> Iterator[Diagnostic]:
        selection = self.terms.selection_of(silencer.standing.path)
        if rule_id not in selection.rules:
            return
        rule = registry.load(rule_id)
        for check in rule.checks:
            for remark in check(subject):
                severity = selection.severity(rule, Finding(remark.message, SymbolicLocation(None)))
                yield replace(
                    _empty_diagnostic(silencer, word),
                    rule=rule_id,
                    severity=severity,
                    message=remark.message,
                    range=remark.range,
                    fix=remark.fix,
                )


def _empty_diagnostic(silencer: Suppressor, word: str) -> Diagnostic:
    """A diagnostic still without words: at a comment it is one of the node that the comment covers."""
    said = silencer.said
    if isinstance(said, IgnoreTable):
        named = "\x1f".join((said.path, said.pointer, word))
        return Diagnostic("", Severity.NOTE, "", silencer.standing.path, silencer.where, fingerprint=named)
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
    """What a comment names that is not a rule, or that it names none."""
    if suppression.kind is None:
        yield UnknownRuleName(suppression.keyword_range, replacement=suppression.keyword)
    elif not suppression.references:
        yield UnknownRuleName(suppression.range)
    else:
        yield from (_unknown_rule(mention, known) for mention in suppression.references if mention.rule not in known)


def _unknown_rule(mention: RuleReference, known: Collection[str]) -> UnknownRuleName:
    from trialrun.values.suggest import suggest

    return UnknownRuleName(mention.range, mention.rule, suggest(mention.rule, known, min_similarity=0.7))
