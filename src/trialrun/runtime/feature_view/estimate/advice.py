"""When the embedded engine is not enough, and which settings would be."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.estimate.rates import rate
from trialrun.runtime.feature_view.estimate.resources import EngineEstimate, Resources
from trialrun.runtime.feature_view.source.table_size import Range
from trialrun.values.memory import format_bytes

GIGABYTE = 1_000_000_000
EXECUTOR_MEMORY = 4 * GIGABYTE
"""The memory of an executor of one core in advice."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the embedded engine would not be enough, certainly or perhaps; `kind` is what it lacks."""

    kind: str
    message: str


def embedded_problems(
    estimate: EngineEstimate,
    resources: Resources,
    interval: timedelta | None,
) -> Iterator[Problem]:
    """What the embedded engine lacks: memory, so that it spills; disk; time until the next run."""
    if estimate.seconds is None or estimate.disk is None or estimate.spilled is None:
        return
    if estimate.spilled.high:
        limit = format_bytes(resources.memory_limit)
        yield Problem(
            "memory", f"{_sure(estimate.spilled, 0)} needs more memory than memory-limit, {limit}, and spills"
        )
    if estimate.memory and estimate.memory.high > resources.most_memory:
        most = format_bytes(resources.most_memory)
        yield Problem(
            "machine", f"{_sure(estimate.memory, resources.most_memory)} needs more memory than a sync may take, {most}"
        )
    if estimate.spilled.high > resources.free_spill:
        yield Problem("disk", f"{_sure(estimate.spilled, resources.free_spill)} spills more than the disk has left")
    stored = estimate.disk.high - estimate.spilled.high
    if stored > resources.free_store:
        low = Range(estimate.disk.low - estimate.spilled.low, stored)
        yield Problem(
            "disk", f"{_sure(low, resources.free_store)} needs more room for the store than the disk has left"
        )
    if interval and estimate.seconds.high > (between := interval.total_seconds()):
        yield Problem("time", f"{_sure(estimate.seconds, between)} takes longer than the {between:,.0f} s between runs")


def _sure(estimate: Range, limit: float) -> str:
    return "it" if estimate.low > limit else "it perhaps"


def advise(problems: Sequence[Problem], resources: Resources, needed: Range, formats: Collection[str]) -> Iterator[str]:
    """Settings that would be enough: more memory and threads where the machine has them, else executors and a disk.

    `needed` is the memory of the statement in bytes, `formats` are those of the tables.
    """
    kinds = {problem.kind for problem in problems}
    outgrown = bool(kinds & {"disk", "machine"})
    if "memory" in kinds:
        if needed.high <= resources.most_memory:
            yield f'set memory-limit = "{_round_memory(needed.high, resources.most_memory)}" under [runtime]'
        else:
            outgrown = True
    if "time" in kinds:
        if "SQLite" in formats:
            yield "copy the table from SQLite into a Parquet file or a DuckDB table, and name that in the Source"
        if resources.threads < resources.most_threads:
            yield f"set threads = {resources.most_threads} under [runtime], or leave it out"
        else:
            outgrown = True
    if outgrown:
        executors = max(2, math.ceil(needed.high / (EXECUTOR_MEMORY * 0.6)), _equal_executors(resources))
        yield (
            f'name an engine alias of a Spark cluster under [runtime] (engine = "ALIAS"), with about {executors:,} '
            f"executors of one core and {format_bytes(EXECUTOR_MEMORY)}"
        )
    if "disk" in kinds:
        yield "free space on the disk, or serve from another store"


def _equal_executors(resources: Resources) -> int:
    """Executor cores that work as fast as this machine does; more are faster."""
    return math.ceil(resources.threads * rate("embedded-parquet") / rate("spark-statement"))


def _round_memory(size: float, most: int) -> str:
    """An amount of memory for a setting: whole gigabytes above the size, and not above the most."""
    return format_bytes(min(math.ceil(size / GIGABYTE) * GIGABYTE, most))
