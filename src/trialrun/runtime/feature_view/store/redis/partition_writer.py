"""Writes rows of a layer that is not served yet: in this process, or in another one, to which a writer is pickled.

`PartitionWriter.write` takes rows in any order and returns how many there were and of which buckets; rows that are
written again, since a task was, take the place of themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.feature_view.store.redis.address import RedisAddress
from trialrun.runtime.feature_view.store.redis.commands import Command, pack_pairs
from trialrun.runtime.feature_view.store.redis.keys import BUCKETS, KeyNames, buckets_of, loaded_fields
from trialrun.runtime.feature_view.store.redis.nodes import Nodes
from trialrun.runtime.feature_view.store.redis.row_codec import ROWS_AT_ONCE, row_codec

BATCH_ROWS, BATCH_BYTES = 400_000, 64 << 20
"""Rows that are encoded before they are sent; the more, the more of a bucket one command has."""
ROWS_PER_COMMAND = 1000
COMMANDS_PER_TRIP = 512


@dataclass(frozen=True)
class WrittenRows:
    """What a writer wrote: how many rows, and the buckets that have some. Those of several writers can be added."""

    rows: int = 0
    buckets: frozenset[int] = frozenset()

    def __add__(self, other: WrittenRows) -> WrittenRows:
        return WrittenRows(self.rows + other.rows, self.buckets | other.buckets)


@dataclass(frozen=True)
class PartitionWriter:
    """Writes rows into a layer. It can be pickled; its text has no password, but what is pickled has it."""

    address: RedisAddress
    keys: KeyNames
    layer: str
    layout: RowLayout
    read_at: int

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
    while by_bucket := _next_batch(encoded):
        if check:
            check()
        written += _write_batch(nodes, writer, by_bucket)
    if written.rows:
        confirm(nodes, writer.keys)
    return written


def confirm(nodes: Nodes, keys: KeyNames) -> None:
    """Wait until a replica of each node that has one knows all that was written there."""
    topology = nodes.topology()
    if not topology.replicated:
        return
    by_node = {topology.node_of(key): key for key in (keys.rows(bucket, "barrier") for bucket in range(BUCKETS))}
    nodes.run([Command(key, ("SET", key, "1", "PX", 1000)) for key in by_node.values()], durable=True)


def _encoded_parts(
    writer: PartitionWriter, rows: Iterator[Sequence[object]]
) -> Iterator[tuple[list[int], Iterable[bytes]]]:
    """The buckets of some rows, and the rows as arguments of a command; rows are held no longer than that."""
    codec = row_codec(writer.layout)
    while part := list(islice(rows, ROWS_AT_ONCE)):
        fields = loaded_fields(part, writer.layout.keys)
        yield buckets_of(fields), pack_pairs(fields, codec.encode(part, writer.read_at))


def _next_batch(encoded: Iterable[tuple[list[int], Iterable[bytes]]]) -> dict[int, list[bytes]]:
    """The next rows by bucket, as many as fit into a batch; empty at the end."""
    by_bucket: defaultdict[int, list[bytes]] = defaultdict(list)
    count = size = 0
    for buckets, pairs in encoded:
        listed = [*pairs]
        for bucket, pair in zip(buckets, listed, strict=True):
            by_bucket[bucket].append(pair)
        count, size = count + len(listed), size + sum(map(len, listed))
        if count >= BATCH_ROWS or size >= BATCH_BYTES:
            break
    return by_bucket


def _write_batch(nodes: Nodes, writer: PartitionWriter, by_bucket: Mapping[int, Sequence[bytes]]) -> WrittenRows:
    commands = (
        Command(key, ("HSET", key), pairs=pairs[start : start + ROWS_PER_COMMAND])
        for bucket, pairs in by_bucket.items()
        for key in [writer.keys.rows(bucket, writer.layer)]
        for start in range(0, len(pairs), ROWS_PER_COMMAND)
    )
    while trip := list(islice(commands, COMMANDS_PER_TRIP)):
        nodes.run(trip)
    return WrittenRows(sum(map(len, by_bucket.values())), frozenset(by_bucket))
