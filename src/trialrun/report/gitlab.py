"""Report for GitLab: a list of code quality issues."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.diagnostic import Severity
from trialrun.report.interface import Run, printable_path
from trialrun.report.json import json_text
from trialrun.report.terminal_width import escape_controls
from trialrun.repository import paths_from_top

SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write a list with a line for every finding; `color` and `width` are ignored.

    GitLab shows issues with the same fingerprint only once; those of a run are unique.
    """
    separator, from_top = "[", paths_from_top()
    for diagnostic in run.diagnostics:
        start, end = diagnostic.range.start, diagnostic.range.end
        path = printable_path(from_top(diagnostic.path))
        issue = {
            "type": "issue",
            "check_name": diagnostic.rule,
            "description": escape_controls(diagnostic.message),
            "severity": SEVERITIES[diagnostic.severity],
            "fingerprint": diagnostic.fingerprint,
            "location": {"path": path, "lines": {"begin": start.line, "end": end.line}},
        }
        yield f"{separator}\n  {json_text(issue)}"
        separator = ","
    yield "\n]\n" if run.diagnostics else "[]\n"
