"""What files say together: the facts of each rule across files, judged once all documents are known.

A rule of the group `workspace` gathers facts from each document (`@gather`), and looks at all of them in a check with
the subject `Facts`. Facts can be kept from run to run; lines and columns are asked for only where rules clash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import registry
from trialrun.lint.file_result import Fact, facts_of
from trialrun.lint.rule import Rule
from trialrun.lint.selection import Selection

if TYPE_CHECKING:
    from trialrun.lint.fact_locations import FactLocations
    from trialrun.lint.file_result import Value


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of one rule, in the order of path, document and place: the subject of its checks.

    `options` are the settings that the rule reads.
    """

    all: tuple[Fact, ...]
    options: Mapping[str, Any]

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.all)

    def of(self, kind: type[Value]) -> Iterator[Fact[Value]]:
        """The facts whose values are of a class."""
        return facts_of(self.all, kind)


@dataclass(frozen=True, slots=True)
class WorkspaceFinding:
    """Something to say about one fact; `related` are other facts it speaks of, in any file, each with a word on it.

    `severity` is None where the rule's own severity holds. `is_of_absence` says that it rests on something being
    nowhere, while others of its rule do not. `not_checked` is what could not be checked, and why.
    `rule` is set where another rule tells it (`JUDGED_BY`). `chars` are the characters of the text at the fact that
    are concerned, where it is not the whole.
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
"""Clashes with None between them, where the work of a check can be left for a while."""

REPORTED_BY = {"missing-union-member": "upsell-unreachable-at-store"}
"""Rules on one file of which a rule across files may find more, by the facts of that rule."""

REST_ON_ABSENCE = frozenset(
    {
        "field-of-other-type",
        "message-unused-at-store",
        "priority-tie-at-store",
        "shadowed-channel-config",
        "unknown-channel-config",
        "unknown-feature",
        "unknown-menu-item",
        "unused-channel-config",
        "unused-session-field",
        "upsell-unreachable-at-store",
    }
)
"""Rules that say that something is nowhere: not told where a file, which may have it, could not be read at all."""


OVERRIDDEN_RULES = {"field-of-other-type": "listen-only-speaks"}
"""What a rule across files says of a place stands for what another rule says of it, which goes by that file alone."""


def without_overridden(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics without those for which one of a rule across files stands, at the same place."""
    stand = {
        (OVERRIDDEN_RULES[diagnostic.rule], diagnostic.path, diagnostic.document, diagnostic.pointer)
        for diagnostic in diagnostics
        if diagnostic.rule in OVERRIDDEN_RULES
    }
    if not stand:
        return diagnostics
    return [
        diagnostic
        for diagnostic in diagnostics
        if (diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer) not in stand
    ]


SelectionForPath = Callable[[str], Selection]
"""The selection in force for a path."""


def run_workspace_rules(
    facts: Iterable[Fact],
    selection: Selection,
    locate: FactLocations,
    *,
    selection_of: SelectionForPath | None = None,
    unread: bool = False,
) -> list[Diagnostic]:
    """The diagnostics of all rules across files, in their order.

    `unread` says that nothing could be read of some file, so that nothing is told that rests on an absence.

    A rule speaks of the paths whose own selection has it, and of each with the options that hold there; that is
    `selection` for every path without `selection_of`. Fingerprints are still the stable paths alone;
    `fingerprint.numbered` makes them whole when all are known.
    """
    by_rule: dict[str, list[Fact]] = {}
    for fact in facts:
        by_rule.setdefault(fact.rule, []).append(fact)
    court = WorkspaceContext(selection, selection_of, locate, unread)
    found = [
        diagnostic
        for rule, known in by_rule.items()
        for diagnostic in run_rule(rule, known, court)
        if diagnostic is not None
    ]
    return sorted(found, key=lambda one: one.sort_key)


