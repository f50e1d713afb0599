"""What was synced, or would be, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.cli.notes import INDENT, Page, asides
from trialrun.report.color import Paint
from trialrun.report.format_value import shown_moment
from trialrun.report.summary import counted
from trialrun.report.table import joined, listed
from trialrun.report.terminal_width import visible

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.plan import Plan
    from trialrun.runtime.feature_view.store.interface import Counts
    from trialrun.runtime.feature_view.sync import SyncReport

UNITS = ("bytes", "kB", "MB", "GB", "TB")


def report_text(title: str, report: SyncReport, at: datetime | None, *, width: int, paint: Paint) -> Iterator[str]:
    """The block of a view that was synced."""
    counts, page = report.counts, Page(width, paint)
    yield f"{paint(visible(title), 'rule')}  {paint(f'synced {shown_moment(at)}' if at else '', 'gutter')}\n"
    yield from page.line("read", f"{_many(counts.read, 'row')}, {_size(report.bytes)} of files")
    yield from page.line("served", _served(counts), "clean")
    yield from page.line("took", _took(report))
    yield from asides(report.findings, report.skipped, page)
    yield "\n"


def plan_text(title: str, plan: Plan, *, width: int, paint: Paint) -> Iterator[str]:
    """The block of a view that a sync was planned of."""
    page = Page(width, paint)
    yield f"{paint(visible(title), 'rule')}  {paint('nothing is read or served', 'gutter')}\n"
    yield f"{INDENT}{paint('statement', 'help')}\n"
    yield from (f"{INDENT * 2}{visible(line)}\n" for line in plan.statement.splitlines())
    yield f"{INDENT}{paint('columns', 'help')}\n"
    yield from _columns(plan, width)
    for number, check in enumerate(plan.checks):
        yield from page.line("" if number else "checked", check)
    yield from asides(plan.findings, plan.skipped, page)
    yield "\n"


def _many(number: int, noun: str) -> str:
    """A number with separators, and its noun: `12,000 rows`."""
    return counted(number, noun).replace(str(number), f"{number:,}", 1)


def _served(counts: Counts) -> str:
    changes = (counts.new, "new"), (counts.changed, "changed"), (counts.unchanged, "unchanged")
    told = [f"{number:,} {word}" for number, word in changes if number]
    told += [f"{counts.vanished:,} vanished from the source"] if counts.vanished else []
    entities = f"{counts.entities:,} {'entity' if counts.entities == 1 else 'entities'}"
    return f"{entities}: {', '.join(told)}" if told else entities


def _took(report: SyncReport) -> str:
    rate = report.counts.entities / max(report.seconds, 0.001)
    return f"{report.seconds:.2f} s, {rate:,.0f} entities a second"


def _size(bytes_: float) -> str:
    unit = 0
    while bytes_ >= 1000 and unit < len(UNITS) - 1:
        bytes_, unit = bytes_ / 1000, unit + 1
    return f"{bytes_:.3g} {UNITS[unit]}"


def _columns(plan: Plan, width: int) -> Iterator[str]:
    keys = [[one.name, one.shown, "entity id"] for one in plan.layout.keys]
    rows = [*keys, *([one.name, one.shown, ""] for one in plan.layout.features)]
    for cells in listed(rows, width=width - 2 * len(INDENT)):
        yield f"{INDENT * 2}{joined(cells)}\n"
