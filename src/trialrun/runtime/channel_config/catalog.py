"""What a workspace declares of brands: their configs, stores, bindings and menus, and the types of a session."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.declaration import Declared, NotDeclared
from trialrun.values.config_index import ConfigsByName
from trialrun.values.resource_name import is_same, last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, Menu, SessionSchema, Store
    from trialrun.values.cel import Schema


def default_types(path: str) -> Schema:
    """The shipped types of a session, whatever the file."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    return DEFAULT_SCHEMA


@dataclass(frozen=True)
class StoreOfBrand:
    """A store where it is declared: in the list `stores` of a brand, at an index."""

    brand: Declared[Brand]
    store: Store
    index: int

    @property
    def name(self) -> str:
        """The name of the store."""
        return self.store.name or ""

    @property
    def line(self) -> int:
        """The line, from 1, of its name in the brand's file."""
        return self.brand.locate(self.store.at("name")).start.line


@dataclass
class BrandCatalog:
    """The documents of a workspace that a session at a store needs, in the order of path and document.

    `types` are the types and variables that the conditions of a file may read, by its path. `troubled` are the paths
    of files of which a part that may be among these could not be read.
    """

    brands: Sequence[Declared[Brand]] = ()
    configs: Sequence[Declared[ChannelConfig]] = ()
    menus: Sequence[Declared[Menu]] = ()
    schemas: Sequence[Declared[SessionSchema]] = ()
    types: Callable[[str], Schema] = default_types
    troubled: Sequence[str] = ()

    @cached_property
    def stores(self) -> Sequence[StoreOfBrand]:
        """Every store of every brand, in the order they are written; those without a name are left out."""
        return [
            StoreOfBrand(brand, store, index)
            for brand in self.brands
            for index, store in enumerate(brand.node.stores or ())
            if store.name
        ]

    def store(self, name: str) -> StoreOfBrand:
        """The store of a name, or of the end of one. Raises NotDeclared."""
        found = [one for one in self.stores if one.name == name]
        found = found or [one for one in self.stores if is_same(one.name, name)]
        known = [text for one in self.stores for text in dict.fromkeys((one.name, last_id(one.name)))]
        if not found:
            raise NotDeclared(f'there is no store "{name}"', known=known)
        if len(found) > 1:
            places = ", ".join(f"{one.brand.path}:{one.line}" for one in found)
            are_told_apart = len({one.name for one in found}) == len(found)
            advice = "write the whole name" if are_told_apart else "give each a name of its own"
            raise NotDeclared(f'{len(found)} stores are named "{name}": {places}; {advice}', known=known)
        return found[0]

    def configs_called(self, name: str, *, brand: str | None = None) -> Sequence[Declared[ChannelConfig]]:
        """The configs of exactly a name, else those that share its end: of several those of the brand, if any."""
        return self._named.meant(name, brand)

    @cached_property
    def memory(self) -> dict[Hashable, Any]:
        """What is worked out of these documents once and asked for often, each by a key of whoever did so."""
        return {}

    @cached_property
    def _named(self) -> ConfigsByName[Declared[ChannelConfig]]:
        return ConfigsByName((one.node.name, one) for one in self.configs if one.node.name)


__all__ = ["BrandCatalog", "StoreOfBrand", "default_types"]
