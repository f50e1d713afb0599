"""Syncs of views on demand and by the clock of a service, and the records of how they went.

Scheduled syncs whose sources are as they were would report what the last two did, so nothing is read again.
That makes a year of syncs over tables that nobody changes take seconds. A sync is spared only where two in a row have
read the same files and reported the same, every row has a timestamp, none of a later time has come up since, and
nothing else has changed what is served. What is read by a cluster, from a database or from a table with snapshots is
always read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.schedule import Scheduler
from trialrun.runtime.feature_view.source.location import FileState, Unreadable, file_states, is_elsewhere, is_iceberg
from trialrun.runtime.feature_view.store.value_codec import to_microseconds
from trialrun.runtime.feature_view.sync import SyncReport
from trialrun.runtime.feature_view.trial_run import TrialRun
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.messages import FeatureViewSync, RpcStatus
from trialrun.service.feature_view.storage import ViewStorage, as_service_errors
from trialrun.service.filter import TimeField
from trialrun.service.iam import Grants
from trialrun.service.journal import Journal, Record
from trialrun.service.listing import ListRequest, list_page, not_found
from trialrun.values.resource_name import last_id
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.source.location import TableLocation
    from trialrun.runtime.feature_view.store.interface import OnlineStore
    from trialrun.runtime.options import Options
    from trialrun.service.feature_view.view_store import ViewEntry, ViewStore

KIND = "FeatureViewSync"
MAX_PENDING = 500
"""So many records are written at once."""
MAX_SYNCS = 10_000
"""So many syncs of a view are remembered; of more the oldest are forgotten."""
Attempt = tuple[FeatureViewSync, ServiceError | None]
"""A sync that was tried, and what it was refused with, if it was."""
Documents = tuple[object, ...]
"""The documents and choices of a sync, each an object that another one takes the place of when it changes."""
SourceState = tuple[FileState | int, ...]
"""What a sync depends on: its documents, by their identity, and the files that have its rows."""
NEWEST_FIRST = "create_time desc"
SYNC_FIELDS = {"createTime": TimeField(lambda sync: format_timestamp(sync.createTime))}
SYNC_ORDERS: Mapping[str, Any] = {
    "create_time": lambda sync: to_microseconds(sync.createTime),
    "number": lambda sync: int(last_id(sync.name)),
}


@dataclass(frozen=True)
class LastSync:
    """The last sync of a view that read its sources, and whether the one before it saw and reported the same."""

    report: SyncReport
    places: tuple[TableLocation, ...]
    documents: Documents
    state: SourceState
    snapshot: int
    is_settled: bool


def _places(report: SyncReport) -> tuple[TableLocation, ...] | None:
    """Where the rows of a sync came from; None where it cannot be told whether they change."""
    selections = report.plan.selections
    if not selections or not all(selection.moment for selection in selections):
        return None
    places = tuple(replace(selection.place, as_of=None) for selection in selections)
    return None if any(place.database or is_elsewhere(place) or is_iceberg(place) for place in places) else places


def _state(documents: Documents, places: tuple[TableLocation, ...]) -> SourceState | None:
    try:
        return (*map(id, documents), *(state for place in places for state in file_states(place)))
    except (OSError, Unreadable):
        return None


def _content(report: SyncReport) -> tuple[object, ...]:
    return report.counts, report.findings, report.assumptions, report.skipped, report.plan.layout, report.next_row


class SyncHistory:
    """Syncs views, one sync of each at a time, and remembers the syncs of each."""

    def __init__(self, storage: ViewStorage, grants: Grants, clock: Clock, options: Options, journal: Journal) -> None:
        self.options = options
        self.on_record: Callable[[FeatureViewSync], None] | None = None
        self._storage, self._grants, self._clock, self._journal = storage, grants, clock, journal
        self._records: dict[str, deque[FeatureViewSync]] = {}
        self._last: dict[str, LastSync] = {}
        self._pending: list[Record] = []
        self._lock = Lock()

    def attempt(
        self, entry: ViewEntry, catalog: Catalog, *, before_serving: Callable[[], None], on_demand: bool = True
    ) -> Attempt:
        """Sync a view, which a caller or its schedule asks for; what keeps it from being synced is in the record.

        `before_serving` may refuse to serve what was read, while nobody else can change what is served.
        """
        name, started, options = entry.name, self._clock.now(), self.options
        documents = entry.declared, catalog.stores, catalog.groups, catalog.sources, options
        try:
            with as_service_errors():
                repeated = None
                if on_demand:
                    require_on_demand(entry.view)
                else:
                    repeated = self._repeated(name, documents)
                self._grants.require(entry.view, catalog)
                if repeated is not None:
                    before_serving()
                    self._storage.keep_current(name)
                    report = repeated
                else:
                    trial, store = TrialRun(catalog, self._storage, self._clock, options), self._storage.store(name)
                    last = self._last.get(name)
                    before = None if last is None else _state(documents, last.places)
                    with self._storage.keeping_previous(entry.declared, store):
                        report = trial.sync(entry.declared, before_serving=before_serving)
                    self._remember(name, documents, store, report, before)
        except ServiceError as refusal:
            return self._recorded(entry, started, None, refusal)
        return self._recorded(entry, started, report, None, is_deferred=repeated is not None)

    def values_changed(self, view: str) -> None:
        """Have the next sync of a view read its sources, since something else changed what is served."""
        with self._lock:
            self._last.pop(view, None)

    def flush(self) -> None:
        """Keep the records of the syncs that read nothing, which are kept many at a time. Raises ServiceError."""
        with self._lock, as_service_errors():
            self._write_pending()

    def fail(self, entry: ViewEntry, error: ServiceError) -> FeatureViewSync:
        """The record of a sync that failed for a reason of this program's own."""
        return self._recorded(entry, self._clock.now(), None, error)[0]

    def records_of(self, entry: ViewEntry) -> list[FeatureViewSync]:
        """The syncs of a view that are remembered, in order. Raises ServiceError."""
        with self._lock, as_service_errors():
            self._write_pending()
            return [*self._known(entry)]

    def get(self, entry: ViewEntry, name: str) -> FeatureViewSync:
        """A sync of a view by its name. Raises NOT_FOUND."""
        records = {record.name: record for record in self.records_of(entry)}
        if name not in records:
            raise not_found("FeatureViewSync", name, records)
        return records[name]

    def records(self, entry: ViewEntry) -> list[Record]:
        """The syncs of a view as a journal keeps them. Raises ServiceError."""
        return [_to_record(entry, sync) for sync in self.records_of(entry)]

    def forget(self, entry: ViewEntry) -> None:
        """Forget the syncs of a view that went while it was synced; those that cannot be removed are nobody's."""
        with suppress(StoreError, ServiceError):
            self._journal.write([Record(record.kind, record.name, None) for record in self.records(entry)])
        self.remove_records(entry)

    def remove_records(self, entry: ViewEntry) -> None:
        """Forget the syncs of a view that is gone."""
        with self._lock:
            self._records.pop(entry.uid, None)

    def _repeated(self, view: str, documents: Documents) -> SyncReport | None:
        store, now = self._storage.store(view), self._clock.now()
        last = self._last.get(view)
        if last is None or not last.is_settled or (last.report.next_row and now >= last.report.next_row):
            return None
        if _state(documents, last.places) != last.state:
            return None
        snapshot = store.snapshot(view)
        return last.report if snapshot is not None and snapshot.number == last.snapshot else None

    def _remember(
        self, view: str, documents: Documents, store: OnlineStore, report: SyncReport, before: SourceState | None
    ) -> None:
        places, snapshot = _places(report), None
        state = None if places is None else _state(documents, places)
        with suppress(StoreError):
            snapshot = store.snapshot(view)
        with self._lock:
            last = self._last.pop(view, None)
            if places is None or state is None or snapshot is None:
                return
            is_settled = (
                last is not None
                and before == state == last.state
                and snapshot.number == last.snapshot + 1
                and _content(last.report) == _content(report)
            )
            self._last[view] = LastSync(report, places, documents, state, snapshot.number, is_settled)

    def _recorded(
        self,
        entry: ViewEntry,
        started: datetime,
        report: SyncReport | None,
        error: ServiceError | None,
        *,
        is_deferred: bool = False,
    ) -> Attempt:
        """The attempt, of which the record is kept before it is known; that it cannot be kept is an error, too."""
        with self._lock:
            with as_service_errors():
                known = self._known(entry)
            number = int(last_id(known[-1].name)) + 1 if known else 1
            sync = _to_sync(f"{entry.name}/featureViewSyncs/{number}", started, self._clock.now(), report, error)
            oldest = [replace(_to_record(entry, known[0]), value=None)] if len(known) == MAX_SYNCS else []
            records = [*oldest, _to_record(entry, sync)]
            try:
                with as_service_errors():
                    if not is_deferred or len(self._pending) >= MAX_PENDING:
                        self._write_pending(records)
                    else:
                        self._pending += records
            except ServiceError as refusal:
                return sync, error or refusal
            known.append(sync)
        if self.on_record:
            self.on_record(sync)
        return sync, error

    def _write_pending(self, further: Sequence[Record] = ()) -> None:
        """Write what waits, in its order, and further records; all of it waits on where that fails."""
        if records := [*self._pending, *further]:
            self._journal.write(records)
            self._pending = []

    def _known(self, entry: ViewEntry) -> deque[FeatureViewSync]:
        """The syncs of a view, which the journal tells when they are asked for first. Raises StoreError."""
        if entry.uid not in self._records:
            kept = self._journal.read(KIND, f"{entry.uid}/")
            self._records[entry.uid] = deque((FeatureViewSync.model_validate(value) for _, value in kept), MAX_SYNCS)
        return self._records[entry.uid]


