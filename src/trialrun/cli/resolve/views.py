"""What `trialrun resolve` was asked: a store or all of them, the whole configuration or a field."""

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
    """An answer: as text, as an object for programs, and the errors in the documents that it is made of."""

    request: CheckRequest

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The answer for a person."""

    def object(self) -> dict[str, Any]:
        """The answer for a program."""

    @property
    def errors(self) -> Sequence[Diagnostic]:
        """What `trialrun check` finds in the documents, rules across files left out: what was set aside."""


@dataclass
class OneStoreView:
    """A store, or a field of it."""

    request: CheckRequest
    catalog: BrandCatalog
    found: ActiveConfig
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The configuration with where each value comes from."""
        from trialrun.cli.resolve.field import field_text
        from trialrun.cli.resolve.resolve_text import store_text

        title = _title(self.found, self.catalog)
        if self.field is None:
            return store_text(title, self.found, width=width, paint=paint)
        return field_text(title, self.found, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The object of the contract."""
        from trialrun.outputs.resolve import field_object, store_object

        told = store_object(self.found) if self.field is None else field_object(self.found, self.field)
        return {**told, "errors": errors_object(self.errors)}

    @cached_property
    def errors(self) -> Sequence[Diagnostic]:
        """The errors in the brand and in the configs that apply."""
        return _errors(self.request, self.catalog, [self.found])


@dataclass
class AllStoresView:
    """All stores of the workspace, or a field at each."""

    request: CheckRequest
    catalog: BrandCatalog
    found: Sequence[ActiveConfig]
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The groups of stores that share everything, and what differs between them."""
        from trialrun.cli.resolve.matrix import field_matrix, matrix

        if self.field is None:
            return matrix(self.found, width=width, paint=paint)
        return field_matrix(self.found, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The groups, with what each has that the first does not."""
        from trialrun.outputs.resolve import field_matrix_object, matrix_object

        told = matrix_object(self.found) if self.field is None else field_matrix_object(self.found, self.field)
        return {**told, "errors": errors_object(self.errors)}

    @cached_property
    def errors(self) -> Sequence[Diagnostic]:
        """The errors in all brands, and in the configs that apply somewhere."""
        return _errors(self.request, self.catalog, self.found)


def view_of_store(name: str, field: str | None, options: dict[str, Any]) -> OneStoreView:
    """What is effective at one store. Raises UsageError."""
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
    found = resolve_active_config(store, catalog, chosen(request.profiles.settings.runtime))
    if field is not None:
        require_field([found], field)
    return OneStoreView(request, catalog, found, field)


def view_of_all_stores(field: str | None, options: dict[str, Any]) -> AllStoresView:
    """What is effective at all stores. Raises UsageError."""
    from trialrun.cli.resolve.field import require_field
    from trialrun.workspace.catalog import brands
    from trialrun.workspace.dry_run import runtime_options as chosen

    request = default_request((), options)
    catalog = brands(request)
    if not catalog.stores:
        raise UsageError("the workspace declares no store; add it to the stores of a Brand")
    settings = chosen(request.profiles.settings.runtime)
    found = [resolve_active_config(store, catalog, settings) for store in catalog.stores]
    if field is not None:
        require_field(found, field)
    return AllStoresView(request, catalog, found, field)


def _title(found: ActiveConfig, catalog: BrandCatalog) -> str:
    """The id of a store; of one whose id others have too, its name."""
    from trialrun.values.resource_name import last_id

    id = last_id(found.store.name)
    return id if sum(last_id(store.name) == id for store in catalog.stores) == 1 else found.store.name


def _errors(request: CheckRequest, catalog: BrandCatalog, found: Sequence[ActiveConfig]) -> list[Diagnostic]:
    """The errors in the documents that some stores go by, and where a name means no config, in files that may have it.

    What rules across files have to say is told with the stores: names that mean no config, and clashes.
    """
    from trialrun.diagnostic import Severity
    from trialrun.lint.settings import Profiles
    from trialrun.workspace.relevant_diagnostics import diagnostics_of

    documents: dict[int, DeclaredResource[Any]] = {id(file.store.brand): file.store.brand for file in found}
    layers = (layer for file in found for effective in file.types.values() for layer in effective.layers)
    documents |= {id(layer.config): layer.config for layer in layers}
    alone = replace(request, profiles=Profiles(request.profiles.settings, ignore=("workspace", "suppression")))
    told = diagnostics_of(alone, list(documents.values()))
    if any(file.unapplied for file in found):
        told += [file for file in _unreadable_files(request, catalog.unreadable_paths) if file not in told]
    return [diagnostic for diagnostic in told if diagnostic.severity is Severity.ERROR]


def _unreadable_files(request: CheckRequest, paths: Sequence[str]) -> list[Diagnostic]:
    """What keeps files from being read."""
    from trialrun.lint.file_result import MASKING_RULES
    from trialrun.lint.settings import Profiles
    from trialrun.workspace.check import check

    if not paths:
        return []
    profiles = Profiles(request.profiles.settings, select=MASKING_RULES)
    return check(replace(request, paths=list(paths), profiles=profiles, as_discovered=True, baseline=None)).diagnostics
