"""Report for test results: JUnit XML with a test case for every file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.report.interface import Run
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls

SUITE = "trialrun"
XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
INTERNAL_ERROR = "internal-error"
NO_FILES = "no files checked"
"""The case of a run without files: readers such as Jenkins refuse a report without cases."""


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one suite with a case for every file, including those without findings; `color` and `width` are ignored.

    A case has at most one failure, since viewers show only the first; it lists the findings that reach `fail_on`. The
    others are the output of the case, so that failures agree with the exit code.
    """
    found = {path: list(group) for path, group in groupby(run.diagnostics, key=lambda diagnostic: diagnostic.path)}
    failing = {path: [one for one in of_path if _is_failure(one, run)] for path, of_path in found.items()}
    paths = sorted({*run.files, *found}) or [NO_FILES]
    outcomes = [_outcome(failing.get(path, ())) for path in paths]
    counts = f'tests="{len(paths)}" failures="{outcomes.count("failure")}" errors="{outcomes.count("error")}"'
    yield XML_HEAD
    yield f'<testsuites name="{SUITE}" {counts}>\n'
    yield f'  <testsuite name="{SUITE}" {counts} skipped="0">\n'
    for path, outcome in zip(paths, outcomes, strict=True):
        head = f'    <testcase name="{escape_xml(path)}" classname="{SUITE}"'
        if path not in found:
            yield f"{head}/>\n"
            continue
        yield f"{head}>\n"
        if outcome:
            gravest = max(diagnostic.severity for diagnostic in failing[path])
            yield f'      <{outcome} type="{gravest.word}" message="{_failure_message(failing[path])}">'
            yield f"{_format_diagnostics(failing[path])}</{outcome}>\n"
        if others := [diagnostic for diagnostic in found[path] if not _is_failure(diagnostic, run)]:
            yield f"      <system-out>{_format_diagnostics(others)}</system-out>\n"
        yield "    </testcase>\n"
    if run.not_checked:
        lines = "\n".join(escape_xml(f"{gap.path}: not checked: {gap.what}: {gap.why}") for gap in run.not_checked)
        yield f"    <system-out>{lines}</system-out>\n"
    yield "  </testsuite>\n</testsuites>\n"


def _is_failure(diagnostic: Diagnostic, run: Run) -> bool:
    return diagnostic.severity >= run.fail_on or diagnostic.rule == INTERNAL_ERROR


def _outcome(failing: Sequence[Diagnostic]) -> str | None:
    """The XML element for a file with these failures; None if it passed."""
    if any(diagnostic.rule == INTERNAL_ERROR for diagnostic in failing):
        return "error"
    return "failure" if failing else None


def _failure_message(diagnostics: Sequence[Diagnostic]) -> str:
    """The message of the only finding, or the number of findings by severity."""
    if len(diagnostics) == 1:
        return escape_xml(f"{diagnostics[0].rule}: {diagnostics[0].message}")
    counts = [
        (severity, sum(diagnostic.severity == severity for diagnostic in diagnostics))
        for severity in reversed(Severity)
    ]
    return ", ".join(pluralize(count, severity.word) for severity, count in counts if count)


def _format_diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(escape_xml(format_diagnostic(diagnostic)) for diagnostic in diagnostics)


def format_diagnostic(diagnostic: Diagnostic) -> str:
    """The line of a finding."""
    start = diagnostic.range.start
    location = f"{diagnostic.path}:{start.line}:{start.column}"
    return f"{location}: {diagnostic.severity.word} {diagnostic.rule} {diagnostic.message}"


def escape_xml(text: str) -> str:
    """The text for XML; characters that XML 1.0 does not allow are shown as escapes."""
    return escape(escape_controls(text))
