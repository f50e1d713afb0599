"""The results of an open workspace: of each file, and of rules across files, which run again when facts change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from trialrun.lint.file_result import Fact, facts_by_rule
from trialrun.workspace.check import CheckResult, ResultAccumulator, by_path

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lint.file_result import FileResult
    from trialrun.workspace.lint_files import FileLinter


STEP_SECONDS = 0.01
"""Time after which a rule is suspended, since a request may be waiting."""


@dataclass(slots=True)
class _RuleRun:
    """A suspended or running rule: its findings arrive one by one, with None at points where it can be suspended."""

    rule: str
    pieces: Iterator[Diagnostic | None]
    said: list[Diagnostic] = field(default_factory=list)


class WorkspaceResults:
    """The facts of all files, and the last findings; `stale` are the rules to run again."""

    def __init__(self) -> None:
        self.stale: set[str] = set()
        self._left_out: set[str] = set()
        self._facts: dict[str, dict[str, list[Fact]]] = {}
        self._said: dict[str, list[Diagnostic]] = {}
        self._of_path: dict[str, list[Diagnostic]] = {}
        self._case: _RuleRun | None = None

    def set_facts(self, path: str, facts: Iterable[Fact]) -> None:
        """Set the facts of a file. If they are unchanged, only the findings in this file become stale."""
        before, after = self._facts.pop(path, {}), facts_by_rule(facts)
        if after:
            self._facts[path] = after
        self.stale.update(rule for rule in {*before, *after} if before.get(rule) != after.get(rule))
        for rule, said in self._said.items():
            if any(path == place for found in said for place in (found.path, *(one.path for one in found.related))):
                self.stale.add(rule)
        if self._case and self._case.rule in {*before, *after, *self.stale}:
            self._reset()

    def invalidate_all(self) -> None:
        """Mark every rule to be run again."""
        self.stale.update(rule for fact in self._facts.values() for rule in fact)
        self.stale.update(self._said)
        self._reset()

    def carry_over(self, before: WorkspaceResults, is_said: Callable[[Diagnostic], bool]) -> None:
        """Keep earlier findings that are still valid until the rules have run again."""
        self._said = {
            rule: [diagnostic for diagnostic in said if is_said(diagnostic)] for rule, said in before._said.items()
        }
        self.stale.update(self._said)
        self._of_path = by_path(chain.from_iterable(self._said.values()))

    def disable_rule(self, rule: str) -> None:
        """Disable a rule."""
        self._left_out.add(rule)
        self.stale.add(rule)

    def diagnostics_of(self, path: str) -> list[Diagnostic]:
        """The last findings in a file."""
        return self._of_path.get(path, [])

    @property
    def next_rule(self) -> str | None:
        """The rule to run next; None if there is none."""
        return self._case.rule if self._case else min(self.stale, default=None)

    def run_step(self, linter: FileLinter, *, unread: bool) -> set[str]:
        """Run rules for a short time; returns paths whose findings may have changed.

        `unread` means that a file could not be read at all.
        """
        end = time.monotonic() + STEP_SECONDS
        case, self._case = self._case or self._start_rule(linter, unread=unread), None
        for piece in case.pieces:
            if piece is not None:
                case.said.append(piece)
            if time.monotonic() >= end:
                self._case = case
                return set()
        return self._finish_rule(case)

    def _start_rule(self, linter: FileLinter, *, unread: bool) -> _RuleRun:
        from trialrun.lint.workspace_rules import run_rule
        from trialrun.workspace.check import workspace_context

        rule = min(self.stale)
        self.stale.discard(rule)
        known = [] if rule in self._left_out else [each[rule] for each in self._facts.values() if rule in each]
        facts = [fact for each in known for fact in each]
        return _RuleRun(rule, run_rule(rule, facts, workspace_context(linter, unread=unread)))

    def _finish_rule(self, case: _RuleRun) -> set[str]:
        """Replace the findings of a rule."""
        before = self._said.pop(case.rule, [])
        if case.said:
            self._said[case.rule] = case.said
        if before != case.said:
            self._of_path = by_path(chain.from_iterable(self._said.values()))
        return {diagnostic.path for diagnostic in (*before, *case.said)}

    def _reset(self) -> None:
        if self._case:
            self.stale.add(self._case.rule)
            self._case = None


class FileResults:
    """The last result of each file by path, and in `workspace_results` those of rules across files."""

    def __init__(self) -> None:
        self.workspace_results = WorkspaceResults()
        self._known: dict[str, FileResult] = {}
        self._fixable: dict[str, FileResult] = {}
        self._unread: set[str] = set()

    @property
    def paths(self) -> list[str]:
        """The files that have a result."""
        return list(self._known)

    @property
    def has_unread(self) -> bool:
        """Whether a file could not be read at all, and may contain what others lack."""
        return bool(self._unread)

    def set_results(self, path: str, results: Iterable[FileResult], *, is_left_out: bool) -> None:
        """Set the results of a file, one or none; a file that is left out may contain anything."""
        looked, had_unread = ResultAccumulator(), self.has_unread
        self._known.pop(path, None)
        self._fixable.pop(path, None)
        for result in results:
            looked.add(result)
            self._known[path] = _without_fixes(result)
        self.workspace_results.set_facts(path, looked.facts)
        self._unread.discard(path)
        if looked.has_unread or is_left_out:
            self._unread.add(path)
        if had_unread != self.has_unread:
            self.workspace_results.invalidate_all()

    def clear(self) -> None:
        """Remove the results of files; those across files stay."""
        self._known.clear()
        self._fixable.clear()

    def has_fixes(self, path: str) -> bool:
        """Whether the fixes of a file are known."""
        return path in self._fixable

    def set_fixes(self, path: str, results: Iterable[FileResult]) -> None:
        """Set the results of a file with fixes, one or none; all else is as in those without."""
        self._fixable.update((path, replace(result, facts=self._known[path].facts)) for result in results)

    def run_next_rule(self, linter: FileLinter) -> set[str]:
        """Run rules across files for a short time; returns paths whose findings may have changed."""
        return self.workspace_results.run_step(linter, unread=self.has_unread)

    def to_result(
        self, paths: Iterable[str], linter: FileLinter, *, whole: bool, with_fixes: bool = False
    ) -> CheckResult:
        """The result for some files, with the fixes that are known; `whole` means that these are all."""
        looked, fixable = ResultAccumulator(), self._fixable if with_fixes else {}
        for path in paths:
            looked.add(fixable.get(path) or self._known[path])
            looked.diagnostics.extend(self.workspace_results.diagnostics_of(path))
        return looked.to_result(linter, whole=whole)

    def files_judged_with(self, path: str) -> list[str]:
        """The files that determine the findings of a file: those with the same resource are numbered together."""
        if path not in self._known:
            return []
        names = {diagnostic.resource for diagnostic in self._diagnosed(path) if diagnostic.resource}
        return [
            other
            for other in self._known
            if other == path or (names and any(diagnostic.resource in names for diagnostic in self._diagnosed(other)))
        ]

    def _diagnosed(self, path: str) -> list[Diagnostic]:
        return [*self._known[path].diagnostics, *self.workspace_results.diagnostics_of(path)]


def _without_fixes(result: FileResult) -> FileResult:
    """The result of a file without fixes, which the cache may have."""
    if not any(diagnostic.fix or diagnostic.refusal for diagnostic in result.diagnostics):
        return result
    return replace(result, diagnostics=[each._replace(fix=None, refusal=None) for each in result.diagnostics])
