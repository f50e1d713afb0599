"""Applies all safe fixes to an open text; the workspace is not changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trialrun.working_folder import absolute_path
from trialrun.workspace.check import ResultAccumulator
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.fix_loop import FixedFile, fix_until_stable
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.session_schemas import may_declare

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace.open_workspace import OpenWorkspace


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
    linting = FileLinter(live.request, files) if declares else live.linter.for_files(files)
    looked = ResultAccumulator()
    for report in linting.lint([DiscoveredFile(path, path)], declared=live.declared_kinds):
        looked.add(report)
    return looked.to_result(linting, whole=False).without_baseline(live.request.baseline)
