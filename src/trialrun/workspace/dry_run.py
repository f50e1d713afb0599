"""A workspace as its trial runs need it: what it declares, what it chose, and where the values are kept.

Engine and store are named by option, by the environment, or by an alias that the workspace names. An address is the
user's alone: a repository can name an alias, and what it stands for is in the user's own settings. So no repository can
make the program connect to anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialrun.errors import UsageError
from trialrun.runtime.feature_view.trial_run import TrialRun, ViewStores
from trialrun.runtime.options import Options, runtime_options
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lint.settings import Settings
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.trial_run import RemoteStores, StoreFolder
    from trialrun.runtime.options import EngineAddress
    from trialrun.workspace.check_request import CheckRequest


@dataclass(frozen=True)
class DryRun(TrialRun):
    """The trial run of a workspace, with the request that its documents were read for."""

    request: CheckRequest

    def errors_of(self, view: DeclaredResource[FeatureView]) -> list[Diagnostic]:
        """The errors that `trialrun check` finds in the documents that a sync of a view uses."""
        from trialrun.workspace.relevant_diagnostics import documents_of_view, errors_of

        return errors_of(self.request, documents_of_view(view, self.catalog))


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
    from trialrun.runtime.options import cap_options, sync_limits

    settings = request.profiles.settings
    return replace(
        cap_options(runtime_options(settings.runtime), sync_limits()),
        engine=engine_address(engine, settings, request.root, is_isolated=is_isolated),
    )


def _store_locations(request: CheckRequest, store: str | None, *, is_isolated: bool) -> StoreFolder | RemoteStores:
    """Where the values are kept: in the folder of the workspace, unless the user has named a store."""

    address = store_address(store, request.profiles.settings, request.root, is_isolated=is_isolated)
    if address is None:
        return open_store_folder(request.root)
    from trialrun.errors import StoreError, UsageError
    from trialrun.runtime.feature_view.trial_run import RemoteStores

    try:
        return RemoteStores(address)
    except StoreError as error:
        raise UsageError(str(error)) from error


def open_store_folder(root: str, folder: Path | None = None) -> StoreFolder:
    """The folder of stores of the workspace at a root, or another one that the user named."""
    from trialrun.runtime.feature_view.trial_run import StoreFolder

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


STORE = "TRIALRUN_STORE"
ENGINE, ENGINE_SECRET, ENGINE_ROOTS = "TRIALRUN_ENGINE", "TRIALRUN_ENGINE_SECRET", "TRIALRUN_ENGINE_ROOTS"


def store_address(given: str | None, settings: Settings, root: str, *, is_isolated: bool = False) -> str | None:
    """The address of the online store; None for the files of the workspace. Raises UsageError.

    `given` is that of `--store`: an address or an alias. So is that of the environment; a workspace has an alias only.
    """
    table = _table_of("store", STORE, given, settings, root, is_isolated)
    return None if table is None else str(table["address"])


def engine_address(
    given: str | None, settings: Settings, root: str, *, is_isolated: bool = False
) -> EngineAddress | None:
    """The engine that reads sources, with its secret; None for those of this machine. Raises UsageError."""
    from trialrun.lint.settings.formats import CHECKS
    from trialrun.runtime.options import EngineAddress
    from trialrun.values.amounts import parse_bytes

    table = _table_of("engine", ENGINE, given, settings, root, is_isolated)
    if table is None:
        return None
    if problem := CHECKS["engine-address"]("the engine", table["address"]):
        raise UsageError(problem)
    memory = (parse_bytes(table.get("memory", "1GB")) or 0) // 10**6
    return EngineAddress(
        table["address"],
        options=(("spark.executor.memory", f"{memory}m"),),
        python=table.get("python"),
        secret=os.environ.get(ENGINE_SECRET) or None,
        roots=(*table.get("roots", ()), *_roots_of_environment()),
    )


def _roots_of_environment() -> tuple[str, ...]:
    """The roots of TRIALRUN_ENGINE_ROOTS, which are divided by spaces. Raises UsageError."""
    from trialrun.lint.settings.formats import CHECKS

    roots = tuple(os.environ.get(ENGINE_ROOTS, "").split())
    if problem := next(filter(None, (CHECKS["engine-root"](ENGINE_ROOTS, root) for root in roots)), None):
        raise UsageError(problem)
    return roots


def _table_of(
    kind: str, variable: str, given: str | None, settings: Settings, root: str, is_isolated: bool
) -> Mapping[str, Any] | None:
    """What is known of an engine or a store: its address, or the table of the alias; None where none is named."""
    if given == "":
        raise UsageError(f"--{kind} is empty; write an address or an alias, or leave the option out")
    if named := given if given is not None else os.environ.get(variable):
        source = f"--{kind}" if given is not None else variable
        return {"address": named} if "://" in named else _table_of_alias(f"{kind}s", named, source, root, is_isolated)
    alias = settings.runtime.get(kind)
    if alias is None:
        return None
    from trialrun.working_folder import display_path

    return _table_of_alias(f"{kind}s", alias, display_path(settings.file or settings.folder), root, is_isolated)


def _table_of_alias(table: str, alias: str, source: str, root: str, is_isolated: bool) -> Mapping[str, Any]:
    """What the user's settings say of an alias. Raises UsageError."""
    from trialrun.lint.settings.loader import UserSettings, read_user_settings, user_settings_file

    settings = UserSettings() if is_isolated else read_user_settings(root)
    aliases: Mapping[str, Mapping[str, Any]] = getattr(settings, table)
    if alias in aliases:
        return aliases[alias]
    if is_isolated:
        raise UsageError(f'{source}: "{alias}" is an alias, and --isolated reads no settings; write an address')
    near = did_you_mean(alias, list(aliases))
    home = user_settings_file() or "your settings"
    raise UsageError(
        f'{source}: there is no alias "{alias}"{near or f"; add [{table}.{alias}] with its address to {home}"}'
    )
