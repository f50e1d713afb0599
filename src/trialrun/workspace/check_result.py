"""The result of a check: its diagnostics, and which files they are about."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, NotChecked, Suppressed
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings import Profiles

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.lint.suppression.suppressor import SuppressionStatus


@dataclass
class CheckResult:
    """What a check found: `files` counts those that were checked, `documents` the resources in them.

    `paths` are those files as a person would write them; `passed_over` counts the files that hold nothing of ours, and
    `not_checked` is what could not be checked although it is ours. `suppressed` is what was found as well and is not
    reported, `standings` are the suppressions in these files and in the settings. `baselined` counts the findings that
    are not told because the baseline has them. `workspaces` are those that were checked, by their roots.
    """

    files: int = 0
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    has_internal_error: bool = False
    paths: list[str] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    suppression_statuses: list[SuppressionStatus] = field(default_factory=list)
    baselined: int = 0
    skipped: int = 0
    not_checked: list[NotChecked] = field(default_factory=list)
    workspaces: list[tuple[str, Profiles]] = field(default_factory=list)

    def without_baseline(self, baseline: Baseline | None) -> CheckResult:
        """The outcome without what a baseline has."""
        if baseline is None:
            return self
        told = baseline.new_diagnostics(self.diagnostics)
        return replace(self, diagnostics=told, baselined=len(self.diagnostics) - len(told))
