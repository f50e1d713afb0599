"""Loading a view: rows go into hashes of their own, by one process or by many, and are served by one switch.

A driver that lets others write does so:

    with store.begin_load(view, layout, synced_at) as session:
        written = [session.writer.write(rows) for each partition, in any process]     # the writer can be pickled
        counts = session.serve(RowLoad(layout, (), synced_at, ...), sum(written, WrittenRows()))

Nothing is served unless `serve` is called, and it serves nothing where rows are missing or an entity came twice, or
where the lock was lost meanwhile. What a load changes is counted by the nodes, which compare rows as bytes. Only what
they cannot compare comes here: entities with direct writes, numbers that may be -0.0, and rows of another layout.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, repeat
from typing import Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, SyncCounts
from trialrun.runtime.feature_view.store.redis.nodes import Command, Nodes, Part, RedisAddress, script_command
from trialrun.runtime.feature_view.store.redis.row_codec import (
    BUCKETS,
    MOMENT_OFFSET,
    bucket_of,
    loaded_fields,
    row_codec,
)
from trialrun.runtime.feature_view.store.redis.served_view import (
    Manifest,
    ServedView,
    SnapshotGone,
    ViewKeys,
    bucket_parts,
    serialize_writes,
)
from trialrun.runtime.feature_view.store.redis.view_lock import ViewLock, hold_lock
from trialrun.runtime.feature_view.store.value_codec import Stored, is_comparable, to_microseconds

FRESHNESS = 0.05
"""For how many seconds a reader may remember a manifest; a load returns no sooner than that after its switch."""
GRACE = 60.0
"""For how many seconds rows are kept that are not served any more, for readers that began before."""
BATCH_ROWS, BATCH_BYTES = 200_000, 64 << 20
"""Rows that are encoded before they are sent; the more, the more of a bucket one command has."""
ROWS_AT_ONCE, ROWS_PER_COMMAND = 1000, 1000
COMPARE = """
local new, both, differing, unsure = redis.call('HGETALL', KEYS[1]), 0, 0, {}
local start, may_be_same, zero = tonumber(ARGV[1]), ARGV[2] == '1', '\\128\\0\\0\\0\\0\\0\\0\\0'
local has_writes, find, sub = redis.call('EXISTS', KEYS[3]) == 1, string.find, string.sub
local listed, old_rows = redis.call('HGETALL', KEYS[2]), {}
for at = 1, #listed, 2 do old_rows[listed[at]] = listed[at + 1] end
for at = 1, #new, 2 do
  local field, row, old = new[at], new[at + 1], old_rows[new[at]] or false
  local writes = has_writes and redis.call('HGET', KEYS[3], field)
  if old then both = both + 1 end
  if writes or (old and not may_be_same) then
    unsure[#unsure + 1] = {row, old, writes}
  elseif old and (#row ~= #old or not find(old, sub(row, start), start, true)) then
    if find(row, zero, start, true) or find(old, zero, start, true) then
      unsure[#unsure + 1] = {row, old, false}
    else
      differing = differing + 1
    end
  end
end
return {both, differing, unsure}
"""
"""Compares the rows of a bucket, KEYS[1], with those before and their direct writes. ARGV are where values begin in a
row, and whether both are of one layout. Returned are how many entities had a row, how many of them differ, and what
only the caller can compare: a row, the one before, and direct writes."""
KEEP = """
if redis.call('COPY', KEYS[2], KEYS[1]) == 0 then
  local rows = redis.call('HGETALL', KEYS[2])
  for at = 1, #rows, 2 do redis.call('HSETNX', KEYS[1], rows[at], rows[at + 1]) end
end
return 1
"""
"""Puts the rows of KEYS[2] into KEYS[1], but those of entities that it has."""
SWITCH = """
local current = redis.call('GET', KEYS[1])
if current == ARGV[3] then return 1 end
if redis.call('GET', KEYS[2]) ~= ARGV[1] or (current or '') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3])
if ARGV[4] == 'removed' then redis.call('DEL', KEYS[3], KEYS[5], KEYS[6])
elseif ARGV[4] ~= '' then redis.call('RPUSH', KEYS[3], ARGV[4]) end
if ARGV[5] ~= '' then redis.call('HDEL', KEYS[4], ARGV[5]) end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[4], ARGV[6], '1') end
return 1
"""
"""Serves another manifest, if the lock is still the caller's and nobody else has switched. ARGV are the lock, the
manifest before and the new one, the moment of the sync if there was one, the rows that are served from now on, and
those that are not any more."""
REPLACE_WRITES = """
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1
"""
"""Replaces the direct writes to an entity, if they still are as they are known. ARGV are the entity, the writes as they
are known, and the new ones."""


@dataclass(frozen=True)
class WrittenRows:
    """What a writer wrote: how many rows, and the buckets that have some. Those of several writers can be added."""

    rows: int = 0
    buckets: frozenset[int] = frozenset()

    def __add__(self, other: WrittenRows) -> WrittenRows:
        return WrittenRows(self.rows + other.rows, self.buckets | other.buckets)


@dataclass(frozen=True)
class PartitionWriter:
    """Writes rows of a snapshot. It can be pickled; its text has no password, but what is pickled has it."""

    address: RedisAddress
    view: str
    id: str
    layout: RowLayout
    read_at: int

    def write(self, rows: Iterable[Sequence[object]]) -> WrittenRows:
        """Write rows as a RowLoad has them, in any order. Raises StoreError.

        Rows that are written again, since a task was, take the place of themselves.
        """
        with closing(Nodes(self.address)) as nodes:
            return self.write_to(ViewKeys(nodes, self.view), rows, lambda: None)

    def write_to(
        self, keys: ViewKeys, rows: Iterable[Sequence[object]], before_batch: Callable[[], None]
    ) -> WrittenRows:
        """The same over connections that are open."""
        written, codec, source = WrittenRows(), row_codec(self.layout), iter(rows)
        pairs: defaultdict[int, list[Part]] = defaultdict(list)
        count = size = 0
        while True:
            part = list(islice(source, ROWS_AT_ONCE))
            if count and (not part or count >= BATCH_ROWS or size >= BATCH_BYTES):
                before_batch()
                commands: list[Command] = [
                    ("HSET", keys.rows(bucket, self.id), *encoded[start : start + 2 * ROWS_PER_COMMAND])
                    for bucket, encoded in pairs.items()
                    for start in range(0, len(encoded), 2 * ROWS_PER_COMMAND)
                ]
                keys.nodes.run(commands, durable=True)
                written += WrittenRows(count, frozenset(pairs))
                pairs.clear()
                count = size = 0
            if not part:
                return written
            for field, row in zip(loaded_fields(part, self.layout.keys), codec.encode(part, self.read_at), strict=True):
                pairs[bucket_of(field)] += field, row
                size += len(row)
            count += len(part)


@contextmanager
def begin_load(keys: ViewKeys, layout: RowLayout, synced_at: datetime, *, patience: float = 0) -> Iterator[LoadSession]:
    """A load whose rows are to be written, while nobody else syncs the view. Raises SyncRunning."""
    nodes = keys.nodes
    with hold_lock(keys, synced_at, patience=patience) as lock:
        text, before = keys.read_manifest()
        garbage = keys.of_view("garbage")
        for id in nodes.call("HKEYS", garbage):  # of loads that were killed
            if id.decode() != before.id:
                _expire_rows(keys, id.decode(), range(BUCKETS))
        if before.layout:
            _forget_old_writes(keys, ServedView(keys, before))
        id = secrets.token_hex(6)
        nodes.run([("HSET", garbage, id, "0")], durable=True)
        writer = PartitionWriter(nodes.address, keys.view, id, layout, to_microseconds(synced_at))
        try:
            yield LoadSession(keys, lock, text, before, writer)
        finally:
            with suppress(StoreError):  # the next load does it
                lock.release()
                _drop_unless_served(keys, id)


class LoadSession:
    """A load that was begun, and whose lock is held."""

    def __init__(self, keys: ViewKeys, lock: ViewLock, text: bytes, before: Manifest, writer: PartitionWriter) -> None:
        self.writer = writer
        self._keys, self._nodes, self._lock, self._text, self._before = keys, keys.nodes, lock, text, before

    def write(self, rows: Iterable[Sequence[object]]) -> WrittenRows:
        """Write rows in this process, as its writer does in others."""
        return self.writer.write_to(self._keys, rows, self._lock.require)

    def serve(self, load: RowLoad, written: WrittenRows) -> SyncCounts:
        """Serve the rows that were written, beside what stays of those before, from now on. Raises StoreError."""
        before = self._before
        self._lock.require()
        there = self._count_rows(written.buckets)
        if there < written.rows:
            raise StoreError("two loaded rows have the same entity id; choose one of them first")
        if there != written.rows:
            raise StoreError(f"{there:,} of {written.rows:,} rows are there after a node has failed over; sync again")
        watermark = load.watermark()
        after = Manifest(
            before.view,
            before.number + load.is_sync,
            to_microseconds(load.synced_at),
            None if watermark is None else to_microseconds(watermark),
            load.plan,
            load.layout,
            rows=written.rows,
            id=self.writer.id,
            log=secrets.token_hex(4),
            buckets=written.buckets,
        )
        both = served_before = differing = 0
        key_types = [column.type for column in load.layout.keys]
        if before.layout and [column.type for column in before.layout.keys] == key_types:
            after = replace(after, log=before.log)
            with self._nodes.map_damage():
                both, served_before, differing = _compare(self._keys, before, after)
                if load.keep_vanished or load.incremental:
                    after = self._keep_rows(after, both)
        view = ServedView(self._keys, after)
        if load.before_serving:
            load.before_serving(before.number + 1, view.scan)
        with self._nodes.map_damage():
            alone = sum(
                entry.row is None and bool(view.kept_writes(None, entry.writes)) for entry in view.written_entries()
            )
        after = replace(after, entities=after.rows + alone)
        self._switch(after, str(after.synced_at) if load.is_sync else "")
        return SyncCounts(
            read=written.rows,
            entities=after.entities,
            new=written.rows - served_before,
            changed=differing,
            unchanged=served_before - differing,
            vanished=0 if load.incremental else before.rows - both,
        )

    def remove(self) -> None:
        """Serve nothing any more, and forget what became of the view. Raises StoreError."""
        self._switch(Manifest(self._before.view, self._before.number), "removed")

    def _switch(self, after: Manifest, synced_at: str) -> None:
        """Serve another manifest, in one step, and let expire what was served before. Raises StoreError."""
        before, keys, written = self._before, self._keys, self._keys.written_buckets()
        names = [keys.of_view(part) for part in ("current", "lock", "syncs", "garbage", "written", "sequence")]
        old_id = "" if before.id == after.id else before.id
        command = script_command(
            SWITCH, names, self._lock.text, self._text, after.to_json(), synced_at, after.id, old_id
        )
        self._lock.require(is_ours=bool(self._nodes.run([command], durable=True)[0]))
        switched = time.monotonic()
        with suppress(StoreError):  # the next load does it
            if old_id:
                _expire_rows(keys, old_id, before.buckets)
            if before.log and before.log != after.log:
                logs = [keys.writes(bucket, before.log) for bucket in written]
                self._nodes.run([("PEXPIRE", log, int(GRACE * 1000)) for log in logs])
        time.sleep(max(0.0, FRESHNESS - (time.monotonic() - switched)))

    def _keep_rows(self, after: Manifest, both: int) -> Manifest:
        before, nodes, keys = self._before, self._nodes, self._keys
        if not after.rows and before.layout == after.layout:
            return replace(after, rows=before.rows, id=before.id, buckets=before.buckets)
        kept = replace(after, rows=before.rows + after.rows - both, buckets=before.buckets | after.buckets)
        try:
            if before.layout == after.layout:
                copies = [[keys.rows(bucket, id) for id in (after.id, before.id)] for bucket in sorted(before.buckets)]
                nodes.run([script_command(KEEP, each) for each in copies], durable=True)
            else:
                for part in bucket_parts(sorted(before.buckets), before.rows):
                    nodes.run(self._translated_rows(after, part), durable=True)
        except SnapshotGone as fault:
            raise nodes.damaged(keys.deletion_advice) from fault
        if self._count_rows(kept.buckets) != kept.rows:
            raise nodes.damaged(keys.deletion_advice)
        return kept

    def _translated_rows(self, after: Manifest, part: Sequence[int]) -> list[Command]:
        """What puts the rows before of some buckets into those of another layout, but those of entities that it has.

        A feature that is not there, or was of another type, is null. Where features share a moment, it is the newest of
        those that the row has for them; none: that of the sync.
        """
        assert after.layout
        view, codec = ServedView(self._keys, self._before), row_codec(after.layout)
        was = {(column.name, column.type, column.repeated): at for at, column in enumerate(view.layout.features)}
        sources = [was.get((column.name, column.type, column.repeated)) for column in after.layout.features]
        own_moments = view.layout.timestamp_indexes or (0,) * len(was)
        known = self._nodes.run([("HKEYS", self._keys.rows(bucket, after.id)) for bucket in part])
        fields = {field for bucket_fields in known for field in bucket_fields}
        commands: list[Command] = []
        for entry in view.entries(part):
            if entry.row is None or entry.field in fields:
                continue
            read_at, moments, stored = row_codec(view.layout).decode(entry.row)
            values, newest = view.decode(stored), [0] * after.layout.timestamp_count
            for place, source in zip(after.layout.timestamp_indexes or repeat(0), sources, strict=False):
                if source is not None:
                    newest[place] = max(newest[place], moments[own_moments[source]])
            row: list[Any] = [None] * len(after.layout.keys) + [
                moment - MOMENT_OFFSET if moment else None for moment in newest
            ]
            row += [None if source is None else values[source] for source in sources]
            (encoded,) = codec.encode([row], read_at - MOMENT_OFFSET)
            commands.append(("HSET", self._keys.rows(entry.bucket, after.id), entry.field, encoded))
        return commands

    def _count_rows(self, buckets: Iterable[int]) -> int:
        return sum(self._nodes.run([("HLEN", self._keys.rows(bucket, self.writer.id)) for bucket in buckets]))


def _expire_rows(keys: ViewKeys, id: str, buckets: Iterable[int]) -> None:
    keys.nodes.run([("PEXPIRE", keys.rows(bucket, id), int(GRACE * 1000)) for bucket in buckets])
    keys.nodes.call("HDEL", keys.of_view("garbage"), id)


def _forget_old_writes(keys: ViewKeys, view: ServedView) -> None:
    """Forget direct writes that are not served any more: a sync read something newer, or the feature is gone."""
    commands = []
    with keys.nodes.map_damage():
        for entry in view.written_entries():
            kept = serialize_writes(view.kept_writes(entry.row, entry.writes))
            if kept != entry.writes:
                key = keys.writes(entry.bucket, view.manifest.log)
                commands.append(script_command(REPLACE_WRITES, [key], entry.field, entry.writes or b"", kept))
    keys.nodes.run(commands, durable=True)


def _drop_unless_served(keys: ViewKeys, id: str) -> None:
    """Drop the rows of a load that failed; nobody ever read them."""
    if keys.read_manifest()[1].id != id:
        keys.nodes.run([("UNLINK", keys.rows(bucket, id)) for bucket in range(BUCKETS)])
        keys.nodes.call("HDEL", keys.of_view("garbage"), id)


def _compare(keys: ViewKeys, before: Manifest, after: Manifest) -> tuple[int, int, int]:
    was, now = ServedView(keys, before), ServedView(keys, after)
    how = (row_codec(now.layout).values_start + 1, "1" if was.layout == now.layout else "0")
    buckets = sorted(after.buckets.intersection(before.buckets.union(keys.written_buckets())))
    both = served = differing = 0
    for part in bucket_parts(buckets, before.rows + after.rows):
        names = [
            [keys.rows(bucket, after.id), keys.rows(bucket, before.id), keys.writes(bucket, before.log)]
            for bucket in part
        ]
        for had_row, changed, unsure in keys.nodes.run([script_command(COMPARE, each, *how) for each in names]):
            both, served, differing = both + had_row, served + had_row, differing + changed
            for row, old, writes in unsure:
                old_values, new_values = was.stored(old, writes), now.stored(row, writes)
                served += old_values is not None and old is None
                if old_values and new_values:
                    differing += _differ(now.layout, new_values[0], was.layout, old_values[0])
    return both, served, differing


def _differ(layout: RowLayout, new: Sequence[Stored], old_layout: RowLayout, old: Sequence[Stored]) -> bool:
    was = {column.name: (value, column) for column, value in zip(old_layout.features, old, strict=True)}
    for column, value in zip(layout.features, new, strict=True):
        before, old_column = was.pop(column.name, (None, column))
        is_nan = value != value and before != before
        if (value != before and not is_nan) if is_comparable(column, old_column) else (value, before) != (None, None):
            return True
    return any(value is not None for value, _ in was.values())
