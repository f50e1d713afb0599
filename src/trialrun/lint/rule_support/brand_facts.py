"""Brands as rules across files see them: which configs apply at which stores, out of facts that each file tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import Fact
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.values.config_index import ConfigIndex

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from trialrun.diagnostic import SymbolicLocation
    from trialrun.lint.rule_support.config_summary import ConfigSummary
    from trialrun.model.node import Node

CONFIG, BRAND, BINDING, STORE, STORE_BINDING = "config", "brand", "binding", "store", "store binding"
"""The sorts of facts, with which each begins; the names that it has for configs, or is known by, come next."""
CACHE: dict[str, tuple[Node, ConfigSummary]] = {}
"""The config whose outline was made last: facts of two rules have it once, also on their way through a pipe."""


def facts_of(part: Node) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The facts of a config, or of a part of a brand."""
    yield from (
        _config_facts(part) if type(part).__name__ == "ChannelConfig" else FACTS_BY_MESSAGE[type(part).__name__](part)
    )


def _config_facts(config: Any) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The name and the type of a config, its outline, and whether some of it was refused."""
    if config.name:
        found = _cached_summary(config)
        yield (
            config.location("name"),
            [CONFIG, config.name, config.type, found.value, found.is_partial or config.type is None],
        )


def _cached_summary(config: Node) -> ConfigSummary:
    """The outline of a config, the same for all rules that gather it one after the other."""
    from trialrun.lint.rule_support.config_summary import summarize

    latest = CACHE.get("config")
    if latest is None or latest[0] is not config:
        latest = CACHE["config"] = (config, summarize(config, without=CHANNEL_CONFIG_IDENTITY))
    return latest[1]


def _brand_facts(brand: Any) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The name of a brand and of its default configs, and whether some of it was refused."""
    is_partial = any(_is_partial(brand, field) for field in ("defaults", "bindings", "stores", "name"))
    yield brand.location(), [BRAND, [brand.name or "", *(brand.defaults or ())], is_partial]


def _binding_facts(binding: Any) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The config of a binding of a brand, the tags and names of its stores, and whether some of it was refused."""
    stores = binding.stores
    is_partial = _is_partial(binding, "channelConfig") or _is_partial(binding, "stores")
    if stores is not None:
        is_partial = is_partial or _is_partial(stores, "tags") or _is_partial(stores, "names")
    selected = [stores.tags, stores.names] if stores else [None, None]
    yield binding.location(), [BINDING, binding.channelConfig or "", *selected, is_partial]


def _store_facts(store: Any) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The name of a store and of its default configs, its tags, and whether some of it was refused."""
    is_partial = any(_is_partial(store, field) for field in ("name", "tags", "defaults", "bindings"))
    yield store.location(), [STORE, [store.name or "", *(store.defaults or ())], store.tags or [], is_partial]


