"""Applies comments and settings tables to the diagnostics of a check, and adds diagnostics about suppressions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from trialrun.diagnostic import Diagnostic, Suppressed
from trialrun.lint import registry
from trialrun.lint.suppression.suppression import Scope, Suppression
from trialrun.lint.suppression.suppressors import (
    GROUP,
    SuppressionContext,
    SuppressionDiagnostics,
    Suppressor,
    comment_suppressors,
    table_suppressors,
)
from trialrun.text import Position

DiagnosticAbout = tuple[Diagnostic, Suppressor | None]
"""A diagnostic, and the suppression that it is about, which cannot suppress it."""


def apply_suppressions(
    diagnostics: Iterable[Diagnostic], suppressions: Sequence[Suppression], terms: SuppressionContext
) -> AppliedSuppressions:
    """Apply the suppressions of files and of the settings to the diagnostics of these files.

    Diagnostics about suppressions can be suppressed, too. Therefore they come last: whether such a suppression is
    unused is only known when all others have been applied.
    """
    candidates: list[DiagnosticAbout] = [(diagnostic, None) for diagnostic in diagnostics]
    applied = AppliedSuppressions(suppressions, terms)
    about_suppressions = SuppressionDiagnostics(
        terms, frozenset(diagnostic.path for diagnostic, _ in candidates if diagnostic.rule == "internal-error")
    )
    applied.apply_to(candidates)
    applied.apply_to(
        [
            (diagnostic, suppressor)
            for suppressor in applied.statuses
            for diagnostic in about_suppressions.unconditional(suppressor)
        ]
    )
    suppression_rules = {rule for rule, (group, _) in registry.files().items() if group == GROUP}
    applied.apply_to(applied.unused(about_suppressions, lambda rule: rule not in suppression_rules))
    applied.apply_to(applied.unused(about_suppressions, lambda rule: rule in suppression_rules))
    return applied


class AppliedSuppressions:
    """All suppressions in effect, and what they make of diagnostics: those that are kept, and the suppressed ones.

    `statuses` are the suppressions that diagnostics are about.
    """

    def __init__(self, suppressions: Sequence[Suppression], terms: SuppressionContext) -> None:
        comments = list(comment_suppressors(suppressions, terms.today))
        self._of_settings = list(table_suppressors(terms.tables, terms.today)) if terms.tables else []
        self.statuses = [
            *(suppressor for suppressor, _ in comments if suppressor.path in terms.paths),
            *self._of_settings,
        ]
        self.kept: list[Diagnostic] = []
        self.suppressed: list[Suppressed] = []
        by_rule: dict[tuple[str, str], list[tuple[Suppressor, Scope]]] = {}
        for suppressor, scope in comments:
            for rule in suppressor.active_rules:
                by_rule.setdefault((suppressor.path, rule), []).append((suppressor, scope))
        self._by_rule = {key: SuppressionIndex(suppressors) for key, suppressors in by_rule.items()}

    def apply_to(self, diagnostics: Iterable[DiagnosticAbout]) -> None:
        """Keep or suppress further diagnostics; of several suppressions, the innermost gives the reason."""
        for diagnostic, subject in diagnostics:
            silencing = [suppressor for suppressor in self._covering(diagnostic) if suppressor is not subject]
            for suppressor in silencing:
                suppressor.used.add(diagnostic.rule)
                suppressor.silenced += 1
            if silencing:
                self.suppressed.append(silencing[-1].suppress(diagnostic))
            else:
                self.kept.append(diagnostic)

    def _covering(self, diagnostic: Diagnostic) -> list[Suppressor]:
        covering = [
            suppressor
            for suppressor in self._of_settings
            if diagnostic.rule in suppressor.active_rules and suppressor.covers(diagnostic)
        ]
        comments = self._by_rule.get((diagnostic.path, diagnostic.rule))
        return covering + comments.covering(diagnostic) if comments else covering

    def unused(
        self, about_suppressions: SuppressionDiagnostics, is_meant: Callable[[str], bool]
    ) -> list[DiagnosticAbout]:
        """The diagnostics about unused rules of the suppressions, for the rules that `is_meant` selects."""
        diagnostics: list[DiagnosticAbout] = []
        for suppressor in self.statuses:
            for rule, reported in about_suppressions.unused(suppressor):
                if is_meant(rule):
                    suppressor.unused.append(rule)
                    diagnostics += [(diagnostic, suppressor) for diagnostic in reported]
        return diagnostics


class SuppressionIndex:
    """Comments with their scopes, in their order; those that may cover a finding are asked, the others are not."""

    def __init__(self, comments: Sequence[tuple[Suppressor, Scope]]) -> None:
        self._silencers = [silencer for silencer, _ in comments]
        self._of_file: list[int] = []
        self._by_line: dict[int, list[int]] = {}
        self._by_pointer: dict[str, list[int]] = {}
        for number, (_, scope) in enumerate(comments):
            if scope.whole_file:
                self._of_file.append(number)
            self._by_line.setdefault(scope.line, []).append(number)
            for pointer in scope.pointers:
                self._by_pointer.setdefault(pointer, []).append(number)
        spans = [(each.start, each.end, number) for number, (_, scope) in enumerate(comments) for each in scope.ranges]
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._last_ends = list(accumulate((end for _, end, _ in self._spans), max))

    def covering(self, diagnostic: Diagnostic) -> list[Suppressor]:
        """Those that cover a diagnostic of the file, in their order."""
        near = {
            *self._of_file,
            *self._by_line.get(diagnostic.range.start.line, ()),
            *self._enclosing(diagnostic.range.start),
        }
        for pointer in _with_ancestors(diagnostic.pointer):
            near.update(self._by_pointer.get(pointer, ()))
        return [
            suppressor for suppressor in map(self._silencers.__getitem__, sorted(near)) if suppressor.covers(diagnostic)
        ]

    def _enclosing(self, place: Position) -> Iterator[int]:
        """The comments with a node around a place: from the nearest start back, while one may still reach it."""
        at = bisect_right(self._starts, place) - 1
        while at >= 0 and self._last_ends[at] > place:
            yield self._spans[at][2]
            at -= 1


def _with_ancestors(pointer: str) -> Iterator[str]:
    """A JSON Pointer, and those of all that it lies in."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]
    yield ""
