"""The catalogs of both sides of a plan; what is in files that do not differ is shared, and parsed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.changes.sides import ParsedSide, Side, Sides
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.workspace.catalog import BRAND_KINDS, VIEW_KINDS, session_types

if TYPE_CHECKING:
    from trialrun.values.cel import Schema


@dataclass
class SideCatalogs:
    """Both catalogs of a side, made when they are asked for."""

    sides: Sides
    side: Side
    parsed: ParsedSide

    @cached_property
    def brands(self) -> BrandCatalog:
        """The brands with their configs, menus and session types."""
        documents = {name: self._of_kind(kind) for kind, name in BRAND_KINDS.items()}
        return BrandCatalog(**documents, schema_for=self._session_types, unreadable_paths=self._unread)

    @cached_property
    def views(self) -> Catalog:
        """The views with their stores, groups and sources."""
        return Catalog(
            **{name: self._of_kind(kind) for kind, name in VIEW_KINDS.items()}, unreadable_paths=self._unread
        )

    @cached_property
    def scenarios(self) -> Sequence[DeclaredResource[Any]]:
        """The scenarios, in the order of path and document."""
        return self._of_kind("Scenario")

    def _session_types(self, path: str) -> Schema:
        return self._types_of_paths(path)

    @cached_property
    def _types_of_paths(self) -> Callable[[str], Schema]:
        return session_types(self.side.request)

    @property
    def _unread(self) -> Sequence[str]:
        return sorted({**self.parsed.unread, **self.sides.unchanged.unread})

    def _of_kind(self, kind: str) -> list[DeclaredResource[Any]]:
        """The documents of a kind, in the order of path and document."""
        resources = (*self.parsed.resources, *self.sides.unchanged.resources)
        return sorted(
            (resource for its_kind, resource in resources if its_kind == kind),
            key=lambda resource: (resource.path, resource.document),
        )


@dataclass
class Catalogs:
    """The catalogs of both sides."""

    base: SideCatalogs
    head: SideCatalogs


def catalogs(sides: Sides) -> Catalogs:
    """The catalogs of both sides; all files are parsed as soon as one is asked for."""
    base, head = sides.parsed
    return Catalogs(SideCatalogs(sides, sides.base, base), SideCatalogs(sides, sides.head, head))
