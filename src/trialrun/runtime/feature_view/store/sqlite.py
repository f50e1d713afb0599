"""An online store in a file of SQLite, with nothing but the standard library."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from trialrun.runtime.feature_view.direct_write import extend_layout
from trialrun.runtime.feature_view.entity_id import InvalidEntityId
from trialrun.runtime.feature_view.store import (
    database,
    direct_write,
    disk_space,
    table_load,
    temp_tables,
    value_codec,
    value_reader,
)
from trialrun.runtime.feature_view.store.database import Connection, read_transaction, transaction
from trialrun.runtime.feature_view.store.digest import read_view_row, sign_view_row
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    NeverSynced,
    RowLayout,
    RowLoad,
    Scan,
    ServedEntity,
    Snapshot,
    StoreError,
    SyncCounts,
    SyncRunning,
    ViewHistory,
)
from trialrun.runtime.feature_view.store.lock import hold_lock
from trialrun.runtime.feature_view.store.sql_statements import RowTable
from trialrun.runtime.feature_view.store.store_errors import map_read_errors
from trialrun.runtime.feature_view.store.table_load import ServedState
from trialrun.runtime.feature_view.store.value_reader import MAX_IDS_PER_STATEMENT, RowReader

EXTEND_TIMEOUT = 10.0
"""For how many seconds a write that brings a new feature waits for another one that does."""


class _ThreadState(threading.local):
    """What a thread has for itself; a process that was forked off must not use what its parent opened."""

    connection: Connection | None = None
    process = 0

    def __init__(self) -> None:
        self.readers: dict[str, RowReader] = {}


class SqliteStore:
    """Serves the values of views from a file, which any number of threads and processes may use at once.

    `:memory:` is a store that is gone with the object: a file in the folder for temporary ones. `guard` is asked
    before the file is used. Every method may raise StoreError.
    """

    def __init__(self, file: str, *, guard: StoreGuard = FILE_GUARD) -> None:
        self._forget: Callable[[], object] | None = None
        if file == ":memory:":
            folder = tempfile.TemporaryDirectory(prefix="trialrun-", ignore_cleanup_errors=True)
            self._forget = weakref.finalize(self, folder.cleanup)
            file, guard = str(Path(folder.name) / "store.db"), TEMPORARY_GUARD
        self._file, self._guard = file, guard
        self._thread_state = _ThreadState()

    def close(self) -> None:
        """Close what this thread has open; a store in memory is gone then, also where the process ends at once."""
        if self._thread_state.connection is not None:
            self._thread_state.connection.close()
        self._thread_state = _ThreadState()
        if self._forget:
            self._forget()

    def snapshot(self, view: str) -> Snapshot | None:
        """The snapshot that is served, None before the first sync."""
        connection = self._connection()
        if connection is None:
            return None
        with (
            map_read_errors(self._file, connection.budget),
            read_transaction(connection),
        ):  # another process may swap tables meanwhile
            snapshot = value_reader.read_snapshot(connection, view)
        return snapshot[1] if snapshot else None

    def load(self, view: str, load: RowLoad) -> SyncCounts:
        """Serve other rows, all at once. Raises SyncRunning."""
        self._guard.claim()
        with self._locked(view) as connection:
            return self._load(connection, view, load)

    def fetch(self, view: str, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities with some ids, in their order; None if not served. Raises NeverSynced and InvalidEntityId.

        They are of one snapshot. Most times this is one statement: that it is of the snapshot that is served is known
        by its table, which is gone with the snapshot.
        """
        connection = self._connection()
        reader = self._thread_state.readers.get(view)
        try:
            if connection and reader and 0 < len(ids) <= MAX_IDS_PER_STATEMENT:
                return value_reader.fetch_entities(connection, reader, ids)
        except (sqlite3.Error, OverflowError, UnicodeError):  # the table is gone, most of all
            del self._thread_state.readers[view]
        return self._fetch_anew(view, ids)

    def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows that are served, as a Scan gives them. Raises NeverSynced."""
        connection = self._opened_to_read()
        if connection is None:
            raise _never_synced(view)
        with map_read_errors(self._file, connection.budget):
            connection.execute("BEGIN")
            snapshot = value_reader.read_snapshot(connection, view)
        if not snapshot:
            connection.close()
            raise _never_synced(view)
        return self._rows(connection, snapshot[0], features)

    def write(self, view: str, writes: Sequence[DirectWrite], *, now: datetime) -> list[bool]:
        """Write values directly; each says whether it is served now, which it is unless a newer one is.

        An entity that is not served yet is from then on. Raises NeverSynced and InvalidWrite.
        """
        connection = self._connection()
        if connection is None:
            raise _never_synced(view)
        with map_read_errors(self._file, connection.budget), transaction(connection):
            snapshot = value_reader.read_snapshot(connection, view)
            if not snapshot:
                raise _never_synced(view)
            return direct_write.write_values(
                connection, view, snapshot[0], _log_name(connection, view), writes, now=now
            )

    def check_writes(self, layout: RowLayout, writes: Sequence[DirectWrite], *, now: datetime) -> None:
        """See that values fit a layout. Raises InvalidWrite."""
        for write in writes:
            direct_write.check_write(RowTable("", layout), write, now=now)

    def extend(self, view: str, layout: RowLayout, *, now: datetime) -> None:
        """Serve a view with the features of a layout, too, null until they are written. Raises SyncRunning."""
        self._guard.claim()
        with self._locked(view, patience=EXTEND_TIMEOUT) as connection:
            with map_read_errors(self._file, connection.budget):
                snapshot = value_reader.read_snapshot(connection, view)
            before = snapshot[1] if snapshot else None
            wider = extend_layout(before.layout if before else None, len(layout.keys), layout.features)
            if before is None or wider != before.layout:
                self._load(connection, view, _layout_only_load(before, wider, now))

    def history(self, view: str) -> ViewHistory:
        """What became of a view so far; nothing before its first sync."""
        connection = self._connection()
        if connection is None:
            return ViewHistory()
        with map_read_errors(self._file, connection.budget), read_transaction(connection):
            return _read_history(connection, view)

    def remove(self, view: str) -> None:
        """Forget a view with all its values. Raises SyncRunning."""
        self._guard.check()
        if not Path(self._file).exists():
            return
        with self._locked(view) as connection:
            with map_read_errors(self._file, connection.budget), transaction(connection):
                snapshot = value_reader.read_snapshot(connection, view)
                if snapshot:
                    temp_tables.set_aside(connection, snapshot[0].name)
                connection.execute("UPDATE views SET rows = NULL, writes = NULL WHERE view = ?", (view,))
                sign_view_row(connection, view)
                connection.execute("DELETE FROM syncs WHERE view = ?", (view,))
            temp_tables.clear(connection, view)

    @contextmanager
    def _locked(self, view: str, *, patience: float = 0) -> Iterator[Connection]:
        """A connection while nobody else syncs the view, for which it waits so many seconds. Raises SyncRunning."""
        with (
            closing(database.connect(self._file, self._guard)) as connection,
            hold_lock(self._file, view, patience=patience) as is_ours,
        ):
            if not is_ours:
                raise SyncRunning(self._running_message(connection, view))
            yield connection

    def _load(self, connection: Connection, view: str, load: RowLoad) -> SyncCounts:
        with disk_space.shrink_on_failure(connection, view):
            with transaction(connection):
                connection.execute(
                    "INSERT OR REPLACE INTO running VALUES (?, ?, ?)",
                    (view, value_codec.to_microseconds(load.synced_at), os.getpid()),
                )
                with map_read_errors(self._file, connection.budget):
                    before = _state_before(connection, view)
            staged = table_load.stage(connection, view, load, before)
            if load.before_serving:
                load.before_serving(before.number + 1, self._scan_of(staged.table))
            counts = table_load.swap(connection, view, load, staged, before)
        with suppress(StoreError):  # what is left over is in nobody's way, and the next sync clears it
            temp_tables.clear(connection, view)
        return counts

    def _scan_of(self, table: RowTable) -> Scan:
        return lambda features: self._rows(database.connect(self._file, self._guard), table, features)

    def _rows(self, connection: Connection, table: RowTable, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows of a table, over a connection that is closed with the last of them."""
        with closing(connection), map_read_errors(self._file, connection.budget):
            yield from value_reader.scan_rows(connection, table, features)

    def _fetch_anew(self, view: str, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """Fetch in a transaction of its own, in which the snapshot cannot change, and remember how."""
        connection = self._connection()
        if connection is None:
            raise _never_synced(view)
        with map_read_errors(self._file, connection.budget), read_transaction(connection):
            reader = self._reader(connection, view)
            parts = [ids[start : start + MAX_IDS_PER_STATEMENT] for start in range(0, len(ids), MAX_IDS_PER_STATEMENT)]
            try:
                return [
                    fetch_entity
                    for part in parts
                    for fetch_entity in value_reader.fetch_entities(connection, reader, part)
                ]
            except (sqlite3.ProgrammingError, OverflowError, UnicodeError) as fault:
                raise InvalidEntityId(
                    f"invalid entity id; the entity id columns are {_format_keys(reader.table)}"
                ) from fault

    def _reader(self, connection: Connection, view: str) -> RowReader:
        snapshot = value_reader.read_snapshot(connection, view)
        if not snapshot:
            raise _never_synced(view)
        reader = value_reader.row_reader(snapshot[0])
        self._thread_state.readers[view] = reader
        return reader

    def _connection(self) -> Connection | None:
        """The connection of this thread, None while there is no file."""
        mine = self._thread_state
        if mine.process != os.getpid():
            mine.connection, mine.readers, mine.process = None, {}, os.getpid()
        if mine.connection is None:
            mine.connection = self._opened_to_read()
        return mine.connection

    def _opened_to_read(self) -> Connection | None:
        self._guard.check()
        return database.connect_for_reading(self._file, self._guard)

    def _running_message(self, connection: Connection, view: str) -> str:
        running_row = connection.execute("SELECT since, process FROM running WHERE view = ?", (view,)).fetchone()
        holder = (
            f" since {value_codec.from_microseconds(running_row[0]):%Y-%m-%d %H:%M:%S} UTC, by process {running_row[1]}"
            if running_row
            else ""
        )
        return f'a sync of "{view}" is running{holder}; wait until it ends'


def _state_before(connection: Connection, view: str) -> ServedState:
    snapshot, row = value_reader.read_snapshot(connection, view), read_view_row(connection, view)
    log = row.writes if row else None
    if snapshot and log:
        direct_write.delete_superseded(connection, snapshot[0], log)
    sequence = direct_write.last_sequence(connection, log) if log else 0
    return ServedState(snapshot[0] if snapshot else None, log, row.number if row else 0, sequence)


def _layout_only_load(before: Snapshot | None, layout: RowLayout, now: datetime) -> RowLoad:
    """A load that changes the layout alone: what was served stays, and so does what is said of its sync."""
    if before is None:
        return RowLoad(layout, (), now, lambda: None, keep_vanished=True, is_sync=False)
    watermark = before.watermark
    return RowLoad(layout, (), before.synced_at, lambda: watermark, before.plan, keep_vanished=True, is_sync=False)


def _read_history(connection: Connection, view: str) -> ViewHistory:
    syncs = connection.execute("SELECT synced_at FROM syncs WHERE view = ? ORDER BY number", (view,)).fetchall()
    snapshot, log = value_reader.read_snapshot(connection, view), _log_name(connection, view)
    writes = list(direct_write.read_writes(connection, snapshot[0], log)) if snapshot and log else []
    return ViewHistory([value_codec.from_microseconds(at) for (at,) in syncs], writes)


def _log_name(connection: Connection, view: str) -> str | None:
    row = read_view_row(connection, view)
    return row.writes if row else None


def _format_keys(table: RowTable) -> str:
    return ", ".join(f"{column.name} ({column.type_text})" for column in table.layout.keys)


def _never_synced(view: str) -> NeverSynced:
    return NeverSynced(f'"{view}" was never synced; sync it first')
