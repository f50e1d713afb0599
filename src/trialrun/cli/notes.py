"""Notes printed next to a result: findings in the data, checks that were not made, and what was assumed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.report.color import Paint, Style
from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import escape_controls, wrap_text

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.data_finding import DataFinding

INDENT = "  "
CLAUSE = re.compile(r"(?:[^;(]|\([^)]*\)|\()*")
"""What is before the first semicolon that is not in parentheses."""
LABEL = 13
"""The cells of what a line is about."""


class LabelledLines:
    """Lines that begin with what they are about, broken to a width."""

    def __init__(self, width: int, paint: Paint) -> None:
        self.width = width
        self.paint = paint

    def line(self, label: str, text: str, style: Style | None = None) -> Iterator[str]:
        """The lines of a text beside its label."""
        room = max(self.width - LABEL - len(INDENT), 20)
        for number, part in enumerate(wrap_text(escape_controls(text), first=room, rest=room)):
            shown = self.paint(part, style) if style else part
            yield f"{INDENT}{self.paint(f'{label:<{LABEL}}', 'help') if number == 0 else ' ' * LABEL}{shown}\n"


def result_notes(findings: Sequence[DataFinding], skipped: Sequence[DataFinding], page: LabelledLines) -> Iterator[str]:
    """What is to be reported beside the result: findings in the data, and checks that were not made."""
    for finding in findings:
        yield from page.line("data", f"{finding.message} [{finding.code}]", "warning")
        for example in finding.examples:
            room = page.width - LABEL - 2 * len(INDENT)
            yield f"{INDENT}{' ' * LABEL}{page.paint('-', 'gutter')} {truncate(example, room)}\n"
    for check in skipped:
        yield from page.line("not checked", f"{check.code}: {check.message}")


def assumption_notes(assumptions: Sequence[str], *, width: int, paint: Paint) -> Iterator[str]:
    """The rows of docs/assumptions.md that answers rest on: what is silent, and the first clause of what was chosen."""
    from trialrun.documentation import assumptions as rows

    if assumptions:
        yield paint("assumed", "rule") + "  " + paint("trialrun docs assumptions explains why", "gutter") + "\n"
    for row in assumptions:
        silent, chosen = rows().get(row, ("see the page", "trialrun docs assumptions"))[:2]
        match = CLAUSE.match(f"{silent}: {chosen}")
        text = f"{row}  {escape_controls(match[0] if match else '')}"
        lines = wrap_text(text, first=width - len(INDENT), rest=width - 2 * len(INDENT))
        yield from (f"{INDENT * (2 if number else 1)}{line}\n" for number, line in enumerate(lines))


def assumption_rows(assumptions: Sequence[str], *, width: int, paint: Paint) -> Iterator[str]:
    """The rows of docs/assumptions.md that an answer rests on, by their ids."""
    if assumptions:
        words = f"assumed: {', '.join(assumptions)}"
        yield from (paint(line, "gutter") + "\n" for line in wrap_text(words, first=width, rest=width))
