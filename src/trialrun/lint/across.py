"""What files say together: the facts of each rule across files, judged once all documents are known.

A rule of the group `workspace` gathers facts from each document (`@gather`), and looks at all of them in a check with
the subject `Facts`. Facts can be kept from run to run; lines and columns are asked for only where rules clash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Finding, Place, Range, RelatedPlace, Severity, json_pointer
from trialrun.lint import catalogue
from trialrun.lint.report import Fact
from trialrun.lint.rule import Rule
from trialrun.lint.selection import Selection
from trialrun.record import dataclass

if TYPE_CHECKING:
    from trialrun.lint.fact_places import FactPlaces


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

    `severity` is None where the rule's own severity holds. `is_of_absence` says that it rests on something being
    nowhere, while others of its rule do not.
    """

    fact: Fact
    message: str
    related: tuple[tuple[str, Fact], ...] = ()
    severity: Severity | None = None
    help: str | None = None
    is_of_absence: bool = False


Clashes = Iterator[Clash]

REST_ON_ABSENCE = frozenset(
    {
        "shadowed-channel-config",
        "unknown-channel-config",
        "unknown-feature",
        "unknown-menu-item",
        "unused-channel-config",
    }
)
"""Rules that say that something is nowhere: not told where a file, which may have it, could not be read at all."""


SelectionOf = Callable[[str], Selection]
"""The selection in force for a path."""


def judge(
    facts: Iterable[Fact],
    selection: Selection,
    locate: FactPlaces,
    *,
    selection_of: SelectionOf | None = None,
    unread: bool = False,
) -> list[Diagnostic]:
    """The diagnostics of all rules across files, in their order.

    `unread` says that nothing could be read of some file, so that nothing is told that rests on an absence.

    A rule speaks of the paths whose own selection has it, and of each with the options that hold there; that is
    `selection` for every path without `selection_of`. Fingerprints are still the stable paths alone;
    `fingerprint.numbered` makes them whole when all are known.
    """
    by_rule: dict[str, list[Fact]] = {}
    for fact in sorted(facts, key=lambda fact: fact.order):
        by_rule.setdefault(fact.rule, []).append(fact)
    found: list[Diagnostic] = []
    court = _Court(selection, selection_of, locate, unread)
    for rule_id in catalogue.ids():
        if rule_id in by_rule and rule_id in (selection.rules | selection.gathered):
            found += _judged(catalogue.load(rule_id), by_rule[rule_id], court)
    return sorted(found, key=lambda one: one.order)


def whereabouts(fact: Fact, seen_from: Fact) -> str:
    """Where a fact stands, for a message: `this file`, or the path of another."""
    return "this file" if fact.path == seen_from.path else fact.path


@dataclass(frozen=True)
class _Court:
    """What judging goes by, for all rules alike."""

    selection: Selection
    selection_of: SelectionOf | None
    locate: FactPlaces
    unread: bool

    def of(self, path: str) -> Selection:
        """The selection of a path."""
        return self.selection_of(path) if self.selection_of else self.selection

    def options(self, rule: Rule, facts: list[Fact]) -> list[Mapping[str, Any]]:
        """The options of a rule that hold for some fact, each time they differ."""
        found: list[Mapping[str, Any]] = []
        for path in dict.fromkeys(fact.path for fact in facts) if rule.options else ():
            if (options := self.of(path).options(rule)) not in found:
                found.append(options)
        return found or [rule.options]

    def hears(self, rule: Rule, clash: Clash, options: Mapping[str, Any]) -> bool:
        """Whether a rule with some options may say this: it runs so for the path, and no part of it is a guess."""
        if self.unread and (clash.is_of_absence or rule.id in REST_ON_ABSENCE):
            return False
        here = self.of(clash.fact.path)
        return rule.id in here.rules and here.options(rule) == options and not self.locate.is_guessed(clash.fact)


def _judged(rule: Rule, facts: list[Fact], court: _Court) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    checks = [check for check in rule.checks if "Facts" in catalogue.subject_names_of(check)]
    for options in court.options(rule, facts):
        for check in checks:
            found += _called(rule, check, Facts(tuple(facts), options), court)
    return found


def _called(rule: Rule, check: Callable[..., Iterator[Clash]], subject: Facts, court: _Court) -> list[Diagnostic]:
    """The diagnostics of a check, one for each mistake: a wrong text that aliases reach twice is wrong once.

    A fault of ours in it becomes one `internal-error`, at the first fact.
    """
    try:
        told = (clash for clash in check(subject) if court.hears(rule, clash, subject.options))
        first_of: dict[tuple[str, Range, str], Diagnostic] = {}
        for one in (_diagnostic(rule, clash, court) for clash in told):
            first_of.setdefault((one.path, one.range, one.message), one)
        return list(first_of.values())
    except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
        from trialrun.lint.collector import internal_error

        fault = internal_error(rule.id, error)
        first = subject.all[0]
        return [_placed("internal-error", Severity.ERROR, Clash(first, fault.message, help=fault.help), court.locate)]


def _diagnostic(rule: Rule, clash: Clash, court: _Court) -> Diagnostic:
    finding = Finding(clash.message, Place(None), severity=clash.severity)
    return _placed(rule.id, court.of(clash.fact.path).severity(rule, finding), clash, court.locate)


def _placed(rule_id: str, severity: Severity, clash: Clash, locate: FactPlaces) -> Diagnostic:
    fact = clash.fact
    return Diagnostic(
        rule=rule_id,
        severity=severity,
        message=clash.message,
        path=fact.path,
        range=locate(fact),
        document=fact.document,
        pointer=json_pointer(fact.steps),
        help=clash.help,
        related=tuple(RelatedPlace(word, other.path, locate(other)) for word, other in clash.related),
        fingerprint=locate.stable_path(fact),
        resource=fact.resource,
    )
