"""What a sync would take on each engine and in each store, and which settings would be enough: ranges, no promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.estimate.advice import advise, embedded_problems
from trialrun.runtime.feature_view.estimate.rates import rate, width_factor
from trialrun.runtime.feature_view.estimate.resources import EngineEstimate, Executors, Resources, StoreEstimate
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.table_size import Range, TableSize, table_size
from trialrun.runtime.options import Options

CLOCK_MARGIN = 1.5
"""Another machine may be so much faster or slower than the one of the rates."""
SNAPSHOT_MARGIN = 1.25
"""There may be so many times more or fewer entities than are served now."""
SPARK_MEMORY_SHARE = 0.6
"""The share of an executor's memory that Spark gives to rows; an assumption, its default."""
PARTITION_BYTES = 128_000_000
"""Bytes of rows in a partition that one core handles at a time; Spark's default for files."""
MEBIBYTE = 1024 * 1024
RATE_NAMES = {name: f"embedded-{name.lower()}" for name in ("Parquet", "CSV", "JSON", "DuckDB", "SQLite")} | {
    "Iceberg": "embedded-parquet"
}
"""The rate of each format of a table; those of Iceberg are Parquet files."""


@dataclass(frozen=True)
class SyncEstimate:
    """The estimate of a sync: of its tables, their rows, the entities and the bytes that they have.

    `entities` is at most the rows, and nearer where something says so; `entity_basis` says what. Each is None where
    nothing short of reading the rows would tell, and so are the figures of `engines` and `stores`. `problems` says
    why the embedded engine would not be enough, `advice` which settings would be.
    """

    tables: tuple[TableSize, ...]
    rows: Range | None
    entities: Range | None
    entity_basis: str
    row_width: float
    engines: tuple[EngineEstimate, ...]
    stores: tuple[StoreEstimate, ...]
    problems: tuple[str, ...]
    advice: tuple[str, ...]


def estimate_sync(
    plan: SyncPlan,
    options: Options,
    resources: Resources,
    *,
    served: int | None = None,
    executors: Executors | None = None,
    interval: timedelta | None = None,
) -> SyncEstimate:
    """The estimate of a plan, on a machine with some resources, and on some executors.

    `served` is how many entities the last sync left, `interval` the shortest time between two runs of the schedule. No
    row is read.
    """
    tables = tuple(_table_sizes(plan, options))
    rows = _sum([table.rows for table in tables])
    entities, basis = _entities(tables, rows, served)
    width, indexed = sum(table.row_width for table in tables), plan.index is not None
    store = _embedded_store(entities, width, indexed=indexed)
    engines = [_embedded(tables, entities, width, resources, store, indexed=indexed)]
    if executors:
        engines.append(_spark(rows, entities, width, executors))
    formats = {table.format for table in tables}
    problems = tuple(embedded_problems(engines[0], resources, interval))
    return SyncEstimate(
        tables,
        rows,
        entities,
        basis,
        width,
        tuple(engines),
        (store, _redis_store(entities, width)),
        tuple(problem.message for problem in problems),
        tuple(advise(problems, resources, _working_set(entities, width), formats)),
    )


def _table_sizes(plan: SyncPlan, options: Options) -> Iterator[TableSize]:
    """The size of each table that a plan reads, once, of all columns that it takes from it."""
    columns: dict[TableLocation, dict[str, None]] = {}
    keys: dict[TableLocation, list[str]] = {}
    for query in plan.queries:
        for selection in query.extractions:
            taken = [*selection.keys, *(column for _, column in selection.features)]
            taken += [selection.moment] if selection.moment else []
            columns.setdefault(selection.place, {}).update(dict.fromkeys(column.name for column in taken))
            keys[selection.place] = [key.name for key in selection.keys]
    with closing(EngineCache(replace(options, engine=None))) as cache:  # footers are read here, whatever reads the rows
        for place, names in columns.items():
            yield _size_or_reason(place, tuple(names), keys[place], cache)


def _size_or_reason(place: TableLocation, columns: Sequence[str], keys: Sequence[str], cache: EngineCache) -> TableSize:
    """The size of a table, or why it is unknown: one that only executors see is none of this machine."""
    try:
        return table_size(place, columns, keys, cache)
    except (Unreadable, OSError) as error:
        return TableSize(place.uri, "unknown", 0, None, 0.0, f"cannot be read on this machine: {error}")


