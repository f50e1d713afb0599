"""Syncs of views on demand, and the record of how they went.

Scheduled syncs whose sources are as they were would report what the last two did, so nothing is read again.
That makes a year of syncs over tables that nobody changes take seconds. A sync is spared only where two in a row have
read the same files and reported the same, every row has a timestamp, none of a later time has come up since, and
nothing else has changed what is served. What is read by a cluster, from a database or from a table with snapshots is
always read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.location import FileState, Unreadable, file_states, is_elsewhere, is_iceberg
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.sync import SyncReport
from trialrun.runtime.feature_view.trial_run import TrialRun
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.feature_view.messages import FeatureViewSync, RpcStatus, RunTime, SyncNote, SyncSummary
from trialrun.service.feature_view.service_account import Grants
from trialrun.service.feature_view.storage import ViewStorage, as_service_errors
from trialrun.service.journal import Journal, JournalError, Record
from trialrun.service.resource_names import not_found
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.source.location import TableLocation
    from trialrun.runtime.feature_view.store.interface import OnlineStore
    from trialrun.runtime.options import Options
    from trialrun.service.feature_view.view_store import ViewEntry


@dataclass(frozen=True)
class SyncInputs:
    """What a sync is made of besides its sources and the time."""

    view: DeclaredResource[FeatureView]
    catalog: Catalog
    options: Options

    @property
    def name(self) -> str:
        """The resource name of the view."""
        return self.view.node.name or ""

    @property
    def documents(self) -> tuple[object, ...]:
        """The documents and choices, each an object that another one takes the place of when it changes."""
        return self.view, self.catalog.stores, self.catalog.groups, self.catalog.sources, self.options


@dataclass(frozen=True)
class SourceState:
    """What a sync of a view depends on: its documents, and the files that have its rows as the file system tells them
    apart."""

    documents: tuple[int, ...]
    files: tuple[FileState, ...]


@dataclass(frozen=True)
class LastSync:
    """The last sync of a view that read its sources, and whether the one before it saw and reported the same."""

    report: SyncReport
    places: tuple[TableLocation, ...]
    inputs: SyncInputs
    state: SourceState
    snapshot: int
    is_settled: bool


class UnchangedSources:
    """Knows the last syncs of views, and which of them the next one would repeat."""

    def __init__(self) -> None:
        self._last: dict[str, LastSync] = {}
        self._lock = Lock()

    def repeated(self, inputs: SyncInputs, store: OnlineStore, now: datetime) -> SyncReport | None:
        """The report of a sync now, where that needs no reading."""
        last = self._last.get(inputs.name)
        if last is None or not last.is_settled or not _is_before(now, last.report):
            return None
        if _state(inputs, last.places) != last.state:
            return None
        snapshot = store.snapshot(inputs.name)
        return last.report if snapshot is not None and snapshot.number == last.snapshot else None

    def before(self, inputs: SyncInputs) -> SourceState | None:
        """The state of the sources before a sync, where an earlier one says which they are."""
        last = self._last.get(inputs.name)
        return None if last is None else _state(inputs, last.places)

    def remember(self, inputs: SyncInputs, store: OnlineStore, report: SyncReport, before: SourceState | None) -> None:
        """Remember a sync that was made, before which the sources were so."""
        places, snapshot = _places(report), None
        state = None if places is None else _state(inputs, places)
        with suppress(StoreError):
            snapshot = store.snapshot(inputs.name)
        with self._lock:
            last = self._last.pop(inputs.name, None)
            if places is None or state is None or snapshot is None:
                return
            is_settled = (
                last is not None
                and before == state == last.state
                and snapshot.number == last.snapshot + 1
                and _content(last.report) == _content(report)
            )
            self._last[inputs.name] = LastSync(report, places, inputs, state, snapshot.number, is_settled)

    def forget(self, view: str) -> None:
        """Read the sources of a view again, whose values were changed in another way."""
        with self._lock:
            self._last.pop(view, None)


def _places(report: SyncReport) -> tuple[TableLocation, ...] | None:
    """Where the rows of a sync came from; None where it cannot be told whether they change."""
    selections = report.plan.selections
    if not selections or not all(selection.moment for selection in selections):
        return None
    places = tuple(replace(selection.place, as_of=None) for selection in selections)
    return None if any(place.database or is_elsewhere(place) or is_iceberg(place) for place in places) else places


def _state(inputs: SyncInputs, places: tuple[TableLocation, ...]) -> SourceState | None:
    try:
        files = tuple(state for place in places for state in file_states(place))
    except (OSError, Unreadable):
        return None
    return SourceState(tuple(map(id, inputs.documents)), files)


def _is_before(now: datetime, report: SyncReport) -> bool:
    """Whether no row of a later time than the sync's has come up since."""
    return report.next_row is None or now < report.next_row


