"""Input of the reporters: the result of a check, with the texts of its rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.outputs.rule_text import rule_text
from trialrun.report.interface import RuleText, Run, Summary
from trialrun.version import HOME_PAGE, __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.lint.policy import Policies
    from trialrun.workspace import CheckRequest, CheckResult


def _rule_text(policies: Sequence[Policies], rule_id: str) -> RuleText | None:
    """The text of a rule, or of a policy of any of the workspaces."""
    return next((text for workspace_policies in policies if (text := rule_text(rule_id, workspace_policies))), None)


def report_run(request: CheckRequest, outcome: CheckResult, fail_on: str) -> Run:
    """The run of a check; `fail_on` is the word of the severity from which findings count as a failure."""
    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for diagnostic in outcome.diagnostics:
        counts[diagnostic.severity.word] += 1
    summary = Summary(
        outcome.files,
        outcome.documents,
        counts["error"],
        counts["warning"],
        counts["note"],
        suppressed=len(outcome.suppressed),
        baselined=outcome.baselined,
        passed_over=outcome.skipped,
    )
    return Run(
        outcome.diagnostics,
        request.source,
        summary,
        __version__,
        suppressed=outcome.suppressed,
        files=outcome.paths,
        rules=partial(_rule_text, [profile.policies for profile in outcome.profiles or [request.profiles]]),
        fail_on=Severity[fail_on.upper()],
        has_internal_error=outcome.has_internal_error,
        home=HOME_PAGE,
        not_checked=outcome.not_checked,
    )