def _entities(tables: Sequence[TableSize], rows: Range | None, served: int | None) -> tuple[Range | None, str]:
    """How many entities there are: as many as rows at most, and as many as the keys of a table can tell apart."""
    most = None if rows is None else sum(_most_entities(table) for table in tables)
    if served:
        high = served * SNAPSHOT_MARGIN
        known = Range(served / SNAPSHOT_MARGIN, high)
        return known if most is None else Range(min(known.low, most), min(high, most)), "the entities served now"
    if rows is None or most is None:
        return None, "nothing tells how many entities there are before a first sync"
    if most < rows.high:
        return Range(min(1, most), most), "the least and the greatest entity id in the footers"
    return Range(min(1, most), most), "at most one for each row; a first sync tells more"


def _most_entities(table: TableSize) -> float:
    rows = table.rows.high if table.rows else 0.0
    return min(rows, table.most_keys) if table.most_keys is not None else rows


def _embedded(
    tables: Sequence[TableSize],
    entities: Range | None,
    width: float,
    resources: Resources,
    store: StoreEstimate,
    *,
    indexed: bool,
) -> EngineEstimate:
    """DuckDB, SQLite and the store in this process: work on one core up to all of them, memory up to its limit."""
    name = " and ".join(dict.fromkeys("SQLite" if table.format == "SQLite" else "DuckDB" for table in tables))
    reading = _sum([_reading_seconds(table) for table in tables])
    if reading is None or entities is None or store.seconds is None or store.bytes is None:
        return EngineEstimate(f"embedded ({name})", None, None, None)
    index = entities.times(width) if indexed else Range(0, 0)
    work = reading + store.seconds + Range(rate("embedded-start"), rate("embedded-start"))
    work += index.times(1 / (rate("index-build") * 1e6))
    needed = _working_set(entities, width)
    read = rate("scan-memory") + (rate("vector-memory") if indexed else 0)
    base = Range(rate("embedded-memory"), rate("embedded-memory") + read).times(MEBIBYTE)
    held = Range(min(needed.low, resources.memory_limit), min(needed.high, resources.memory_limit))
    memory = base + held + index.times(rate("index-memory"))
    spilled = Range(max(0.0, needed.low - resources.memory_limit), max(0.0, needed.high - resources.memory_limit))
    disk = store.bytes + spilled + index.times(rate("index-size"))
    seconds = Range(work.low / resources.threads / CLOCK_MARGIN, work.high * CLOCK_MARGIN)
    return EngineEstimate(f"embedded ({name})", seconds, memory, disk, spilled)


def _reading_seconds(table: TableSize) -> Range | None:
    """The work of reading a table to the latest row of each entity."""
    if table.rows is None:
        return None
    return table.rows.times(width_factor(table.row_width) / rate(RATE_NAMES[table.format]))


def _working_set(entities: Range | None, width: float) -> Range:
    """What the statement keeps: for each entity its latest row, several times."""
    return Range(0, 0) if entities is None else entities.times(width * rate("entity-memory"))


def _embedded_store(entities: Range | None, width: float, *, indexed: bool) -> StoreEstimate:
    """The store in SQLite: the new snapshot beside the old one."""
    if entities is None:
        return StoreEstimate("embedded (SQLite)", None, None)
    size = entities.times(2 * width * rate("vector-store-size" if indexed else "sqlite-store-size"))
    seconds = entities.times(0 if indexed else width_factor(width) / rate("sqlite-store"))
    return StoreEstimate("embedded (SQLite)", size, seconds)


def _redis_store(entities: Range | None, width: float) -> StoreEstimate:
    """One Redis: the new snapshot beside the old one."""
    if entities is None:
        return StoreEstimate("Redis", None, None)
    seconds = entities.times(width_factor(width) / rate("redis-store"))
    spread = Range(seconds.low / CLOCK_MARGIN, seconds.high * CLOCK_MARGIN)
    return StoreEstimate("Redis", entities.times(2 * (width + rate("redis-entity"))), spread)


def _spark(rows: Range | None, entities: Range | None, width: float, executors: Executors) -> EngineEstimate:
    """Spark: the statement on all cores after the start of a session; rows that do not fit are spilled by executors."""
    if rows is None or entities is None:
        return EngineEstimate(executors.title, None, None, None)
    work = rows.times(width_factor(width) / rate("spark-statement") / executors.all_cores)
    start = rate("spark-start")
    seconds = Range((start + work.low) / CLOCK_MARGIN, (start + work.high) * CLOCK_MARGIN)
    room = executors.count * executors.memory * SPARK_MEMORY_SHARE
    needed = _working_set(entities, width)
    spilled = Range(max(0.0, needed.low - room), max(0.0, needed.high - room))
    memory = executors.count * executors.memory
    return EngineEstimate(executors.title, seconds, Range(memory, memory), spilled, spilled)


def _sum(ranges: Sequence[Range | None]) -> Range | None:
    """The sum of some ranges, None where one is unknown."""
    total = Range(0, 0)
    for each in ranges:
        if each is None:
            return None
        total += each
    return total
