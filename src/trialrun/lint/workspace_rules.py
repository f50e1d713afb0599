"""Runs the rules across files: each gathers facts from every document and checks them when all are known.

A rule of the group `workspace` gathers facts from each document (`@gather`), and checks all of them in a function with
the subject `Facts`. Facts can be cached between runs; lines and columns are computed only for findings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import (
    Chars,
    Diagnostic,
    Finding,
    NotChecked,
    Range,
    RelatedLocation,
    Severity,
    SymbolicLocation,
    json_pointer,
)
from trialrun.lint import positions, registry
from trialrun.lint.file_result import Fact, facts_by_rule, facts_of
from trialrun.lint.positions import stable_path
from trialrun.lint.rule import Rule
from trialrun.lint.selection import Selection
from trialrun.text import Position
from trialrun.values.suggest import suggest
from trialrun.working_folder import path_order

if TYPE_CHECKING:
    from trialrun.lint.file_result import Value
    from trialrun.lint.policy.policy import WorkBudget
    from trialrun.parser import Document, ParsedFile


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of one rule, ordered by path, document and location: the subject of its checks.

    `options` are the settings that the rule reads.
    """

    all: tuple[Fact, ...]
    options: Mapping[str, Any]

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.all)

    def of(self, kind: type[Value]) -> Iterator[Fact[Value]]:
        """The facts whose values are instances of a class."""
        return facts_of(self.all, kind)


class WorkspaceFinding(NamedTuple):
    """A finding about one fact; `related` are other facts with a label each, in any file.

    `severity` overrides the severity of the rule. `rests_on_absence` means that the finding depends on something that
    does not exist anywhere, if that is not so for all findings of the rule. `not_checked` is what could not be checked,
    and why. `rule` is set if the finding is reported under another rule. `chars` are the affected
    characters of the text, if not all of it.
    """

    fact: Fact
    message: str
    related: tuple[tuple[str, Fact], ...] = ()
    severity: Severity | None = None
    help: str | None = None
    rests_on_absence: bool = False
    not_checked: tuple[str, str] | None = None
    rule: str | None = None
    chars: Chars | None = None


WorkspaceFindings = Iterator[WorkspaceFinding]
FindingSteps = Iterator[WorkspaceFinding | None]
"""Findings, with None in between at points where the work may be suspended."""

REPEATED_NAME = "duplicate-resource-name"
REST_ON_ABSENCE = frozenset(
    {
        "field-of-other-type",
        "message-unused-at-store",
        "priority-tie-at-store",
        "shadowed-channel-config",
        "unavailable-menu-item",
        "unreachable-upsell",
        "unknown-channel-config",
        "unknown-feature",
        "unknown-menu-item",
        "unknown-store",
        "unknown-view",
        "unused-channel-config",
        "unused-session-field",
        "upsell-unreachable-at-store",
    }
)
"""Rules that report that something does not exist: not reported if a file that may contain it could not be read."""

READ_TABLES = frozenset({"column-type", "rag-columns", "unknown-column"})
"""Rules that read the tables that a Source names, so that their findings do not follow from the facts alone."""

OVERRIDDEN_RULES = {"field-of-other-type": "listen-only-speaks"}
"""By rule across files, the rule on one file whose finding it replaces at the same location."""