def _content(report: SyncReport) -> tuple[object, ...]:
    return report.counts, report.findings, report.assumptions, report.skipped, report.plan.layout, report.next_row


@dataclass(frozen=True)
class SyncAttempt:
    """A sync that was tried, and what it was refused with, if it was."""

    record: FeatureViewSync
    error: ServiceError | None


class SyncHistory:
    """Syncs views, one sync of each at a time, and remembers the syncs of each."""

    def __init__(self, storage: ViewStorage, grants: Grants, clock: Clock, options: Options, journal: Journal) -> None:
        self._kept = storage
        self._grants = grants
        self._clock = clock
        self.options = options
        self._journal = journal
        self._records: dict[str, deque[FeatureViewSync]] = {}
        self._unchanged = UnchangedSources()
        self._pending: list[Record] = []
        self._lock = Lock()
        self.on_record: Callable[[FeatureViewSync], None] | None = None

    def attempt(
        self, entry: ViewEntry, catalog: Catalog, *, before_serving: Callable[[], None], on_demand: bool = True
    ) -> SyncAttempt:
        """Sync a view, which a caller or its schedule asks for; what keeps it from being synced is in the record.

        `before_serving` may refuse to serve what was read, while nobody else can change what is served.
        """
        started = self._clock.now()
        error: ServiceError | None = None
        report: SyncReport | None = None
        is_repeated = False
        try:
            with as_service_errors():
                if on_demand:
                    require_on_demand(entry.view)
                report = None if on_demand else self._repeated(entry, catalog, before_serving)
                is_repeated = report is not None
                report = report or self._run(entry, catalog, before_serving)
        except ServiceError as refusal:
            error = refusal
        return self._recorded(entry, started, report, error, is_deferred=is_repeated)

    def values_changed(self, view: str) -> None:
        """Have the next sync of a view read its sources, since something else changed what is served."""
        self._unchanged.forget(view)

    def flush(self) -> None:
        """Keep the records of the syncs that read nothing, which are kept many at a time. Raises ServiceError."""
        with self._lock, as_service_errors():
            self._write_pending()

    def fail(self, entry: ViewEntry, error: ServiceError) -> FeatureViewSync:
        """The record of a sync that failed for a reason of this program's own."""
        return self._recorded(entry, self._clock.now(), None, error).record

    def records_of(self, entry: ViewEntry) -> list[FeatureViewSync]:
        """The syncs of a view that are remembered, in order. Raises ServiceError."""
        with self._lock, as_service_errors():
            self._write_pending()
            return [*self._known(entry)]

    def get(self, entry: ViewEntry, name: str) -> FeatureViewSync:
        """A sync of a view by its name. Raises NOT_FOUND."""
        records = self.records_of(entry)
        record = next((feature_view_sync for feature_view_sync in records if feature_view_sync.name == name), None)
        if record is None:
            raise not_found("FeatureViewSync", name, [feature_view_sync.name for feature_view_sync in records])
        return record

    def records(self, entry: ViewEntry) -> list[Record]:
        """The syncs of a view as a journal keeps them. Raises ServiceError."""
        return [Record(KIND, _record_name(entry, sync), sync.json_object()) for sync in self.records_of(entry)]

    def forget(self, entry: ViewEntry) -> None:
        """Forget the syncs of a view that went while it was synced; those that cannot be removed are nobody's."""
        with suppress(JournalError, ServiceError):
            self._journal.write([Record(record.kind, record.name, None) for record in self.records(entry)])
        self.remove_records(entry)

    def remove_records(self, entry: ViewEntry) -> None:
        """Forget the syncs of a view that is gone."""
        with self._lock:
            self._records.pop(entry.uid, None)

    def _run(self, entry: ViewEntry, catalog: Catalog, before_serving: Callable[[], None]) -> SyncReport:
        self._grants.require(entry.view, catalog)
        trial = TrialRun(catalog, self._kept, self._clock, self.options)
        store, inputs = self._kept.store(entry.name), SyncInputs(entry.declared, catalog, self.options)
        state = self._unchanged.before(inputs)
        with self._kept.previous.kept(entry.declared, store):
            report = trial.sync(entry.declared, before_serving=before_serving)
        self._unchanged.remember(inputs, store, report, state)
        return report

    def _repeated(self, entry: ViewEntry, catalog: Catalog, before_serving: Callable[[], None]) -> SyncReport | None:
        """The report of a sync that would do what the last ones did; None where the sources are to be read."""
        inputs = SyncInputs(entry.declared, catalog, self.options)
        report = self._unchanged.repeated(inputs, self._kept.store(entry.name), self._clock.now())
        if report is not None:
            self._grants.require(entry.view, catalog)
            before_serving()
            self._kept.previous.keep_current(entry.name)
        return report

    def _recorded(
        self,
        entry: ViewEntry,
        started: datetime,
        report: SyncReport | None,
        error: ServiceError | None,
        *,
        is_deferred: bool = False,
    ) -> SyncAttempt:
        """The attempt, of which the record is kept before it is known; that it cannot be kept is an error, too."""
        with self._lock:
            with as_service_errors():
                known = self._known(entry)
            number = int(last_id(known[-1].name)) + 1 if known else 1
            sync = _to_sync(entry, number, started, self._clock.now(), report, error)
            oldest = [Record(KIND, _record_name(entry, known[0]), None)] if len(known) == MAX_SYNCS else []
            records = [*oldest, Record(KIND, _record_name(entry, sync), sync.json_object())]
            try:
                with as_service_errors():
                    if not is_deferred or len(self._pending) >= MAX_PENDING:
                        self._write_pending(records)
                    else:
                        self._pending += records
            except ServiceError as refusal:
                return SyncAttempt(sync, error or refusal)
            known.append(sync)
        if self.on_record:
            self.on_record(sync)
        return SyncAttempt(sync, error)

    def _write_pending(self, further: Sequence[Record] = ()) -> None:
        """Write what waits, in its order, and further records; all of it waits on where that fails."""
        if records := [*self._pending, *further]:
            self._journal.write(records)
            self._pending = []

    def _known(self, entry: ViewEntry) -> deque[FeatureViewSync]:
        """The syncs of a view, which the journal tells when they are asked for first. Raises JournalError."""
        if entry.uid not in self._records:
            kept = self._journal.read(KIND, f"{entry.uid}/")
            self._records[entry.uid] = deque((FeatureViewSync.model_validate(value) for _, value in kept), MAX_SYNCS)
        return self._records[entry.uid]


