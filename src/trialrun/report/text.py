"""The report for people: every finding with the lines that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from trialrun.diagnostic import NotChecked
from trialrun.report.color import Paint, painter
from trialrun.report.interface import Run
from trialrun.report.summary import summary
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls, wrap_text

MAX_NOT_CHECKED = 10
"""The most that is listed of what could not be checked; there may be as much of it as there are Sources."""
INDENT = 2


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write every finding, an empty line after each, and the summary, all in `width` columns.

    Only words and paths that are wider themselves go beyond. Colours say nothing that words do not.
    """
    paint = painter(color=color)
    if run.diagnostics:
        yield from _findings(run, paint=paint, width=width)
    if run.not_checked:
        yield disarm_ci_commands("".join(f"{line}\n" for line in _not_checked(run.not_checked, width)))
    yield summary(run, paint=paint, width=width)


def _not_checked(gaps: Sequence[NotChecked], width: int) -> Iterator[str]:
    """What could not be checked, and why: the first of it, and an empty line."""

    yield "not checked:"
    for gap in gaps[:MAX_NOT_CHECKED]:
        text = escape_controls(f"{gap.path}: {gap.what}: {gap.why}")
        first, *others = wrap_text(text, first=width - INDENT, rest=width - 2 * INDENT)
        yield " " * INDENT + first
        yield from (" " * 2 * INDENT + line for line in others)
    if len(gaps) > MAX_NOT_CHECKED:
        yield f"{' ' * INDENT}{len(gaps) - MAX_NOT_CHECKED} more; --output-format json lists all"
    yield ""


def _findings(run: Run, *, paint: Paint, width: int) -> Iterator[str]:
    from trialrun.report.code_frame import TextOutput, format_finding  # a check that finds nothing does not wait for it

    page = TextOutput(lru_cache(maxsize=16)(run.sources), width, paint)
    for diagnostic in run.diagnostics:
        yield disarm_ci_commands("\n".join([*format_finding(diagnostic, page), "", ""]))
