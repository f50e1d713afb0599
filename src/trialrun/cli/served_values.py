"""What a view serves: now, or what it served at another time, for which its sync is made again in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.cli.entity_ids import parse_entity_id
from trialrun.cli.options import parse_time
from trialrun.cli.report_error import print_note
from trialrun.cli.workspace_options import DocumentError, document_error, store_errors_as_usage, view_title
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.report.format_value import format_timestamp

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.data_finding import DataFinding
    from trialrun.runtime.feature_view.store.interface import EntityId, Snapshot
    from trialrun.runtime.feature_view.trial_run import PointInTime, TrialRun
    from trialrun.workspace.dry_run import DryRun


@dataclass(frozen=True)
class ServedSource:
    """The trial run that answers, the snapshot, and in words which sync that is of."""

    trial: TrialRun
    snapshot: Snapshot
    origin: str
    findings: Sequence[DataFinding] = ()
    assumptions: Sequence[str] = ()


def served_source(
    view: DeclaredResource[FeatureView],
    trial: DryRun,
    at: str | None,
    *,
    ids: Sequence[str] | None = None,
    search: bool = False,
) -> ServedSource:
    """What answers for a view, at the time of `--at` if there is one, at least of some ids; for a search its indexes.

    Raises UsageError if it was not synced by then, and DocumentError if that sync cannot be repeated.
    """
    if at is None:
        return _current_source(view, trial)
    from trialrun.cli.require_libraries import require_libraries
    from trialrun.runtime.feature_view.data_finding import CannotSync
    from trialrun.runtime.feature_view.store.interface import NeverSynced

    require_libraries("--at", "runtime", "duckdb", "numpy")
    try:
        with store_errors_as_usage():
            return _past_source(view, trial, at, ids=ids, search=search)
    except NeverSynced as error:
        raise UsageError(str(error)) from error
    except CannotSync as error:
        raise DocumentError(document_error(view, "cannot-sync", str(error), error.steps)) from error


def _current_source(view: DeclaredResource[FeatureView], trial: DryRun) -> ServedSource:
    from trialrun.runtime.declaration import documents_digest
    from trialrun.runtime.feature_view.direct_write import explain_no_values, has_source

    with store_errors_as_usage():
        snapshot = trial.snapshot(view)
    if snapshot is None:
        title = view_title(view, trial)
        raise UsageError(explain_no_values(view.node, title, f"sync it with trialrun sync {title}"))
    if (
        snapshot.plan
        and has_source(view.node)
        and not snapshot.plan.startswith(documents_digest(view.node, trial.catalog))
    ):
        title = view_title(view, trial)
        changed = f"{title} or the documents of its rows changed since the last sync"
        print_note(f"{changed}; run trialrun sync {title} to update the values")
    return ServedSource(trial, snapshot, _describe_sync(snapshot))


def _describe_sync(snapshot: Snapshot) -> str:
    if not snapshot.number:
        return "written directly"
    return f"sync {snapshot.number}, {format_timestamp(snapshot.synced_at)}"


def _past_source(
    view: DeclaredResource[FeatureView], trial: DryRun, at: str, *, ids: Sequence[str] | None, search: bool
) -> ServedSource:
    moment = parse_time(at)
    entity_ids = None if ids is None else _ids(view, trial, moment, ids)
    past, past_trial = trial.at(view, moment, ids=entity_ids, with_index=search)
    snapshot = past_trial.snapshot(view)
    assert snapshot is not None
    origin = _origin(past) if past.is_replayed else _describe_sync(snapshot)
    return ServedSource(past_trial, snapshot, origin, past.findings, past.assumptions)


def _ids(view: DeclaredResource[FeatureView], trial: DryRun, moment: datetime, texts: Sequence[str]) -> list[EntityId]:
    from trialrun.runtime.feature_view.direct_write import has_source

    if has_source(view.node):
        keys = trial.plan(view, cutoff=moment).layout.keys
    elif snapshot := trial.snapshot(view):
        keys = snapshot.layout.keys
    else:
        return []
    return [parse_entity_id(text, keys) for text in texts]


def _origin(past: PointInTime) -> str:
    if past.run.kind == "written":
        return f"written directly until {format_timestamp(past.run.at)}"
    word = {"recorded": "the sync", "scheduled": "the scheduled sync", "continuous": "the continuous sync"}
    return f"{word[past.run.kind]} of {format_timestamp(past.run.at)}, repeated"
