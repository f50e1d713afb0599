"""Which configs apply together at the stores of a brand, on plain values: stores at which the same apply are one."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from trialrun.record import dataclass
from trialrun.runtime.channel_config.bound import is_bound
from trialrun.runtime.channel_config.level import Level
from trialrun.values.resource_name import last_id

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
    matching = _Bindings(brand.bindings)
    found: dict[Hashable, Lineup[Config, Where]] = {}
    for store in brand.stores:
        indexes = tuple(matching.of(store))
        key = (indexes, tuple((use.level, use.config) for use in store.uses))
        if key not in found:
            bound = (brand.bindings[index].use for index in indexes)
            found[key] = Lineup((*brand.defaults, *bound, *store.uses), [])
        found[key].stores.append(store)
    return list(found.values())


class _Bindings(Generic[Config, Where]):
    """The bindings of a brand by what a store must have for them; stores of the same tags are looked at once."""

    def __init__(self, bindings: Sequence[Selected[Config, Where]]) -> None:
        self._bindings = bindings
        self._by_id: dict[str, list[int]] = {}
        self._by_tag: dict[str, list[int]] = {}
        self._everywhere: list[int] = []
        self._of_tags: dict[frozenset[str], list[int]] = {}
        for index, binding in enumerate(bindings):
            self._put(index, binding)

    def _put(self, index: int, binding: Selected[Config, Where]) -> None:
        if binding.names:
            for id_ in {last_id(name) for name in binding.names}:
                self._by_id.setdefault(id_, []).append(index)
        elif binding.tags:
            self._by_tag.setdefault(next(iter(binding.tags)), []).append(index)
        else:
            self._everywhere.append(index)

    def of(self, store: PlainStore[Config, Where]) -> Iterator[int]:
        """The indexes of the bindings that apply to a store, in their order."""
        tags = frozenset(store.tags)
        if tags not in self._of_tags:
            likely = [index for tag in tags for index in self._by_tag.get(tag, ())]
            self._of_tags[tags] = sorted([*self._everywhere, *(one for one in likely if self._fits(one, store))])
        named = [one for one in self._by_id.get(last_id(store.name), ()) if self._fits(one, store)]
        yield from sorted([*self._of_tags[tags], *named]) if named else self._of_tags[tags]

    def _fits(self, index: int, store: PlainStore[Config, Where]) -> bool:
        one = self._bindings[index]
        return is_bound(tags=one.tags, names=one.names, store_name=store.name, store_tags=store.tags)
