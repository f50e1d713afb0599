"""A workspace as its trial runs need it: what it declares, what it chose, and where the values are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.runtime.feature_view.search import Indexes
    from trialrun.runtime.feature_view.store.sqlite import SqliteStore
    from trialrun.runtime.feature_view.store.store_folder import Folder
    from trialrun.workspace.check import Request


@dataclass(frozen=True)
class Trial:
    """A workspace under trial: its documents, its choices, the clock, and the folder that values are kept in."""

    request: Request
    catalog: Catalog
    options: Options
    clock: Clock
    folder: Folder

    def store(self, view: Declared[FeatureView]) -> SqliteStore:
        """The store that a view is served from."""
        return self.folder.store_of(view.node.name or "")

    def indexes(self, view: Declared[FeatureView]) -> Indexes:
        """The indexes of a view's snapshots."""
        from trialrun.runtime.feature_view.search import Indexes

        return Indexes(self.folder.indexes(view.node.name or ""), guard=self.folder.guard)

    def verdict(self, view: Declared[FeatureView]) -> list[Diagnostic]:
        """The errors that `trialrun check` finds in the documents that a sync of a view goes by."""
        from trialrun.diagnostic import Severity
        from trialrun.workspace.relevant_diagnostics import about, involved

        return [one for one in about(self.request, involved(view, self.catalog)) if one.severity is Severity.ERROR]


def trial(request: Request, clock: Clock) -> Trial:
    """The trial of the whole workspace of a request."""
    from trialrun.runtime.feature_view.store.store_folder import Folder
    from trialrun.runtime.limits import lowered, sync_limits
    from trialrun.workspace.catalog import catalog

    chosen = lowered(options(request.profiles.settings.runtime), sync_limits())
    return Trial(request, catalog(request), chosen, clock, Folder(request.root, is_tracked=_is_tracked))


def _is_tracked(folder: Path) -> bool:
    """Whether git tracks anything below a folder, in whatever capitals: some file systems do not tell them apart."""
    from trialrun.git import Answer, run_git
    from trialrun.repository import Repository, find_repository

    repository = find_repository(str(folder.parent))
    if not isinstance(repository, Repository):
        return False
    above = os.path.realpath(folder.parent)
    answer = run_git(repository, "ls-files", "-z", "--", f":(icase){folder.name}", folder=above)
    return isinstance(answer, Answer) and answer.code == 0 and bool(answer.out)


def options(runtime: Mapping[str, Any]) -> Options:
    """The choices of the `[runtime]` table of the settings, which was checked when it was read."""
    return Options(**{key.replace("-", "_"): value for key, value in runtime.items()})