def _store_binding_facts(binding: Any) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The config of a binding of a store, and whether it was refused."""
    yield binding.location(), [STORE_BINDING, binding.channelConfig or "", _is_partial(binding, "channelConfig")]


FACTS_BY_MESSAGE = {
    "Brand": _brand_facts,
    "BrandBinding": _binding_facts,
    "Store": _store_facts,
    "StoreBinding": _store_binding_facts,
}
SUBJECTS = ("ChannelConfig", *FACTS_BY_MESSAGE)
"""The messages that facts are facts_of of."""


def _is_partial(node: Node, field: str) -> bool:
    """Whether the value of a field was refused, or some of its items."""
    from trialrun.model.node import TruncatedList

    value = getattr(node, field)
    return isinstance(value, TruncatedList) or (value is None and node.has(field))


@dataclass(slots=True)
class BrandFacts:
    """What the facts tell of one brand: its own, its bindings, and each store with its bindings."""

    brand: Fact
    bindings: list[Fact]
    stores: list[tuple[Fact, list[Fact]]]

    @property
    def name(self) -> str:
        """The name of the brand, empty without one."""
        name: str = self.brand.value[1][0]
        return name

    @property
    def is_complete(self) -> bool:
        """Whether all that the brand says could be read."""
        of_stores = (fact for store, bindings in self.stores for fact in (store, *bindings))
        return all(fact.is_complete and not fact.value[-1] for fact in (self.brand, *self.bindings, *of_stores))

    def uses(self) -> Iterator[Fact]:
        """The facts that have names of configs: the names that a brand has for them."""
        yield self.brand
        yield from self.bindings
        yield from (fact for store, bindings in self.stores for fact in (store, *bindings))

    def as_data(self, configs: ConfigCatalog) -> tuple[list[Any], list[Any], list[Any]]:
        """The defaults, the bindings and the stores as plain values: a use is its level, the number of the config, and
        the fact where it stands; a binding has the tags and names of its stores beside; a store has a name, tags, and
        uses of its own.

        Names that mean no config, or several, are left out; so is a binding whose stores could not be read.
        """
        bindings = [
            (use, fact.value[2], fact.value[3])
            for fact in self.bindings
            if not fact.value[-1]
            for use in self._uses_of_name("brand-binding", fact.value[1], fact, configs)
        ]
        stores = [
            (fact.value[1][0], fact.value[2], self._store_uses(fact, bound, configs)) for fact, bound in self.stores
        ]
        return self._defaults("brand-default", self.brand, configs), bindings, stores

    def _store_uses(self, store: Fact, bindings: list[Fact], configs: ConfigCatalog) -> list[Any]:
        bound = (use for fact in bindings for use in self._uses_of_name("store-binding", fact.value[1], fact, configs))
        return [*self._defaults("store-default", store, configs), *bound]

    def _defaults(self, level: str, fact: Fact, configs: ConfigCatalog) -> list[Any]:
        """The defaults of a level, each with its place; of a level that lost some that of all of it."""
        defaults = enumerate(fact.value[1][1:])
        named = ((name, fact if fact.value[-1] else fact.item("defaults", index)) for index, name in defaults)
        return [use for name, where in named for use in self._uses_of_name(level, name, where, configs)]

    def _uses_of_name(self, level: str, name: str, where: Fact, configs: ConfigCatalog) -> list[Any]:
        meant = configs.resolve(name, self.name)
        return [(level, meant[0], where)] if len(meant) == 1 else []


class ConfigCatalog:
    """The configs of a workspace by their numbers, and by the names that brands have for them."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.all = [fact for fact in facts if fact.value[0] == CONFIG]
        self._names = ConfigIndex((fact.value[1], number) for number, fact in enumerate(self.all))

    def type(self, number: int) -> str | None:
        """The type of a config, None where that was refused."""
        kind: str | None = self.all[number].value[2]
        return kind

    def summary(self, number: int) -> dict[str, Any]:
        """What a config sets."""
        value: dict[str, Any] = self.all[number].value[3]
        return value

    def resolve(self, name: str, brand: str) -> Sequence[int]:
        """The numbers of the configs that a name of a brand may mean: one, where it is clear."""
        return self._names.resolve(name, brand) if name else ()


def group_by_brand(facts: Iterable[Fact]) -> list[BrandFacts]:
    """The brands of a workspace, in the order of path, document and place."""
    found: dict[Hashable, BrandFacts] = {}
    stores: dict[Hashable, list[Fact]] = {}
    for fact in sorted(facts, key=lambda fact: len(fact.steps)):  # a brand before its parts
        sort, root = fact.value[0], _root(fact)
        if sort == BRAND:
            found[root] = BrandFacts(fact, [], [])
        elif sort == BINDING:
            found[root].bindings.append(fact)
        elif sort == STORE:
            stores[root, fact.steps] = []
            found[root].stores.append((fact, stores[root, fact.steps]))
        elif sort == STORE_BINDING:
            stores[root, fact.steps[:-2]].append(fact)
    return list(found.values())


def _root(fact: Fact) -> Hashable:
    """The document that a fact is from: a list of resources has several."""
    format_titles = fact.steps[:1] if fact.steps and isinstance(fact.steps[0], int) else ()
    return (fact.path, fact.document, format_titles)
