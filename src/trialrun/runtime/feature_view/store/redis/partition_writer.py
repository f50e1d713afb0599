"""Writes rows of a layer that is not served yet: in this process, or in another one, to which a writer is pickled.

`PartitionWriter.write` takes rows in any order and returns how many there were and of which buckets; rows that are
written again, since a task was, take the place of themselves.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.feature_view.store.redis.address import RedisAddress
from trialrun.runtime.feature_view.store.redis.commands import Command, number_command, pack_pairs, pack_texts
from trialrun.runtime.feature_view.store.redis.keys import BUCKETS, KeyNames, buckets_of, loaded_fields
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.row_codec import ROWS_AT_ONCE, row_codec
from trialrun.runtime.feature_view.store.redis.row_comparison import ChangedRows, compare_rows

BATCH_ROWS, BATCH_BYTES = 400_000, 64 << 20
"""Rows that are encoded before they are sent; the more, the more of a bucket one command has."""
ROWS_PER_COMMAND = 1000
COMMANDS_PER_TRIP = 512
_EncodedRows = tuple[list[int], tuple[list[bytes], ...]]


@dataclass(frozen=True)
class WrittenRows:
    """What a writer wrote: how many rows, and the buckets that have some. Those of several writers can be added.

    `counts` say what they change, where the writer compares them.
    """

    rows: int = 0
    buckets: frozenset[int] = frozenset()
    counts: ChangedRows = ChangedRows()

    def __add__(self, other: WrittenRows) -> WrittenRows:
        return WrittenRows(self.rows + other.rows, self.buckets | other.buckets, self.counts + other.counts)


@dataclass(frozen=True)
class PartitionWriter:
    """Writes rows into a layer. It can be pickled; its text has no password, but what is pickled has it.

    Rows are compared with those of `layers`, from the top; a load over rows of another layout has none.
    """

    address: RedisAddress
    keys: KeyNames
    layer: str
    layout: RowLayout
    read_at: int
    layers: tuple[str, ...] = ()

    def write(self, rows: Iterable[Sequence[object]]) -> WrittenRows:
        """Write rows as a RowLoad has them, and wait for a replica, where there is one. Raises StoreError."""
        nodes = Nodes(self.address)
        try:
            return write_rows(nodes, self, rows)
        finally:
            nodes.close()


def write_rows(
    nodes: Nodes, writer: PartitionWriter, rows: Iterable[Sequence[object]], check: Callable[[], None] | None = None
) -> WrittenRows:
    """Write rows over connections that are open; `check` is called before each batch."""
    written, encoded = WrittenRows(), _encoded_parts(writer, iter(rows))
    while batch := _write_next(nodes, writer, encoded, check):
        written += batch
    if written.rows:
        confirm(nodes, writer.keys)
    return written


def _write_next(
    nodes: Nodes, writer: PartitionWriter, encoded: Iterator[_EncodedRows], check: Callable[[], None] | None
) -> WrittenRows | None:
    """Write the next batch; None at the end."""
    with _paused_collection():
        if not (by_bucket := _next_batch(encoded)):
            return None
        if check:
            check()
        return _write_batch(nodes, writer, by_bucket)


@contextmanager
def _paused_collection() -> Iterator[None]:
    """Let no garbage be collected meanwhile: rows have no cycles, and looking for some takes a sixth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def confirm(nodes: Nodes, keys: KeyNames) -> None:
    """Wait until a replica of each node that has one knows all that was written there."""
    topology = nodes.topology()
    if not topology.replicated:
        return
    by_node = {topology.node_of(key): key for key in (keys.rows(bucket, "barrier") for bucket in range(BUCKETS))}
    nodes.run([Command(key, ("SET", key, "1", "PX", 1000)) for key in by_node.values()], durable=True)


def _encoded_parts(writer: PartitionWriter, rows: Iterator[Sequence[object]]) -> Iterator[_EncodedRows]:
    """The buckets of some rows, and the rows as arguments of a command; rows are held no longer than that."""
    codec = row_codec(writer.layout)
    while part := list(islice(rows, ROWS_AT_ONCE)):
        fields = loaded_fields(part, writer.layout.keys)
        values = codec.encode(part, writer.read_at)
        if writer.layers:
            yield buckets_of(fields), ([*pack_texts(fields)], [*pack_texts(values)])
        else:
            yield buckets_of(fields), ([*pack_pairs(fields, values)],)


def _next_batch(encoded: Iterable[_EncodedRows]) -> dict[int, list[bytes]]:
    """The next rows by bucket, as many as fit into a batch; empty at the end."""
    by_bucket: defaultdict[int, list[bytes]] = defaultdict(list)
    count = size = 0
    for buckets, arguments in encoded:
        if len(arguments) == 1:
            for bucket, pair in zip(buckets, *arguments, strict=True):
                by_bucket[bucket].append(pair)
        else:
            for bucket, field, row in zip(buckets, *arguments, strict=True):
                by_bucket[bucket] += field, row
        count, size = count + len(buckets), size + sum(map(len, arguments[-1]))
        if count >= BATCH_ROWS or size >= BATCH_BYTES:
            break
    return by_bucket


def _write_batch(nodes: Nodes, writer: PartitionWriter, by_bucket: Mapping[int, Sequence[bytes]]) -> WrittenRows:
    """Write rows, each one argument or two, and compare them."""
    width = 2 if writer.layers else 1
    parts = [
        (bucket, rows[start : start + width * ROWS_PER_COMMAND])
        for bucket, rows in by_bucket.items()
        for start in range(0, len(rows), width * ROWS_PER_COMMAND)
    ]
    for start in range(0, len(parts), COMMANDS_PER_TRIP):
        nodes.run([_set_rows(writer, *part, width) for part in parts[start : start + COMMANDS_PER_TRIP]])
    counts = compare_rows(nodes, writer.keys, writer.layout, writer.layers, parts)
    return WrittenRows(sum(map(len, by_bucket.values())) // width, frozenset(by_bucket), counts)


def _set_rows(writer: PartitionWriter, bucket: int, rows: Sequence[bytes], width: int) -> Command:
    key = writer.keys.rows(bucket, writer.layer)
    return number_command(key, "HSET", packed=rows, packed_count=2 * len(rows) // width)
