"""Brands, stores, configs, and what these name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from trialrun.lsp.features.completion.meaning import Meaning
from trialrun.lsp.features.completion.names.named import Named
from trialrun.model.channel_config import ChannelConfig
from trialrun.record import dataclass
from trialrun.workspace.live.catalogs import brands

if TYPE_CHECKING:
    from trialrun.model.channel_config import OperationsConfig, UpsellConfig
    from trialrun.workspace.live import Live, Reading


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


@dataclass(slots=True)
class _Spoken:
    """The languages of each text as it was at a revision of the workspace, and the texts that have others since."""

    revision: int = -1
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)


_OF_LIVE: WeakKeyDictionary[Live, _Spoken] = WeakKeyDictionary()


def languages(live: Live, path: str) -> Iterator[str]:
    """The languages that the configs of the workspace speak, but for those of a text that is being edited."""
    known = _OF_LIVE.setdefault(live, _Spoken())
    if known.revision < 0:
        known.texts = {reading.path: tuple(_spoken(reading)) for reading in live.readings()}
    elif known.revision != live.revision:
        known.changed |= live.changed_after(known.revision)
        others = known.changed - {path}
        known.texts = {file: tags for file, tags in known.texts.items() if file not in others}
        known.texts |= {reading.path: tuple(_spoken(reading)) for reading in live.readings(others)}
        known.changed -= others
    known.revision = live.revision
    return (tag for tags in known.texts.values() for tag in tags)


def _spoken(reading: Reading) -> Iterator[str]:
    for part in reading.parts:
        config = part.fitted.node
        operations = config.operationsConfig if isinstance(config, ChannelConfig) else None
        if operations is not None:
            yield operations.defaultLanguageCode or ""
            yield from (one.languageCode or "" for one in operations.greetings or ())
