"""Brands, stores, configs, and what these name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.workspace.open_workspace.catalog_cache import brands, last_known_brands

if TYPE_CHECKING:
    from trialrun.model.channel_config import OperationsConfig, UpsellConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.workspace.open_workspace import OpenWorkspace


def configs(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ChannelConfigs."""
    for config in brands(workspace).configs:
        yield config.node.name, ", ".join(filter(None, (config.node.displayName, config.node.type)))


def brand_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The brands."""
    return ((brand.node.name, brand.node.displayName or "") for brand in brands(workspace).brands)


def stores(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The stores of all brands; in a brand its own."""
    for store in brands(workspace).stores:
        if expected_type.kind != "Brand" or store.brand.node.name == expected_type.root.text("name"):
            yield store.name, store.store.displayName or ""


def tags(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The tags of all stores."""
    return ((tag, f"a tag of {store.name}") for store in brands(workspace).stores for tag in store.store.tags or ())


def rules(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The config application rules that are bound somewhere."""
    for brand in brands(workspace).brands:
        bound = [*(brand.node.bindings or ())]
        yield from ((binding.rule, binding.channelConfig or "") for binding in bound)
        for store in brand.node.stores or ():
            yield from ((binding.rule, binding.channelConfig or "") for binding in store.bindings or ())


def files(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The files that have ChannelConfigs."""
    return ((config.path, config.node.name or "") for config in brands(workspace).configs)


def upsells(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The upsells of all configs, by their display names."""
    for config in brands(workspace).configs:
        for upsell in _upsells(config.node.operationsConfig):
            yield upsell.displayName, config.path


def _upsells(operations: OperationsConfig | None) -> Iterator[UpsellConfig]:
    strategy = operations.upsellStrategy if operations else None
    yield from (strategy.upsells if strategy else None) or ()


def terms(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """What customers say, by the mappings of all configs."""
    for config in brands(workspace).configs:
        operations = config.node.operationsConfig
        strategy = operations.disambiguationStrategy if operations else None
        for mapping in (strategy.mappings if strategy else None) or ():
            yield from ((term, mapping.type or "") for term in mapping.customerTerms or ())


class SpokenLanguages:
    """The languages of a workspace, with the catalog that they were collected from."""

    def __init__(self) -> None:
        self.catalog: BrandCatalog | None = None
        self.tags = frozenset[str]()


def languages(workspace: OpenWorkspace) -> frozenset[str]:
    """The languages that the configs of the workspace speak, as far as these have been read: nobody waits for them."""
    catalog = last_known_brands(workspace)
    if catalog is None:
        return frozenset()
    known = workspace.feature_state(SpokenLanguages)
    if known.catalog is not catalog:
        tags = (tag for config in catalog.configs for tag in _language_tags(config.node.operationsConfig))
        known.catalog, known.tags = catalog, frozenset(filter(None, tags))
    return known.tags


def _language_tags(operations: OperationsConfig | None) -> Iterator[str | None]:
    if operations is not None:
        yield operations.defaultLanguageCode
        yield from (greeting.languageCode for greeting in operations.greetings or ())
