"""The summary line of text reports, and the table of `--statistics`: the number of findings by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trialrun.report.color import Paint, Style, painter, severity_style
from trialrun.report.interface import Run
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of


def summary(run: Run, *, paint: Paint, width: int) -> str:
    """The number of findings and fixable findings, or that there are none. Ends with a line break."""
    outcome = _format_counts(run) if run.diagnostics else _format_clean(run)
    if run.summary.fixed is not None:
        findings, files = run.summary.fixed
        fixed = f"{pluralize(findings, 'finding')} fixed in {pluralize(files, 'file')}" if findings else "nothing fixed"
        outcome = f"{fixed}; {outcome}"
    aside = "; ".join(_remarks(run))
    lines = wrap_text(f"{outcome} ({aside})" if aside else outcome, first=width, rest=width)
    worst = max((diagnostic.severity for diagnostic in run.diagnostics), default=None)
    style: Style = severity_style(worst) if worst else "clean"
    return "\n".join(paint(line, style) for line in lines) + "\n"


def pluralize(number: int, noun: str) -> str:
    """A number and its noun, `1 file` or `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _format_clean(run: Run) -> str:
    files, documents = run.summary.files, run.summary.documents
    if not files:
        return "no files checked"
    several = f"{pluralize(documents, 'document')} in " if documents > files else ""
    return f"{several}{pluralize(files, 'file')} checked, nothing found"


def _format_counts(run: Run) -> str:
    summary = run.summary
    numbers = (summary.errors, "error"), (summary.warnings, "warning"), (summary.notes, "note")
    what = ", ".join(pluralize(number, noun) for number, noun in numbers if number)
    places = len({diagnostic.path for diagnostic in run.diagnostics})
    where = f"{places} of {pluralize(summary.files, 'file')}" if places < summary.files else pluralize(places, "file")
    return f"{what} in {where}"


def _remarks(run: Run) -> Iterator[str]:
    fixes = [diagnostic.fix.safe for diagnostic in run.diagnostics if diagnostic.fix]
    if fixes:
        safe = sum(fixes)
        unsafe = len(fixes) - safe
        more = f", {unsafe} more with --unsafe-fixes" if unsafe else ""
        yield f"{safe} fixable with --fix{more}" if safe else f"{unsafe} fixable with --unsafe-fixes"
    if run.summary.suppressed:
        yield f"{run.summary.suppressed} suppressed"
    if run.summary.baselined:
        yield f"{run.summary.baselined} in the baseline"
    if run.summary.passed_over:
        yield f"{pluralize(run.summary.passed_over, 'file')} skipped: unknown kind"
    if run.not_checked:
        yield f"{len(run.not_checked)} not checked"


HEADER = ("count", "severity", "rule", "fixable")


def statistics(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write a line for every rule and severity, most frequent first, and the summary.

    `fixable` counts the findings with a fix, safe or unsafe.
    """
    paint = painter(color=color)
    found = [(diagnostic, (diagnostic.severity, escape_controls(diagnostic.rule))) for diagnostic in run.diagnostics]
    counts = Counter(key for _, key in found)
    fixable = Counter(key for diagnostic, key in found if diagnostic.fix)
    if counts:
        digits = len(HEADER[0])
        longest = max(len(HEADER[2]), *(width_of(rule) for _, rule in counts))
        yield f"{HEADER[0]}  {HEADER[1]}  {HEADER[2]:<{longest}}  {HEADER[3]}\n"
        for severity, rule in sorted(counts, key=lambda key: (-counts[key], -key[0], key[1])):
            word = paint(severity.word, severity_style(severity)) + " " * (len(HEADER[1]) - len(severity.word))
            name = paint(rule, "rule") + " " * (longest - width_of(rule))
            fixes = fixable[severity, rule] or "-"
            yield f"{counts[severity, rule]:>{digits}}  {word}  {name}  {fixes:>{len(HEADER[3])}}\n"
        yield "\n"
    yield summary(run, paint=paint, width=width)
