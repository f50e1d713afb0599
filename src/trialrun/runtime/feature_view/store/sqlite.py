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

from trialrun.runtime.feature_view.direct_write import extended
from trialrun.runtime.feature_view.entity_id import BadId
from trialrun.runtime.feature_view.store import (
    database,
    direct_write,
    disk_space,
    table_load,
    temp_tables,
    value_codec,
    value_reader,
)
from trialrun.runtime.feature_view.store.database import Connection, looking, transaction
from trialrun.runtime.feature_view.store.digest import sign, view_row
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, TEMPORARY_GUARD, Guard
from trialrun.runtime.feature_view.store.interface import (
    CannotStore,
    Counts,
    EntityId,
    History,
    Layout,
    Load,
    NeverSynced,
    Scan,
    Served,
    Snapshot,
    SyncRunning,
    Write,
)
from trialrun.runtime.feature_view.store.lock import locked
from trialrun.runtime.feature_view.store.sql_statements import Table
from trialrun.runtime.feature_view.store.store_errors import reading
from trialrun.runtime.feature_view.store.table_load import Before
from trialrun.runtime.feature_view.store.value_reader import AT_ONCE, Reader

PATIENCE = 10.0
"""For how many seconds a write that brings a new feature waits for another one that does."""


class _OfThread(threading.local):
    """What a thread has for itself; a process that was forked off must not use what its parent opened."""

    connection: Connection | None = None
    process = 0

    def __init__(self) -> None:
        self.readers: dict[str, Reader] = {}


class SqliteStore:
    """Serves the values of views from a file, which any number of threads and processes may use at once.

    `:memory:` is a store that is gone with the object: a file in the folder for temporary ones. `guard` is asked
    before the file is used. Every method may raise CannotStore.
    """

    def __init__(self, file: str, *, guard: Guard = FILE_GUARD) -> None:
        self._forget: Callable[[], object] | None = None
        if file == ":memory:":
            folder = tempfile.TemporaryDirectory(prefix="trialrun-", ignore_cleanup_errors=True)
            self._forget = weakref.finalize(self, folder.cleanup)
            file, guard = str(Path(folder.name) / "store.db"), TEMPORARY_GUARD
        self._file, self._guard = file, guard
        self._of_thread = _OfThread()

    def close(self) -> None:
        """Close what this thread has open; a store in memory is gone then, also where the process ends at once."""
        if self._of_thread.connection is not None:
            self._of_thread.connection.close()
        self._of_thread = _OfThread()
        if self._forget:
            self._forget()

    def snapshot(self, view: str) -> Snapshot | None:
        """The snapshot that is served, None before the first sync."""
        connection = self._connection()
        if connection is None:
            return None
        with reading(self._file), looking(connection):  # another process may swap tables between two statements
            found = value_reader.snapshot(connection, view)
        return found[1] if found else None

    def load(self, view: str, load: Load) -> Counts:
        """Serve other rows, all at once. Raises SyncRunning."""
        self._guard.claim()
        with self._alone(view) as connection:
            return self._load(connection, view, load)

    def fetch(self, view: str, ids: Sequence[EntityId]) -> list[Served | None]:
        """The entities of some ids, in their order, None for one that is not served. Raises NeverSynced and BadId.

        They are of one snapshot. Most times this is one statement: that it is of the snapshot that is served is known
        by its table, which is gone with the snapshot.
        """
        connection = self._connection()
        reader = self._of_thread.readers.get(view)
        try:
            if connection and reader and 0 < len(ids) <= AT_ONCE:
                return value_reader.fetch(connection, reader, ids)
        except (sqlite3.Error, OverflowError, UnicodeError):  # the table is gone, most of all
            del self._of_thread.readers[view]
        return self._fetch_anew(view, ids)

    def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows that are served, as a Scan gives them. Raises NeverSynced."""
        connection = self._opened_to_read()
        if connection is None:
            raise _never_synced(view)
        with reading(self._file):
            connection.execute("BEGIN")
            found = value_reader.snapshot(connection, view)
        if not found:
            connection.close()
            raise _never_synced(view)
        return self._rows(connection, found[0], features)

    def write(self, view: str, writes: Sequence[Write], *, now: datetime) -> list[bool]:
        """Write values directly; each says whether it is served now, which it is unless a newer one is.

        An entity that is not served yet is from then on. Raises NeverSynced and CannotWrite.
        """
        connection = self._connection()
        if connection is None:
            raise _never_synced(view)
        with reading(self._file), transaction(connection):
            found = value_reader.snapshot(connection, view)
            if not found:
                raise _never_synced(view)
            return direct_write.write(connection, view, found[0], _log(connection, view), writes, now=now)

    def check_writes(self, layout: Layout, writes: Sequence[Write], *, now: datetime) -> None:
        """See that values fit a layout. Raises CannotWrite."""
        for write in writes:
            direct_write.checked(Table("", layout), write, now=now)

    def extend(self, view: str, layout: Layout, *, now: datetime) -> None:
        """Serve a view with the features of a layout, too, null until they are written. Raises SyncRunning."""
        self._guard.claim()
        with self._alone(view, patience=PATIENCE) as connection:
            with reading(self._file):
                found = value_reader.snapshot(connection, view)
            before = found[1] if found else None
            wider = extended(before.layout if before else None, len(layout.keys), layout.features)
            if before is None or wider != before.layout:
                self._load(connection, view, _without_rows(before, wider, now))

    def history(self, view: str) -> History:
        """What became of a view so far; nothing before its first sync."""
        connection = self._connection()
        if connection is None:
            return History()
        with reading(self._file), looking(connection):
            return _history(connection, view)

    def remove(self, view: str) -> None:
        """Forget a view with all its values. Raises SyncRunning."""
        self._guard.check()
        if not Path(self._file).exists():
            return
        with self._alone(view) as connection:
            with reading(self._file), transaction(connection):
                found = value_reader.snapshot(connection, view)
                if found:
                    temp_tables.set_aside(connection, found[0].name)
                connection.execute("UPDATE views SET rows = NULL, writes = NULL WHERE view = ?", (view,))
                sign(connection, view)
                connection.execute("DELETE FROM syncs WHERE view = ?", (view,))
            temp_tables.clear(connection, view)

    @contextmanager
    def _alone(self, view: str, *, patience: float = 0) -> Iterator[Connection]:
        """A connection while nobody else syncs the view, for which it waits so many seconds. Raises SyncRunning."""
        with (
            closing(database.connect(self._file, self._guard)) as connection,
            locked(self._file, view, patience=patience) as is_ours,
        ):
            if not is_ours:
                raise SyncRunning(self._who(connection, view))
            yield connection

    def _load(self, connection: Connection, view: str, load: Load) -> Counts:
        with disk_space.shrink_on_failure(connection, view):
            with transaction(connection):
                connection.execute(
                    "INSERT OR REPLACE INTO running VALUES (?, ?, ?)",
                    (view, value_codec.microseconds(load.synced_at), os.getpid()),
                )
                with reading(self._file):
                    before = _before(connection, view)
            staged = table_load.stage(connection, view, load, before)
            if load.before_serving:
                load.before_serving(before.number + 1, self._scan_of(staged.table))
            counts = table_load.swap(connection, view, load, staged, before)
        with suppress(CannotStore):  # what is left over is in nobody's way, and the next sync clears it
            temp_tables.clear(connection, view)
        return counts

    def _scan_of(self, table: Table) -> Scan:
        return lambda features: self._rows(database.connect(self._file, self._guard), table, features)

    def _rows(self, connection: Connection, table: Table, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows of a table, over a connection that is closed with the last of them."""
        with closing(connection), reading(self._file):
            yield from value_reader.scan(connection, table, features)

    def _fetch_anew(self, view: str, ids: Sequence[EntityId]) -> list[Served | None]:
        """Fetch in a transaction of its own, in which the snapshot cannot change, and remember how."""
        connection = self._connection()
        if connection is None:
            raise _never_synced(view)
        with reading(self._file), looking(connection):
            reader = self._reader(connection, view)
            parts = [ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE)]
            try:
                return [one for part in parts for one in value_reader.fetch(connection, reader, part)]
            except (sqlite3.ProgrammingError, OverflowError, UnicodeError) as fault:
                raise BadId(
                    f"no entity can have such an id; the entity id columns are {_keys(reader.table)}"
                ) from fault

    def _reader(self, connection: Connection, view: str) -> Reader:
        found = value_reader.snapshot(connection, view)
        if not found:
            raise _never_synced(view)
        reader = value_reader.reader(found[0])
        self._of_thread.readers[view] = reader
        return reader

    def _connection(self) -> Connection | None:
        """The connection of this thread, None while there is no file."""
        mine = self._of_thread
        if mine.process != os.getpid():
            mine.connection, mine.readers, mine.process = None, {}, os.getpid()
        if mine.connection is None:
            mine.connection = self._opened_to_read()
        return mine.connection

    def _opened_to_read(self) -> Connection | None:
        self._guard.check()
        return database.connect_to_read(self._file, self._guard)

    def _who(self, connection: Connection, view: str) -> str:
        found = connection.execute("SELECT since, process FROM running WHERE view = ?", (view,)).fetchone()
        holder = f" since {value_codec.moment(found[0]):%Y-%m-%d %H:%M:%S} UTC, by process {found[1]}" if found else ""
        return f'a sync of "{view}" is running{holder}; wait until it ends'


