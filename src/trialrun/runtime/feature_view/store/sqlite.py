"""An online store in files of SQLite, one for each snapshot of a view, with nothing but the standard library."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.direct_write import EXTEND_TIMEOUT, widening_load
from trialrun.runtime.feature_view.store import database, view_load
from trialrun.runtime.feature_view.store.database import (
    Connection,
    map_errors,
    map_read_errors,
    one_statement,
    read_transaction,
)
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    InvalidEntityId,
    RowLayout,
    RowLoad,
    ServedEntity,
    Snapshot,
    SyncCounts,
    SyncRunning,
    ViewHistory,
    require_synced,
)
from trialrun.runtime.feature_view.store.view_file import MAX_IDS_PER_STATEMENT, ViewFile, ViewPlace, read_snapshot

T = TypeVar("T")
MAX_IDLE_FILES = 64
"""Open files that wait for the next read."""


class SqliteStore:
    """Serves the values of views from a folder, which any number of threads and processes may use at once.

    `:memory:` is a store that is gone with the object: a folder among the temporary ones. `guard` is asked before the
    folder is used. Every method may raise StoreError.
    """

    def __init__(self, folder: str | Path, *, guard: StoreGuard = FILE_GUARD) -> None:
        self._forget: Callable[[], object] | None = None
        if folder == ":memory:":
            temporary = tempfile.TemporaryDirectory(prefix="trialrun-", ignore_cleanup_errors=True)
            self._forget = weakref.finalize(self, temporary.cleanup)
            folder, guard = temporary.name, TEMPORARY_GUARD
        self._folder, self._guard = Path(folder), guard
        self._is_durable = guard is not TEMPORARY_GUARD
        self._idle: dict[str, list[ViewFile]] = {}
        self._process = os.getpid()

    def close(self) -> None:
        """Close what is open and not in use; a store in memory is gone then, also where the process ends at once."""
        for view in [*self._idle]:
            self._close_idle(view)
        if self._forget:
            self._forget()

    def snapshot(self, view: str) -> Snapshot | None:
        return self._use(view, lambda _, snapshot: snapshot, begin=one_statement)

    def load(self, view: str, load: RowLoad) -> SyncCounts:
        self._guard.claim()
        with self._locked(view) as (place, file):
            return view_load.load_view(place, load, file, self._guard.key(), is_durable=self._is_durable)

    def fetch(self, view: str, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities with some ids, in their order; None if not served. Raises NeverSynced and InvalidEntityId."""
        return self.fetch_in_layout(view, lambda layout: ids)

    def fetch_in_layout(
        self, view: str, ids_in: Callable[[RowLayout], Sequence[EntityId]]
    ) -> list[ServedEntity | None]:
        """The entities are of one snapshot.

        Most times this is one statement: that it is of the snapshot that is served is known by the table of the file,
        which is gone when another one is served.
        """
        if file := self._idle_file(view):
            try:
                ids = ids_in(file.layout)
                entities = file.fetch(ids) if 0 < len(ids) <= MAX_IDS_PER_STATEMENT else None
            except (sqlite3.Error, OverflowError, UnicodeError):  # the table is gone, most of all
                file.close()
            except BaseException:
                file.close()
                raise
            else:
                self._idle.setdefault(view, []).append(file)
                if entities is not None:
                    return entities

        def fetch_parts(file: ViewFile, snapshot: Snapshot) -> list[ServedEntity | None]:
            ids = ids_in(snapshot.layout)
            parts = [ids[start : start + MAX_IDS_PER_STATEMENT] for start in range(0, len(ids), MAX_IDS_PER_STATEMENT)]
            try:
                return [entity for part in parts for entity in file.fetch(part)]
            except (sqlite3.ProgrammingError, OverflowError, UnicodeError) as fault:
                keys = ", ".join(f"{column.name} ({column.type_text})" for column in snapshot.layout.keys)
                raise InvalidEntityId(f"invalid entity id; the entity id columns are {keys}") from fault

        return require_synced(view, self._use(view, fetch_parts))

    def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        rows = None
        while rows is None and (file := self._open(ViewPlace(self._folder, view))):
            try:
                with map_read_errors(file.file, file.connection.budget):
                    file.connection.execute("BEGIN")
                    snapshot = read_snapshot(file.connection)
                if snapshot and file.tables:
                    rows = _rows(file, features)
            except BaseException:
                file.close()
                raise
            if rows is None:
                file.close()
                if snapshot:  # the view was removed
                    break
        return require_synced(view, rows)

    def write(self, view: str, writes: Sequence[DirectWrite], *, now: datetime) -> list[bool]:
        is_served = self._use(
            view, lambda file, _: view_load.write_values(file, writes, now=now), begin=database.transaction
        )
        return require_synced(view, is_served)

    def extend(self, view: str, layout: RowLayout, *, now: datetime) -> None:
        self._guard.claim()
        with self._locked(view, patience=EXTEND_TIMEOUT) as (place, file):
            if load := widening_load(self.snapshot(view) if file else None, layout, now):
                view_load.load_view(place, load, file, self._guard.key(), is_durable=self._is_durable)

    def history(self, view: str) -> ViewHistory:
        return self._use(view, lambda file, _: file.history()) or ViewHistory([], [])

    def remove(self, view: str) -> None:
        self._guard.check()
        place = ViewPlace(self._folder, view)
        if not os.path.lexists(place.lock) and not place.numbers():  # nobody has begun to sync it
            return
        with self._locked(view) as (place, file):
            if file and file.tables:
                view_load.remove_view(place, file, self._guard.key(), is_durable=self._is_durable)

    @contextmanager
    def _locked(self, view: str, *, patience: float = 0) -> Iterator[tuple[ViewPlace, ViewFile | None]]:
        """The file that is served while nobody else syncs the view, for which it waits so many seconds.

        Files that are not served are removed before, and after. Raises SyncRunning.
        """
        place = ViewPlace(self._folder, view)
        with map_errors(place.lock):
            self._folder.mkdir(parents=True, exist_ok=True)
        with database.hold_lock(place.lock, patience=patience) as is_ours:
            if not is_ours:
                raise SyncRunning(f'a sync of "{view}" is running{place.running()}; wait until it ends')
            try:
                with self._cleared(place) as file:
                    yield place, file
            finally:
                self._close_idle(view)
                # What is left then is in nobody's way, and the next load removes it.
                with suppress(StoreError), self._cleared(place):
                    pass

    @contextmanager
    def _cleared(self, place: ViewPlace) -> Iterator[ViewFile | None]:
        file = self._open(place)
        with closing(file) if file else nullcontext():
            place.clear(file)
            yield file

    def _use(
        self,
        view: str,
        use: Callable[[ViewFile, Snapshot], T],
        *,
        begin: Callable[[Connection], AbstractContextManager[None]] = read_transaction,
    ) -> T | None:
        """What `use` makes of the file that is served, in a transaction, in which it stays so; None: nothing is."""
        while file := self._idle_file(view) or self._open(ViewPlace(self._folder, view)):
            result = None
            try:
                with map_read_errors(file.file, file.connection.budget), begin(file.connection):
                    snapshot = read_snapshot(file.connection)
                    if snapshot and file.tables:
                        result = use(file, snapshot)
            except BaseException:
                file.close()
                raise
            if snapshot and file.tables:
                self._idle.setdefault(view, []).append(file)
                for other in [*self._idle]:  # those that were used first
                    if sum(map(len, [*self._idle.values()])) > MAX_IDLE_FILES:
                        self._close_idle(other)
            else:
                file.close()
            if snapshot:
                return result
        return None

    def _open(self, place: ViewPlace) -> ViewFile | None:
        self._guard.check()
        return place.served(self._guard.key)

    def _idle_file(self, view: str) -> ViewFile | None:
        """An open file of a view that nobody uses now; it may not be served any more."""
        if self._process != os.getpid():  # a process that was forked off must not use what its parent opened
            self._idle, self._process = {}, os.getpid()
        try:
            return self._idle[view].pop()
        except LookupError:
            return None

    def _close_idle(self, view: str) -> None:
        for file in self._idle.pop(view, []):
            file.close()


def _rows(file: ViewFile, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
    with closing(file), map_read_errors(file.file, file.connection.budget):
        yield from file.scan(features)
