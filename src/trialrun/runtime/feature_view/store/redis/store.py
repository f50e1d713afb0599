"""An online store in Redis: the methods of OnlineStore, over the parts beside this module."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.direct_write import EXTEND_TIMEOUT, widening_load
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    InvalidWrite,
    RowLayout,
    RowLoad,
    ServedEntity,
    Snapshot,
    SyncCounts,
    ViewHistory,
    require_synced,
)
from trialrun.runtime.feature_view.store.redis import load_session
from trialrun.runtime.feature_view.store.redis.load_session import FRESHNESS, REPLACE_WRITES, LoadSession
from trialrun.runtime.feature_view.store.redis.nodes import PATIENCE, Nodes, RedisAddress, script_command
from trialrun.runtime.feature_view.store.redis.row_codec import MOMENT_OFFSET, bucket_of, encode_value, entity_field
from trialrun.runtime.feature_view.store.redis.served_view import (
    BucketEntry,
    ServedView,
    SnapshotGone,
    StoredWrite,
    ViewKeys,
)

VERSION = b"2"
"""The version of the keys and of what they hold; a store of another one is refused."""
Result = TypeVar("Result")


class _KnownManifest(NamedTuple):
    """A manifest that a thread read, and when; it serves nothing where there is none, or the view was removed."""

    text: bytes
    served: ServedView | None
    read_at: float


class RedisStore:
    """Serves the values of views from Redis, which any number of threads, processes and machines may use at once.

    Every method may raise StoreError, after at most `patience` seconds in which a node could not be reached.
    """

    def __init__(self, address: RedisAddress, *, patience: float = PATIENCE) -> None:
        self.address, self._nodes = address, Nodes(address, patience=patience)
        self._thread_state = threading.local()
        self._is_checked = False

    def close(self) -> None:
        """Close all connections."""
        self._nodes.close()

    def snapshot(self, view: str) -> Snapshot | None:
        served = self._read(view).served
        return served.manifest.snapshot() if served else None

    def load(self, view: str, load: RowLoad) -> SyncCounts:
        with self.begin_load(view, load.layout, load.synced_at) as session:
            return session.serve(load, session.write(load.rows))

    def begin_load(
        self, view: str, layout: RowLayout, synced_at: datetime, *, patience: float = 0
    ) -> AbstractContextManager[LoadSession]:
        """A load whose rows any number of processes may write; see `load_session`. Raises SyncRunning."""
        self._claim()
        return load_session.begin_load(self._keys(view), layout, synced_at, patience=patience)

    def fetch(self, view: str, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities of some ids, all of one snapshot, in their order. Raises NeverSynced and InvalidEntityId."""
        return self.fetch_in_layout(view, lambda layout: ids)

    def fetch_in_layout(
        self, view: str, ids_in: Callable[[RowLayout], Sequence[EntityId]]
    ) -> list[ServedEntity | None]:
        return self._read_served(view, self._known(view), lambda served: served.fetch(ids_in(served.layout)))

    def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        known = self._read(view)
        require_synced(view, known.served)

        def rows() -> Iterator[tuple[object, ...]]:
            yield from self._read_served(view, known, lambda served: served.scan(features))

        return rows()

    def write(self, view: str, writes: Sequence[DirectWrite], *, now: datetime) -> list[bool]:
        known = self._read(view)
        layout = require_synced(view, known.served).layout
        checked = [value_codec.check_write(layout, write, now=now) for write in writes]
        fields = [field for write in writes if (field := entity_field(write.id, layout.keys)) is not None]
        if len(fields) < len(writes):
            raise InvalidWrite("the entity id does not fit the entity id columns of the view")
        if not writes:
            return []
        # Loads look for direct writes in the buckets that are announced, so that comes first.
        keys = self._keys(view)
        _, last = self._nodes.run(
            [
                ("SADD", keys.of_view("written"), *{bucket_of(field) for field in fields}),
                ("INCRBY", keys.of_view("sequence"), len(writes)),
            ],
            durable=True,
        )
        pending: dict[bytes, list[tuple[int, StoredWrite]]] = {}
        for at, (write, field, (place, value)) in enumerate(zip(writes, fields, checked, strict=True)):
            column, moment = layout.features[place], value_codec.to_microseconds(write.at) + MOMENT_OFFSET
            number, encoded = last - len(writes) + at + 1, encode_value(column, value)
            stored = StoredWrite(column.name, column.type_text, moment, number, encoded)
            pending.setdefault(field, []).append((at, stored))
        is_served = [False] * len(writes)

        def read(of: ServedView) -> tuple[ServedView, dict[bytes, BucketEntry]]:
            return of, of.entries_of(pending)

        while pending:  # others may write to the same entities
            served, entries = self._read_served(view, known, read)
            commands = []
            with self._nodes.map_damage():
                for field, places in pending.items():
                    row, before = entries[field].row, entries[field].writes or b""
                    after = before
                    for at, stored in places:
                        after, is_served[at] = served.lay_over(row, after, stored)
                    log = keys.writes(entries[field].bucket, served.manifest.log)
                    commands.append(script_command(REPLACE_WRITES, [log], field, before, after))
            done = self._nodes.run(commands, durable=True)
            pending = {
                field: places for (field, places), is_done in zip(pending.items(), done, strict=True) if not is_done
            }
        return is_served

    def extend(self, view: str, layout: RowLayout, *, now: datetime) -> None:
        with self.begin_load(view, layout, now, patience=EXTEND_TIMEOUT) as session:
            if load := widening_load(self.snapshot(view), layout, now):
                session.serve(load, session.write(()))

    def history(self, view: str) -> ViewHistory:
        served = self._read(view).served
        if served is None:
            return ViewHistory([], [])
        with self._nodes.map_damage():
            syncs = self._nodes.call("LRANGE", self._keys(view).of_view("syncs"), 0, -1)
            return ViewHistory([value_codec.from_microseconds(int(at)) for at in syncs], served.history())

    def remove(self, view: str) -> None:
        if self._read(view).text:
            with load_session.begin_load(self._keys(view), RowLayout((), ()), datetime.now(UTC)) as session:
                session.remove()

    def _read_served(self, view: str, known: _KnownManifest, read: Callable[[ServedView], Result]) -> Result:
        """What is read by a manifest, or by a newer one where the rows of that are gone. Raises NeverSynced."""
        while True:
            try:
                return read(require_synced(view, known.served))
            except SnapshotGone:
                newest = self._read(view)
                if newest.text == known.text:
                    raise
                known = newest

    def _known(self, view: str) -> _KnownManifest:
        """The manifest as this thread read it, at most FRESHNESS ago."""
        known = self._manifests().get(view)
        return known if known and time.monotonic() - known.read_at < FRESHNESS else self._read(view)

    def _read(self, view: str) -> _KnownManifest:
        self._check_version()
        keys, read_at = self._keys(view), time.monotonic()
        text, manifest = keys.read_manifest()
        served = ServedView(keys, manifest) if manifest.layout else None
        known = self._manifests()[view] = _KnownManifest(text, served, read_at)
        return known

    def _manifests(self) -> dict[str, _KnownManifest]:
        """What this thread knows; what another one reads must not take the place of what is newer."""
        manifests: dict[str, _KnownManifest] = vars(self._thread_state).setdefault("manifests", {})
        return manifests

    def _keys(self, view: str) -> ViewKeys:
        return ViewKeys(self._nodes, view)

    def _check_version(self) -> None:
        """See that the store is of our version. Raises StoreError."""
        if self._is_checked:
            return
        address = self._nodes.address
        version = self._nodes.call("GET", f"{address.prefix}:version".encode())
        if version not in (None, VERSION):
            advice = "install the trialrun that wrote it, or choose another prefix"
            if version == b"1":
                advice = (
                    f"delete its keys, which begin with {address.prefix}:, or choose another prefix, and sync again"
                )
            found, ours = version.decode("utf-8", "replace")[:20], VERSION.decode()
            raise StoreError(f"{address} is a store of version {found}, and this is version {ours}; {advice}")
        self._is_checked = version is not None

    def _claim(self) -> None:
        """Make the store ours before something is written. Raises StoreError where it would lose values by itself."""
        self._check_version()
        for node, answer in self._nodes.on_each_node("INFO", "memory"):
            if str(answer.get("maxmemory_policy")).startswith("allkeys"):
                raise StoreError(f"{node} removes keys when its memory is full; set maxmemory-policy to noeviction")
        self._nodes.call("SET", f"{self._nodes.address.prefix}:version".encode(), VERSION, "NX")
        self._check_version()
