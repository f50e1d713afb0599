"""Loading a view: rows go into a layer of their own, by one process or by many, and are served by one switch.

A driver that lets others write does so:

    with begin_load(nodes, keys, view, layout, synced_at) as session:
        written = [session.writer.write(rows) for each partition, in any process]     # the writer can be pickled
        counts = session.serve(RowLoad(layout, (), synced_at, ...), sum(written, WrittenRows()))

`RedisStore.begin_load` is the same. Nothing is served unless `serve` is called, and it serves nothing where rows are
missing or an entity came twice, or where the lock was lost meanwhile.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, StoreError, SyncCounts
from trialrun.runtime.feature_view.store.redis import bucket_scan, compare_layers, manifest
from trialrun.runtime.feature_view.store.redis.commands import Command, number_command, script_command
from trialrun.runtime.feature_view.store.redis.keys import BUCKETS, KeyNames
from trialrun.runtime.feature_view.store.redis.manifest import Layer, Manifest
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.partition_writer import (
    PartitionWriter,
    WrittenRows,
    confirm,
    write_rows,
)
from trialrun.runtime.feature_view.store.redis.scripts import PRUNE, SWITCH
from trialrun.runtime.feature_view.store.redis.served_rows import ServedRows
from trialrun.runtime.feature_view.store.redis.view_lock import ViewLock, hold_lock, lost_lock, release

FRESHNESS = 0.05
"""For how many seconds a reader may remember a manifest; a load returns no sooner than that after its switch."""
GRACE = 60.0
"""For how many seconds a layer is kept that is not served any more, for readers that began before."""
CALLS_PER_TRIP = 128


@dataclass(frozen=True)
class ManifestState:
    """What is served when a load begins: the text of the manifest, empty without one, and what it says."""

    text: bytes
    manifest: Manifest


class LoadSession:
    """A load that was begun, and whose lock is held."""

    def __init__(self, nodes: Nodes, keys: KeyNames, lock: ViewLock, before: ManifestState, writer: PartitionWriter):
        self.writer = writer
        self._nodes, self._keys, self._lock, self._before = nodes, keys, lock, before

    def write(self, rows: Iterable[Sequence[object]]) -> WrittenRows:
        """Write rows in this process, as its writer does in others."""
        return write_rows(self._nodes, self.writer, rows, lambda: self._lock.require(self._before.manifest.view))

    def serve(self, load: RowLoad, written: WrittenRows) -> SyncCounts:
        """Serve the rows that were written, beside what stays of those before, from now on. Raises StoreError."""
        before = self._before.manifest
        self._lock.require(before.view)
        self._require_all(written)
        counts = written.counts if self.writer.layers and self.writer.layout == load.layout else None
        staged = compare_layers.stage(self._nodes, self._keys, before, load, self._layer(load, written), counts)
        if staged.carried:
            _require_equal(self._count(staged.layers[0].buckets), staged.layers[0].rows)
        confirm(self._nodes, self._keys)
        after = self._manifest(load, staged)
        if load.before_serving:
            candidate = ServedRows(after)
            load.before_serving(
                before.number + 1, lambda features: bucket_scan.scan(self._nodes, self._keys, candidate, features)
            )
        entities = staged.rows + prune_writes(self._nodes, self._keys, ServedRows(after), delete=False)
        after = self._manifest(load, staged, entities)
        self._switch(load, after)
        return staged.counts(load, entities)

    def _layer(self, load: RowLoad, written: WrittenRows) -> Layer:
        names = tuple(column.name for column in load.layout.features)
        return Layer(self.writer.layer, load.layout, names, written.rows, written.buckets)

    def _require_all(self, written: WrittenRows) -> None:
        """See that all rows are there, and each entity once. Raises StoreError."""
        if (count := self._count(written.buckets)) < written.rows:
            raise StoreError("two loaded rows have the same entity id; choose one of them first")
        _require_equal(count, written.rows)

    def _count(self, buckets: Iterable[int]) -> int:
        keys = [self._keys.rows(bucket, self.writer.layer) for bucket in buckets]
        return sum(self._nodes.run([number_command(key, "HLEN") for key in keys]))

    def _manifest(self, load: RowLoad, staged: compare_layers.StagedLayers, entities: int = 0) -> Manifest:
        before = self._before.manifest
        watermark = load.watermark()
        return Manifest(
            before.view,
            before.number + load.is_sync,
            value_codec.to_microseconds(load.synced_at),
            None if watermark is None else value_codec.to_microseconds(watermark),
            load.plan,
            load.layout,
            entities,
            staged.rows,
            before.log if staged.keeps_writes else secrets.token_hex(4),
            staged.layers,
        )

    def _switch(self, load: RowLoad, after: Manifest) -> None:
        kept = {layer.id for layer in after.layers}
        dropped = [layer for layer in self._before.manifest.layers if layer.id not in kept]
        keys = [self._keys.of_view(part) for part in ("current", "lock", "syncs", "garbage")]
        synced_at = str(after.synced_at) if load.is_sync else ""
        layer = self.writer.layer if self.writer.layer in kept else ""
        command = script_command(
            SWITCH,
            keys,
            self._lock.text,
            self._before.text,
            manifest.serialize(after),
            synced_at,
            layer,
            *(layer.id for layer in dropped),
        )
        if not self._nodes.run([command], durable=True)[0]:
            raise lost_lock(after.view)
        switched = time.monotonic()
        with suppress(StoreError):  # the next load does it
            expire_layers(self._nodes, self._keys, [(layer.id, layer.buckets) for layer in reversed(dropped)])
            if before_log := self._before.manifest.log if self._before.manifest.log != after.log else "":
                expire_log(self._nodes, self._keys, before_log)
        time.sleep(max(0.0, FRESHNESS - (time.monotonic() - switched)))


def _require_equal(count: int, rows: int) -> None:
    """See that a layer has no more rows and no fewer than it should. Raises StoreError."""
    if count != rows:
        raise StoreError(f"{count:,} of {rows:,} rows are there after a node has failed over; sync again")


@contextmanager
def begin_load(
    nodes: Nodes, keys: KeyNames, view: str, layout: RowLayout, synced_at: datetime, *, patience: float = 0
) -> Iterator[LoadSession]:
    """A load whose rows are to be written, while nobody else syncs the view. Raises SyncRunning."""
    with hold_lock(nodes, keys, view, synced_at, patience=patience) as lock:
        before = read_state(nodes, keys, view)
        drop_garbage(nodes, keys, before.manifest)
        if before.manifest.layout:
            prune_writes(nodes, keys, ServedRows(before.manifest), delete=True)
        layer = secrets.token_hex(6)
        garbage = keys.of_view("garbage")
        nodes.run([Command(garbage, ("HSET", garbage, layer, "0"))], durable=True)
        compared = compare_layers.layers_to_compare(before.manifest, layout)
        writer = PartitionWriter(nodes.address, keys, layer, layout, value_codec.to_microseconds(synced_at), compared)
        try:
            yield LoadSession(nodes, keys, lock, before, writer)
        finally:
            with suppress(StoreError):  # the next load does it
                release(nodes, keys, lock)
                _drop_unless_served(nodes, keys, view, layer)


def read_state(nodes: Nodes, keys: KeyNames, view: str) -> ManifestState:
    """What is served now. Raises StoreError where the manifest is not ours."""
    from trialrun.runtime.feature_view.store.redis.redis_errors import deletion_advice, map_damage

    key = keys.of_view("current")
    text = nodes.call(key, "GET", key) or b""
    with map_damage(str(nodes.address), deletion_advice(key)):
        return ManifestState(text, manifest.parse(text) if text else Manifest(view))


def prune_writes(nodes: Nodes, keys: KeyNames, served: ServedRows, *, delete: bool) -> int:
    """How many entities have direct writes and no row; `delete` forgets writes that are not served any more."""
    buckets = written_buckets(nodes, keys)
    commands = [
        script_command(
            PRUNE,
            [
                *(keys.rows(bucket, layer.id) for layer in served.manifest.layers),
                keys.writes(bucket, served.manifest.log),
            ],
            served.script_columns,
            "1" if delete else "0",
        )
        for bucket in buckets
    ]
    trips = range(0, len(commands), CALLS_PER_TRIP)
    return sum(sum(nodes.run(commands[at : at + CALLS_PER_TRIP], durable=delete)) for at in trips)


def written_buckets(nodes: Nodes, keys: KeyNames) -> list[int]:
    """The buckets that have direct writes."""
    key = keys.of_view("written")
    return sorted(map(int, nodes.call(key, "SMEMBERS", key)))


def drop_garbage(nodes: Nodes, keys: KeyNames, served: Manifest) -> None:
    """Let layers expire that killed loads left, or that were served before."""
    key = keys.of_view("garbage")
    answer = nodes.call(key, "HKEYS", key)
    kept = {layer.id for layer in served.layers}
    expire_layers(nodes, keys, [(id.decode(), range(BUCKETS)) for id in answer if id.decode() not in kept])


def expire_layers(nodes: Nodes, keys: KeyNames, layers: Sequence[tuple[str, Iterable[int]]]) -> None:
    """Let layers expire after the grace period, each a little later than the one before it: the lowest comes first."""
    for at, (layer, buckets) in enumerate(layers):
        milliseconds = int(GRACE * 1000 * (1 + at / 10))
        expired = [number_command(keys.rows(bucket, layer), "PEXPIRE", milliseconds) for bucket in buckets]
        for start in range(0, len(expired), 1024):
            nodes.run(expired[start : start + 1024])
    if layers:
        garbage = keys.of_view("garbage")
        nodes.call(garbage, "HDEL", garbage, *(layer for layer, _ in layers))


def expire_log(nodes: Nodes, keys: KeyNames, log: str) -> None:
    """Let direct writes expire that are not served any more."""
    logs = [keys.writes(bucket, log) for bucket in written_buckets(nodes, keys)]
    nodes.run([number_command(key, "PEXPIRE", int(GRACE * 1000)) for key in logs])


def _drop_unless_served(nodes: Nodes, keys: KeyNames, view: str, layer: str) -> None:
    """Drop the layer of a load that failed; nobody ever read it."""
    garbage = keys.of_view("garbage")
    served = read_state(nodes, keys, view).manifest
    if any(served_layer.id == layer for served_layer in served.layers):
        return
    staged = [keys.rows(bucket, layer) for bucket in range(BUCKETS)]
    for start in range(0, BUCKETS, 1024):
        nodes.run([number_command(key, "UNLINK") for key in staged[start : start + 1024]])
    nodes.call(garbage, "HDEL", garbage, layer)
