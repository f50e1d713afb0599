"""The findings of `trialrun check` in the documents that a trial run uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.layers import layers
from trialrun.runtime.declaration import source_documents
from trialrun.values.resource_name import is_same_resource
from trialrun.working_folder import absolute_path
from trialrun.workspace.check import check

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.workspace.check_request import CheckRequest


def diagnostics_of(request: CheckRequest, asked: Sequence[DeclaredResource[Any]]) -> list[Diagnostic]:
    """The sorted findings in some documents of a workspace, and about their files as a whole."""
    paths = sorted({file.path for file in asked})
    found = check(replace(request, paths=paths)).diagnostics if paths else []
    return [diagnostic for diagnostic in found if any(is_about(diagnostic, file) for file in asked)]


def documents_of_view(view: DeclaredResource[FeatureView], catalog: Catalog) -> list[DeclaredResource[Any]]:
    """The documents that a sync of a view uses: the view, its store, groups and sources."""
    store = catalog.store_of(view.node.name or "")
    return [view, *([store] if store else []), *source_documents(view.node, catalog)]


def documents_of_store(
    store: DeclaredStore, brands: BrandCatalog, request: CheckRequest
) -> list[DeclaredResource[Any]]:
    """The documents that a session at a store uses: its brand, configs, menu and session types.

    An error in any of them prevents the session.
    """
    name = store.brand.node.name
    applied = {id(layer.config): layer.config for layer in layers(store, brands)}
    menus = [menu for menu in brands.menus if not (name and menu.node.brand) or is_same_resource(menu.node.brand, name)]
    named = {request.profiles.of(declared_resource.path).session_schema for declared_resource in applied.values()}
    schemas = [schema for schema in brands.schemas if None in named or absolute_path(schema.path) in named]
    return [store.brand, *applied.values(), *menus, *schemas]


def is_about(diagnostic: Diagnostic, document: DeclaredResource[Any]) -> bool:
    """Whether a finding is in a document, or about its whole YAML document."""
    if (diagnostic.path, diagnostic.document) != (document.path, document.document):
        return False
    return not diagnostic.pointer or f"{diagnostic.pointer}/".startswith(f"{document.pointer}/")
