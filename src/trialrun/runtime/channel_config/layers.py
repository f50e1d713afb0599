"""Which configs apply at a store, in order of precedence (specification: channel-config, section 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.bindings import Bindings, Selector
from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand

if TYPE_CHECKING:
    from trialrun.diagnostic import Place
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, BrandBinding
    from trialrun.runtime.channel_config.level import Level
    from trialrun.runtime.declaration import Declared


@dataclass(frozen=True, eq=False)
class Layer:
    """A config that applies at a store: at which level, and by the binding of which rule, None for a default.

    `place` is the name of the config in the brand's document.
    """

    level: Level
    rule: str | None
    config: Declared[ChannelConfig]
    brand: Declared[Brand]
    place: Place

    @property
    def line(self) -> int:
        """The line, from 1, on which the brand's document names the config."""
        return self.brand.locate(self.place).start.line


@dataclass(frozen=True, eq=False)
class Unapplied:
    """A default or a binding that applies nothing: the name that it has for a config, and why."""

    level: Level
    rule: str | None
    name: str
    reason: str
    brand: Declared[Brand]
    place: Place

    @property
    def line(self) -> int:
        """The line, from 1, of the name in the brand's document."""
        return self.brand.locate(self.place).start.line


Named = Layer | Unapplied


def layers(store: StoreOfBrand, catalog: BrandCatalog) -> tuple[Layer, ...]:
    """The configs that apply at a store, of all types, in order of precedence: a later one overwrites an earlier."""
    return tuple(one for one in named(store, catalog) if isinstance(one, Layer))


def unapplied(store: StoreOfBrand, catalog: BrandCatalog) -> tuple[Unapplied, ...]:
    """The defaults and bindings of a store, or of its brand for it, that apply nothing."""
    return tuple(one for one in named(store, catalog) if isinstance(one, Unapplied))


def named(store: StoreOfBrand, catalog: BrandCatalog) -> Iterator[Named]:
    """What the defaults and bindings of a store, and of its brand for it, apply or do not, in order of precedence."""
    of_brand = _of_brand(store.brand, catalog)
    yield from of_brand.defaults
    yield from of_brand.matching(store)
    brand, node = store.brand, store.store
    for index, name in enumerate(node.defaults or ()):
        yield _one("store-default", None, name, brand, node.at("defaults", index), catalog)
    for index, binding in enumerate(node.bindings or ()):
        place = node.at("bindings", index, "channelConfig")
        yield _one("store-binding", binding.rule, binding.channelConfig, brand, place, catalog)


@dataclass(frozen=True, eq=False)
class _OfBrand:
    """What a brand names, once for all of its stores, and which of its bindings apply to which."""

    brand: Declared[Brand]
    defaults: Sequence[Named]
    bindings: Sequence[Named]
    applying: Bindings

    def matching(self, store: StoreOfBrand) -> Iterator[Named]:
        """The bindings that match a store, in the order in which they are written."""
        return (self.bindings[index] for index in self.applying.of(store.name, store.store.tags or ()))


def _selector(binding: BrandBinding) -> Selector | None:
    """The stores of a binding; None where they cannot be read, but for the names that can."""
    stores = binding.stores
    if stores is None:
        return None if binding.has("stores") else Selector()
    tags_are_read = type(stores.tags) is list or not stores.has("tags")  # a list that lost items is of another class
    names_are_read = type(stores.names) is list or not stores.has("names")
    if not tags_are_read or not (names_are_read or stores.names):
        return None
    return Selector(stores.tags, stores.names)


def _of_brand(brand: Declared[Brand], catalog: BrandCatalog) -> _OfBrand:
    key = ("layers", id(brand))
    if key not in catalog.memory:
        catalog.memory[key] = _read(brand, catalog)
    found: _OfBrand = catalog.memory[key]
    return found


def _read(brand: Declared[Brand], catalog: BrandCatalog) -> _OfBrand:
    node = brand.node
    defaults = [
        _one("brand-default", None, name, brand, node.at("defaults", index), catalog)
        for index, name in enumerate(node.defaults or ())
    ]
    bindings = [
        _one("brand-binding", one.rule, one.channelConfig, brand, node.at("bindings", index, "channelConfig"), catalog)
        for index, one in enumerate(node.bindings or ())
    ]
    return _OfBrand(brand, defaults, bindings, Bindings([_selector(one) for one in node.bindings or ()]))


def _one(
    level: Level, rule: str | None, name: str | None, brand: Declared[Brand], place: Place, catalog: BrandCatalog
) -> Named:
    """What a default or a binding applies: the config of the name, or nothing, with the reason."""
    meant = _meant(name or "", brand, catalog)
    if isinstance(meant, str):
        return Unapplied(level, rule, name or "", meant, brand, place)
    return Layer(level, rule, meant, brand, place)


def _meant(name: str, brand: Declared[Brand], catalog: BrandCatalog) -> Declared[ChannelConfig] | str:
    """The config that a name of a brand means; else why there is none."""
    found = catalog.configs_called(name, brand=brand.node.name) if name else ()
    if not found:
        return f'no ChannelConfig is named "{name}"' if name else "it names no ChannelConfig"
    if len(found) > 1:
        places = ", ".join(f"{one.path}:{one.line('name')}" for one in found)
        return f'{len(found)} ChannelConfigs are named "{name}": {places}'
    if found[0].node.type is None:
        return f'"{name}" has no type ({found[0].path}:{found[0].line()})'
    return found[0]