def _before(connection: Connection, view: str) -> Before:
    found, row = value_reader.snapshot(connection, view), view_row(connection, view)
    log = row.writes if row else None
    if found and log:
        direct_write.forget_older(connection, found[0], log)
    sequence = direct_write.last_sequence(connection, log) if log else 0
    return Before(found[0] if found else None, log, row.number if row else 0, sequence)


def _without_rows(before: Snapshot | None, layout: Layout, now: datetime) -> Load:
    """A load that changes the layout alone: what was served stays, and so does what is said of its sync."""
    if before is None:
        return Load(layout, (), now, lambda: None, keep_vanished=True, is_sync=False)
    watermark = before.watermark
    return Load(layout, (), before.synced_at, lambda: watermark, before.plan, keep_vanished=True, is_sync=False)


def _history(connection: Connection, view: str) -> History:
    syncs = connection.execute("SELECT synced_at FROM syncs WHERE view = ? ORDER BY number", (view,)).fetchall()
    found, log = value_reader.snapshot(connection, view), _log(connection, view)
    writes = list(direct_write.kept(connection, found[0], log)) if found and log else []
    return History([value_codec.moment(at) for (at,) in syncs], writes)


def _log(connection: Connection, view: str) -> str | None:
    row = view_row(connection, view)
    return row.writes if row else None


def _keys(table: Table) -> str:
    return ", ".join(f"{column.name} ({column.shown})" for column in table.layout.keys)


def _never_synced(view: str) -> NeverSynced:
    return NeverSynced(f'"{view}" was never synced; sync it first')