KIND = "FeatureViewSync"
MAX_PENDING = 500
"""So many records are written at once."""
MAX_SYNCS = 10_000
"""So many syncs of a view are remembered; of more the oldest are forgotten."""


def _record_name(entry: ViewEntry, sync: FeatureViewSync) -> str:
    return f"{entry.uid}/{last_id(sync.name)}"


def _to_sync(
    entry: ViewEntry,
    number: int,
    started: datetime,
    ended: datetime,
    report: SyncReport | None,
    error: ServiceError | None,
) -> FeatureViewSync:
    return FeatureViewSync(
        name=f"{entry.name}/featureViewSyncs/{number}",
        createTime=started,
        runTime=RunTime(startTime=started, endTime=ended),
        finalStatus=to_rpc_status(error),
        syncSummary=_summary(report) if report else None,
        findings=_findings(report) if report else [],
        skippedChecks=_skipped(report) if report else [],
        assumptions=list(report.assumptions) if report else [],
    )


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


def _summary(report: SyncReport) -> SyncSummary:
    counts = report.counts
    return SyncSummary(
        rowSynced=counts.entities,
        rowsRead=counts.read,
        new=counts.new,
        changed=counts.changed,
        unchanged=counts.unchanged,
        vanished=counts.vanished,
    )


def _findings(report: SyncReport) -> list[SyncNote]:
    return [
        SyncNote(code=finding.code, message=finding.message, examples=list(finding.examples))
        for finding in report.findings
    ]


def _skipped(report: SyncReport) -> list[SyncNote]:
    return [SyncNote(code=skipped_check.check, message=skipped_check.reason) for skipped_check in report.skipped]
