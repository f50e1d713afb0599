"""Brands as rules across files see them: which configs apply at which stores, out of facts that each file tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import Fact
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.values.config_index import ConfigsByName

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from trialrun.diagnostic import Place
    from trialrun.lint.rule_support.config_summary import Outline
    from trialrun.model.node import Node

CONFIG, BRAND, BINDING, STORE, STORE_BINDING = "config", "brand", "binding", "store", "store binding"
"""The sorts of facts, with which each begins; the names that it has for configs, or is known by, come next."""
LATEST: dict[str, tuple[Node, Outline]] = {}
"""The config whose outline was made last: facts of two rules have it once, also on their way through a pipe."""


def told(part: Node) -> Iterator[tuple[Place, list[Any]]]:
    """The facts of a config, or of a part of a brand."""
    yield from _told_of_config(part) if type(part).__name__ == "ChannelConfig" else PARTS[type(part).__name__](part)


def _told_of_config(config: Any) -> Iterator[tuple[Place, list[Any]]]:
    """The name and the type of a config, its outline, and whether some of it was refused."""
    if config.name:
        found = _outlined(config)
        yield config.at("name"), [CONFIG, config.name, config.type, found.value, found.is_cut or config.type is None]


def _outlined(config: Node) -> Outline:
    """The outline of a config, the same for all rules that gather it one after the other."""
    from trialrun.lint.rule_support.config_summary import outline

    latest = LATEST.get("config")
    if latest is None or latest[0] is not config:
        latest = LATEST["config"] = (config, outline(config, without=CHANNEL_CONFIG_IDENTITY))
    return latest[1]


def _told_of_brand(brand: Any) -> Iterator[tuple[Place, list[Any]]]:
    """The name of a brand and of its default configs, and whether some of it was refused."""
    is_cut = any(_is_cut(brand, field) for field in ("defaults", "bindings", "stores", "name"))
    yield brand.at(), [BRAND, [brand.name or "", *(brand.defaults or ())], is_cut]


def _told_of_binding(binding: Any) -> Iterator[tuple[Place, list[Any]]]:
    """The config of a binding of a brand, the tags and names of its stores, and whether some of it was refused."""
    stores = binding.stores
    is_cut = _is_cut(binding, "channelConfig") or _is_cut(binding, "stores")
    if stores is not None:
        is_cut = is_cut or _is_cut(stores, "tags") or _is_cut(stores, "names")
    selected = [stores.tags, stores.names] if stores else [None, None]
    yield binding.at(), [BINDING, binding.channelConfig or "", *selected, is_cut]


def _told_of_store(store: Any) -> Iterator[tuple[Place, list[Any]]]:
    """The name of a store and of its default configs, its tags, and whether some of it was refused."""
    is_cut = any(_is_cut(store, field) for field in ("name", "tags", "defaults", "bindings"))
    yield store.at(), [STORE, [store.name or "", *(store.defaults or ())], store.tags or [], is_cut]


def _told_of_store_binding(binding: Any) -> Iterator[tuple[Place, list[Any]]]:
    """The config of a binding of a store, and whether it was refused."""
    yield binding.at(), [STORE_BINDING, binding.channelConfig or "", _is_cut(binding, "channelConfig")]


PARTS = {
    "Brand": _told_of_brand,
    "BrandBinding": _told_of_binding,
    "Store": _told_of_store,
    "StoreBinding": _told_of_store_binding,
}
SUBJECTS = ("ChannelConfig", *PARTS)
"""The messages that facts are told of."""


def _is_cut(node: Node, field: str) -> bool:
    """Whether the value of a field was refused, or some of its items."""
    from trialrun.model.node import Shortened

    value = getattr(node, field)
    return isinstance(value, Shortened) or (value is None and node.has(field))


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
    def is_whole(self) -> bool:
        """Whether all that the brand says could be read."""
        of_stores = (fact for store, bindings in self.stores for fact in (store, *bindings))
        return all(fact.whole and not fact.value[-1] for fact in (self.brand, *self.bindings, *of_stores))

    def uses(self) -> Iterator[Fact]:
        """The facts that have names of configs: the names that a brand has for them."""
        yield self.brand
        yield from self.bindings
        yield from (fact for store, bindings in self.stores for fact in (store, *bindings))

    def plain(self, configs: Configs) -> tuple[list[Any], list[Any], list[Any]]:
        """The defaults, the bindings and the stores as plain values: a use is its level, the number of the config, and
        the fact where it stands; a binding has the tags and names of its stores beside; a store has a name, tags, and
        uses of its own.

        Names that mean no config, or several, are left out; so is a binding whose stores could not be read.
        """
        bindings = [
            (use, fact.value[2], fact.value[3])
            for fact in self.bindings
            if not fact.value[-1]
            for use in self._used("brand-binding", fact.value[1], fact, configs)
        ]
        stores = [
            (fact.value[1][0], fact.value[2], self._of_store(fact, bound, configs)) for fact, bound in self.stores
        ]
        return self._defaults("brand-default", self.brand, configs), bindings, stores

    def _of_store(self, store: Fact, bindings: list[Fact], configs: Configs) -> list[Any]:
        bound = (use for fact in bindings for use in self._used("store-binding", fact.value[1], fact, configs))
        return [*self._defaults("store-default", store, configs), *bound]

    def _defaults(self, level: str, fact: Fact, configs: Configs) -> list[Any]:
        """The defaults of a level, each with its place; of a level that lost some that of all of it."""
        defaults = enumerate(fact.value[1][1:])
        named = ((name, fact if fact.value[-1] else fact.item("defaults", index)) for index, name in defaults)
        return [use for name, where in named for use in self._used(level, name, where, configs)]

    def _used(self, level: str, name: str, where: Fact, configs: Configs) -> list[Any]:
        meant = configs.meant(name, self.name)
        return [(level, meant[0], where)] if len(meant) == 1 else []


class Configs:
    """The configs of a workspace by their numbers, and by the names that brands have for them."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.all = [fact for fact in facts if fact.value[0] == CONFIG]
        self._names = ConfigsByName((fact.value[1], number) for number, fact in enumerate(self.all))

    def type(self, number: int) -> str | None:
        """The type of a config, None where that was refused."""
        kind: str | None = self.all[number].value[2]
        return kind

    def outline(self, number: int) -> dict[str, Any]:
        """What a config sets."""
        value: dict[str, Any] = self.all[number].value[3]
        return value

    def meant(self, name: str, brand: str) -> Sequence[int]:
        """The numbers of the configs that a name of a brand may mean: one, where it is clear."""
        return self._names.meant(name, brand) if name else ()


def brands(facts: Iterable[Fact]) -> list[BrandFacts]:
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
    listed = fact.steps[:1] if fact.steps and isinstance(fact.steps[0], int) else ()
    return (fact.path, fact.document, listed)
