"""The result of `trialrun resolve` in all four variants: one store or all, the whole configuration or one field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from trialrun.cli.check_options import default_request
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.origin import errors_object
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.report.color import Paint
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.check_request import CheckRequest


class ResolveView(Protocol):
    """A result: as text, as a JSON object, and with the errors of the documents that it depends on."""

    request: CheckRequest

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The text output."""

    def object(self) -> dict[str, Any]:
        """The JSON output."""

    @property
    def errors(self) -> Sequence[Diagnostic]:
        """Errors that `trialrun check` reports for the documents, without rules across files."""


@dataclass
class OneStoreView:
    """The effective configuration of one store, or one field of it."""

    request: CheckRequest
    catalog: BrandCatalog
    active_config: ActiveConfig
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The configuration with the origin of each value."""
        from trialrun.cli.resolve.field import field_text
        from trialrun.cli.resolve.resolve_text import store_text

        title = _title(self.active_config, self.catalog)
        if self.field is None:
            return store_text(title, self.active_config, width=width, paint=paint)
        return field_text(title, self.active_config, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The JSON object described in the JSON Schema of `resolve`."""
        from trialrun.outputs.resolve import field_object, store_object

        content = (
            store_object(self.active_config) if self.field is None else field_object(self.active_config, self.field)
        )
        return {**content, "errors": errors_object(self.errors)}

    @cached_property
    def errors(self) -> Sequence[Diagnostic]:
        """The errors of the brand and of the configs that apply."""
        return _errors(self.request, self.catalog, [self.active_config])


@dataclass
class AllStoresView:
    """The effective configurations of all stores, or one field of each."""

    request: CheckRequest
    catalog: BrandCatalog
    active_configs: Sequence[ActiveConfig]
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The groups of equal stores, and the differences between them."""
        from trialrun.cli.resolve.matrix import field_matrix, matrix

        if self.field is None:
            return matrix(self.active_configs, width=width, paint=paint)
        return field_matrix(self.active_configs, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The groups, each with its differences from the first."""
        from trialrun.outputs.resolve import field_matrix_object, matrix_object

        content = (
            matrix_object(self.active_configs)
            if self.field is None
            else field_matrix_object(self.active_configs, self.field)
        )
        return {**content, "errors": errors_object(self.errors)}

    @cached_property
    def errors(self) -> Sequence[Diagnostic]:
        """The errors of all brands, and of the configs that apply to any store."""
        return _errors(self.request, self.catalog, self.active_configs)


def view_of_store(name: str, field: str | None, options: dict[str, Any]) -> OneStoreView:
    """The effective configuration of one store. Raises UsageError."""
    from trialrun.cli.resolve.field import require_field
    from trialrun.cli.store_lookup import suggest_names
    from trialrun.runtime.declaration import UndeclaredError
    from trialrun.workspace.dry_run import runtime_options as chosen
    from trialrun.workspace.store_documents import load_store

    request = default_request((), options)
    try:
        catalog, store = load_store(request, name)
    except UndeclaredError as error:
        raise UsageError(f"{error}{suggest_names(name, error.candidates)}") from error
    active_config = resolve_active_config(store, catalog, chosen(request.profiles.settings.runtime))
    if field is not None:
        require_field([active_config], field)
    return OneStoreView(request, catalog, active_config, field)


def view_of_all_stores(field: str | None, options: dict[str, Any]) -> AllStoresView:
    """The effective configurations of all stores. Raises UsageError."""
    from trialrun.cli.resolve.field import require_field
    from trialrun.workspace.catalog import brands
    from trialrun.workspace.dry_run import runtime_options as chosen

    request = default_request((), options)
    catalog = brands(request)
    if not catalog.stores:
        raise UsageError("the workspace declares no store; add it to the stores of a Brand")
    settings = chosen(request.profiles.settings.runtime)
    active_configs = [resolve_active_config(store, catalog, settings) for store in catalog.stores]
    if field is not None:
        require_field(active_configs, field)
    return AllStoresView(request, catalog, active_configs, field)


def _title(active_config: ActiveConfig, catalog: BrandCatalog) -> str:
    """The id of a store, or its full name if several stores have the id."""
    from trialrun.values.resource_name import last_id

    id = last_id(active_config.store.name)
    return id if sum(last_id(store.name) == id for store in catalog.stores) == 1 else active_config.store.name


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
