"""The table of `--statistics`: the number of findings by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trialrun.diagnostic import Severity
from trialrun.report.color import painter, severity_style
from trialrun.report.interface import Run
from trialrun.report.summary import summary
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of

HEADER = ("count", "severity", "rule", "fixable")


def statistics(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write a line for every rule and severity, most frequent first, and the summary.

    `fixable` counts the findings with a fix, safe or unsafe.
    """
    paint = painter(color=color)
    rows = list(_rows(run))
    if rows:
        digits = len(HEADER[0])
        longest = max(len(HEADER[2]), *(width_of(rule) for _, _, rule, _ in rows))
        yield f"{HEADER[0]}  {HEADER[1]}  {HEADER[2]:<{longest}}  {HEADER[3]}\n"
        for count, severity, rule, fixable in rows:
            word = paint(severity.word, severity_style(severity)) + " " * (len(HEADER[1]) - len(severity.word))
            name = paint(rule, "rule") + " " * (longest - width_of(rule))
            yield f"{count:>{digits}}  {word}  {name}  {fixable or '-':>{len(HEADER[3])}}\n"
        yield "\n"
    yield summary(run, paint=paint, width=width)


def _rows(run: Run) -> Iterator[tuple[int, Severity, str, int]]:
    counts = Counter((diagnostic.severity, escape_controls(diagnostic.rule)) for diagnostic in run.diagnostics)
    fixable = Counter(
        (diagnostic.severity, escape_controls(diagnostic.rule)) for diagnostic in run.diagnostics if diagnostic.fix
    )
    for severity, rule in sorted(counts, key=lambda key: (-counts[key], -key[0], key[1])):
        yield counts[severity, rule], severity, rule, fixable[severity, rule]
