"""Writes rows of a layer that is not served yet: in this process, or in another one, to which a writer is pickled.

`PartitionWriter.write` takes rows in any order and returns how many there were and of which buckets; rows that are
written again, since a task was, take the place of themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import RowLayout
from trialrun.runtime.feature_view.store.redis.address import RedisAddress
from trialrun.runtime.feature_view.store.redis.keys import BUCKETS, KeyNames, bucket_of, loaded_fields
from trialrun.runtime.feature_view.store.redis.nodes import Command, Nodes
from trialrun.runtime.feature_view.store.redis.row_codec import row_codec

BATCH_SIZE = 100_000
"""Rows that are encoded at once; the more, the more of a bucket one command has."""
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
    written, rows = WrittenRows(), iter(rows)
    while batch := list(islice(rows, BATCH_SIZE)):
        if check:
            check()
        written += _write_batch(nodes, writer, batch)
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


def _write_batch(nodes: Nodes, writer: PartitionWriter, rows: Sequence[Sequence[object]]) -> WrittenRows:
    fields = loaded_fields(rows, writer.layout.keys)
    by_bucket: dict[int, list[bytes]] = {}
    for field, row in zip(fields, row_codec(writer.layout).encode(rows, writer.read_at), strict=True):
        by_bucket.setdefault(bucket_of(field), []).extend((field, row))
    commands = [
        Command(key, ("HSET", key, *pairs[start : start + 2 * ROWS_PER_COMMAND]))
        for bucket, pairs in by_bucket.items()
        for key in [writer.keys.rows(bucket, writer.layer)]
        for start in range(0, len(pairs), 2 * ROWS_PER_COMMAND)
    ]
    for start in range(0, len(commands), COMMANDS_PER_TRIP):
        nodes.run(commands[start : start + COMMANDS_PER_TRIP])
    return WrittenRows(len(rows), frozenset(by_bucket))
