"""Reading all rows of a view, in the order of entity ids: buckets are read one after another, and sorted on disk."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from typing import IO

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import find_column
from trialrun.runtime.feature_view.store.interface import EntityId
from trialrun.runtime.feature_view.store.redis.commands import Command
from trialrun.runtime.feature_view.store.redis.keys import KeyNames
from trialrun.runtime.feature_view.store.redis.manifest import Manifest
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.redis_errors import damaged, map_damage
from trialrun.runtime.feature_view.store.redis.served_rows import ServedRows

BUCKETS_PER_TRIP = 64
ROWS_IN_MEMORY = 200_000
"""Rows that are sorted at once; more are sorted in parts, which stand in files meanwhile."""
_HEAD = struct.Struct(">iiii")


@dataclass(frozen=True, slots=True)
class BucketEntry:
    """An entity as it stands in a bucket: the layer of its row, from 1 on, or 0 without one, and its direct writes."""

    bucket: int
    field: bytes
    layer: int
    row: bytes | None
    writes: bytes | None


class LayerGone(Exception):
    """A layer has fewer rows than it had: it was served before, and its grace period is over, or it was lost."""


def scan(nodes: Nodes, keys: KeyNames, served: ServedRows, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """All rows that a manifest serves, in the order of entity ids. Raises StoreError where some are gone."""
    try:
        yield from sorted_rows(nodes, keys, served, columns)
    except LayerGone as fault:
        raise damaged(str(nodes.address)) from fault


def sorted_rows(
    nodes: Nodes, keys: KeyNames, served: ServedRows, columns: Sequence[str]
) -> Iterator[tuple[object, ...]]:
    """The same. Raises LayerGone before the first row where some are gone."""
    chosen = [_column_index(served, name) for name in columns]
    width = len(served.layout.keys)
    with map_damage(str(nodes.address)):
        for id, entry in _sorted_entries(served, _entries(nodes, keys, served)):
            stored = served.stored(entry.layer, entry.row, entry.writes)
            if stored is not None:
                values = served.decode(stored[0])
                yield (id, *(id[at] if at < width else values[at - width] for at in chosen))


def read_buckets(nodes: Nodes, keys: KeyNames, manifest: Manifest, buckets: Sequence[int]) -> Iterator[BucketEntry]:
    """The entities of some buckets, with the rows of their highest layers."""
    commands = [
        Command(key, ("HGETALL", key))
        for bucket in buckets
        for key in [*(keys.rows(bucket, layer.id) for layer in manifest.layers), keys.writes(bucket, manifest.log)]
    ]
    answers, width = nodes.run(commands), len(manifest.layers) + 1
    for at, bucket in enumerate(buckets):
        *layers, log = [_pairs(answer) for answer in answers[at * width : (at + 1) * width]]
        _require_rows(manifest, bucket, layers)
        rows: dict[bytes, tuple[int, bytes]] = {}
        for layer in range(len(layers), 0, -1):
            rows.update((field, (layer, row)) for field, row in layers[layer - 1].items())
        for field, (layer, row) in rows.items():
            yield BucketEntry(bucket, field, layer, row, log.get(field))
        for field in log.keys() - rows.keys():
            yield BucketEntry(bucket, field, 0, None, log[field])


def all_entries(nodes: Nodes, keys: KeyNames, manifest: Manifest, written: Iterable[int]) -> Iterator[BucketEntry]:
    """All entities, in no order."""
    buckets = sorted(frozenset(written).union(*(layer.buckets for layer in manifest.layers)))
    counts = [0] * (len(manifest.layers) + 1)
    for start in range(0, len(buckets), BUCKETS_PER_TRIP):
        for entry in read_buckets(nodes, keys, manifest, buckets[start : start + BUCKETS_PER_TRIP]):
            counts[entry.layer] += 1
            yield entry
    if sum(counts[1:]) != manifest.rows:
        raise LayerGone


def _entries(nodes: Nodes, keys: KeyNames, served: ServedRows) -> Iterator[BucketEntry]:
    key = keys.of_view("written")
    return all_entries(nodes, keys, served.manifest, map(int, nodes.call(key, "SMEMBERS", key)))


def _sorted_entries(served: ServedRows, entries: Iterable[BucketEntry]) -> Iterator[tuple[EntityId, BucketEntry]]:
    part: list[tuple[EntityId, BucketEntry]] = []
    files: list[IO[bytes]] = []
    by_id = itemgetter(0)
    try:
        for entry in entries:
            part.append((served.id_of(entry.field), entry))
            if len(part) >= ROWS_IN_MEMORY:
                files.append(_write_part(sorted(part, key=by_id)))
                part = []
        part.sort(key=by_id)
        if not files:
            yield from part
            return
        yield from merge(part, *(_read_part(served, file) for file in files), key=by_id)
    finally:
        for file in files:
            file.close()


def _write_part(part: Sequence[tuple[EntityId, BucketEntry]]) -> IO[bytes]:
    file = tempfile.TemporaryFile(prefix="trialrun-", buffering=1 << 20)  # noqa: SIM115 - the reader closes it
    for _, entry in part:
        row, writes = entry.row, entry.writes
        lengths = len(entry.field), entry.layer, -1 if row is None else len(row), -1 if writes is None else len(writes)
        file.write(_HEAD.pack(*lengths) + entry.field + (row or b"") + (writes or b""))
    file.seek(0)
    return file


def _read_part(served: ServedRows, file: IO[bytes]) -> Iterator[tuple[EntityId, BucketEntry]]:
    while head := file.read(_HEAD.size):
        field_size, layer, row_size, writes_size = _HEAD.unpack(head)
        field = file.read(field_size)
        row = None if row_size < 0 else file.read(row_size)
        writes = None if writes_size < 0 else file.read(writes_size)
        yield served.id_of(field), BucketEntry(0, field, layer, row, writes)


def _require_rows(manifest: Manifest, bucket: int, layers: Sequence[object]) -> None:
    """See that no layer of a bucket is gone. Raises LayerGone."""
    for layer, rows in zip(manifest.layers, layers, strict=True):
        if bucket in layer.buckets and not rows:
            raise LayerGone


def _pairs(answer: Sequence[bytes]) -> dict[bytes, bytes]:
    return dict(zip(answer[::2], answer[1::2], strict=True))


def _column_index(served: ServedRows, name: str) -> int:
    columns = (*served.layout.keys, *served.layout.features)
    column = find_column(name, columns)
    if column is None:
        raise KeyError(name)
    return columns.index(column)
