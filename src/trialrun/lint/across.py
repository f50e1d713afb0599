"""What files say together: the facts of each rule across files, judged once all documents are known.

A rule of the group `workspace` gathers facts from each document (`@gather`), and looks at all of them in a check with
the subject `Facts`. Facts can be kept from run to run; nothing here reads a file again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trialrun.diagnostic import Diagnostic, Finding, Place, Range, RelatedPlace, Severity
from trialrun.lint import catalogue
from trialrun.lint.report import Fact
from trialrun.lint.rule import Rule
from trialrun.lint.selection import Selection


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of one rule, in the order of path, document and place: the subject of its checks.

    `options` are the settings that the rule reads.
    """

    all: tuple[Fact, ...]
    options: Mapping[str, Any]

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.all)


@dataclass(frozen=True, slots=True)
class Clash:
    """Something to say about one fact; `related` are other facts it speaks of, in any file, each with a word on it.

    `severity` is None where the rule's own severity holds.
    """

    fact: Fact
    message: str
    related: tuple[tuple[str, Fact], ...] = ()
    severity: Severity | None = None
    help: str | None = None


Clashes = Iterator[Clash]


def judge(facts: Iterable[Fact], selection: Selection) -> list[Diagnostic]:
    """The diagnostics of all selected rules across files, in their order.

    Their fingerprints are still the stable paths alone; `fingerprint.numbered` makes them whole when all are known.
    """
    by_rule: dict[str, list[Fact]] = {}
    for fact in sorted(facts, key=_order):
        by_rule.setdefault(fact.rule, []).append(fact)
    found: list[Diagnostic] = []
    for rule_id in catalogue.ids():
        if rule_id in by_rule and rule_id in selection.rules:
            found += _judged(catalogue.load(rule_id), by_rule[rule_id], selection)
    return sorted(found, key=lambda one: one.order)


def line(fact: Fact, seen_from: Fact) -> str:
    """Where a fact stands, for a message: `line 3`, or `menu.yaml, line 3` seen from another file."""
    number = f"line {fact.range.start.line}"
    return number if fact.path == seen_from.path else f"{fact.path}, {number}"


def _order(fact: Fact) -> tuple[str, int, Range, str]:
    return (fact.path, fact.document, fact.range, fact.pointer)


def _judged(rule: Rule, facts: list[Fact], selection: Selection) -> list[Diagnostic]:
    subject = Facts(tuple(facts), selection.options(rule))
    found: list[Diagnostic] = []
    for check in rule.checks:
        if "Facts" in catalogue.subject_names_of(check):
            found += _called(rule, check, subject, selection)
    return found


def _called(
    rule: Rule, check: Callable[..., Iterator[Clash]], subject: Facts, selection: Selection
) -> list[Diagnostic]:
    """The diagnostics of a check; a fault of ours in it becomes one `internal-error`, at the first fact."""
    try:
        return [_diagnostic(rule, clash, selection) for clash in check(subject)]
    except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
        from trialrun.lint.engine import internal_error

        told = internal_error(rule.id, error)
        first = subject.all[0]
        return [_placed("internal-error", Severity.ERROR, Clash(first, told.message, help=told.help))]


def _diagnostic(rule: Rule, clash: Clash, selection: Selection) -> Diagnostic:
    severity = selection.severity(rule, Finding(clash.message, Place(None), severity=clash.severity))
    return _placed(rule.id, severity, clash)


def _placed(rule_id: str, severity: Severity, clash: Clash) -> Diagnostic:
    fact = clash.fact
    return Diagnostic(
        rule=rule_id,
        severity=severity,
        message=clash.message,
        path=fact.path,
        range=fact.range,
        document=fact.document,
        pointer=fact.pointer,
        help=clash.help,
        related=tuple(RelatedPlace(word, other.path, other.range) for word, other in clash.related),
        fingerprint=_stable(fact.pointer),
        resource=fact.resource,
    )


def _stable(pointer: str) -> str:
    """The pointer without the indexes of lists, which an item more would change."""
    return "/".join(step for step in pointer.split("/") if not step.isdigit())
