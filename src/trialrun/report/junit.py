"""Report for test results: JUnit XML with a test case for every file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.report.interface import Run
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls

SUITE = "trialrun"
INTERNAL_ERROR = "internal-error"


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A file with its findings: a failure, or an error if an internal error occurred."""

    path: str
    failing: Sequence[Diagnostic]
    others: Sequence[Diagnostic]

    @property
    def outcome(self) -> str | None:
        """The XML element for the outcome; None if it passed."""
        if any(diagnostic.rule == INTERNAL_ERROR for diagnostic in self.failing):
            return "error"
        return "failure" if self.failing else None


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one suite with a case for every file, including those without findings; `color` and `width` are ignored.

    A case has at most one failure, since viewers show only the first; it lists the findings that reach `fail_on`. The
    others are the output of the case, so that failures agree with the exit code.
    """
    cases = list(_cases(run))
    ends = [case.outcome for case in cases]
    counts = f'tests="{len(cases)}" failures="{ends.count("failure")}" errors="{ends.count("error")}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="{SUITE}" {counts}>\n'
    yield f'  <testsuite name="{SUITE}" {counts} skipped="0">\n'
    for case in cases:
        yield from _case_xml(case)
    if run.not_checked:
        lines = "\n".join(
            _escape_xml(f"{not_checked.path}: not checked: {not_checked.what}: {not_checked.why}")
            for not_checked in run.not_checked
        )
        yield f"    <system-out>{lines}</system-out>\n"
    yield "  </testsuite>\n</testsuites>\n"


def _cases(run: Run) -> Iterator[JUnitCase]:
    diagnostics_by_path = {
        path: list(group) for path, group in groupby(run.diagnostics, key=lambda diagnostic: diagnostic.path)
    }
    for path in sorted({*run.files, *diagnostics_by_path}):
        diagnostics = diagnostics_by_path.get(path, [])
        failing = [diagnostic for diagnostic in diagnostics if _is_failure(diagnostic, run)]
        yield JUnitCase(path, failing, [diagnostic for diagnostic in diagnostics if not _is_failure(diagnostic, run)])


def _is_failure(diagnostic: Diagnostic, run: Run) -> bool:
    return diagnostic.severity >= run.fail_on or diagnostic.rule == INTERNAL_ERROR


def _case_xml(case: JUnitCase) -> Iterator[str]:
    head = f'    <testcase name="{_escape_xml(case.path)}" classname="{SUITE}"'
    if not case.failing and not case.others:
        yield f"{head}/>\n"
        return
    yield f"{head}>\n"
    if case.outcome:
        gravest = max(diagnostic.severity for diagnostic in case.failing)
        yield f'      <{case.outcome} type="{gravest.word}" message="{_failure_message(case.failing)}">'
        yield f"{_format_diagnostics(case.failing)}</{case.outcome}>\n"
    if case.others:
        yield f"      <system-out>{_format_diagnostics(case.others)}</system-out>\n"
    yield "    </testcase>\n"


def _failure_message(diagnostics: Sequence[Diagnostic]) -> str:
    """The message of the only finding, or the number of findings by severity."""
    if len(diagnostics) == 1:
        return _escape_xml(f"{diagnostics[0].rule}: {diagnostics[0].message}")
    counts = [
        (severity, sum(diagnostic.severity == severity for diagnostic in diagnostics))
        for severity in reversed(Severity)
    ]
    return ", ".join(pluralize(count, severity.word) for severity, count in counts if count)


def _format_diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(_escape_xml(_format_diagnostic(diagnostic)) for diagnostic in diagnostics)


def _format_diagnostic(diagnostic: Diagnostic) -> str:
    start = diagnostic.range.start
    location = f"{diagnostic.path}:{start.line}:{start.column}"
    return f"{location}: {diagnostic.severity.word} {diagnostic.rule} {diagnostic.message}"


def _escape_xml(text: str) -> str:
    """The text for XML; characters that XML 1.0 does not allow are shown as escapes."""
    return escape(escape_controls(text))
