"""What was found in the files of an open workspace, in each by itself and across them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trialrun.workspace.check import Looked, Outcome
from trialrun.workspace.open_workspace.workspace_results import Across

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lint.file_result import Report
    from trialrun.lint.workspace_rules import Court
    from trialrun.workspace.lint_files import Linting


class Reports:
    """The last report of each file by its path, and in `across` what rules say of all of them together."""

    def __init__(self) -> None:
        self.across = Across()
        self._known: dict[str, Report] = {}
        self._unread: set[str] = set()

    def copied(self) -> Reports:
        """The same reports; what one is given later is nothing to the other."""
        reports = Reports()
        reports.across = self.across.copied()
        reports._known, reports._unread = dict(self._known), set(self._unread)
        return reports

    @property
    def paths(self) -> list[str]:
        """The files that have a report."""
        return list(self._known)

    @property
    def has_unread(self) -> bool:
        """Whether nothing could be read of some file, which may have what is missed elsewhere."""
        return bool(self._unread)

    def take(self, path: str, reports: Iterable[Report], *, is_left_out: bool) -> None:
        """A file has these reports from now on, one or none; one that is left out may have anything."""
        looked, had_unread = Looked(), self.has_unread
        self._known.pop(path, None)
        for report in reports:
            looked.take(report)
            self._known[path] = report
        self.across.put(path, looked.facts)
        self._unread.discard(path)
        if looked.unread or is_left_out:
            self._unread.add(path)
        if had_unread != self.has_unread:
            self.across.doubt()

    def clear(self) -> None:
        """Let go of the reports; what was said across files stays."""
        self._known.clear()

    def judge_on(self, linting: Linting) -> set[str]:
        """Judge across files for a little while; the paths of which something else may be said from now on."""
        return self.across.step(linting, unread=self.has_unread)

    def told(self, paths: Iterable[str], rules: Iterable[str], court: Court) -> list[Diagnostic]:
        """What is wrong in some files, suppressed or not, and what rules across files say before a court."""
        found = [self._known.get(path) for path in paths]
        return [*(one for report in found if report for one in report.diagnostics), *self.across.judged(rules, court)]

    def outcome(self, paths: Iterable[str], linting: Linting, *, whole: bool) -> Outcome:
        """What is told of some files; `whole`: of all that there are."""
        looked = Looked()
        for path in paths:
            looked.take(self._known[path])
            looked.diagnostics.extend(self.across.of(path))
        return looked.outcome(linting, whole=whole)

    def judged_with(self, path: str) -> list[str]:
        """The files that the findings of one are told from: with others of the same resource they are counted."""
        if path not in self._known:
            return []
        names = {one.resource for one in self._diagnosed(path) if one.resource}
        return [
            other
            for other in self._known
            if other == path or (names and any(one.resource in names for one in self._diagnosed(other)))
        ]

    def _diagnosed(self, path: str) -> list[Diagnostic]:
        return [*self._known[path].diagnostics, *self.across.of(path)]
