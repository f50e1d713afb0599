"""One line for every finding, as compilers and grep write them."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.diagnostic import Diagnostic
from trialrun.report.color import Paint, painter, severity_style
from trialrun.report.interface import Run
from trialrun.report.summary import summary
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write `path:line:column: severity rule-id message` lines, never broken, and the summary in `width` columns."""
    paint = painter(color=color)
    for diagnostic in run.diagnostics:
        yield disarm_ci_commands(_line(diagnostic, paint))
    yield summary(run, paint=paint, width=width)


def line_of(diagnostic: Diagnostic) -> str:
    """The line of a finding without colors."""
    return disarm_ci_commands(_line(diagnostic, painter(color=False))).rstrip("\n")


def _line(diagnostic: Diagnostic, paint: Paint) -> str:
    start, severity = diagnostic.range.start, diagnostic.severity
    where = paint(f"{escape_controls(diagnostic.path)}:{start.line}:{start.column}", "place")
    what = f"{paint(severity.word, severity_style(severity))} {paint(escape_controls(diagnostic.rule), 'rule')}"
    return f"{where}: {what} {escape_controls(diagnostic.message)}\n"
