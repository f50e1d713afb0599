"""The configs that apply at a store, in order of precedence, and the states that follow for configs.

Specification: channel-config, sections 1 and 3. A later level overrides an earlier one. What a brand names is resolved
once for all of its stores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.runtime.declaration import BrandCatalog, DeclaredResource, DeclaredStore
from trialrun.values.resource_name import ResourceIndex, is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, BrandBinding, Store, StoreBinding


Level = Literal["brand-default", "brand-binding", "store-default", "store-binding"]
LEVELS: Final[tuple[Level, ...]] = ("brand-default", "brand-binding", "store-default", "store-binding")
BRAND_LEVELS: Final[tuple[Level, ...]] = LEVELS[:2]

ResolvedType = Literal["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]
TYPES: Final[tuple[ResolvedType, ...]] = ("UPSELL_STRATEGY", "AGENT_CUSTOMIZATION")
"""The types of a config; each resolves on its own."""
State = Literal["DRAFT", "ACTIVE", "PROMOTED"]


@dataclass(frozen=True, slots=True)
class ConfigUse:
    """A default or a binding that names a config.

    Names are as they are written; `rule` is None for a default, and `store` on the levels of the brand. `path` lead
    from the brand to the name of the config.
    """

    config: str
    level: Level
    rule: str | None
    brand: str | None
    store: str | None
    path: Path


def config_uses(brand: Brand) -> Iterator[ConfigUse]:
    """All that a brand and its stores name, the brand's first, in the order they are written."""
    for level, rule, name, path in _named_configs(brand):
        if name:
            yield ConfigUse(name, level, rule, brand.name, None, path)
    for index, store in enumerate(brand.stores or ()):
        for level, rule, name, path in _named_configs(store, LEVELS[2:]):
            if name:
                yield ConfigUse(name, level, rule, brand.name, store.name, ("stores", index, *path))


def _named_configs(
    node: Brand | Store, levels: tuple[Level, ...] = BRAND_LEVELS
) -> Iterator[tuple[Level, str | None, str, Path]]:
    """What the defaults and then the bindings of a brand or a store name: the level, the rule, the name, its place."""
    for index, name in enumerate(node.defaults or ()):
        yield levels[0], None, name, ("defaults", index)
    bindings: Sequence[BrandBinding | StoreBinding] = node.bindings or ()
    for index, binding in enumerate(bindings):
        yield levels[1], binding.rule, binding.channelConfig or "", ("bindings", index, "channelConfig")


def config_names(names: Iterable[str]) -> ResourceIndex[str]:
    """The resource names of configs, by which it is found which of them a written name means."""
    return ResourceIndex((name, name) for name in names)


def uses_by_config(uses: Iterable[ConfigUse], names: ResourceIndex[str]) -> Mapping[str, Sequence[ConfigUse]]:
    """The uses of each config, in their order; a name that means several configs stands for each of them."""
    by_config: dict[str, list[ConfigUse]] = {}
    for use in uses:
        for name in names.resolve(use.config, use.brand):
            by_config.setdefault(name, []).append(use)
    return by_config


def config_state(uses: Collection[ConfigUse], *, is_promoted: bool = False) -> State:
    """The state of a config with some uses: any of them makes it ACTIVE; one that is promoted is so, used or not."""
    return "PROMOTED" if is_promoted else "ACTIVE" if uses else "DRAFT"


class Selector(NamedTuple):
    """The stores of a binding: those that have all the tags and are named; None or an empty list demands nothing."""

    tags: Collection[str] | None = None
    names: Collection[str] | None = None

    def matches(self, store_name: str, store_tags: Collection[str]) -> bool:
        """Whether the binding applies to a store."""
        if self.tags and not all(tag in store_tags for tag in self.tags):
            return False
        return not self.names or any(is_same_resource(name, store_name) for name in self.names)


