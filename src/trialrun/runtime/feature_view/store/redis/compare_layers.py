"""What a load changes, and what stays, which the nodes put together.

Writers have compared the rows with those of the same layout; here entities with direct writes are compared anew, as
they are served. Rows over those of another layout are compared on the nodes. Only what a node cannot compare comes
here, so a load takes no more memory for more rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, SyncCounts
from trialrun.runtime.feature_view.store.redis import bucket_scan
from trialrun.runtime.feature_view.store.redis.commands import Command, script_command
from trialrun.runtime.feature_view.store.redis.keys import BUCKETS, KeyNames
from trialrun.runtime.feature_view.store.redis.manifest import Layer, Manifest, still_served
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.row_codec import MOMENT_OFFSET, row_codec
from trialrun.runtime.feature_view.store.redis.row_comparison import ChangedRows, rows_differ
from trialrun.runtime.feature_view.store.redis.scripts import CARRY, COMPARE, READ_WRITTEN
from trialrun.runtime.feature_view.store.redis.served_rows import LayerReader, ServedRows
from trialrun.runtime.feature_view.store.value_codec import NAN, Stored

MAX_LAYERS = 8
"""How many layers a view may have; beyond that they are put together."""
BUCKETS_PER_TRIP, MAX_BUCKETS_PER_TRIP, ROWS_PER_TRIP = 64, 512, 50_000
NUMBERS = {"BOOL", "INT64", "DOUBLE"}


@dataclass(frozen=True)
class StagedLayers:
    """What is to be served: the layers, how many entities they have, and how the rows that were read differ."""

    layers: tuple[Layer, ...]
    rows: int
    read: int
    keeps_writes: bool
    read_before: int
    served_before: int
    read_by_both: int
    differing: int
    carried: int = 0

    def counts(self, load: RowLoad, entities: int) -> SyncCounts:
        """What the sync did."""
        return SyncCounts(
            read=self.read,
            entities=entities,
            new=self.read - self.served_before,
            changed=self.differing,
            unchanged=self.served_before - self.differing,
            vanished=0 if load.incremental else self.read_before - self.read_by_both,
        )


def stage(
    nodes: Nodes, keys: KeyNames, before: Manifest, load: RowLoad, new: Layer, counts: ChangedRows | None
) -> StagedLayers:
    """Compare a layer with those that are served, and choose the layers that are served after it.

    `counts` are what its writers have counted, if they have.
    """
    if before.layout is None or not has_same_ids(before.layout, load.layout):
        is_first = before.layout is None
        return StagedLayers(_not_empty(new), new.rows, new.rows, False, 0 if is_first else before.rows, 0, 0, 0)
    old = still_served(before.layers, load.layout)
    keeps = load.keep_vanished or load.incremental
    is_plain = all(layer.layout == load.layout and layer.features == new.features for layer in old)
    stays = keeps and (not new.rows or (len(old) < MAX_LAYERS and (load.incremental or not is_plain)))
    if counts:
        compared = _with_writes(nodes, keys, before, new, counts)
    else:
        compared = _compare(nodes, keys, before, load.layout, new)
    carried = 0
    if keeps and not stays:
        carry = _carry if is_plain else _carry_translated
        carried = carry(nodes, keys, before, old, load.layout, new)
    buckets = new.buckets.union(*(layer.buckets for layer in old)) if carried else new.buckets
    whole = Layer(new.id, new.layout, new.features, new.rows + carried, frozenset(buckets))
    layers = (*_not_empty(new), *old) if stays else _not_empty(whole)
    rows = before.rows + new.rows - compared.both if stays else whole.rows
    return StagedLayers(
        layers, rows, new.rows, True, before.rows, compared.served_before, compared.both, compared.differing, carried
    )


def has_same_ids(first: RowLayout, second: RowLayout) -> bool:
    """Whether entity ids of two layouts can be the same."""
    return [column.type for column in first.keys] == [column.type for column in second.keys]


def layers_to_compare(before: Manifest, layout: RowLayout) -> tuple[str, ...]:
    """The layers with which writers compare rows; none where some are of another layout."""
    if before.layout != layout or not all(reader.is_same for reader in ServedRows(before).layers):
        return ()
    return tuple(layer.id for layer in before.layers)


@dataclass(frozen=True)
class _Compared:
    """How many entities syncs had read before, were served before, and differ."""

    both: int = 0
    served_before: int = 0
    differing: int = 0


def _not_empty(layer: Layer) -> tuple[Layer, ...]:
    return (layer,) if layer.rows else ()


def _compare(nodes: Nodes, keys: KeyNames, before: Manifest, layout: RowLayout, new: Layer) -> _Compared:
    buckets, per_trip = sorted(new.buckets), _buckets_per_trip(new.rows + before.rows)
    was, now = ServedRows(before), ServedRows(Manifest(before.view, layout=layout, layers=(new,)))
    flags = ["1" if reader.is_same and was.layout == layout else "0" for reader in was.layers]
    codec = row_codec(layout)
    doubles = json.dumps(codec.double_places)
    both = served = differing = 0
    for at in range(0, len(buckets), per_trip):
        commands = [
            script_command(COMPARE, _all_keys(keys, bucket, new, before), codec.values_start + 1, doubles, *flags)
            for bucket in buckets[at : at + per_trip]
        ]
        for read_before, changed, unsure in nodes.run(commands):
            both, differing = both + read_before, differing + changed
            served += read_before
            for _, row, layer, old, writes in unsure:
                old_values = was.stored(layer, old, writes)
                new_values = now.stored(1, row, writes)
                served += old_values is not None and old is None
                if old_values and new_values:
                    differing += _differ(now.layout, new_values[0], was.layout, old_values[0])
    return _Compared(both, served, differing)


def _with_writes(nodes: Nodes, keys: KeyNames, before: Manifest, new: Layer, counts: ChangedRows) -> _Compared:
    """What writers have counted, but of entities with direct writes as they are served."""
    was, now = ServedRows(before), ServedRows(Manifest(before.view, layout=new.layout, layers=(new,)))
    key = keys.of_view("written")
    buckets = sorted(new.buckets.intersection(map(int, nodes.call(key, "SMEMBERS", key))))
    served, differing = counts.before, counts.differing
    for at in range(0, len(buckets), BUCKETS_PER_TRIP):
        part = buckets[at : at + BUCKETS_PER_TRIP]
        answers = nodes.run([script_command(READ_WRITTEN, _all_keys(keys, bucket, new, before)) for bucket in part])
        for row, layer, old, writes in (entity for answer in answers for entity in answer):
            new_values, old_values = now.stored(1, row, writes), was.stored(layer, old, writes)
            served += old_values is not None and old is None
            differing -= old is not None and rows_differ(row_codec(new.layout), row, old)
            if old_values and new_values:
                differing += _differ(now.layout, new_values[0], was.layout, old_values[0])
    return _Compared(counts.before, served, differing)


def _buckets_per_trip(rows: int) -> int:
    """How many buckets are compared in one go: few where all of their rows may come here."""
    return max(BUCKETS_PER_TRIP, min(MAX_BUCKETS_PER_TRIP, ROWS_PER_TRIP * BUCKETS // max(rows, 1)))


def _all_keys(keys: KeyNames, bucket: int, new: Layer, before: Manifest) -> list[bytes]:
    layers = [keys.rows(bucket, layer.id) for layer in (new, *before.layers)]
    return [*layers, keys.writes(bucket, before.log)]


def _differ(layout: RowLayout, new: Sequence[Stored], old_layout: RowLayout, old: Sequence[Stored]) -> bool:
    """Whether values of two layouts differ, those of features that came or went included."""
    was = {column.name: (value, column) for column, value in zip(old_layout.features, old, strict=True)}
    for column, value in zip(layout.features, new, strict=True):
        old_value, old_column = was.pop(column.name, (None, column))
        if _value_differs(value, column, old_value, old_column):
            return True
    return any(value is not None for value, _ in was.values())


def _value_differs(new: Stored, column: Column, old: Stored, before: Column) -> bool:
    is_comparable = column.repeated == before.repeated and (
        column.type == before.type or (not column.repeated and {column.type, before.type} <= NUMBERS)
    )
    if not is_comparable:
        return new is not None or old is not None
    return _comparable(new) != _comparable(old)


def _comparable(value: Stored) -> Stored:
    return NAN if value != value else value


def _carry(
    nodes: Nodes, keys: KeyNames, before: Manifest, old: tuple[Layer, ...], layout: RowLayout, new: Layer
) -> int:
    """Put entities that a layer lacks into it, from layers of the same layout; how many."""
    buckets = sorted(new.buckets.union(*(layer.buckets for layer in old)))
    count = 0
    for at in range(0, len(buckets), BUCKETS_PER_TRIP):
        commands = [
            script_command(CARRY, [keys.rows(bucket, layer.id) for layer in (new, *old)])
            for bucket in buckets[at : at + BUCKETS_PER_TRIP]
        ]
        count += sum(nodes.run(commands))
    return count - new.rows


def _carry_translated(
    nodes: Nodes, keys: KeyNames, before: Manifest, old: tuple[Layer, ...], layout: RowLayout, new: Layer
) -> int:
    """Put entities that a layer lacks into it, from layers of other layouts; how many."""
    readers = [LayerReader(layer, layout) for layer in old]
    served = ServedRows(Manifest(before.view, layout=layout, layers=old, log=before.log))
    buckets = sorted(frozenset().union(*(layer.buckets for layer in old)))
    carried = 0
    for at in range(0, len(buckets), BUCKETS_PER_TRIP):
        part = buckets[at : at + BUCKETS_PER_TRIP]
        read = nodes.run([Command(key, ("HKEYS", key)) for key in (keys.rows(bucket, new.id) for bucket in part)])
        known = {field for fields in read for field in fields}
        commands = [
            Command(key, ("HSET", key, entry.field, row))
            for entry in bucket_scan.read_buckets(nodes, keys, served.manifest, part)
            if entry.row is not None and entry.field not in known
            for key in [keys.rows(entry.bucket, new.id)]
            for row in _translated(served, readers[entry.layer - 1], layout, entry.row)
        ]
        nodes.run(commands)
        carried += len(commands)
    return carried


def _translated(served: ServedRows, reader: LayerReader, layout: RowLayout, row: bytes) -> Iterator[bytes]:
    """A row in another layout."""
    read_at, moments, stored = reader.values(row)
    own = [0] * layout.timestamp_count
    for feature, sources in enumerate(reader.sources):
        place = layout.timestamp_indexes[feature] if layout.timestamp_indexes else 0
        own[place] = max((moments[at] for at in sources), default=0)
    moment_values: Iterable[object] = [moment - MOMENT_OFFSET if moment else None for moment in own]
    values = served.decode([*stored])
    whole = (*(None for _ in layout.keys), *moment_values, *values)
    return row_codec(layout).encode([whole], read_at - MOMENT_OFFSET)
