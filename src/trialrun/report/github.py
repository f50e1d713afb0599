"""Report for GitHub: workflow commands, which become annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from trialrun.diagnostic import Diagnostic, Range, Severity
from trialrun.report.color import painter
from trialrun.report.interface import Run, normalize_path
from trialrun.report.summary import pluralize, summary
from trialrun.report.terminal_width import escape_controls
from trialrun.repository import paths_from_top

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
MAX_ANNOTATIONS = 10
"""Number of annotations of one severity that GitHub shows for a step; further ones are only in the log."""
UNLIMITED_WIDTH = 10_000


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write a command for every finding, and the summary as a log line; `color` and `width` are ignored.

    In the log only the message of a command is visible, so it starts with the location and the rule.
    """
    if limited := "; ".join(_omitted_counts(run)):
        yield f"::notice title=trialrun::{escape_data(f'{limited}; the log of this step lists all')}\n"
    from_top = paths_from_top()
    for diagnostic in run.diagnostics:
        path, message = from_top(diagnostic.path), _message(diagnostic, from_top)
        yield workflow_command(COMMANDS[diagnostic.severity], path, diagnostic.range, diagnostic.rule, message)
    yield summary(run, paint=painter(color=False), width=UNLIMITED_WIDTH)


def _omitted_counts(run: Run) -> Iterator[str]:
    """A note about severities with more findings than GitHub shows; it comes first and counts as a note itself."""
    counts = Counter(diagnostic.severity for diagnostic in run.diagnostics)
    for severity in sorted(counts, reverse=True):
        if counts[severity] > MAX_ANNOTATIONS:
            limit = MAX_ANNOTATIONS - 1 if severity is Severity.NOTE else MAX_ANNOTATIONS
            yield f"GitHub shows {limit} of {pluralize(counts[severity], severity.word)}"


def workflow_command(name: str, path: str, place: Range, title: str, message: str) -> str:
    """The line that makes an annotation of a file."""
    properties = {"file": normalize_path(path), **_range_properties(place), "title": title}
    written = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
    return f"::{name} {written}::{escape_data(message)}\n"


def _range_properties(place: Range) -> dict[str, str]:
    """Lines and columns; GitHub ignores annotations with columns on more than one line."""
    start, end = place.start, place.end
    if start.line != end.line:
        return {"line": str(start.line), "endLine": str(end.line)}
    columns = {"col": str(start.column), "endColumn": str(max(start.column, end.column))}
    return {"line": str(start.line), "endLine": str(end.line), **columns}


def _message(diagnostic: Diagnostic, from_top: Callable[[str], str]) -> str:
    start = diagnostic.range.start
    lines = [f"{from_top(diagnostic.path)}:{start.line}:{start.column}: {diagnostic.rule} {diagnostic.message}"]
    for related in diagnostic.related:
        position = related.range.start
        lines.append(f"{from_top(related.path)}:{position.line}:{position.column}: {related.message}")
    if diagnostic.help:
        lines += diagnostic.help.split("\n")
    return "\n".join(escape_controls(line) for line in lines)


def escape_data(text: str) -> str:
    """The text as the data of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(value: str) -> str:
    """The text as a property of a workflow command."""
    return escape_data(escape_controls(value)).replace(":", "%3A").replace(",", "%2C")
