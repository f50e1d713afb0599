"""Declared resources of a workspace by name: views with their sources, and brands with their configs and menus."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.model.node import Node
from trialrun.values.resource_name import ResourceIndex, is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, FeatureGroupTable, FeatureOnlineStore, SessionSchema, Source, Store
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.menu import Menu
    from trialrun.values.cel import Schema


Kind = TypeVar("Kind", bound=Node, covariant=True)


@dataclass(frozen=True)
class DeclaredResource(Generic[Kind]):
    """A document of the workspace: its model, the path of its file as a person writes it, and where its parts stand.

    `folder` is the absolute folder of the file, which globs and paths in the document are relative to. `locate` gives
    the lines and columns of a place of the model. `pointer` leads from the root of the YAML document to the resource,
    which it may be a list of.
    """

    node: Kind
    path: str
    folder: str
    document: int
    locate: Callable[[SymbolicLocation], Range] = field(compare=False)
    pointer: str = ""

    def line(self, *steps: str | int) -> int:
        """The line, from 1, of what the steps lead to."""
        return self.locate(SymbolicLocation(self.node, steps)).start.line


class UndeclaredError(LookupError):
    """The workspace declares no document of this name, or several; `candidates` are the names that there are."""

    def __init__(self, message: str, *, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


@dataclass(frozen=True)
class Catalog:
    """The documents of a workspace that a FeatureView's trial run needs, in the order of path and document.

    `unreadable_paths` are the paths of files of which a part that may be among these could not be read.
    """

    views: Sequence[DeclaredResource[FeatureView]] = ()
    stores: Sequence[DeclaredResource[FeatureOnlineStore]] = ()
    groups: Sequence[DeclaredResource[FeatureGroupTable]] = ()
    sources: Sequence[DeclaredResource[Source]] = ()
    unreadable_paths: Sequence[str] = ()

    def view(self, name: str) -> DeclaredResource[FeatureView]:
        """The view of a resource name, or of the end of one. Raises UndeclaredError."""
        named_views = [(view.node.name, view) for view in self.views if view.node.name]
        matches = [view for full, view in named_views if full == name]
        matches = matches or [view for full, view in named_views if is_same_resource(full, name)]
        if len(matches) == 1:
            return matches[0]
        names = [candidate for full, _ in named_views for candidate in (full, last_id(full))]
        if not matches:
            raise UndeclaredError(f'there is no view "{name}"', candidates=names)
        places = ", ".join(f"{view.path}:{view.line('name')}" for view in matches)
        several = f'{len(matches)} views are named "{name}": {places}'
        raise UndeclaredError(f"{several}; write the full resource name", candidates=names)

    def store_of(self, view: str) -> DeclaredResource[FeatureOnlineStore] | None:
        """The store that a view of this name is under, None if the workspace declares none such."""
        parent = view.rpartition("/featureViews/")[0]
        by_name = {store.node.name: store for store in reversed(self.stores) if store.node.name is not None}
        return by_name.get(parent) or by_name.get(last_id(parent))

    def source(self, uri: str) -> DeclaredResource[Source] | None:
        """The source that says where the rows of a uri are; the first one where several do."""
        return next((source for source in self.sources if source.node.uri == uri), None)

    def group(self, feature_group_id: str, project_number: int | None) -> DeclaredResource[FeatureGroupTable] | None:
        """The table of a feature group, of the project where both name one."""
        for group in self.groups:
            projects = {project_number, group.node.projectNumber} - {None}
            if group.node.featureGroupId == feature_group_id and len(projects) <= 1:
                return group
        return None


def source_documents(view: FeatureView, catalog: Catalog) -> list[DeclaredResource[Any]]:
    """The feature groups and the sources of a view, as far as the workspace declares them."""
    registry, groups = view.featureRegistrySource, list[DeclaredResource[Any]]()
    for group in (registry and registry.featureGroups) or ():
        number = registry.projectNumber if registry else None
        if group.featureGroupId and (declared := catalog.group(group.featureGroupId, number)):
            groups.append(declared)
    uris = [group.node.uri for group in groups]
    uris += [source.uri for source in (view.warehouseSource, view.ragSource) if source]
    return [*groups, *(source for uri in uris if uri and (source := catalog.source(uri)))]


def documents_digest(view: FeatureView, catalog: Catalog) -> str:
    """A digest of what a view and its source documents say of its rows, of 16 characters."""
    own = (view.warehouseSource, view.featureRegistrySource, view.ragSource)
    nodes = [*own, *(document.node for document in source_documents(view, catalog))]
    contents = [node and node.model_dump_json(exclude_none=True) for node in nodes]
    return sha256(repr(contents).encode()).hexdigest()[:16]


def default_schema(path: str) -> Schema:
    """The shipped types of a session, whatever the file."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    return DEFAULT_SCHEMA


