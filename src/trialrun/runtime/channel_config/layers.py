"""The configs that apply at a store, in order of precedence (specification: channel-config, section 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.bindings import Bindings, Selector
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, BrandBinding
    from trialrun.runtime.channel_config.level import Level
    from trialrun.runtime.declaration import DeclaredResource


@dataclass(frozen=True, eq=False)
class Layer:
    """A config that applies at a store: at which level, and by the binding of which rule, None for a default.

    `place` is the name of the config in the brand's document.
    """

    level: Level
    rule: str | None
    config: DeclaredResource[ChannelConfig]
    brand: DeclaredResource[Brand]
    place: SymbolicLocation

    @property
    def line(self) -> int:
        """The line, from 1, on which the brand's document names the config."""
        return self.brand.locate(self.place).start.line


@dataclass(frozen=True, eq=False)
class UnappliedConfig:
    """A default or a binding that applies nothing: the name that it has for a config, and why."""

    level: Level
    rule: str | None
    name: str
    reason: str
    brand: DeclaredResource[Brand]
    place: SymbolicLocation

    @property
    def line(self) -> int:
        """The line, from 1, of the name in the brand's document."""
        return self.brand.locate(self.place).start.line


ResolvedLayer = Layer | UnappliedConfig


def layers(store: DeclaredStore, catalog: BrandCatalog) -> tuple[Layer, ...]:
    """The configs that apply at a store, of all types, in order of precedence: a later one overwrites an earlier."""
    return tuple(layer for layer in resolve_layers(store, catalog) if isinstance(layer, Layer))


def unapplied(store: DeclaredStore, catalog: BrandCatalog) -> tuple[UnappliedConfig, ...]:
    """The defaults and bindings of a store, or of its brand for it, that apply nothing."""
    return tuple(layer for layer in resolve_layers(store, catalog) if isinstance(layer, UnappliedConfig))


def resolve_layers(store: DeclaredStore, catalog: BrandCatalog) -> Iterator[ResolvedLayer]:
    """What the defaults and bindings of a store, and of its brand for it, apply or do not, in order of precedence."""
    brand_layers = _brand_layers(store.brand, catalog)
    yield from brand_layers.defaults
    yield from brand_layers.bindings_for(store)
    brand, node = store.brand, store.store
    for index, name in enumerate(node.defaults or ()):
        yield _resolve_layer("store-default", None, name, brand, node.location("defaults", index), catalog)
    for index, binding in enumerate(node.bindings or ()):
        place = node.location("bindings", index, "channelConfig")
        yield _resolve_layer("store-binding", binding.rule, binding.channelConfig, brand, place, catalog)


@dataclass(frozen=True, eq=False)
class _BrandLayers:
    """What a brand names, once for all of its stores, and which of its bindings apply to which."""

    brand: DeclaredResource[Brand]
    defaults: Sequence[ResolvedLayer]
    bindings: Sequence[ResolvedLayer]
    matcher: Bindings

    def bindings_for(self, store: DeclaredStore) -> Iterator[ResolvedLayer]:
        """The bindings that match a store, in the order in which they are written."""
        return (self.bindings[index] for index in self.matcher.indexes_for(store.name, store.store.tags or ()))


def _selector(binding: BrandBinding) -> Selector | None:
    """The stores of a binding; None if they cannot be read, except for the names that can."""
    stores = binding.stores
    if stores is None:
        return None if binding.has("stores") else Selector()
    tags_are_read = type(stores.tags) is list or not stores.has("tags")  # a list that lost items is of another class
    names_are_read = type(stores.names) is list or not stores.has("names")
    if not tags_are_read or not (names_are_read or stores.names):
        return None
    return Selector(stores.tags, stores.names)


def _brand_layers(brand: DeclaredResource[Brand], catalog: BrandCatalog) -> _BrandLayers:
    key = ("layers", id(brand))
    if key not in catalog.cache:
        catalog.cache[key] = _resolve_brand(brand, catalog)
    layers: _BrandLayers = catalog.cache[key]
    return layers


def _resolve_brand(brand: DeclaredResource[Brand], catalog: BrandCatalog) -> _BrandLayers:
    node = brand.node
    defaults = [
        _resolve_layer("brand-default", None, name, brand, node.location("defaults", index), catalog)
        for index, name in enumerate(node.defaults or ())
    ]
    bindings = [
        _resolve_layer(
            "brand-binding",
            binding.rule,
            binding.channelConfig,
            brand,
            node.location("bindings", index, "channelConfig"),
            catalog,
        )
        for index, binding in enumerate(node.bindings or ())
    ]
    return _BrandLayers(brand, defaults, bindings, Bindings([_selector(binding) for binding in node.bindings or ()]))


def _resolve_layer(
    level: Level,
    rule: str | None,
    name: str | None,
    brand: DeclaredResource[Brand],
    place: SymbolicLocation,
    catalog: BrandCatalog,
) -> ResolvedLayer:
    """What a default or a binding applies: the config of the name, or nothing, with the reason."""
    config = _find_config(name or "", brand, catalog)
    if isinstance(config, str):
        return UnappliedConfig(level, rule, name or "", config, brand, place)
    return Layer(level, rule, config, brand, place)


def _find_config(
    name: str, brand: DeclaredResource[Brand], catalog: BrandCatalog
) -> DeclaredResource[ChannelConfig] | str:
    """The config that a name of a brand means; else why there is none."""
    configs = catalog.configs_named(name, brand=brand.node.name) if name else ()
    if not configs:
        return f'no ChannelConfig is named "{name}"' if name else "it names no ChannelConfig"
    if len(configs) > 1:
        places = ", ".join(f"{config.path}:{config.line('name')}" for config in configs)
        return f'{len(configs)} ChannelConfigs are named "{name}": {places}'
    if configs[0].node.type is None:
        return f'"{name}" has no type ({configs[0].path}:{configs[0].line()})'
    return configs[0]
