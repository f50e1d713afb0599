"""What is served of a view: the manifest, which one key holds, and the rows and direct writes that it names.

The value of a feature is that of the row, or of a direct write that is not older. A row has the moment of each of its
features, or none, then it is as old as the sync that read it.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    InvalidEntityId,
    RowLayout,
    ServedEntity,
    Snapshot,
    Value,
)
from trialrun.runtime.feature_view.store.redis.nodes import Nodes, script_command
from trialrun.runtime.feature_view.store.redis.row_codec import (
    BUCKETS,
    MOMENT_OFFSET,
    bucket_of,
    decode_value,
    entity_field,
    entity_id,
    read_text,
    row_codec,
    write_text,
)
from trialrun.runtime.feature_view.store.value_codec import Stored, from_microseconds

FORMAT = 2
ROWS_PER_TRIP, BUCKETS_PER_TRIP = 20_000, 256
"""What is read in one go: so many buckets, or fewer where they have more rows."""
FETCH = """
local answers = {redis.call('EXISTS', KEYS[1])}
for _, field in ipairs(ARGV) do
  answers[#answers + 1] = redis.call('HGET', KEYS[1], field)
  answers[#answers + 1] = redis.call('HGET', KEYS[2], field)
end
return answers
"""
"""KEYS are the rows of a bucket, and its direct writes. Whether there are rows; of each entity its row and writes."""
_MOMENTS = struct.Struct(">QQ")


class ViewKeys:
    """The keys of a view, and the nodes that hold them."""

    def __init__(self, nodes: Nodes, view: str) -> None:
        self.nodes, self.view = nodes, view
        self._digest = sha256(view.encode("utf-8", "surrogatepass")).hexdigest()[:20]

    def of_view(self, part: str) -> bytes:
        """A key of the view itself; all of them are in one slot."""
        return f"{self.nodes.address.prefix}:{{{self._digest}}}:{part}".encode()

    def rows(self, bucket: int, snapshot: str) -> bytes:
        """The rows of a bucket in a snapshot."""
        return f"{self.nodes.address.prefix}:{{{bucket}}}:{self._digest}:{snapshot}".encode()

    def writes(self, bucket: int, log: str) -> bytes:
        """The direct writes to entities of a bucket."""
        return self.rows(bucket, f"w{log}")

    def written_buckets(self) -> list[int]:
        """The buckets that have direct writes, or had some."""
        return sorted(map(int, self.nodes.call("SMEMBERS", self.of_view("written"))))

    def read_manifest(self) -> tuple[bytes, Manifest]:
        """What is served now, and its text, empty without one. Raises StoreError where the manifest is not ours."""
        text = self.nodes.call("GET", self.of_view("current")) or b""
        with self.nodes.map_damage(self.deletion_advice):
            return text, parse_manifest(text) if text else Manifest(self.view)

    @property
    def deletion_advice(self) -> str:
        """What to do about a manifest that cannot be read, or lost rows, which a sync does not replace either."""
        return f"delete the key {self.of_view('current').decode()}, and sync again"


@dataclass(frozen=True)
class Manifest:
    """What is served of a view; one key holds it, so that one SET switches all of it.

    `rows` counts the entities that syncs read; `id` names their hashes, of which there is one for each of `buckets`;
    `log` names the direct writes. A view that was removed has no layout.
    """

    view: str
    number: int = 0
    synced_at: int = 0
    watermark: int | None = None
    plan: str = ""
    layout: RowLayout | None = None
    entities: int = 0
    rows: int = 0
    id: str = ""
    log: str = ""
    buckets: frozenset[int] = frozenset()

    def snapshot(self) -> Snapshot | None:
        """The snapshot; None of a view that was removed."""
        if self.layout is None:
            return None
        newest = None if self.watermark is None else from_microseconds(self.watermark)
        synced_at = from_microseconds(self.synced_at)
        return Snapshot(self.view, self.number, synced_at, newest, self.layout, self.entities, self.plan)

    def to_json(self) -> bytes:
        """The manifest as its key holds it; the buckets are bytes in base 16 with a bit for each."""
        bits = sum(1 << bucket for bucket in self.buckets)
        buckets = bits.to_bytes(-(-bits.bit_length() // 8), "little").hex()
        layout = self.layout and value_codec.serialize_layout(self.layout)
        return json.dumps({"trialrun": FORMAT, **vars(self), "layout": layout, "buckets": buckets}).encode()


@lru_cache(maxsize=64)
def parse_manifest(text: bytes) -> Manifest:
    """The manifest of its JSON. Raises ValueError, KeyError or TypeError for anything else."""
    content: dict[str, Any] = json.loads(text)
    if content["trialrun"] != FORMAT:
        raise ValueError("a manifest of another format")
    layout, bits = content["layout"], int.from_bytes(bytes.fromhex(content["buckets"])[: BUCKETS // 8], "little")
    return Manifest(
        str(content["view"]),
        int(content["number"]),
        int(content["synced_at"]),
        None if content["watermark"] is None else int(content["watermark"]),
        str(content["plan"]),
        None if layout is None else value_codec.parse_layout(layout),
        int(content["entities"]),
        int(content["rows"]),
        str(content["id"]),
        str(content["log"]),
        frozenset(bucket for bucket in range(bits.bit_length()) if bits >> bucket & 1),
    )


class StoredWrite(NamedTuple):
    """A direct write as it stands beside the rows; moments as they stand in rows."""

    feature: str
    type: str
    at: int
    sequence: int
    value: bytes


def parse_writes(data: bytes | None) -> list[StoredWrite]:
    """The direct writes to an entity, one for each feature."""
    writes, at = [], 0
    while data and at < len(data):
        feature, at = read_text(data, at)
        type, at = read_text(data, at)
        moment, sequence = _MOMENTS.unpack_from(data, at)
        value, at = read_text(data, at + _MOMENTS.size)
        writes.append(StoredWrite(feature.decode(), type.decode(), moment, sequence, value))
    return writes


def serialize_writes(writes: Iterable[StoredWrite]) -> bytes:
    """The same as bytes; empty for none."""
    return b"".join(
        write_text(write.feature.encode())
        + write_text(write.type.encode())
        + _MOMENTS.pack(write.at, write.sequence)
        + write_text(write.value)
        for write in writes
    )


class BucketEntry(NamedTuple):
    """An entity as it stands in a bucket: its row and its direct writes, None where it has none."""

    bucket: int
    field: bytes
    row: bytes | None
    writes: bytes | None


class SnapshotGone(StoreError):
    """A snapshot has fewer rows than it had: it was served before, and its grace period is over, or it was lost."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(str(nodes.damaged()))


class ServedView:
    """Reads what a manifest serves. May raise StoreError."""

    def __init__(self, keys: ViewKeys, manifest: Manifest) -> None:
        assert manifest.layout
        self.manifest, self.layout = manifest, manifest.layout
        self._keys, self._nodes, self._codec = keys, keys.nodes, row_codec(manifest.layout)
        self._decoders = [
            (at, decoder)
            for at, column in enumerate(self.layout.features)
            if (decoder := value_codec.decoder(column)) and not (column.type == "DOUBLE" and not column.repeated)
        ]
        self._columns = {column.name: (at, column) for at, column in enumerate(self.layout.features)}

    def fetch(self, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities of some ids, in their order. Raises InvalidEntityId and SnapshotGone."""
        try:
            fields = [entity_field(id, self.layout.keys) for id in ids]
        except (ValueError, TypeError) as fault:
            columns = ", ".join(f"{column.name} ({column.type_text})" for column in self.layout.keys)
            raise InvalidEntityId(f"invalid entity id; the entity id columns are {columns}") from fault
        with self._nodes.map_damage():
            entries = self.entries_of([field for field in fields if field is not None])
            return [None if field is None else self._entity(entries[field]) for field in fields]

    def entries_of(self, fields: Iterable[bytes], *, may_be_gone: bool = False) -> dict[bytes, BucketEntry]:
        """The rows and direct writes of some entities, by one script for each bucket. Raises SnapshotGone."""
        by_bucket: dict[int, list[bytes]] = {}
        for field in dict.fromkeys(fields):
            by_bucket.setdefault(bucket_of(field), []).append(field)
        commands = [script_command(FETCH, self._bucket_keys(bucket), *chosen) for bucket, chosen in by_bucket.items()]
        entries: dict[bytes, BucketEntry] = {}
        for (bucket, chosen), answer in zip(by_bucket.items(), self._nodes.run(commands), strict=True):
            if bucket in self.manifest.buckets and not answer[0] and not may_be_gone:
                raise SnapshotGone(self._nodes)
            for at, field in enumerate(chosen):
                entries[field] = BucketEntry(bucket, field, *answer[1 + 2 * at : 3 + 2 * at])
        return entries

    def scan(self, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows, in the order of entity ids, which SQLite sorts, in a file without a name where they are many.

        All of them are read before the first is given. Raises SnapshotGone, at once, and KeyError for a wrong column.
        """
        chosen, width = value_codec.find_columns(self.layout, columns), len(self.layout.keys)
        buckets = self.manifest.buckets.union(self._keys.written_buckets())
        database = sqlite3.connect("", check_same_thread=False)
        try:
            names = ", ".join(f"k{at}" for at in range(width))
            database.execute(f"CREATE TABLE entities ({names}, row, writes)")
            with self._nodes.map_damage():
                database.executemany(
                    f"INSERT INTO entities VALUES ({', '.join('?' * width)}, ?, ?)",
                    (
                        (*entity_id(entry.field, self.layout.keys), entry.row, entry.writes)
                        for entry in self.entries(buckets)
                    ),
                )
            if database.execute("SELECT count(row) FROM entities").fetchone() != (self.manifest.rows,):
                raise SnapshotGone(self._nodes)
        except BaseException:
            database.close()
            raise

        def rows() -> Iterator[tuple[object, ...]]:
            with closing(database), self._nodes.map_damage():
                for *id, row, writes in database.execute(f"SELECT * FROM entities ORDER BY {names}"):
                    if stored := self.stored(row, writes):
                        values = [*id, *self.decode(stored[0])]
                        yield (tuple(id), *(values[at] for at in chosen))

        return rows()

    def entries(self, buckets: Iterable[int]) -> Iterator[BucketEntry]:
        """The entities of some buckets, in no order. Raises SnapshotGone where a bucket has no rows that had some."""
        for part in bucket_parts(sorted(buckets), self.manifest.rows):
            keys = [key for bucket in part for key in self._bucket_keys(bucket)]
            answers = iter(self._nodes.run([("HGETALL", key) for key in keys]))
            for bucket, rows, log in zip(part, answers, answers, strict=True):
                if bucket in self.manifest.buckets and not rows:
                    raise SnapshotGone(self._nodes)
                for field, row in rows.items():
                    yield BucketEntry(bucket, field, row, log.pop(field, None))
                for field, writes in log.items():
                    yield BucketEntry(bucket, field, None, writes)

    def written_entries(self) -> Iterator[BucketEntry]:
        """The entities that have direct writes, with their rows."""
        for part in bucket_parts(self._keys.written_buckets(), self.manifest.rows):
            logs = self._nodes.run([("HKEYS", self._keys.writes(bucket, self.manifest.log)) for bucket in part])
            yield from self.entries_of((field for log in logs for field in log), may_be_gone=True).values()

    def stored(self, row: bytes | None, writes: bytes | None) -> tuple[list[Stored], int] | None:
        """The values as value_codec has them, and the newest moment, 0 for none; None for what is not served."""
        kept = self.kept_writes(row, writes)
        if row is None and not kept:
            return None
        values: list[Stored] = [None] * len(self.layout.features)
        newest = 0
        if row is not None:
            _, moments, values = self._codec.decode(row)
            newest = max(moments)
        for write in kept:
            place, column = self._columns[write.feature]
            values[place] = decode_value(column, write.value)
            newest = max(newest, write.at)
        return values, newest

    def decode(self, values: list[Any]) -> list[Value]:
        """The values as they are served, in place."""
        for at, decoder in self._decoders:
            if (value := values[at]) is not None:
                values[at] = decoder(value)
        return values

    def kept_writes(self, row: bytes | None, writes: bytes | None) -> list[StoredWrite]:
        """The direct writes to an entity that are served: no sync has read anything newer."""
        return [write for write in self._known_writes(writes) if write.at >= self._moment(row, write.feature)]

    def lay_over(self, row: bytes | None, writes: bytes, write: StoredWrite) -> tuple[bytes, bool]:
        """The direct writes to an entity after another one, and whether that is served now: nothing is newer."""
        others = parse_writes(writes)
        same = [other.at for other in others if (other.feature, other.type) == (write.feature, write.type)]
        if write.at < max([self._moment(row, write.feature), *same]):
            return writes, False
        return serialize_writes([*(other for other in others if other.feature != write.feature), write]), True

    def history(self) -> list[DirectWrite]:
        """The direct writes that are kept, in the order in which they were made."""
        kept = [(entry.field, write) for entry in self.written_entries() for write in self._known_writes(entry.writes)]
        history = []
        for field, write in sorted(kept, key=lambda pair: pair[1].sequence):
            _, column = self._columns[write.feature]
            stored, decoder = decode_value(column, write.value), value_codec.decoder(column)
            at = from_microseconds(write.at - MOMENT_OFFSET)
            value: Any = decoder(stored) if decoder else stored
            history.append(DirectWrite(entity_id(field, self.layout.keys), write.feature, value, at))
        return history

    def _bucket_keys(self, bucket: int) -> tuple[bytes, bytes]:
        return self._keys.rows(bucket, self.manifest.id), self._keys.writes(bucket, self.manifest.log)

    def _known_writes(self, writes: bytes | None) -> list[StoredWrite]:
        """The direct writes to features that are served, and have the type that they had."""
        types = {name: column.type_text for name, (_, column) in self._columns.items()} if writes else {}
        return [write for write in parse_writes(writes) if types.get(write.feature) == write.type]

    def _moment(self, row: bytes | None, feature: str) -> int:
        """The moment of the value of a feature in a row; 0 for none."""
        if row is None or feature not in self._columns:
            return 0
        indexes, (place, _) = self.layout.timestamp_indexes, self._columns[feature]
        read_at, *moments = self._codec.moments_of(row)
        return moments[indexes[place] if indexes else 0] or read_at

    def _entity(self, entry: BucketEntry) -> ServedEntity | None:
        if (stored := self.stored(entry.row, entry.writes)) is None:
            return None
        values, newest = stored
        moment = from_microseconds(newest - MOMENT_OFFSET) if newest else None
        id = entity_id(entry.field, self.layout.keys)
        return ServedEntity(id, dict(zip(self._columns, self.decode(values), strict=True)), moment)


def bucket_parts(buckets: Sequence[int], rows: int) -> Iterator[Sequence[int]]:
    """Some buckets of so many rows in all, as many of them at a time as are read in one go."""
    per_trip = max(1, min(BUCKETS_PER_TRIP, ROWS_PER_TRIP * BUCKETS // max(rows, 1)))
    for start in range(0, len(buckets), per_trip):
        yield buckets[start : start + per_trip]