def run_rule(rule_id: str, facts: Iterable[Fact], court: WorkspaceContext) -> Iterator[Diagnostic | None]:
    """The diagnostics of one rule across files, with None between them where work can be left for a while.

    A fault of ours in one of its checks ends the rule, so that it is told once.
    """
    if rule_id not in (court.selection.rules | court.selection.gathered_rules) or rule_id not in registry.ids():
        return
    rule, known = registry.load(rule_id), tuple(sorted(facts, key=lambda fact: fact.sort_key))
    if not known:
        return
    checks = [check for check in rule.checks if "Facts" in registry.subject_names_of(check)]
    yield None
    for options in court.options(rule, known):
        for check in checks:
            for diagnostic in _run_check(rule, check, Facts(known, options), court):
                yield diagnostic
                if diagnostic is not None and diagnostic.rule == "internal-error":
                    return


def location_phrase(fact: Fact, seen_from: Fact) -> str:
    """Where a fact stands, for a message: `this file`, or the path of another."""
    return "this file" if fact.path == seen_from.path else fact.path


@dataclass(frozen=True)
class WorkspaceContext:
    """What judging goes by, for all rules alike."""

    selection: Selection
    selection_of: SelectionForPath | None
    locate: FactLocations
    unread: bool

    def selection_for(self, path: str) -> Selection:
        """The selection of a path."""
        return self.selection_of(path) if self.selection_of else self.selection

    def options(self, rule: Rule, facts: Sequence[Fact]) -> list[Mapping[str, Any]]:
        """The options of a rule that hold for some fact, each time they differ."""
        found: list[Mapping[str, Any]] = []
        for path in dict.fromkeys(fact.path for fact in facts) if rule.options else ():
            if (options := self.selection_for(path).options(rule)) not in found:
                found.append(options)
        return found or [rule.options]

    def is_enabled(self, rule: Rule, clash: WorkspaceFinding, options: Mapping[str, Any]) -> bool:
        """Whether a rule with some options may say this: it runs so for the path, and no part of it is a guess."""
        if self.unread and (clash.rests_on_absence or rule.id in REST_ON_ABSENCE):
            return False
        here = self.selection_for(clash.fact.path)
        return rule.id in here.rules and here.options(rule) == options and not self.locate.is_guessed(clash.fact)


def _run_check(
    rule: Rule, check: Callable[..., FindingSteps], subject: Facts, court: WorkspaceContext
) -> Iterator[Diagnostic | None]:
    """The diagnostics of a check, one for each mistake: a wrong text that aliases reach twice is wrong once.

    A fault of ours in it becomes one `internal-error`, at the first fact.
    """
    known: set[tuple[str, Range, str]] = set()
    try:
        for clash in check(subject):
            if clash is None:
                yield None
                continue
            teller = registry.load(clash.rule) if clash.rule else rule
            options = court.selection_for(clash.fact.path).options(teller) if clash.rule else subject.options
            one = _to_diagnostic(teller, clash, court) if court.is_enabled(teller, clash, options) else None
            is_new = one is not None and (one.path, one.range, one.message) not in known
            if one is not None:
                known.add((one.path, one.range, one.message))
            yield one if is_new else None
    except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
        from trialrun.lint.diagnostic_sink import internal_error

        fault = internal_error(rule.id, error)
        first = subject.all[0]
        yield _locate(
            "internal-error", Severity.ERROR, WorkspaceFinding(first, fault.message, help=fault.help), court.locate
        )


def _to_diagnostic(rule: Rule, clash: WorkspaceFinding, court: WorkspaceContext) -> Diagnostic:
    finding = Finding(clash.message, SymbolicLocation(None), severity=clash.severity)
    return _locate(rule.id, court.selection_for(clash.fact.path).severity(rule, finding), clash, court.locate)


def _locate(rule_id: str, severity: Severity, clash: WorkspaceFinding, locate: FactLocations) -> Diagnostic:
    fact = locate.with_file_keys(clash.fact)
    return Diagnostic(
        rule=rule_id,
        severity=severity,
        message=clash.message,
        path=fact.path,
        range=locate(fact, clash.chars),
        document=fact.document,
        pointer=json_pointer(fact.steps),
        help=clash.help,
        related=tuple(
            RelatedLocation(word, other.path, locate(locate.with_file_keys(other))) for word, other in clash.related
        ),
        fingerprint=locate.stable_path(fact),
        resource=fact.resource,
        not_checked=clash.not_checked and NotChecked(fact.path, *clash.not_checked),
    )
