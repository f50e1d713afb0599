"""An online store in Redis: the methods of OnlineStore, over the parts beside this module."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.direct_write import extend_layout
from trialrun.runtime.feature_view.entity_id import InvalidEntityId
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    NeverSynced,
    RowLayout,
    RowLoad,
    ServedEntity,
    Snapshot,
    StoreError,
    SyncCounts,
    ViewHistory,
)
from trialrun.runtime.feature_view.store.redis import bucket_scan, load_session, written_values
from trialrun.runtime.feature_view.store.redis.address import RedisAddress
from trialrun.runtime.feature_view.store.redis.commands import Command, script_command
from trialrun.runtime.feature_view.store.redis.keys import KeyNames, bucket_of, entity_field, key_names, version_key
from trialrun.runtime.feature_view.store.redis.load_session import FRESHNESS, LoadSession
from trialrun.runtime.feature_view.store.redis.manifest import Manifest, serialize
from trialrun.runtime.feature_view.store.redis.nodes import PATIENCE, Nodes
from trialrun.runtime.feature_view.store.redis.redis_errors import damaged, deletion_advice, map_damage
from trialrun.runtime.feature_view.store.redis.scripts import FETCH, REMOVE
from trialrun.runtime.feature_view.store.redis.served_rows import ServedRows, served_rows
from trialrun.runtime.feature_view.store.redis.view_lock import hold_lock, lost_lock

VERSION = b"1"
"""The version of the keys and of what they hold; a store of another one is refused."""
EXTEND_TIMEOUT = 10.0
"""For how many seconds a write that brings a new feature waits for another one that does."""


@dataclass(frozen=True, slots=True)
class _KnownManifest:
    """A manifest that a thread read, and when; None where there is none."""

    text: bytes
    served: ServedRows | None
    read_at: float


class RedisStore:
    """Serves the values of views from Redis, which any number of threads, processes and machines may use at once.

    Every method may raise StoreError, after at most `patience` seconds in which a node could not be reached.
    """

    def __init__(self, address: RedisAddress, *, patience: float = PATIENCE) -> None:
        self._nodes = Nodes(address, patience=patience)
        self._prefix = address.prefix
        self._thread_state = threading.local()
        self._is_checked = False

    def close(self) -> None:
        """Close what this thread has open."""
        self._nodes.close()

    def snapshot(self, view: str) -> Snapshot | None:
        """The snapshot that is served, None before the first sync."""
        served = self._read(view).served
        return served.manifest.snapshot() if served else None

    def load(self, view: str, load: RowLoad) -> SyncCounts:
        """Serve other rows, all at once. Raises SyncRunning."""
        with self.begin_load(view, load.layout, load.synced_at) as session:
            return session.serve(load, session.write(load.rows))

    def begin_load(
        self, view: str, layout: RowLayout, synced_at: datetime, *, patience: float = 0
    ) -> AbstractContextManager[LoadSession]:
        """A load whose rows any number of processes may write; see `load_session`. Raises SyncRunning."""
        self._claim()
        return load_session.begin_load(self._nodes, self._keys(view), view, layout, synced_at, patience=patience)

    def fetch(self, view: str, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities of some ids, in their order, None for one that is not served.

        They are of one snapshot. Most times this is one command for each bucket: a manifest that was read a moment ago
        is still good, and it is read again where rows are missing. Raises NeverSynced and InvalidEntityId.
        """
        known = self._known(view)
        while True:
            served = _require_served(known, view)
            fields = _fields(served, ids)
            with map_damage(str(self._nodes.address)):
                entities, is_missed, is_gone = self._fetch_fields(view, served, fields)
            if not is_missed:
                return entities
            newest = self._read(view)
            if newest.text == known.text:
                if is_gone:
                    raise damaged(str(self._nodes.address))
                return entities
            known = newest

    def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows that are served, as a Scan gives them. Raises NeverSynced."""
        known = self._read(view)
        _require_served(known, view)
        return self._scan_known(view, known, features)

    def write(self, view: str, writes: Sequence[DirectWrite], *, now: datetime) -> list[bool]:
        """Write values directly; each says whether it is served now, which it is unless a newer one is.

        An entity that is not served yet is from then on. Raises NeverSynced and InvalidWrite.
        """
        served = _require_served(self._read(view), view)
        return written_values.write_values(self._nodes, self._keys(view), served, writes, now=now)

    def check_writes(self, layout: RowLayout, writes: Sequence[DirectWrite], *, now: datetime) -> None:
        """See that values fit a layout. Raises InvalidWrite."""
        written_values.check_writes(layout, writes, now=now)

    def extend(self, view: str, layout: RowLayout, *, now: datetime) -> None:
        """Serve a view with the features of a layout, too, null until they are written. Raises SyncRunning."""
        with self.begin_load(view, layout, now, patience=EXTEND_TIMEOUT) as session:
            snapshot = self._read(view).served
            before = snapshot.manifest.snapshot() if snapshot else None
            wider = extend_layout(before.layout if before else None, len(layout.keys), layout.features)
            if before is None or wider != before.layout:
                session.serve(_layout_only_load(before, wider, now), session.write(()))

    def history(self, view: str) -> ViewHistory:
        """What became of a view so far; nothing before its first sync."""
        served, keys = self._read(view).served, self._keys(view)
        if served is None:
            return ViewHistory([], [])
        key = keys.of_view("syncs")
        with map_damage(str(self._nodes.address)):
            syncs = [value_codec.from_microseconds(int(at)) for at in self._nodes.call(key, "LRANGE", key, 0, -1)]
            buckets = load_session.written_buckets(self._nodes, keys)
            return ViewHistory(syncs, written_values.read_writes(self._nodes, keys, served.manifest, buckets))

    def remove(self, view: str) -> None:
        """Forget a view with all its values. Raises SyncRunning."""
        keys, now = self._keys(view), datetime.now().astimezone()
        if not self._read(view).text:
            return
        with hold_lock(self._nodes, keys, view, now) as lock:
            state = load_session.read_state(self._nodes, keys, view)
            before, buckets = state.manifest, load_session.written_buckets(self._nodes, keys)
            names = [keys.of_view(part) for part in ("current", "lock", "syncs", "garbage", "written", "sequence")]
            after = serialize(Manifest(view, before.number))
            command = script_command(
                REMOVE, names, lock.text, state.text, after, "", "", *(layer.id for layer in before.layers)
            )
            if not self._nodes.run([command], durable=True)[0]:
                raise lost_lock(view)
            time.sleep(FRESHNESS)
            logs = [keys.writes(bucket, before.log) for bucket in buckets]
            self._nodes.run([Command(log, ("UNLINK", log)) for log in logs])
            layers = [(layer.id, layer.buckets) for layer in reversed(before.layers)]
            load_session.expire_layers(self._nodes, keys, layers)

    def _fetch_fields(
        self, view: str, served: ServedRows, fields: Sequence[bytes | None]
    ) -> tuple[list[ServedEntity | None], bool, bool]:
        """The entities of some fields; whether one has no row; and whether a layer is gone that has rows there."""
        keys, layers = self._keys(view), served.manifest.layers
        by_bucket: dict[int, list[int]] = {}
        for at, field in enumerate(fields):
            if field is not None:
                by_bucket.setdefault(bucket_of(field), []).append(at)
        commands = [
            script_command(
                FETCH,
                [*(keys.rows(bucket, layer.id) for layer in layers), keys.writes(bucket, served.manifest.log)],
                *(fields[at] or b"" for at in places),
            )
            for bucket, places in by_bucket.items()
        ]
        entities: list[ServedEntity | None] = [None] * len(fields)
        is_missed = is_gone = False
        for (bucket, places), answer in zip(by_bucket.items(), self._nodes.run(commands), strict=True):
            for index, at in enumerate(places):
                layer, row, writes = answer[3 * index : 3 * index + 3]
                entities[at] = served.entity(served.id_of(fields[at] or b""), layer, row, writes)
            there = answer[3 * len(places) :]
            is_missed = is_missed or len(answer) > 3 * len(places) or not layers
            is_gone = is_gone or any(
                bucket in layer.buckets and not is_there for layer, is_there in zip(layers, there, strict=False)
            )
        return entities, is_missed, is_gone

    def _scan_known(self, view: str, known: _KnownManifest, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """The rows of a manifest; of a newer one, where its layers are gone before the first row was given."""
        while True:
            served = _require_served(known, view)
            try:
                yield from bucket_scan.sorted_rows(self._nodes, self._keys(view), served, features)
                return
            except bucket_scan.LayerGone as fault:
                newest = self._read(view)
                if newest.text == known.text:
                    raise damaged(str(self._nodes.address)) from fault
                known = newest

    def _known(self, view: str) -> _KnownManifest:
        """The manifest as this thread read it, at most FRESHNESS ago."""
        known: _KnownManifest | None = self._manifests().get(view)
        if known and time.monotonic() - known.read_at < FRESHNESS:
            return known
        return self._read(view)

    def _read(self, view: str) -> _KnownManifest:
        self._check_version()
        key, read_at = self._keys(view).of_view("current"), time.monotonic()
        text = self._nodes.call(key, "GET", key) or b""
        with map_damage(str(self._nodes.address), deletion_advice(key)):
            served = served_rows(text) if text else None
        known = _KnownManifest(text, served, read_at)
        self._manifests()[view] = known
        return known

    def _manifests(self) -> dict[str, _KnownManifest]:
        if not hasattr(self._thread_state, "manifests"):
            self._thread_state.manifests = {}
        manifests: dict[str, _KnownManifest] = self._thread_state.manifests
        return manifests

    def _keys(self, view: str) -> KeyNames:
        return key_names(self._prefix, view)

    def _check_version(self) -> None:
        """See that the store is of our version. Raises StoreError."""
        if self._is_checked:
            return
        key = version_key(self._prefix)
        version = self._nodes.call(key, "GET", key)
        if version not in (None, VERSION):
            raise StoreError(
                f"{self._nodes.address} is a store of version {version.decode('utf-8', 'replace')[:20]}, and this is "
                f"version {VERSION.decode()}; install the trialrun that wrote it, or choose another prefix"
            )
        self._is_checked = version is not None

    def _claim(self) -> None:
        """Make the store ours before something is written. Raises StoreError where it would lose values by itself."""
        self._check_version()
        for node, answer in self._nodes.on_each_node("INFO", "memory"):
            if b"maxmemory_policy:allkeys" in answer:
                raise StoreError(
                    f"{node[0]}:{node[1]} removes keys when its memory is full; set maxmemory-policy to noeviction"
                )
        key = version_key(self._prefix)
        self._nodes.call(key, "SET", key, VERSION, "NX")
        self._check_version()


def _require_served(known: _KnownManifest, view: str) -> ServedRows:
    if known.served is None:
        raise NeverSynced(f'"{view}" was never synced; sync it first')
    return known.served


def _fields(served: ServedRows, ids: Sequence[EntityId]) -> list[bytes | None]:
    try:
        return [entity_field(id, served.layout.keys) for id in ids]
    except (ValueError, TypeError) as fault:
        columns = ", ".join(f"{column.name} ({column.type_text})" for column in served.layout.keys)
        raise InvalidEntityId(f"invalid entity id; the entity id columns are {columns}") from fault


def _layout_only_load(before: Snapshot | None, layout: RowLayout, now: datetime) -> RowLoad:
    """A load that changes the layout alone: what was served stays, and so does what is said of its sync."""
    load = RowLoad(layout, (), now, lambda: None, keep_vanished=True, is_sync=False)
    if before is None:
        return load
    watermark = before.watermark
    return replace(load, synced_at=before.synced_at, watermark=lambda: watermark, plan=before.plan)
