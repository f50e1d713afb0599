"""How large a sync would be: its rows, entities and bytes, from the sizes of tables; no row is read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.plan import SyncPlan
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.table_size import Range, TableSize, table_size
from trialrun.runtime.limits import sync_limits
from trialrun.runtime.options import Options
from trialrun.values.memory import format_bytes, parse_bytes

SNAPSHOT_MARGIN = 1.25
"""There may be so many times more or fewer entities than are served now."""
MEMORY_OF_ROWS = 2.4
"""Bytes that the embedded engine keeps for each byte of the rows that a sync serves (`benchmarks.growth`)."""
GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class SyncSize:
    """The size of a sync: its tables, their rows, and the entities with the bytes of their latest rows.

    `entities` is at most the rows, and nearer where something says so; `entity_basis` says what. Each is None where
    nothing short of reading the rows would tell. `problem` says that the embedded engine needs more memory than it is
    given, and `advice` what to do; both are empty where it is enough.
    """

    tables: tuple[TableSize, ...]
    rows: Range | None
    entities: Range | None
    entity_basis: str
    bytes: Range | None
    problem: str = ""
    advice: str = ""


def sync_size(plan: SyncPlan, options: Options, *, served: int | None = None) -> SyncSize:
    """The size of a planned sync; `served` is how many entities the last sync left."""
    tables = tuple(_table_sizes(plan, options))
    rows = _sum([table.rows for table in tables])
    entities, basis = _entities(tables, rows, served)
    size = entities and entities.times(sum(table.row_width for table in tables))
    return SyncSize(tables, rows, entities, basis, size, *_beyond_memory(size, options))


def _beyond_memory(size: Range | None, options: Options) -> tuple[str, str]:
    """That the statement spills to the disk, perhaps or surely, and the setting that would be enough."""
    most = sync_limits().memory
    limit = parse_bytes(options.memory_limit) or most
    if size is None or size.high * MEMORY_OF_ROWS <= limit:
        return "", ""
    perhaps = "" if size.low * MEMORY_OF_ROWS > limit else " perhaps"
    problem = f"it{perhaps} needs more memory than memory-limit, {format_bytes(limit)}, and spills to the disk"
    enough = math.ceil(size.high * MEMORY_OF_ROWS / GIGABYTE) * GIGABYTE
    if enough <= most:
        return problem, f'set memory-limit = "{format_bytes(enough)}" under [runtime]'
    return problem, 'name an engine alias of a Spark cluster under [runtime] (engine = "ALIAS"), or wait for the disk'


def _table_sizes(plan: SyncPlan, options: Options) -> Iterator[TableSize]:
    """The size of each table that a plan reads, once, of all columns that it takes from it."""
    columns: dict[TableLocation, dict[str, None]] = {}
    keys: dict[TableLocation, list[str]] = {}
    for selection in plan.selections:
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


def _sum(ranges: Sequence[Range | None]) -> Range | None:
    """The sum of some ranges, None where one is unknown."""
    total = Range(0, 0)
    for each in ranges:
        if each is None:
            return None
        total += each
    return total
