"""What the commands about stores share: the stores that a name means, and what is effective there."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from trialrun.cli.options import default_request
from trialrun.cli.output import show_diagnostics, write_utf8
from trialrun.cli.workspace_options import suggest_names
from trialrun.diagnostic import Severity
from trialrun.errors import UsageError
from trialrun.lint.file_result import MASKING_RULES
from trialrun.lint.settings import Profiles
from trialrun.outputs.origin import document_errors, store_titles
from trialrun.report.json import json_text
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.equivalence import stores_alike
from trialrun.runtime.declaration import UndeclaredError
from trialrun.runtime.options import runtime_options
from trialrun.workspace.catalog import brands, load_store
from trialrun.workspace.check import check
from trialrun.workspace.relevant_diagnostics import diagnostics_of, is_about
from trialrun.workspace.store_dry_run import StoreDryRun, store_dry_run

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.declaration import BrandCatalog
    from trialrun.workspace.check_request import CheckRequest

NO_STORE = "the workspace declares no store in a Brand"
Result = TypeVar("Result")


def find_store(name: str, options: dict[str, Any]) -> StoreDryRun:
    """The store that a resource name, the end of one, or an id means, under trial. Raises UsageError."""
    try:
        return store_dry_run(default_request((), options), name)
    except UndeclaredError as error:
        raise UsageError(f"{error}{suggest_names(name, error.candidates, NO_STORE)}") from error


def store_title(trial: StoreDryRun) -> str:
    """The id of a store, for people; of a store whose id others have too, its name."""
    return store_titles(trial.catalog.stores)[trial.store.name]


def report_store_errors(trial: StoreDryRun, errors: Sequence[Diagnostic], options: dict[str, Any]) -> int:
    """Show the errors for which nothing is played at a store; the exit code."""
    show_diagnostics(errors, trial.request.source, color=options["color"])
    if options["output_format"] == "json":
        refused = {"version": 1, "store": trial.store.name, "errors": document_errors(errors)}
        write_utf8([json_text(refused), "\n"])
    return 1


@dataclass
class ActiveStores:
    """What is effective at some stores of the workspace."""

    request: CheckRequest
    catalog: BrandCatalog
    active_configs: Sequence[ActiveConfig]

    @cached_property
    def errors(self) -> Sequence[Diagnostic]:
        """The errors in the documents that the stores depend on, and in unreadable files if a name has no config.

        Rules across files are left out: missing configs and conflicts are part of the result itself.
        """
        configs, settings = self.active_configs, self.request.profiles.settings
        documents = {id(document): document for config in configs for document in config.documents}
        per_file_request = replace(self.request, profiles=Profiles(settings, ignore=("workspace", "suppression")))
        diagnostics = diagnostics_of(per_file_request, list(documents.values()))
        paths = list(self.catalog.unreadable_paths)
        if paths and any(store.unapplied for store in configs):
            profiles = Profiles(settings, select=MASKING_RULES)
            unreadable = replace(self.request, paths=paths, profiles=profiles, as_discovered=True, baseline=None)
            diagnostics += [error for error in check(unreadable).diagnostics if error not in diagnostics]
        return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]

    def report_errors(self, color: str) -> int:
        """Print the errors of the documents to standard error; returns the exit code."""
        if self.errors:
            sys.stdout.flush()
            show_diagnostics(self.errors, self.request.source, color=color)
        return int(bool(self.errors))


def active_stores(name: str | None, options: dict[str, Any]) -> ActiveStores:
    """What is effective at the store of a name, or at all stores of the workspace. Raises UsageError."""
    request = default_request((), options)
    choices = runtime_options(request.profiles.settings.runtime)
    if name is None:
        catalog = brands(request)
        stores = catalog.stores
        if not stores:
            raise UsageError("the workspace declares no store; add it to the stores of a Brand")
    else:
        try:
            catalog, store = load_store(request, name)
        except UndeclaredError as error:
            raise UsageError(f"{error}{suggest_names(name, error.candidates, NO_STORE)}") from error
        stores = [store]
    return ActiveStores(request, catalog, [resolve_active_config(store, catalog, choices) for store in stores])


@dataclass
class StoreResult(Generic[Result]):
    """A store that stands for equal others: the titles of all, what is found there, or the errors that prevent it."""

    trial: StoreDryRun
    titles: Sequence[str]
    result: Result | None = None
    errors: Sequence[Diagnostic] = ()

    @property
    def title(self) -> str:
        """The title of the store itself."""
        return self.titles[0]


def stores_to_try(names: Sequence[str], options: dict[str, Any]) -> Iterator[StoreResult[Any]]:
    """The stores of some names, of which nothing is found yet; without any all stores, those that are equal once.

    Raises UsageError.
    """
    for name in names:
        trial = find_store(name, options)
        yield StoreResult(trial, [store_title(trial)])
    if not names:
        yield from _equal_stores(active_stores(None, options))


def _equal_stores(stores: ActiveStores) -> Iterator[StoreResult[Any]]:
    """A store of each group of equal ones.

    Stores are equal by what is effective there, their menu, and the errors in the documents that it comes from.
    """
    choices = runtime_options(stores.request.profiles.settings.runtime)
    wrong = _documents_with_errors(stores)
    titles = store_titles(stores.catalog.stores)

    def errors_of(config: ActiveConfig) -> Hashable:
        return frozenset(id(document) for document in config.documents if id(document) in wrong)

    for alike in stores_alike(stores.active_configs, stores.catalog, errors_of):
        trial = StoreDryRun(stores.request, stores.catalog, choices, alike[0].store)
        yield StoreResult(trial, [titles[config.store.name] for config in alike])


def _documents_with_errors(stores: ActiveStores) -> frozenset[int]:
    """The brands and configs, by `id`, in which `check` finds errors: what is wrong in them has no effect."""
    by_place: dict[tuple[str, int], list[Diagnostic]] = {}
    for error in stores.errors:
        by_place.setdefault((error.path, error.document), []).append(error)
    documents = {id(document): document for config in stores.active_configs for document in config.documents}
    return frozenset(
        key
        for key, document in documents.items()
        if any(is_about(error, document) for error in by_place.get((document.path, document.document), ()))
    )
