"""The result of `trialrun resolve` in all four variants: one store or all, the whole configuration or one field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from trialrun.cli.active_stores import ActiveStores, active_stores
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.origin import errors_object

if TYPE_CHECKING:
    from trialrun.report.color import Paint
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog


class ResolveView(Protocol):
    """A result: as text and as a JSON object, of stores whose documents may have errors."""

    stores: ActiveStores

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The text output."""

    def object(self) -> dict[str, Any]:
        """The JSON output."""


@dataclass
class OneStoreView:
    """The effective configuration of one store, or one field of it."""

    stores: ActiveStores
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The configuration with the origin of each value."""
        from trialrun.cli.resolve.field import field_text
        from trialrun.cli.resolve.resolve_text import store_text

        active_config = self.stores.active_configs[0]
        title = _title(active_config, self.stores.catalog)
        if self.field is None:
            return store_text(title, active_config, width=width, paint=paint)
        return field_text(title, active_config, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The JSON object described in the JSON Schema of `resolve`."""
        from trialrun.outputs.resolve import field_object, store_object

        active_config = self.stores.active_configs[0]
        content = store_object(active_config) if self.field is None else field_object(active_config, self.field)
        return {**content, "errors": errors_object(self.stores.errors)}


@dataclass
class AllStoresView:
    """The effective configurations of all stores, or one field of each."""

    stores: ActiveStores
    field: str | None

    def text(self, width: int, paint: Paint) -> Iterator[str]:
        """The groups of equal stores, and the differences between them."""
        from trialrun.cli.resolve.matrix import field_matrix, matrix

        if self.field is None:
            return matrix(self.stores.active_configs, width=width, paint=paint)
        return field_matrix(self.stores.active_configs, self.field, width=width, paint=paint)

    def object(self) -> dict[str, Any]:
        """The groups, each with its differences from the first."""
        from trialrun.outputs.resolve import field_matrix_object, matrix_object

        configs = self.stores.active_configs
        content = matrix_object(configs) if self.field is None else field_matrix_object(configs, self.field)
        return {**content, "errors": errors_object(self.stores.errors)}


def resolve_view(store: str | None, field: str | None, options: dict[str, Any]) -> ResolveView:
    """The effective configuration of one store, or of all without a name. Raises UsageError."""
    from trialrun.cli.resolve.field import require_field

    stores = active_stores(store, options)
    if field is not None:
        require_field(stores.active_configs, field)
    return OneStoreView(stores, field) if store is not None else AllStoresView(stores, field)


def _title(active_config: ActiveConfig, catalog: BrandCatalog) -> str:
    """The id of a store, or its full name if several stores have the id."""
    from trialrun.values.resource_name import last_id

    id = last_id(active_config.store.name)
    return id if sum(last_id(store.name) == id for store in catalog.stores) == 1 else active_config.store.name
