"""The stage of a check at which suppressions are applied: what stays, what is silenced, and what is said about them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from trialrun.diagnostic import Diagnostic, Suppressed
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import registry
from trialrun.lint.suppression.diagnostics import SuppressionDiagnostics
from trialrun.lint.suppression.suppression import Scope, Suppression
from trialrun.lint.suppression.suppressor import (
    SuppressionContext,
    SuppressionStatus,
    Suppressor,
    comment_suppressors,
    table_suppressors,
)
from trialrun.text import Position

GROUP = "suppression"
DiagnosticAbout = tuple[Diagnostic, Suppressor | None]
"""A diagnostic, and the suppression that it is about, which cannot silence it."""


@dataclass(frozen=True)
class AppliedSuppressions:
    """What the stage makes: the diagnostics that stay, with those about suppressions, and those that do not."""

    kept: list[Diagnostic]
    suppressed: list[Suppressed]
    statuses: list[SuppressionStatus]


def apply_suppressions(
    diagnostics: Iterable[Diagnostic], suppressions: Sequence[Suppression], terms: SuppressionContext
) -> AppliedSuppressions:
    """Apply the suppressions of some files, and those of the settings, to what was found in these files.

    What is said about suppressions can be suppressed as well. So rules about suppressions come last: whether they are
    silenced for nothing shows only when all else is said.
    """
    told: list[DiagnosticAbout] = [(diagnostic, None) for diagnostic in diagnostics]
    stage = _ActiveSuppressions(suppressions, terms)
    sayings = SuppressionDiagnostics(terms, frozenset(one.path for one, _ in told if one.rule == "internal-error"))
    kept = stage.unsuppressed(told)
    kept += stage.unsuppressed(
        [(diagnostic, each) for each in stage.reported for diagnostic in sayings.unconditional(each)]
    )
    about = {rule for rule, (group, _) in registry.files().items() if group == GROUP}
    kept += stage.unsuppressed(stage.unused(sayings, lambda rule: rule not in about))
    kept += stage.unsuppressed(stage.unused(sayings, lambda rule: rule in about))
    return AppliedSuppressions(kept, stage.suppressed, [suppressor.standing for suppressor in stage.reported])


class _ActiveSuppressions:
    """All suppressions at work; `asked` are those of which something is said."""

    def __init__(self, suppressions: Sequence[Suppression], terms: SuppressionContext) -> None:
        comments = list(comment_suppressors(suppressions, terms.today))
        self._of_settings = list(table_suppressors(terms.tables, terms.today)) if terms.tables else []
        self.reported = [*(one for one, _ in comments if one.standing.path in terms.paths), *self._of_settings]
        self.suppressed: list[Suppressed] = []
        by_rule: dict[tuple[str, str], list[tuple[Suppressor, Scope]]] = {}
        for one, scope in comments:
            for rule in one.rules:
                by_rule.setdefault((one.standing.path, rule), []).append((one, scope))
        self._by_rule = {key: SuppressionIndex(some) for key, some in by_rule.items()}

    def unsuppressed(self, told: Iterable[DiagnosticAbout]) -> list[Diagnostic]:
        """What no suppression silences; of several that do, the last one, which is the nearest, gives the reason."""
        rest: list[Diagnostic] = []
        for found, about in told:
            silencing = [suppressor for suppressor in self._covering(found) if suppressor is not about]
            for suppressor in silencing:
                suppressor.count(found.rule)
            if silencing:
                self.suppressed.append(silencing[-1].suppressed(found))
            else:
                rest.append(found)
        return rest

    def _covering(self, found: Diagnostic) -> list[Suppressor]:
        covering = [setting for setting in self._of_settings if found.rule in setting.rules and setting.covers(found)]
        comments = self._by_rule.get((found.path, found.rule))
        return covering + comments.covering(found) if comments else covering

    def unused(self, sayings: SuppressionDiagnostics, is_meant: Callable[[str], bool]) -> list[DiagnosticAbout]:
        """What is said about those of the rules that are named for nothing."""
        told: list[DiagnosticAbout] = []
        for silencer in self.reported:
            for rule, said in sayings.unused(silencer):
                if is_meant(rule):
                    silencer.standing.unused.append(rule)
                    told += [(diagnostic, silencer) for diagnostic in said]
        return told


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

    def covering(self, found: Diagnostic) -> list[Suppressor]:
        """Those that cover a diagnostic of the file, in their order."""
        near = {*self._of_file, *self._by_line.get(found.range.start.line, ()), *self._enclosing(found.range.start)}
        for pointer in _with_ancestors(found.pointer):
            near.update(self._by_pointer.get(pointer, ()))
        return [suppressor for suppressor in map(self._silencers.__getitem__, sorted(near)) if suppressor.covers(found)]

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
