"""A workspace as its trial runs need it: what it declares, what it chose, and where the values are kept."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.trial_run import TrialRun, ViewStores
from trialrun.runtime.options import Options, runtime_options

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.store.store_folder import RemoteStores, StoreFolder
    from trialrun.workspace.check_request import CheckRequest


@dataclass(frozen=True)
class DryRun(TrialRun):
    """The trial run of a workspace, with the request that its documents were read for."""

    request: CheckRequest

    def errors_of(self, view: DeclaredResource[FeatureView]) -> list[Diagnostic]:
        """The errors that `trialrun check` finds in the documents that a sync of a view uses."""
        from trialrun.diagnostic import Severity
        from trialrun.workspace.relevant_diagnostics import diagnostics_of, documents_of_view

        return [
            diagnostic
            for diagnostic in diagnostics_of(self.request, documents_of_view(view, self.catalog))
            if diagnostic.severity is Severity.ERROR
        ]


def dry_run(
    request: CheckRequest,
    clock: Clock,
    *,
    store: str | None = None,
    engine: str | None = None,
    is_isolated: bool = False,
) -> DryRun:
    """The trial of the whole workspace of a request; store and engine are addresses or aliases. Raises UsageError."""
    from trialrun.workspace.catalog import catalog

    chosen = options_of(request, engine, is_isolated=is_isolated)
    stores = ViewStores(_store_locations(request, store, is_isolated=is_isolated))
    return DryRun(catalog(request), stores, clock, chosen, request)


def options_of(request: CheckRequest, engine: str | None, *, is_isolated: bool = False) -> Options:
    """The choices of a workspace for its trial runs; the engine is an address or an alias. Raises UsageError."""
    from trialrun.runtime.limits import cap_options, sync_limits
    from trialrun.workspace.addresses import engine_address

    settings = request.profiles.settings
    return replace(
        cap_options(runtime_options(settings.runtime), sync_limits()),
        engine=engine_address(engine, settings, request.root, is_isolated=is_isolated),
    )


def _store_locations(request: CheckRequest, store: str | None, *, is_isolated: bool) -> StoreFolder | RemoteStores:
    """Where the values are kept: in the folder of the workspace, unless the user has named a store."""
    from trialrun.workspace.addresses import store_address

    address = store_address(store, request.profiles.settings, request.root, is_isolated=is_isolated)
    if address is None:
        return open_store_folder(request.root)
    from trialrun.errors import UsageError
    from trialrun.runtime.feature_view.store.interface import StoreError
    from trialrun.runtime.feature_view.store.store_folder import RemoteStores

    try:
        return RemoteStores(address)
    except StoreError as error:
        raise UsageError(str(error)) from error


def open_store_folder(root: str, folder: Path | None = None) -> StoreFolder:
    """The folder of stores of the workspace at a root, or another one that the user named."""
    from trialrun.runtime.feature_view.store.store_folder import StoreFolder

    return StoreFolder(root, folder=folder, is_tracked=_is_tracked)


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
