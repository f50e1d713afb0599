"""The results of an open workspace: those of each file, and those across files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.workspace.check import ResultAccumulator
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.open_workspace.workspace_results import WorkspaceResults

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lint.file_result import FileResult
    from trialrun.workspace.lint_files import FileLinter


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

    def set_results(self, path: str, reports: Iterable[FileResult], *, is_left_out: bool) -> None:
        """Set the results of a file, one or none; a file that is left out may contain anything."""
        looked, had_unread = ResultAccumulator(), self.has_unread
        self._known.pop(path, None)
        self._fixable.pop(path, None)
        for report in reports:
            looked.add(report)
            self._known[path] = _without_fixes(report)
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

    def set_fixes(self, path: str, reports: Iterable[FileResult]) -> None:
        """Set the results of a file with fixes, one or none; all else is as in those without."""
        self._fixable.update((path, replace(report, facts=self._known[path].facts)) for report in reports)

    def run_next_rule(self, linting: FileLinter) -> set[str]:
        """Run rules across files for a short time; returns paths whose findings may have changed."""
        return self.workspace_results.run_step(linting, unread=self.has_unread)

    def to_result(
        self, paths: Iterable[str], linting: FileLinter, *, whole: bool, with_fixes: bool = False
    ) -> CheckResult:
        """The result for some files, with the fixes that are known; `whole` means that these are all."""
        looked, fixable = ResultAccumulator(), self._fixable if with_fixes else {}
        for path in paths:
            looked.add(fixable.get(path) or self._known[path])
            looked.diagnostics.extend(self.workspace_results.diagnostics_of(path))
        return looked.to_result(linting, whole=whole)

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


def _without_fixes(report: FileResult) -> FileResult:
    """The result of a file without fixes, which the cache may have."""
    if not any(diagnostic.fix or diagnostic.refusal for diagnostic in report.diagnostics):
        return report
    return replace(report, diagnostics=[replace(each, fix=None, refusal=None) for each in report.diagnostics])
