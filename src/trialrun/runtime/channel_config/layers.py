"""The configs that apply at a store, in order of precedence (specification: channel-config, section 1).

A later level overrides an earlier one. What a brand names is resolved once for all of its stores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
from trialrun.values.resource_name import is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, BrandBinding
    from trialrun.runtime.declaration import DeclaredResource


Level = Literal["brand-default", "brand-binding", "store-default", "store-binding"]
LEVELS: Final[tuple[Level, ...]] = ("brand-default", "brand-binding", "store-default", "store-binding")

ResolvedType = Literal["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]
TYPES: Final[tuple[ResolvedType, ...]] = ("UPSELL_STRATEGY", "AGENT_CUSTOMIZATION")
"""The types of a config; each resolves on its own."""


class Selector(NamedTuple):
    """The stores of a binding: those that have all the tags and are named; None or an empty list demands nothing."""

    tags: Collection[str] | None = None
    names: Collection[str] | None = None


def is_bound(
    *,
    tags: Collection[str] | None,
    names: Collection[str] | None,
    store_name: str,
    store_tags: Collection[str],
) -> bool:
    """Whether a binding for stores of these tags and names applies to a store: one that has all the tags and is named.

    A list that is unset or empty demands nothing.
    """
    if tags and not all(tag in store_tags for tag in tags):
        return False
    return not names or any(is_same_resource(name, store_name) for name in names)


class Bindings:
    """The bindings of a brand by what a store must have for them; stores of the same tags are looked at once.

    A binding without a selector applies nowhere.
    """

    def __init__(self, selectors: Sequence[Selector | None]) -> None:
        self._selectors = selectors
        self._by_id: dict[str, list[int]] = {}
        self._by_tag: dict[str, list[int]] = {}
        self._everywhere: list[int] = []
        self._by_tag_set: dict[frozenset[str], list[int]] = {}
        tag_counts = Counter(tag for selector in selectors if selector for tag in selector.tags or ())
        for index, selector in enumerate(selectors):
            if selector is not None:
                self._add(index, selector, tag_counts)

    def _add(self, index: int, selector: Selector, tag_counts: Counter[str]) -> None:
        """File a binding under its names, else under the tag that the fewest bindings have."""
        if selector.names:
            for id_ in {last_id(name) for name in selector.names}:
                self._by_id.setdefault(id_, []).append(index)
        elif selector.tags:
            rarest = min(selector.tags, key=lambda tag: tag_counts[tag])
            self._by_tag.setdefault(rarest, []).append(index)
        else:
            self._everywhere.append(index)

    def indexes_for(self, store_name: str, store_tags: Collection[str]) -> Sequence[int]:
        """The indexes of the bindings that apply to a store, in their order."""
        tags = frozenset(store_tags)
        if tags not in self._by_tag_set:
            candidates = (index for tag in tags for index in self._by_tag.get(tag, ()))
            matching = [index for index in candidates if self._matches(index, store_name, tags)]
            self._by_tag_set[tags] = sorted([*self._everywhere, *matching])
        candidates = (index for index in self._by_id.get(last_id(store_name), ()))
        by_name = [index for index in candidates if self._matches(index, store_name, tags)]
        return sorted([*self._by_tag_set[tags], *by_name]) if by_name else self._by_tag_set[tags]

    def _matches(self, index: int, store_name: str, store_tags: Collection[str]) -> bool:
        selector = self._selectors[index] or Selector()
        return is_bound(tags=selector.tags, names=selector.names, store_name=store_name, store_tags=store_tags)


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
