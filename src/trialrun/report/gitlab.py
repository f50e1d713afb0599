"""Report for GitLab: a list of code quality issues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Diagnostic, Severity
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
        yield f"{separator}\n  {json_text(_issue(diagnostic, from_top(diagnostic.path)))}"
        separator = ","
    yield "\n]\n" if run.diagnostics else "[]\n"


def _issue(diagnostic: Diagnostic, path: str) -> dict[str, Any]:
    start, end = diagnostic.range.start, diagnostic.range.end
    return {
        "type": "issue",
        "check_name": diagnostic.rule,
        "description": escape_controls(diagnostic.message),
        "severity": SEVERITIES[diagnostic.severity],
        "fingerprint": diagnostic.fingerprint,
        "location": {"path": printable_path(path), "lines": {"begin": start.line, "end": end.line}},
    }
