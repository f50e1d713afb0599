"""The views that are to be synced now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.cli.workspace_options import view_name

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.dry_run import DryRun


def due_views(trial: DryRun) -> Iterator[DeclaredResource[FeatureView]]:
    """The views with a run since they were synced last, those first whose run was first."""
    from trialrun.runtime.feature_view.direct_write import has_source
    from trialrun.runtime.feature_view.scheduler import Scheduler

    def last_sync(view: DeclaredResource[FeatureView]) -> datetime | None:
        snapshot = trial.store(view).snapshot(view_name(view))
        return snapshot.synced_at if snapshot else None

    scheduler = Scheduler(trial.catalog, view_name, trial.clock, last_sync=last_sync, options=trial.options)
    yield from (due_sync.view for due_sync in scheduler.due() if has_source(due_sync.view.node))