def list_syncs(records: Sequence[FeatureViewSync], request: ListRequest) -> m.ListFeatureViewSyncsResponse:
    """The page of the syncs of a view that a request asks for, the newest first unless it says another order.

    Those of one time, as of a clock that stands still, come in the same direction.
    """
    order = request.orderBy.strip() or NEWEST_FIRST
    order += ", number desc" if order.endswith(" desc") else ""
    ordered = request.model_copy(update={"orderBy": order})
    chosen, token = list_page(records, ordered, SYNC_FIELDS, SYNC_ORDERS, tie="number")
    return m.ListFeatureViewSyncsResponse(featureViewSyncs=chosen, nextPageToken=token)


def require_on_demand(view: FeatureView) -> None:
    """Refuse a sync on demand of a view that is synced continuously."""
    if view.syncConfig is not None and view.syncConfig.continuous:
        message = "the view is synced continuously; it cannot be synced on demand"
        raise service_error(Status.FAILED_PRECONDITION, "continuous-view", message)


def to_rpc_status(error: ServiceError | None) -> RpcStatus:
    """How something ended."""
    if error is None:
        return RpcStatus()
    return RpcStatus(code=error.code, message=error.message, details=[*error.details])


def _to_record(entry: ViewEntry, sync: FeatureViewSync) -> Record:
    return Record(KIND, f"{entry.uid}/{last_id(sync.name)}", sync.json_object())


