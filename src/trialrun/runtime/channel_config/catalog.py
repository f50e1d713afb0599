"""Catalog of the brands of a workspace: configs, stores, bindings, menus and session schemas."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError
from trialrun.values.resource_name import ResourceIndex, is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, SessionSchema, Store
    from trialrun.model.menu import Menu
    from trialrun.values.cel import Schema


def default_schema(path: str) -> Schema:
    """The shipped types of a session, whatever the file."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    return DEFAULT_SCHEMA


@dataclass(frozen=True)
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
        return self.brand.locate(self.store.location("name")).start.line


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

    @cached_property
    def cache(self) -> dict[Hashable, Any]:
        """What is computed of these documents once and asked for often, each by a key of anyone who did so."""
        return {}

    @cached_property
    def _configs_by_name(self) -> ResourceIndex[DeclaredResource[ChannelConfig]]:
        return ResourceIndex((config.node.name, config) for config in self.configs if config.node.name)