def without_overridden(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics without those that a rule across files replaces at the same location."""
    overridden = {
        (OVERRIDDEN_RULES[diagnostic.rule], diagnostic.path, diagnostic.document, diagnostic.pointer)
        for diagnostic in diagnostics
        if diagnostic.rule in OVERRIDDEN_RULES
    }
    if not overridden:
        return diagnostics
    return [
        diagnostic
        for diagnostic in diagnostics
        if (diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer) not in overridden
    ]


SelectionForPath = Callable[[str], Selection]
"""Returns the selection for a path."""


def run_workspace_rules(
    facts: Iterable[Fact],
    selection: Selection,
    locate: FactLocations,
    *,
    unread: bool = False,
    now: datetime | None = None,
) -> list[Diagnostic]:
    """The diagnostics of all rules across files, sorted, with one selection for every path.

    `unread` means that a file could not be read, so findings that depend on absence are left out.
    """
    return run_rules(facts, WorkspaceContext(selection, None, locate, unread, now))


def run_rules(facts: Iterable[Fact], context: WorkspaceContext) -> list[Diagnostic]:
    """The diagnostics of all rules across files in a context, sorted.

    A finding is reported if the selection of its path contains the rule, with the options of that path. Fingerprints
    are not numbered yet: `with_unique_fingerprints` does that when all diagnostics are known.
    """
    diagnostics = [
        diagnostic
        for rule, rule_facts in sorted(facts_by_rule(facts).items())
        for diagnostic in run_rule(rule, rule_facts, context)
        if diagnostic is not None
    ]
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key)


def run_rule(
    rule_id: str, facts: Iterable[Fact], context: WorkspaceContext, *, are_sorted: bool = False
) -> Iterator[Diagnostic | None]:
    """The diagnostics of one rule across files, with None in between at points where the work may be suspended.

    An exception in one of its checks ends the rule, so that it is reported once.
    """
    if rule_id not in (context.selection.rules | context.selection.gathered_rules):
        return
    sorted_facts = tuple(facts if are_sorted else _sorted(facts))
    if not sorted_facts:
        return
    if rule_id not in registry.files():
        yield from _run_policy(rule_id, sorted_facts, context)
        return
    rule = registry.load(rule_id)
    checks = [check for check in rule.checks if "Facts" in registry.subject_names_of(check)]
    yield None
    for options in context.options(rule, sorted_facts):
        for check in checks:
            for diagnostic in _run_check(rule, check, Facts(sorted_facts, options), context):
                yield diagnostic
                if diagnostic is not None and diagnostic.rule == "internal-error":
                    return


def _sorted(facts: Iterable[Fact]) -> list[Fact]:
    """The facts in the order of their files, which is that of the workspace wherever a check starts."""
    facts = list(facts)
    order = path_order(fact.path for fact in facts)
    return sorted(facts, key=lambda fact: (order(fact.path), *fact.sort_key[1:]))


def _run_policy(policy_id: str, facts: Sequence[Fact], context: WorkspaceContext) -> Iterator[Diagnostic | None]:
    """The diagnostics of a policy on the workspace."""
    policy = next((policy for policy in context.selection.policies.all if policy.id == policy_id), None)
    if policy is None or context.unread:
        return
    from trialrun.lint.policy.evaluate import judge_policy

    rule = context.selection.policies.rules[policy_id]
    try:
        parameters_of = partial(_policy_parameters, policy_id, context)
        now = context.now or datetime.now(UTC)
        for verdict in judge_policy(policy, facts, parameters_of, now, context.policy_work):
            if verdict is None:
                yield None
                continue
            fact, message, help_of_failure = verdict
            finding = WorkspaceFinding(fact, message, help=help_of_failure)
            if help_of_failure is None:
                yield _to_diagnostic(rule, finding, context)
            else:
                yield _locate("internal-error", Severity.ERROR, finding, context.locate)
    except Exception as error:  # noqa: BLE001 - a fault in one policy must not hide the findings of the others
        yield _internal_error(policy_id, error, facts[0], context)


def _policy_parameters(policy_id: str, context: WorkspaceContext, fact: Fact) -> Mapping[str, Any] | None:
    """The parameters of a policy at a fact; None if it is not enabled there, or the fact is a guess."""
    selection = context.selection_for(fact.path)
    if policy_id not in selection.rules or context.locate.is_guessed(fact):
        return None
    return selection.parameters(policy_id)


def location_phrase(fact: Fact, seen_from: Fact) -> str:
    """The file of a fact, for a message: `this file`, or its path."""
    return "this file" if fact.path == seen_from.path else fact.path


@dataclass(frozen=True)
class WorkspaceContext:
    """Settings and locations that workspace rules need."""

    selection: Selection
    selection_of: SelectionForPath | None
    locate: FactLocations
    unread: bool
    now: datetime | None = None

    @cached_property
    def policy_work(self) -> WorkBudget:
        """What policies on the workspace may do."""
        from trialrun.lint.policy.policy import WORKSPACE_UNITS, WorkBudget

        return WorkBudget(WORKSPACE_UNITS)

    def selection_for(self, path: str) -> Selection:
        """The selection for a path."""
        return self.selection_of(path) if self.selection_of else self.selection

    def options(self, rule: Rule, facts: Sequence[Fact]) -> list[Mapping[str, Any]]:
        """The distinct options of a rule at the paths of some facts."""
        distinct: list[Mapping[str, Any]] = []
        for path in dict.fromkeys(fact.path for fact in facts) if rule.options else ():
            if (options := self.selection_for(path).options(rule)) not in distinct:
                distinct.append(options)
        return distinct or [rule.options]

    def is_enabled(self, rule: Rule, finding: WorkspaceFinding, options: Mapping[str, Any]) -> bool:
        """Whether a rule may report a finding: enabled with these options at the path, and not based on guesses."""
        if self.unread and (finding.rests_on_absence or rule.id in REST_ON_ABSENCE):
            return False
        selection = self.selection_for(finding.fact.path)
        return (
            rule.id in selection.rules
            and selection.options(rule) == options
            and not self.locate.is_guessed(finding.fact)
            and not (rule.id == REPEATED_NAME and self.locate.may_exclude_each_other(finding))
        )


def _run_check(
    rule: Rule, check: Callable[..., FindingSteps], subject: Facts, context: WorkspaceContext
) -> Iterator[Diagnostic | None]:
    """The diagnostics of a check without duplicates: a value that aliases repeat is reported once.

    An exception in the check becomes one `internal-error`, at the first fact.
    """
    reported: set[tuple[str, Range, str]] = set()
    try:
        for finding in check(subject):
            if finding is None:
                yield None
                continue
            reporting_rule = registry.load(finding.rule) if finding.rule else rule
            options = (
                context.selection_for(finding.fact.path).options(reporting_rule) if finding.rule else subject.options
            )
            diagnostic = (
                _to_diagnostic(reporting_rule, finding, context)
                if context.is_enabled(reporting_rule, finding, options)
                else None
            )
            is_new = diagnostic is not None and (diagnostic.path, diagnostic.range, diagnostic.message) not in reported
            if diagnostic is not None:
                reported.add((diagnostic.path, diagnostic.range, diagnostic.message))
            yield diagnostic if is_new else None
    except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
        yield _internal_error(rule.id, error, subject.all[0], context)


def _internal_error(rule_id: str, error: Exception, fact: Fact, context: WorkspaceContext) -> Diagnostic:
    """The diagnostic about a fault in a rule, at a fact."""
    from trialrun.lint.diagnostic_sink import internal_error

    failure = internal_error(rule_id, error)
    finding = WorkspaceFinding(fact, failure.message, help=failure.help)
    return _locate("internal-error", Severity.ERROR, finding, context.locate)


def _to_diagnostic(rule: Rule, finding: WorkspaceFinding, context: WorkspaceContext) -> Diagnostic:
    symbolic = Finding(finding.message, SymbolicLocation(None), severity=finding.severity)
    severity = context.selection_for(finding.fact.path).severity(rule, symbolic)
    return _locate(rule.id, severity, finding, context.locate)


def _locate(rule_id: str, severity: Severity, finding: WorkspaceFinding, locate: FactLocations) -> Diagnostic:
    fact = locate.with_file_keys(finding.fact)
    diagnostic = Diagnostic(
        rule=rule_id,
        severity=severity,
        message=finding.message,
        path=fact.path,
        range=locate(fact, finding.chars),
        document=fact.document,
        pointer=json_pointer(fact.steps),
        help=finding.help,
        related=tuple(
            RelatedLocation(label, other.path, locate(locate.with_file_keys(other))) for label, other in finding.related
        ),
        fingerprint=locate.stable_path(fact),
        resource=fact.resource,
        not_checked=finding.not_checked and NotChecked(fact.path, *finding.not_checked),
    )
    return positions.in_words_of_file(diagnostic, locate.document(fact))


MAX_FILES = 64
_CAPITAL = re.compile("[A-Z]")


class FactLocations:
    """Computes locations by parsing files again; `bytes_of` returns the bytes of a path, None if it is gone."""

    def __init__(self, bytes_of: Callable[[str], bytes | None]) -> None:
        self._bytes_of = bytes_of
        self._parsed_files: dict[str, ParsedFile | None] = {}
        self._guessed: dict[str, positions.RangeIndex] = {}

    def __call__(self, fact: Fact, chars: Chars | None = None) -> Range:
        """The range of a fact, or of some characters of its text.

        If the file has changed meanwhile, its first character.
        """
        parsed, document = self._parsed(fact.path), self.document(fact)
        if parsed is None or document is None:
            return Range(Position(1, 1), Position(1, 1))
        return positions.range_of(parsed.source, positions.span_of(document, fact.steps, chars=chars))

    def with_file_keys(self, fact: Fact) -> Fact:
        """The fact with the keys of its path as the file spells them, for example in snake_case or with a slip."""
        document = self.document(fact)
        value, steps = document.value if document else None, list(fact.steps)
        for at, step in enumerate(steps):
            if isinstance(value, dict) and isinstance(step, str) and step not in value:
                spelt = _CAPITAL.sub(r"_\g<0>", step).lower()
                steps[at] = step = spelt if spelt in value else suggest(step, value) or step
            value = positions.find_value(value, (step,))
        return fact if tuple(steps) == fact.steps else fact._replace(steps=tuple(steps))

    def stable_path(self, fact: Fact) -> str:
        """The path of a fact with list items by their keys, which does not change when items are added."""
        document = self.document(fact)
        return stable_path(document.value if document else None, fact.steps)

    def document(self, fact: Fact) -> Document | None:
        parsed = self._parsed(fact.path)
        if parsed is None:
            return None
        at = bisect_left(parsed.documents, fact.document, key=lambda document: document.index)
        return (
            parsed.documents[at] if at < len(parsed.documents) and parsed.documents[at].index == fact.document else None
        )

    def may_exclude_each_other(self, finding: WorkspaceFinding) -> bool:
        """Whether the documents of a finding are resources that Terraform makes under different conditions."""
        documents = [self.document(fact) for fact in (finding.fact, *(fact for _, fact in finding.related))]
        return len({document.condition for document in documents if document}) > 1

    def is_guessed(self, fact: Fact) -> bool:
        """Whether the text of a fact could not be fully parsed, so that its value is a guess."""
        parsed = None if fact.is_complete else self._parsed(fact.path)
        if parsed is None:
            return False
        if fact.path not in self._guessed:
            spans = (error.span for error in parsed.errors if error.guessed)
            self._guessed[fact.path] = positions.RangeIndex(positions.range_of(parsed.source, span) for span in spans)
        guessed = self._guessed[fact.path]
        return bool(guessed) and guessed.any_encloses(self(fact))

    def _parsed(self, path: str) -> ParsedFile | None:
        if path not in self._parsed_files:
            from trialrun.parser import parse  # only findings need places

            if len(self._parsed_files) >= MAX_FILES:
                self._parsed_files.clear()
                self._guessed.clear()
            data = self._bytes_of(path)
            self._parsed_files[path] = None if data is None else parse(data, path)
        return self._parsed_files[path]