def _to_sync(
    name: str, started: datetime, ended: datetime, report: SyncReport | None, error: ServiceError | None
) -> FeatureViewSync:
    runtime, status = m.RunTime(startTime=started, endTime=ended), to_rpc_status(error)
    if report is None:
        return FeatureViewSync(name=name, createTime=started, runTime=runtime, finalStatus=status)
    counts = report.counts
    return FeatureViewSync(
        name=name,
        createTime=started,
        runTime=runtime,
        finalStatus=status,
        syncSummary=m.SyncSummary(
            rowSynced=counts.entities,
            rowsRead=counts.read,
            new=counts.new,
            changed=counts.changed,
            unchanged=counts.unchanged,
            vanished=counts.vanished,
        ),
        findings=[m.SyncNote(code=one.code, message=one.message, examples=[*one.examples]) for one in report.findings],
        skippedChecks=[m.SyncNote(code=one.code, message=one.message) for one in report.skipped],
        assumptions=[*report.assumptions],
    )


class ScheduledSyncs:
    """Makes the syncs that are due, while views come, change and go; one thread at a time may use it.

    `sync` syncs the view of a name, as its schedule asks for it. What fails is in its record and stops no other sync.
    """

    def __init__(
        self, views: ViewStore, storage: ViewStorage, history: SyncHistory, sync: Callable[[str], Attempt], clock: Clock
    ) -> None:
        self._views, self._storage, self._history, self._sync, self._clock = views, storage, history, sync, clock
        self._done: dict[str, datetime] = {}
        self._scheduler: Scheduler[FeatureViewSync] | None = None
        self._version, self._options = -1, history.options

    def next_run(self) -> datetime | None:
        """The next moment at which a view is to be synced, which is now where one is; None where there is none."""
        return self._current_scheduler().next_run()

    def run_until(self, time: datetime) -> Generator[FeatureViewSync, None, None]:
        """Move the clock from run to run until a time, and tell the record of each sync when it is made.

        Whoever stops asking finds the clock at the last sync. Raises TypeError for a clock that cannot be moved.
        """
        try:
            yield from self._run_until(time)
        finally:
            self._history.flush()

    def _run_until(self, time: datetime) -> Iterator[FeatureViewSync]:
        is_unchanged = False
        while not is_unchanged:
            scheduler, version = self._current_scheduler(), self._version
            is_unchanged = True
            for outcome in scheduler.run_until(time):
                if outcome.report is not None:
                    yield outcome.report
                if self._views.version != version:  # whose runs are others now
                    is_unchanged = False
                    break

    def _current_scheduler(self) -> Scheduler[FeatureViewSync]:
        version, options = self._views.version, self._history.options
        if self._scheduler is None or version != self._version or options is not self._options:
            self._scheduler = Scheduler(
                self._views.catalog.views,
                self._make,
                self._clock,
                last_sync=self._last_sync,
                options=options,
                done=self._done,
            )
            self._version, self._options = version, options
        return self._scheduler

    def _last_sync(self, view: DeclaredResource[FeatureView]) -> datetime | None:
        name = view.node.name or ""
        if name in self._done:
            return None
        try:
            snapshot = self._storage.store(name).snapshot(name)
        except StoreError:  # which its sync will say
            return None
        return snapshot.synced_at if snapshot else None

    def _make(self, view: DeclaredResource[FeatureView]) -> FeatureViewSync:
        """The record of a sync. Raises CannotSync where the view is gone."""
        name = view.node.name or ""
        try:
            return self._sync(name)[0]
        except ServiceError as error:
            raise CannotSync(error.message) from error
        except Exception as error:  # noqa: BLE001 - an internal error in one sync does not stop the others
            message = f"internal error: {type(error).__name__}: {error}; please report it"
            failure = service_error(Status.INTERNAL, "internal-error", message)
            return self._history.fail(self._views.get(name), failure)
