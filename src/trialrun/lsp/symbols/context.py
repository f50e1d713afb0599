"""Context for resolving names in texts: session types, and the menu of a store."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from trialrun.runtime.declaration import UndeclaredError
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.lsp.symbols.occurrence import NameKind
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.declaration import Catalog
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace import OpenWorkspace

GLOBAL_SCOPE: Final = "*"
"""The scope of session types that apply wherever the settings name no other file."""


class ResolutionContext:
    """The context in which the names of one file are resolved."""

    def __init__(self, workspace: OpenWorkspace, path: str) -> None:
        self._live = workspace
        self._path = path

    @cached_property
    def types(self) -> Schema:
        """The types and variables that its conditions may read."""
        return self._live.session_types(self._path)

    @cached_property
    def used_session(self) -> str:
        """The scope of the session types that its conditions read."""
        named = self._live.request.profiles.of(self._path).session_schema
        return GLOBAL_SCOPE if named is None else absolute_path(named)

    @cached_property
    def own_session(self) -> str:
        """The scope of the session types that it declares."""
        settings = self._live.request.profiles.settings
        named = (settings.session_schema, *(override.session_schema for override in settings.overrides))
        file = absolute_path(self._path)
        return file if file in {absolute_path(name) for name in named if name} else GLOBAL_SCOPE

    @cached_property
    def brands(self) -> BrandCatalog:
        """The brands of the workspace with their menus."""
        from trialrun.workspace.open_workspace.catalog_cache import brands

        return brands(self._live)

    @cached_property
    def views(self) -> Catalog:
        """The views of the workspace with their sources."""
        from trialrun.workspace.open_workspace.catalog_cache import views

        return views(self._live)

    def served(self, view: str | None) -> tuple[NameKind, tuple[str, ...]] | None:
        """What a view serves: features of groups, or columns of a table; None if there is no such view."""
        try:
            node = self.views.view(view or "").node
        except UndeclaredError:
            return None
        if node.featureRegistrySource:
            groups = node.featureRegistrySource.featureGroups or ()
            return "feature", tuple(dict.fromkeys(group.featureGroupId for group in groups if group.featureGroupId))
        source = node.warehouseSource or node.ragSource
        return ("column", (source.uri,)) if source and source.uri else None

    def project_of(self, view: str | None) -> str:
        """The project whose registry a view reads; empty if it names none."""
        try:
            registry = self.views.view(view or "").node.featureRegistrySource
        except UndeclaredError:
            return ""
        return str((registry and registry.projectNumber) or "")

    def at_store(self, name: str | None) -> tuple[str, BrandMenu]:
        """The brand and the menu of a store; an empty name if there is no such store."""
        from trialrun.runtime.channel_config.menu import BrandMenu, brand_menu

        try:
            brand = self.brands.store(name or "").brand
        except UndeclaredError:
            return "", BrandMenu()
        menus = self.brands.cache
        key = "menu of names", brand.node.name
        if key not in menus:
            menus[key] = brand_menu(brand, self.brands)
        return brand.node.name or "", menus[key]
