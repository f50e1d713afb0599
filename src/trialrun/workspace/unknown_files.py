"""Files that a person named and that hold nothing of ours: nothing in them is checked, which is an error."""

from __future__ import annotations

from dataclasses import replace

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import ALWAYS_REPORTED, Report
from trialrun.lint.policy import is_policy
from trialrun.parser import read
from trialrun.workspace.lint_files import whole_file

RULE = "unknown-kind"
NOTHING = "nothing in this file is of a kind that is checked; add `kind:`, or leave the file out"


def require_documents(report: Report, data: bytes) -> None:
    """Make the report of a file without documents fail, unless it says already that the file could not be read.

    Files of policies are checked by `trialrun rules test`, and when they are used.
    """
    if any(one.rule in ALWAYS_REPORTED for one in report.diagnostics):
        return
    strays = [one for one in report.diagnostics if one.rule == RULE]
    if strays:
        report.diagnostics = [
            replace(one, severity=Severity.ERROR) if one.rule == RULE else one for one in report.diagnostics
        ]
    elif not any(is_policy(document.value) for document in read(data, report.path).documents):
        report.diagnostics.append(whole_file(RULE, Severity.ERROR, NOTHING, report.path))
