"""The report for people: every finding with the lines that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from trialrun.report.cells import without_commands
from trialrun.report.color import Paint, painter
from trialrun.report.interface import Run
from trialrun.report.summary import summary


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write every finding, an empty line after each, and the summary, all in `width` columns.

    Only words and paths that are wider themselves go beyond. Colours say nothing that words do not.
    """
    paint = painter(color=color)
    if run.diagnostics:
        yield from _findings(run, paint=paint, width=width)
    yield summary(run, paint=paint, width=width)


def _findings(run: Run, *, paint: Paint, width: int) -> Iterator[str]:
    from trialrun.report.finding import Page, finding  # a check that finds nothing does not wait for it

    page = Page(lru_cache(maxsize=16)(run.sources), width, paint)
    for diagnostic in run.diagnostics:
        yield without_commands("\n".join([*finding(diagnostic, page), "", ""]))
