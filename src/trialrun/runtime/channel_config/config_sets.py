"""Sets of configs that apply together; stores with the same set are grouped (plain values)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.bindings import Bindings, Selector
from trialrun.runtime.channel_config.level import Level

Config = TypeVar("Config", bound=Hashable)
Where = TypeVar("Where")


class AppliedConfig(NamedTuple, Generic[Config, Where]):
    """A default or a binding of a config; `location` is whatever the caller knows its place by."""

    level: Level
    config: Config
    location: Where


class PlainBinding(NamedTuple, Generic[Config, Where]):
    """A binding of a brand, for the stores of its tags and names; None or an empty list demands nothing."""

    use: AppliedConfig[Config, Where]
    tags: Collection[str] | None = None
    names: Collection[str] | None = None


class PlainStore(NamedTuple, Generic[Config, Where]):
    """A store, with its own defaults and bindings in order of precedence."""

    name: str
    tags: Collection[str]
    uses: Sequence[AppliedConfig[Config, Where]]


class PlainBrand(NamedTuple, Generic[Config, Where]):
    """A brand: its defaults, its bindings in the order in which they apply, and its stores."""

    defaults: Sequence[AppliedConfig[Config, Where]]
    bindings: Sequence[PlainBinding[Config, Where]]
    stores: Sequence[PlainStore[Config, Where]]

    @classmethod
    def from_tuples(
        cls, defaults: Iterable[Any], bindings: Iterable[Any], stores: Iterable[Any]
    ) -> PlainBrand[Any, Any]:
        """The brand of plain tuples, such as facts are made of."""
        return cls(
            [AppliedConfig(*use) for use in defaults],
            [PlainBinding(AppliedConfig(*use), tags, names) for use, tags, names in bindings],
            [PlainStore(name, tags, [AppliedConfig(*use) for use in uses]) for name, tags, uses in stores],
        )


@dataclass(frozen=True, slots=True)
class ConfigSet(Generic[Config, Where]):
    """What applies at some stores, in order of precedence; where the stores say so themselves, by the first of them."""

    uses: Sequence[AppliedConfig[Config, Where]]
    stores: list[PlainStore[Config, Where]]


def config_sets(brand: PlainBrand[Config, Where]) -> list[ConfigSet[Config, Where]]:
    """The lineups of a brand, in the order of the first store of each."""
    bindings = Bindings([Selector(binding.tags, binding.names) for binding in brand.bindings])
    sets: dict[Hashable, ConfigSet[Config, Where]] = {}
    for store in brand.stores:
        indexes = tuple(bindings.indexes_for(store.name, store.tags))
        key = (indexes, tuple((use.level, use.config) for use in store.uses))
        if key not in sets:
            bound = (brand.bindings[index].use for index in indexes)
            sets[key] = ConfigSet((*brand.defaults, *bound, *store.uses), [])
        sets[key].stores.append(store)
    return list(sets.values())
