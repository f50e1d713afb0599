"""What a view serves: now, or what it served at another moment, for which its sync is made again in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.cli.entity_ids import entity_id
from trialrun.cli.options import moment
from trialrun.cli.report_error import note
from trialrun.cli.workspace_options import Blamed, blamed, name_of, stored, title_of
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.report.format_value import shown_moment

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.feature_view.as_of import Past
    from trialrun.runtime.feature_view.data_finding import DataFinding
    from trialrun.runtime.feature_view.indexes import Indexes
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore, Snapshot
    from trialrun.workspace.dry_run import Trial


@dataclass(frozen=True)
class Serving:
    """The store that answers, its snapshot and indexes, and in words which sync that is of."""

    store: OnlineStore
    snapshot: Snapshot
    indexes: Indexes | None
    origin: str
    findings: Sequence[DataFinding] = ()
    assumptions: Sequence[str] = ()


def serving(
    view: Declared[FeatureView], trial: Trial, at: str | None, *, ids: Sequence[str] | None = None, search: bool = False
) -> Serving:
    """What answers for a view, at the time of `--at` if there is one, at least of some ids; for a search its indexes.

    Raises UsageError where it was not synced by then, and Blamed where that sync cannot be made again.
    """
    if at is None:
        return _now(view, trial, search=search)
    from trialrun.cli.runtime_extra import require
    from trialrun.runtime.feature_view.data_finding import CannotSync
    from trialrun.runtime.feature_view.store.interface import NeverSynced

    require("--at", "duckdb", "numpy")
    try:
        with stored():
            return _then(view, trial, at, ids=ids, search=search)
    except NeverSynced as error:
        raise UsageError(str(error)) from error
    except CannotSync as error:
        raise Blamed(blamed(view, "cannot-sync", str(error), error.steps)) from error


def _now(view: Declared[FeatureView], trial: Trial, *, search: bool) -> Serving:
    from trialrun.runtime.feature_view.direct_write import has_source, nothing_served
    from trialrun.runtime.feature_view.source_documents import digest

    store = trial.store(view)
    with stored():
        snapshot = store.snapshot(name_of(view))
    if snapshot is None:
        title = title_of(view, trial)
        raise UsageError(nothing_served(view.node, title, f"sync it with trialrun sync {title}"))
    if snapshot.plan and has_source(view.node) and not snapshot.plan.startswith(digest(view.node, trial.catalog)):
        title = title_of(view, trial)
        changed = f"{title} or the documents of its rows changed since it was synced"
        note(f"{changed}; trialrun sync {title} serves what they say now")
    return Serving(store, snapshot, trial.indexes(view) if search else None, _of_sync(snapshot))


def _of_sync(snapshot: Snapshot) -> str:
    if not snapshot.number:
        return "written directly"
    return f"sync {snapshot.number}, {shown_moment(snapshot.synced_at)}"


def _then(view: Declared[FeatureView], trial: Trial, at: str, *, ids: Sequence[str] | None, search: bool) -> Serving:
    from trialrun.runtime.feature_view.as_of import served_at
    from trialrun.runtime.feature_view.indexes import Indexes

    indexes = Indexes() if search else None
    past = served_at(
        view,
        trial.catalog,
        trial.store(view),
        moment(at),
        ids=None if ids is None else _ids(view, trial, at, ids),
        options=trial.options,
        before_serving=indexes.before_serving(view) if indexes else None,
    )
    snapshot = past.store.snapshot(name_of(view))
    assert snapshot is not None
    if search and not past.again:
        indexes = trial.indexes(view)
    origin = _origin(past) if past.again else _of_sync(snapshot)
    return Serving(past.store, snapshot, indexes, origin, past.findings, past.assumptions)


def _ids(view: Declared[FeatureView], trial: Trial, at: str, texts: Sequence[str]) -> list[EntityId]:
    from trialrun.runtime.feature_view.direct_write import has_source
    from trialrun.runtime.feature_view.plan import plan

    if not has_source(view.node):
        snapshot = trial.store(view).snapshot(name_of(view))
        return [entity_id(text, snapshot.layout.keys) for text in texts] if snapshot else []
    keys = plan(view, trial.catalog, cutoff=moment(at), options=trial.options).layout.keys
    return [entity_id(text, keys) for text in texts]


def _origin(past: Past) -> str:
    if past.run.sort == "written":
        return f"written directly until {shown_moment(past.run.at)}"
    word = {"recorded": "the sync", "scheduled": "the scheduled sync", "continuous": "the continuous sync"}
    return f"{word[past.run.sort]} of {shown_moment(past.run.at)}, made again"