class Bindings:
    """The bindings of a brand by what a store must have for them; stores of the same tags are looked at once.

    A binding is filed under its names, else under the tag that the fewest have; one without a selector applies nowhere.
    """

    def __init__(self, selectors: Sequence[Selector | None]) -> None:
        self._selectors = [selector or Selector() for selector in selectors]
        self._by_id: dict[str, list[int]] = {}
        self._by_tag: dict[str, list[int]] = {}
        self._everywhere: list[int] = []
        self._by_tag_set: dict[frozenset[str], list[int]] = {}
        tag_counts = Counter(tag for selector in self._selectors for tag in selector.tags or ())
        for index, selector in enumerate(selectors):
            if selector is None:
                continue
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
            by_tag = (index for tag in tags for index in self._by_tag.get(tag, ()))
            matching = [index for index in by_tag if self._selectors[index].matches(store_name, tags)]
            self._by_tag_set[tags] = sorted([*self._everywhere, *matching])
        by_id = self._by_id.get(last_id(store_name), ())
        by_name = [index for index in by_id if self._selectors[index].matches(store_name, tags)]
        return sorted([*self._by_tag_set[tags], *by_name]) if by_name else self._by_tag_set[tags]


@dataclass(frozen=True, eq=False)
class NamedConfig:
    """A default or a binding: at which level, and of which rule, None for a default; `place` is the name in `brand`."""

    level: Level
    rule: str | None
    brand: DeclaredResource[Brand]
    place: SymbolicLocation

    @property
    def line(self) -> int:
        """The line, from 1, on which the brand's document names the config."""
        return self.brand.locate(self.place).start.line


@dataclass(frozen=True, eq=False)
class Layer(NamedConfig):
    """A config that applies at a store."""

    config: DeclaredResource[ChannelConfig]


@dataclass(frozen=True, eq=False)
class UnappliedConfig(NamedConfig):
    """What applies nothing: the name that it has for a config, and why."""

    name: str
    reason: str


def layers(store: DeclaredStore, catalog: BrandCatalog) -> tuple[Layer, ...]:
    """The configs that apply at a store, of all types, in order of precedence: a later one overwrites an earlier."""
    return tuple(layer for layer in resolve_layers(store, catalog) if isinstance(layer, Layer))


def unapplied(store: DeclaredStore, catalog: BrandCatalog) -> tuple[UnappliedConfig, ...]:
    """The defaults and bindings of a store, or of its brand for it, that apply nothing."""
    return tuple(layer for layer in resolve_layers(store, catalog) if isinstance(layer, UnappliedConfig))


def resolve_layers(store: DeclaredStore, catalog: BrandCatalog) -> Iterator[Layer | UnappliedConfig]:
    """What the defaults and bindings of a store, and of its brand for it, apply or do not, in order of precedence."""
    brand, key = store.brand, ("layers", id(store.brand))
    if key not in catalog.cache:
        named = list(_resolve_names(brand.node, BRAND_LEVELS, brand, catalog))
        by_level = [[layer for layer in named if layer.level == level] for level in BRAND_LEVELS]
        catalog.cache[key] = *by_level, Bindings([_selector(binding) for binding in brand.node.bindings or ()])
    defaults, bindings, matcher = catalog.cache[key]
    yield from defaults
    yield from (bindings[index] for index in matcher.indexes_for(store.name, store.store.tags or ()))
    yield from _resolve_names(store.store, LEVELS[2:], brand, catalog)


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


def _resolve_names(
    node: Brand | Store, levels: tuple[Level, ...], brand: DeclaredResource[Brand], catalog: BrandCatalog
) -> Iterator[Layer | UnappliedConfig]:
    """What each default and binding of a brand or a store applies: the config of the name, or nothing."""
    for level, rule, name, path in _named_configs(node, levels):
        place = node.location(*path)
        config = _find_config(name, brand, catalog)
        if isinstance(config, str):
            yield UnappliedConfig(level, rule, brand, place, name, config)
        else:
            yield Layer(level, rule, brand, place, config)


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
