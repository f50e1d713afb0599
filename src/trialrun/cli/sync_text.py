"""What was synced, or would be, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.cli.notes import INDENT, LabelledLines, result_notes
from trialrun.report.color import Paint
from trialrun.report.format_value import format_timestamp
from trialrun.report.summary import pluralize
from trialrun.report.table import align_if_wide_enough, join_cells
from trialrun.report.terminal_width import escape_controls

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.plan import SyncPlan
    from trialrun.runtime.feature_view.source.table_size import Range, TableSize
    from trialrun.runtime.feature_view.store.interface import SyncCounts
    from trialrun.runtime.feature_view.sync import SyncReport, SyncSize

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def report_text(title: str, report: SyncReport, at: datetime | None, *, width: int, paint: Paint) -> Iterator[str]:
    """The block of a view that was synced."""
    counts, page = report.counts, LabelledLines(width, paint)
    yield (
        f"{paint(escape_controls(title), 'rule')}  {paint(f'synced {format_timestamp(at)}' if at else '', 'gutter')}\n"
    )
    yield from page.line("read", f"{_count_text(counts.read, 'row')}, {byte_size(report.bytes)} of files")
    yield from page.line("served", _served(counts), "clean")
    yield from page.line("took", _duration(report))
    yield from result_notes(report.findings, report.skipped, page)
    yield "\n"


def plan_text(title: str, plan: SyncPlan, size: SyncSize, *, width: int, paint: Paint) -> Iterator[str]:
    """The block of a view that a sync was planned of."""
    page = LabelledLines(width, paint)
    yield f"{paint(escape_controls(title), 'rule')}  {paint('nothing is read or served', 'gutter')}\n"
    yield f"{INDENT}{paint('statement', 'help')}\n"
    yield from (f"{INDENT * 2}{escape_controls(line)}\n" for line in plan.statement.text.splitlines())
    yield f"{INDENT}{paint('columns', 'help')}\n"
    yield from _columns(plan, width)
    for number, check in enumerate(plan.checks):
        yield from page.line("" if number else "checked", check)
    yield from result_notes(plan.findings, plan.skipped, page)
    for table in size.tables:
        yield from page.line("rows", _table_size(table))
    known = "" if size.bytes is None else f", {_range_text(size.bytes, _rounded_size)} in their latest rows"
    yield from page.line("entities", f"{_range_text(size.entities, _number)}{known}: {size.entity_basis}")
    if size.problem:
        yield from page.line("not enough", size.problem, "warning")
        yield from page.line("would be", size.advice)
    yield "\n"


def _table_size(table: TableSize) -> str:
    if table.rows is None:
        return f"unknown: {table.basis}"
    size = f"{byte_size(table.file_bytes)} of {table.format}"
    return f"{_range_text(table.rows, _number)} in {size}, from {table.basis}"


def byte_size(size: float) -> str:
    """Bytes for people: `8.07 kB`."""
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}"


def _range_text(range: Range | None, text: Callable[[float], str]) -> str:
    """A range for people: one figure where both ends look alike, `unknown` where there is none."""
    if range is None:
        return "unknown"
    low, high = text(range.low), text(range.high)
    return low if low == high else f"{low} to {high}"


def _rounded_size(size: float) -> str:
    return byte_size(float(f"{size:.2g}"))


def _number(number: float) -> str:
    return f"{int(float(f'{number:.3g}')):,}" if number >= 10_000 else f"{number:,.0f}"


def _count_text(number: int, noun: str) -> str:
    """A number with separators, and its noun: `12,000 rows`."""
    return pluralize(number, noun).replace(str(number), f"{number:,}", 1)


def _served(counts: SyncCounts) -> str:
    changes = (counts.new, "new"), (counts.changed, "changed"), (counts.unchanged, "unchanged")
    parts = [f"{number:,} {word}" for number, word in changes if number]
    parts += [f"{counts.vanished:,} vanished from the source"] if counts.vanished else []
    entities = f"{counts.entities:,} {'entity' if counts.entities == 1 else 'entities'}"
    return f"{entities}: {', '.join(parts)}" if parts else entities


def _duration(report: SyncReport) -> str:
    rate = report.counts.entities / max(report.seconds, 0.001)
    return f"{report.seconds:.2f} s, {rate:,.0f} entities a second"


def _columns(plan: SyncPlan, width: int) -> Iterator[str]:
    keys = [[key.name, key.type_text, "entity id"] for key in plan.layout.keys]
    rows = [*keys, *([feature.name, feature.type_text, ""] for feature in plan.layout.features)]
    for cells in align_if_wide_enough(rows, width=width - 2 * len(INDENT)):
        yield f"{INDENT * 2}{join_cells(cells)}\n"
