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
    """The result of a check: `files` is the number of checked files, `documents` that of their resources.

    `paths` are these files as displayed; `skipped` counts files without documents of ours, and `not_checked` is what
    could not be checked. `suppressed` are the findings that suppressions hide, `suppression_statuses` the statuses of
    suppressions in these files and in the settings. `baselined` counts findings in the baseline. `workspaces` are the
    checked workspaces by root.
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
        """The result without the findings in a baseline."""
        if baseline is None:
            return self
        remaining = baseline.new_diagnostics(self.diagnostics)
        return replace(self, diagnostics=remaining, baselined=len(self.diagnostics) - len(remaining))
