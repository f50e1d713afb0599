"""Tries other texts in a copy of an open workspace: those of a rename, and those of all safe fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.working_folder import absolute_path
from trialrun.workspace.check import CheckResult, ResultAccumulator
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.fix_loop import FixedFile, fix_until_stable
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.open_workspace.catalog_cache import share
from trialrun.workspace.session_schemas import may_declare

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace.open_workspace import OpenWorkspace


New = Callable[[Sequence["Diagnostic"], Sequence["Diagnostic"]], Iterable["Diagnostic"]]
"""A function that returns the new findings, given those before and after."""


def with_texts(live: OpenWorkspace, texts: Mapping[str, bytes]) -> OpenWorkspace:
    """A copy of the workspace in which some files, by absolute path, have other texts."""
    after = live.copy()
    share(live, after)
    for file, data in texts.items():
        after.set_overlay(file, data)
    return after


def new_findings(live: OpenWorkspace, texts: Mapping[str, bytes], new: New) -> Diagnostic | None:
    """A finding that only exists if some files have other texts; None if there is none.

    Only these files are linted, and rules across files are run again if their facts change. Files that have not been
    linted yet are left out, and so are conditions of other files that use types declared in these. Locations and
    suppressions are computed only for new findings.
    """
    before, after = live.copy(), with_texts(live, texts)
    for open_workspace in (before, after):
        open_workspace.lint(texts)
    rules = after.changed_rules(before, texts)
    if not list(new(before.findings_of(texts, rules), after.findings_of(texts, rules))):
        return None
    for one in (before, after):
        one.run_workspace_rules()
    return next(iter(new(_all_findings(before), _all_findings(after))), None)


def _all_findings(live: OpenWorkspace) -> list[Diagnostic]:
    return [entry for diagnostic in live.all_diagnostics().values() for entry in diagnostic]


def fixed_text(live: OpenWorkspace, path: str) -> FixedFile | None:
    """A file with all safe fixes applied, as by `check --fix`; None if there is nothing to fix.

    Each round lints only this text: findings across files have no safe fixes.
    """

    def check(texts: Mapping[str, bytes]) -> CheckResult:
        if path in texts:
            return _outcome(live, path, texts[path])
        return CheckResult(diagnostics=live.diagnostics(path, with_fixes=True))

    return next(iter(fix_until_stable(check, live.files.bytes_of, unsafe=False).files), None)


def _outcome(live: OpenWorkspace, path: str, data: bytes) -> CheckResult:
    """The findings in a file with other bytes."""
    files = live.files.with_overlay({**live.files.overlay, absolute_path(path): data})
    declares = may_declare(data, live.request.profiles.kind_by_glob(path))
    linter = FileLinter(live.request, files) if declares else live.linter.for_files(files)
    looked = ResultAccumulator()
    for result in linter.lint([DiscoveredFile(path, path)], declared=live.declared_kinds):
        looked.add(result)
    return looked.to_result(linter, whole=False).without_baseline(live.request.baseline)
