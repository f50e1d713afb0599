"""Which configs apply together at the stores of a brand, on plain values: stores at which the same apply are one."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.bindings import Bindings, Selector
from trialrun.runtime.channel_config.level import Level

Config = TypeVar("Config", bound=Hashable)
Where = TypeVar("Where")


class Use(NamedTuple, Generic[Config, Where]):
    """A default or a binding of a config; `where` is whatever the caller knows its place by."""

    level: Level
    config: Config
    where: Where


class Selected(NamedTuple, Generic[Config, Where]):
    """A binding of a brand, for the stores of its tags and names; None or an empty list demands nothing."""

    use: Use[Config, Where]
    tags: Collection[str] | None = None
    names: Collection[str] | None = None


class PlainStore(NamedTuple, Generic[Config, Where]):
    """A store, with its own defaults and bindings in order of precedence."""

    name: str
    tags: Collection[str]
    uses: Sequence[Use[Config, Where]]


class PlainBrand(NamedTuple, Generic[Config, Where]):
    """A brand: its defaults, its bindings in the order in which they apply, and its stores."""

    defaults: Sequence[Use[Config, Where]]
    bindings: Sequence[Selected[Config, Where]]
    stores: Sequence[PlainStore[Config, Where]]

    @classmethod
    def of(cls, defaults: Iterable[Any], bindings: Iterable[Any], stores: Iterable[Any]) -> PlainBrand[Any, Any]:
        """The brand of plain tuples, such as facts are made of."""
        return cls(
            [Use(*use) for use in defaults],
            [Selected(Use(*use), tags, names) for use, tags, names in bindings],
            [PlainStore(name, tags, [Use(*use) for use in uses]) for name, tags, uses in stores],
        )


@dataclass(frozen=True, slots=True)
class Lineup(Generic[Config, Where]):
    """What applies at some stores, in order of precedence; where the stores say so themselves, by the first of them."""

    uses: Sequence[Use[Config, Where]]
    stores: list[PlainStore[Config, Where]]


def lineups(brand: PlainBrand[Config, Where]) -> list[Lineup[Config, Where]]:
    """The lineups of a brand, in the order of the first store of each."""
    matching = Bindings([Selector(one.tags, one.names) for one in brand.bindings])
    found: dict[Hashable, Lineup[Config, Where]] = {}
    for store in brand.stores:
        indexes = tuple(matching.of(store.name, store.tags))
        key = (indexes, tuple((use.level, use.config) for use in store.uses))
        if key not in found:
            bound = (brand.bindings[index].use for index in indexes)
            found[key] = Lineup((*brand.defaults, *bound, *store.uses), [])
        found[key].stores.append(store)
    return list(found.values())
