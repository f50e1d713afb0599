"""What changes of views do to the entities that they serve: both sides are synced into a store that is thrown away.

The rows are those of the working tree on both sides: data is not read from git.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from trialrun.changes.catalogs import Catalogs, SideCatalogs
from trialrun.changes.change import NotCompared, RowsDifference
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.sync import SyncReport
    from trialrun.runtime.feature_view.trial_run import ViewStores

MAX_VIEWS = 50
"""Number of views whose rows are compared; the others are listed as not compared."""
CHANGES_OF_ROWS = frozenset(
    {
        "source-kind-changed",
        "source-uri-changed",
        "entity-id-columns-changed",
        "feature-group-added",
        "feature-group-removed",
        "feature-added",
        "feature-removed",
        "registry-project-changed",
        "feature-group-table-changed",
        "timestamp-column-changed",
        "dense-changed",
        "registered-feature-changed",
        "source-changed",
    }
)
"""Changes after which a view may serve other entities or values."""


class Rows:
    """Compares the entities that views serve on both sides, each view once."""

    def __init__(self, catalogs: Catalogs, now: datetime, options: Options) -> None:
        self._catalogs = catalogs
        self._now = now
        self._options = options
        self._known: dict[str, RowsDifference | NotCompared] = {}

    @property
    def not_compared(self) -> Iterator[NotCompared]:
        """The views whose rows were asked for and could not be compared."""
        return (result for result in self._known.values() if isinstance(result, NotCompared))

    def compare(self, name: str) -> RowsDifference | None:
        """What differs in the entities of a view that both sides have; None where that cannot be said."""
        if name not in self._known:
            self._known[name] = self._compare(name)
        result = self._known[name]
        return result if isinstance(result, RowsDifference) else None

    def _compare(self, name: str) -> RowsDifference | NotCompared:
        what = f"rows of {name}"
        if len(self._known) >= MAX_VIEWS:
            return NotCompared(what, f"rows are compared for {MAX_VIEWS} views; compare fewer changes at once")
        report: SyncReport | str = ""
        with _temporary_stores() as stores:
            for word, side in (("BASE", self._catalogs.base), ("HEAD", self._catalogs.head)):
                view = _view(side, name)
                report = self._sync(view, side, stores) if view else "no view has this name, or several"
                if isinstance(report, str):
                    return NotCompared(what, f"{word}: {report}")
        assert not isinstance(report, str)
        return RowsDifference(report.counts.new, report.counts.vanished, report.counts.changed)

    def _sync(self, view: DeclaredResource[FeatureView], side: SideCatalogs, stores: ViewStores) -> SyncReport | str:
        """Sync a view into a temporary store; the reason where that is not possible."""
        from trialrun.runtime.clock import FixedClock
        from trialrun.runtime.feature_view.data_finding import CannotSync
        from trialrun.runtime.feature_view.store.interface import StoreError
        from trialrun.runtime.feature_view.trial_run import TrialRun

        try:
            trial = TrialRun(side.views, stores, FixedClock(self._now), self._confined_options)
            return trial.sync(view, with_index=False)
        except (CannotSync, StoreError) as error:
            return str(error)

    @cached_property
    def _confined_options(self) -> Options:
        """The choices within the limits of the user: nobody has looked at the documents of both sides."""
        from dataclasses import replace

        from trialrun.runtime.limits import cap_options, user_limits

        return replace(cap_options(self._options, user_limits()), confined=True, engine=None)


def _view(side: SideCatalogs, name: str) -> DeclaredResource[Any] | None:
    views = [view for view in side.views.views if view.node.name == name]
    return views[0] if len(views) == 1 else None


@contextmanager
def _temporary_stores() -> Iterator[ViewStores]:
    from trialrun.runtime.feature_view.store.store_folder import StoreFolder
    from trialrun.runtime.feature_view.trial_run import ViewStores

    with TemporaryDirectory(prefix="trialrun-plan-") as folder:
        yield ViewStores(StoreFolder(folder, temporary=True))
