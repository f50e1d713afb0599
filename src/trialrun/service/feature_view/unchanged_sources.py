"""Scheduled syncs whose sources are as they were: they would report what the last two did, so nothing is read again.

That makes a year of syncs over tables that nobody changes take seconds. A sync is spared only where two in a row have
read the same files and reported the same, every row has a timestamp, none of a later time has come up since, and
nothing else has changed what is served. What is read by a cluster, from a database or from a table with snapshots is
always read.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.file_states import FileState, file_states
from trialrun.runtime.feature_view.source.location import Unreadable, is_elsewhere, is_iceberg
from trialrun.runtime.feature_view.store.interface import StoreError

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.source.location import TableLocation
    from trialrun.runtime.feature_view.store.interface import OnlineStore
    from trialrun.runtime.feature_view.sync import SyncReport
    from trialrun.runtime.options import Options


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

    def remember(
        self,
        inputs: SyncInputs,
        store: OnlineStore,
        report: SyncReport,
        before: SourceState | None,
    ) -> None:
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
