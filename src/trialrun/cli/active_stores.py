"""The effective configurations of one store or of all, with the errors of the documents that they depend on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.cli.check_options import default_request
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.check_request import CheckRequest


@dataclass
class ActiveStores:
    """What is effective at some stores of the workspace."""

    request: CheckRequest
    catalog: BrandCatalog
    active_configs: Sequence[ActiveConfig]

    @cached_property
    def errors(self) -> Sequence[Diagnostic]:
        """The errors of the brands, and of the configs that apply."""
        return _errors(self.request, self.catalog, self.active_configs)

    def report_errors(self, color: str) -> int:
        """Print the errors of the documents to standard error; returns the exit code."""
        if self.errors:
            from trialrun.cli.report_error import show_diagnostics

            sys.stdout.flush()
            show_diagnostics(self.errors, self.request.source, color=color)
        return int(bool(self.errors))


def active_stores(name: str | None, options: dict[str, Any]) -> ActiveStores:
    """What is effective at the store of a name, or at all stores of the workspace. Raises UsageError."""
    return _one_store(name, options) if name is not None else _all_stores(options)


def _one_store(name: str, options: dict[str, Any]) -> ActiveStores:
    from trialrun.cli.store_lookup import suggest_names
    from trialrun.runtime.declaration import UndeclaredError
    from trialrun.runtime.options import runtime_options
    from trialrun.workspace.catalog import load_store

    request = default_request((), options)
    try:
        catalog, store = load_store(request, name)
    except UndeclaredError as error:
        raise UsageError(f"{error}{suggest_names(name, error.candidates)}") from error
    choices = runtime_options(request.profiles.settings.runtime)
    return ActiveStores(request, catalog, [resolve_active_config(store, catalog, choices)])


def _all_stores(options: dict[str, Any]) -> ActiveStores:
    from trialrun.runtime.options import runtime_options
    from trialrun.workspace.catalog import brands

    request = default_request((), options)
    catalog = brands(request)
    if not catalog.stores:
        raise UsageError("the workspace declares no store; add it to the stores of a Brand")
    choices = runtime_options(request.profiles.settings.runtime)
    return ActiveStores(request, catalog, [resolve_active_config(store, catalog, choices) for store in catalog.stores])


def _errors(request: CheckRequest, catalog: BrandCatalog, stores: Sequence[ActiveConfig]) -> list[Diagnostic]:
    """The errors in the documents that the stores depend on, and in unreadable files if a name has no config.

    Rules across files are left out: missing configs and conflicts are part of the result itself.
    """
    from trialrun.diagnostic import Severity
    from trialrun.lint.settings import Profiles
    from trialrun.workspace.relevant_diagnostics import diagnostics_of

    documents: dict[int, DeclaredResource[Any]] = {id(store.store.brand): store.store.brand for store in stores}
    layers = (layer for store in stores for effective in store.types.values() for layer in effective.layers)
    documents |= {id(layer.config): layer.config for layer in layers}
    per_file_request = replace(
        request, profiles=Profiles(request.profiles.settings, ignore=("workspace", "suppression"))
    )
    diagnostics = diagnostics_of(per_file_request, list(documents.values()))
    if any(store.unapplied for store in stores):
        diagnostics += [
            store for store in _unreadable_files(request, catalog.unreadable_paths) if store not in diagnostics
        ]
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


def _unreadable_files(request: CheckRequest, paths: Sequence[str]) -> list[Diagnostic]:
    """The errors that prevented files from being read."""
    from trialrun.lint.file_result import MASKING_RULES
    from trialrun.lint.settings import Profiles
    from trialrun.workspace.check import check

    if not paths:
        return []
    profiles = Profiles(request.profiles.settings, select=MASKING_RULES)
    return check(replace(request, paths=list(paths), profiles=profiles, as_discovered=True, baseline=None)).diagnostics
