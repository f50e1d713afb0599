"""Brands, stores, configs, and what these name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from trialrun.lsp.features.completion.expected_type import Meaning
from trialrun.lsp.features.completion.names.named import Named
from trialrun.workspace.open_workspace.catalog_cache import brands, last_brands

if TYPE_CHECKING:
    from trialrun.model.channel_config import OperationsConfig, UpsellConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.workspace.open_workspace import Live


def configs(live: Live, found: Meaning) -> Named:
    """The ChannelConfigs."""
    for config in brands(live).configs:
        yield config.node.name, ", ".join(filter(None, (config.node.displayName, config.node.type)))


def brand_names(live: Live, found: Meaning) -> Named:
    """The brands."""
    return ((brand.node.name, brand.node.displayName or "") for brand in brands(live).brands)


def stores(live: Live, found: Meaning) -> Named:
    """The stores of all brands."""
    return ((store.name, store.store.displayName or "") for store in brands(live).stores)


def stores_of_brand(live: Live, found: Meaning) -> Named:
    """The stores of the brand itself."""
    brand = found.root.text("name")
    for store in brands(live).stores:
        if store.brand.node.name == brand:
            yield store.name, store.store.displayName or ""


def tags(live: Live, found: Meaning) -> Named:
    """The tags of all stores."""
    return ((tag, f"a tag of {store.name}") for store in brands(live).stores for tag in store.store.tags or ())


def rules(live: Live, found: Meaning) -> Named:
    """The config application rules that are bound somewhere."""
    for brand in brands(live).brands:
        bound = [*(brand.node.bindings or ())]
        yield from ((one.rule, one.channelConfig or "") for one in bound)
        for store in brand.node.stores or ():
            yield from ((one.rule, one.channelConfig or "") for one in store.bindings or ())


def files(live: Live, found: Meaning) -> Named:
    """The files that have ChannelConfigs."""
    return ((config.path, config.node.name or "") for config in brands(live).configs)


def upsells(live: Live, found: Meaning) -> Named:
    """The upsells of all configs, by their display names."""
    for config in brands(live).configs:
        for upsell in _upsells(config.node.operationsConfig):
            yield upsell.displayName, config.path


def _upsells(operations: OperationsConfig | None) -> Iterator[UpsellConfig]:
    strategy = operations.upsellStrategy if operations else None
    yield from (strategy.upsells if strategy else None) or ()


def terms(live: Live, found: Meaning) -> Named:
    """What customers say, by the mappings of all configs."""
    for config in brands(live).configs:
        operations = config.node.operationsConfig
        strategy = operations.disambiguationStrategy if operations else None
        for mapping in (strategy.mappings if strategy else None) or ():
            yield from ((term, mapping.type or "") for term in mapping.customerTerms or ())


_SPOKEN: WeakKeyDictionary[Live, tuple[BrandCatalog, frozenset[str]]] = WeakKeyDictionary()
"""The languages of a workspace, as they were gathered from its brands."""


def languages(live: Live) -> frozenset[str]:
    """The languages that the configs of the workspace speak, as far as these have been read: nobody waits for them."""
    catalog = last_brands(live)
    if catalog is None:
        return frozenset()
    known = _SPOKEN.get(live)
    if known is None or known[0] is not catalog:
        tags = (tag for config in catalog.configs for tag in _spoken(config.node.operationsConfig))
        known = _SPOKEN[live] = catalog, frozenset(filter(None, tags))
    return known[1]


def _spoken(operations: OperationsConfig | None) -> Iterator[str | None]:
    if operations is not None:
        yield operations.defaultLanguageCode
        yield from (one.languageCode for one in operations.greetings or ())
