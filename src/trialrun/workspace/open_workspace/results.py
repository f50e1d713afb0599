"""The results of an open workspace: of each file, and of rules across files, which run again when facts change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
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


class WorkspaceResults:
    """The last result of each file by path, and the last findings of rules across files.

    `stale` are the rules to run again. A rule that runs, or is suspended, is its id, its findings as they arrive, with
    None at points where it can be suspended, and those that it has had.
    """

    def __init__(self) -> None:
        self.stale: set[str] = set()
        self._known: dict[str, FileResult] = {}
        self._fixable: dict[str, FileResult] = {}
        self._unread: set[str] = set()
        self._left_out: set[str] = set()
        self._facts: dict[str, dict[str, list[Fact]]] = {}
        self._said: dict[str, list[Diagnostic]] = {}
        self._of_path: dict[str, list[Diagnostic]] = {}
        self._running: tuple[str, Iterator[Diagnostic | None], list[Diagnostic]] | None = None

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
        self._set_facts(path, looked.facts)
        self._unread.discard(path)
        if looked.has_unread or is_left_out:
            self._unread.add(path)
        if had_unread != self.has_unread:
            self.invalidate_all()

    def _set_facts(self, path: str, facts: Iterable[Fact]) -> None:
        """Set the facts of a file. If they are unchanged, only the findings in this file become stale."""
        before, after = self._facts.pop(path, {}), facts_by_rule(facts)
        if after:
            self._facts[path] = after
        self.stale.update(rule for rule in {*before, *after} if before.get(rule) != after.get(rule))
        for rule, said in self._said.items():
            if any(path == place for found in said for place in (found.path, *(one.path for one in found.related))):
                self.stale.add(rule)
        if self._running and self._running[0] in {*before, *after, *self.stale}:
            self._reset()

    def invalidate_all(self) -> None:
        """Mark every rule to be run again."""
        self.stale.update(rule for fact in self._facts.values() for rule in fact)
        self.stale.update(self._said)
        self._reset()

    def carry_over(self, before: WorkspaceResults, is_said: Callable[[Diagnostic], bool]) -> None:
        """Take earlier findings across files that are still valid, until the rules have run again."""
        self._said = {
            rule: [diagnostic for diagnostic in said if is_said(diagnostic)] for rule, said in before._said.items()
        }
        self.stale.update(self._said)
        self._of_path = by_path(chain.from_iterable(self._said.values()))

    def disable_rule(self, rule: str) -> None:
        """Disable a rule."""
        self._left_out.add(rule)
        self.stale.add(rule)

    def has_fixes(self, path: str) -> bool:
        """Whether the fixes of a file are known."""
        return path in self._fixable

    def set_fixes(self, path: str, results: Iterable[FileResult]) -> None:
        """Set the results of a file with fixes, one or none; all else is as in those without."""
        self._fixable.update((path, replace(result, facts=self._known[path].facts)) for result in results)

    @property
    def next_rule(self) -> str | None:
        """The rule to run next; None if there is none."""
        return self._running[0] if self._running else min(self.stale, default=None)

    def run_next_rule(self, linter: FileLinter) -> set[str]:
        """Run rules across files for a short time; returns paths whose findings may have changed."""
        end = time.monotonic() + STEP_SECONDS
        running, self._running = self._running or self._start_rule(linter), None
        rule, pieces, said = running
        for piece in pieces:
            if piece is not None:
                said.append(piece)
            if time.monotonic() >= end:
                self._running = running
                return set()
        before = self._said.pop(rule, [])
        if said:
            self._said[rule] = said
        if before != said:
            self._of_path = by_path(chain.from_iterable(self._said.values()))
        return {diagnostic.path for diagnostic in (*before, *said)}

    def _start_rule(self, linter: FileLinter) -> tuple[str, Iterator[Diagnostic | None], list[Diagnostic]]:
        from trialrun.lint.workspace_rules import run_rule
        from trialrun.workspace.check import workspace_context

        rule = min(self.stale)
        self.stale.discard(rule)
        known = [] if rule in self._left_out else [each[rule] for each in self._facts.values() if rule in each]
        facts = [fact for each in known for fact in each]
        return rule, run_rule(rule, facts, workspace_context(linter, unread=self.has_unread)), []

    def _reset(self) -> None:
        if self._running:
            self.stale.add(self._running[0])
            self._running = None

    def to_result(
        self, paths: Iterable[str], linter: FileLinter, *, whole: bool, with_fixes: bool = False
    ) -> CheckResult:
        """The result for some files, with the fixes that are known; `whole` means that these are all."""
        looked, fixable = ResultAccumulator(), self._fixable if with_fixes else {}
        for path in paths:
            looked.add(fixable.get(path) or self._known[path])
            looked.diagnostics.extend(self._of_path.get(path, ()))
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
        return [*self._known[path].diagnostics, *self._of_path.get(path, ())]


def _without_fixes(result: FileResult) -> FileResult:
    """The result of a file without fixes, which the cache may have."""
    if not any(diagnostic.fix or diagnostic.refusal for diagnostic in result.diagnostics):
        return result
    return replace(result, diagnostics=[each._replace(fix=None, refusal=None) for each in result.diagnostics])
