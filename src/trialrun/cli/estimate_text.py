"""What a sync would take, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from trialrun.cli.notes import LabelledLines

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.estimate.resources import EngineEstimate, StoreEstimate
    from trialrun.runtime.feature_view.estimate.sync_estimate import SyncEstimate
    from trialrun.runtime.feature_view.source.table_size import Range, TableSize

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
SHORTEST = 0.1
TIMES = ((86_400, "days"), (3_600, "h"), (60, "min"), (0, "s"))


def estimate_lines(estimate: SyncEstimate, page: LabelledLines) -> Iterator[str]:
    """The lines of an estimate: its sources, the entities, each engine and store, and what would be enough."""
    for table in estimate.tables:
        yield from page.line("rows", _table(table))
    yield from page.line("entities", f"{range_text(estimate.entities, _number)}: {estimate.entity_basis}")
    for number, engine in enumerate(estimate.engines):
        yield from page.line("" if number else "engine", f"{engine.engine}: {_engine(engine)}")
    for number, store in enumerate(estimate.stores):
        yield from page.line("" if number else "store", f"{store.store}: {_store(store)}")
    for problem in estimate.problems:
        yield from page.line("not enough", problem, "warning")
    for advice in estimate.advice:
        yield from page.line("would be", advice)


def _table(table: TableSize) -> str:
    size = f"{byte_size(table.file_bytes)} of {table.format}"
    if table.rows is None:
        return f"unknown: {table.basis}"
    return f"{range_text(table.rows, _number)} in {size}, from {table.basis}"


def byte_size(size: float) -> str:
    """Bytes for people: `8.07 kB`."""
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}"


def duration(seconds: float) -> str:
    """Seconds for people: `1.2 min`."""
    if seconds < SHORTEST:
        return f"under {SHORTEST:g} s"
    length, unit = next((length, unit) for length, unit in TIMES if seconds >= 2 * length)
    return f"{float(f'{seconds / (length or 1):.2g}'):g} {unit}"


def range_text(estimate: Range | None, text: Callable[[float], str]) -> str:
    """A range for people: one figure where both ends look alike, `unknown` where there is none."""
    if estimate is None:
        return "unknown"
    low, high = text(estimate.low), text(estimate.high)
    return low if low == high else f"{low} to {high}"


def _engine(engine: EngineEstimate) -> str:
    if engine.seconds is None:
        return "unknown, as the rows are"
    disk = f", {range_text(engine.disk, _size)} of disk" if engine.disk and engine.disk.high else ""
    return f"{range_text(engine.seconds, duration)}, {range_text(engine.memory, _size)} of memory{disk}"


def _store(store: StoreEstimate) -> str:
    if store.bytes is None:
        return "unknown, as the entities are"
    return f"{range_text(store.bytes, _size)}, {range_text(store.seconds, duration)}"


def _size(size: float) -> str:
    return byte_size(float(f"{size:.2g}"))


def _number(number: float) -> str:
    return f"{int(float(f'{number:.3g}')):,}" if number >= 10_000 else f"{number:,.0f}"