@dataclass(frozen=True, slots=True)
class DeclaredStore:
    """A store where it is declared: in the list `stores` of a brand, at an index."""

    brand: DeclaredResource[Brand]
    store: Store
    index: int

    @property
    def name(self) -> str:
        """The name of the store."""
        return self.store.name or ""

    @property
    def line(self) -> int:
        """The line, from 1, of its name in the brand's file."""
        return self.brand.line("stores", self.index, "name")


@dataclass
class BrandCatalog:
    """The documents of a workspace that a session at a store needs, in the order of path and document.

    `schema_for` gives the types and variables that the conditions of a file may read, by its path. `unreadable_paths`
    are files of which a part could not be read that may be among these.
    """

    brands: Sequence[DeclaredResource[Brand]] = ()
    configs: Sequence[DeclaredResource[ChannelConfig]] = ()
    menus: Sequence[DeclaredResource[Menu]] = ()
    schemas: Sequence[DeclaredResource[SessionSchema]] = ()
    schema_for: Callable[[str], Schema] = default_schema
    unreadable_paths: Sequence[str] = ()

    @cached_property
    def stores(self) -> Sequence[DeclaredStore]:
        """Every store of every brand, in the order they are written; those without a name are left out."""
        return [
            DeclaredStore(brand, store, index)
            for brand in self.brands
            for index, store in enumerate(brand.node.stores or ())
            if store.name
        ]

    def store(self, name: str) -> DeclaredStore:
        """The store of a name, or of the end of one. Raises UndeclaredError."""
        matches = [store for store in self.stores if store.name == name]
        matches = matches or [store for store in self.stores if is_same_resource(store.name, name)]
        names = [text for store in self.stores for text in dict.fromkeys((store.name, last_id(store.name)))]
        if not matches:
            raise UndeclaredError(f'there is no store "{name}"', candidates=names)
        if len(matches) > 1:
            places = ", ".join(f"{store.brand.path}:{store.line}" for store in matches)
            have_different_names = len({store.name for store in matches}) == len(matches)
            advice = "write the full name" if have_different_names else "give each its own name"
            raise UndeclaredError(f'{len(matches)} stores are named "{name}": {places}; {advice}', candidates=names)
        return matches[0]

    def configs_named(self, name: str, *, brand: str | None = None) -> Sequence[DeclaredResource[ChannelConfig]]:
        """The configs of exactly a name, else those that share its end: of several those of the brand, if any."""
        return self._configs_by_name.resolve(name, brand)

    def menus_of(self, brand: str | None) -> Sequence[DeclaredResource[Menu]]:
        """The menus of a brand and those without one, in their order; all for a brand without a name."""
        if not brand:
            return self.menus
        numbers = {*self._menus_by_id.get("", ()), *self._menus_by_id.get(last_id(brand), ())}
        menus = (self.menus[number] for number in sorted(numbers))
        return [menu for menu in menus if not menu.node.brand or is_same_resource(menu.node.brand, brand)]

    @cached_property
    def cache(self) -> dict[Hashable, Any]:
        """What is computed of these documents once and asked for often, each by a key of anyone who did so."""
        return {}

    @cached_property
    def _configs_by_name(self) -> ResourceIndex[DeclaredResource[ChannelConfig]]:
        return ResourceIndex((config.node.name, config) for config in self.configs if config.node.name)

    @cached_property
    def _menus_by_id(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the menus by the id of their brand."""
        numbers: dict[str, list[int]] = {}
        for number, menu in enumerate(self.menus):
            numbers.setdefault(last_id(menu.node.brand or ""), []).append(number)
        return numbers
