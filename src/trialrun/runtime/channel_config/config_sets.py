"""Sets of configs that apply together at stores, what has an effect there, and what overrides what (plain values).

Stores with the same set are one group, and what the stores of a brand have in common is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.layers import Bindings, Level, Selector
from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree, overlay, set_values, setters

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


class ConfigEffects:
    """The configs that apply at stores one over another."""

    def __init__(self, configs: ConfigValues) -> None:
        self._configs = configs
        self._of_brands: dict[tuple[int, ...], MergedTree[int] | None] = {}
        self._overwriting: dict[tuple[int, str | None], dict[int, dict[int, None]]] = {}

    def effective(self, config_set: ConfigSet[int, Where], asked: set[int]) -> set[int]:
        """Those of some configs that something effective at the stores of a set is from."""
        kinds = {self._configs.type(use.config) for use in config_set.uses if use.config in asked}
        trees = (self._tree(config_set, kind) for kind in kinds)
        return {setter for tree in trees if tree for setter in setters(tree)}

    def overwriting(self, number: int, config_set: ConfigSet[int, Where]) -> list[int]:
        """The configs that overwrite what one sets at the stores of a set."""
        kind = self._configs.type(number)
        known = self._overwriting.get((id(config_set), kind))
        if known is None:
            known = self._overwriting[id(config_set), kind] = _overwritten(self._tree(config_set, kind))
        return list(known.get(number, ()))

    def _tree(self, config_set: ConfigSet[int, Where], kind: str | None) -> MergedTree[int] | None:
        """What the configs of a type make together at the stores of a set."""
        uses = [use for use in config_set.uses if self._configs.type(use.config) == kind]
        shared = tuple(use.config for use in uses if use.level in BRAND_LEVELS)
        if shared not in self._of_brands:
            self._of_brands[shared] = self._over(None, shared)
        return self._over(self._of_brands[shared], [use.config for use in uses[len(shared) :]])

    def _over(self, tree: MergedTree[int] | None, numbers: Sequence[int]) -> MergedTree[int] | None:
        for number in numbers:
            tree = overlay(tree, number, self._configs.values(number), lists=self._configs.lists)
        return tree


def _overwritten(tree: MergedTree[int] | None) -> dict[int, dict[int, None]]:
    """The configs that have something overwritten, each with those that overwrite it."""
    found: dict[int, dict[int, None]] = {}
    for _, here in set_values(tree) if tree else ():
        beneath = here.overridden
        while beneath is not None:
            found.setdefault(beneath.setter, {})[here.setter] = None
            beneath = beneath.overridden
    return found


BRAND_LEVELS = ("brand-default", "brand-binding")


class OverriddenSetting(NamedTuple):
    """A field that two configs set differently: what it was, and what took its place."""

    field: str
    was: Any
    value: Any


@dataclass(slots=True)
class LevelOverride(Generic[Where]):
    """Two bindings or defaults of one level that apply at some stores, and the fields in which they differ."""

    earlier: AppliedConfig[int, Where]
    later: AppliedConfig[int, Where]
    settings: Sequence[OverriddenSetting]
    stores: list[PlainStore[int, Where]]

    @property
    def key(self) -> tuple[int, int]:
        """What is the same wherever these two meet."""
        return id(self.earlier.location), id(self.later.location)


class ConfigValues(NamedTuple):
    """What configs set and of which type they are, by their numbers, and how lists are merged."""

    values: Callable[[int], dict[str, Any]]
    type: Callable[[int], str | None]
    lists: ListMerge


class LevelOverrides:
    """Finds the overrides of brands whose configs these are."""

    def __init__(self, configs: ConfigValues) -> None:
        self._configs = configs
        self._shared: dict[tuple[int, ...], MergedTree[int]] = {}
        self._found: dict[Hashable, dict[tuple[int, int], list[OverriddenSetting]]] = {}

    def of_brand(self, brand: PlainBrand[int, Where]) -> Collection[LevelOverride[Where]]:
        """The overrides among what a brand applies to its stores, and among what each store applies itself."""
        found: dict[tuple[int, int], LevelOverride[Where]] = {}
        for config_set in config_sets(brand):
            for override in self._at_stores(config_set):
                if found.setdefault(override.key, override) is not override:
                    found[override.key].stores += override.stores
            for store in config_set.stores:
                found.update((override.key, override) for override in self._at_store(store, config_set))
        return found.values()

    def _at_stores(self, config_set: ConfigSet[int, Where]) -> Iterator[LevelOverride[Where]]:
        uses = [use for use in config_set.uses if use.level in BRAND_LEVELS]
        yield from self._overrides(uses, uses, config_set.stores)

    def _at_store(
        self, store: PlainStore[int, Where], config_set: ConfigSet[int, Where]
    ) -> Iterator[LevelOverride[Where]]:
        if len(store.uses) > 1:
            below = [use for use in config_set.uses if use.level in BRAND_LEVELS]
            yield from self._overrides([*below, *store.uses], store.uses, [store])

    def _overrides(
        self,
        uses: Sequence[AppliedConfig[int, Where]],
        asked: Sequence[AppliedConfig[int, Where]],
        stores: list[PlainStore[int, Where]],
    ) -> Iterator[LevelOverride[Where]]:
        """The overrides of one level among those asked for, out of all that apply; each type resolves on its own."""
        count = Counter((self._configs.type(use.config), use.level) for use in asked)
        levels = {use.level for use in asked}
        for kind in dict.fromkeys(kind for (kind, _), several in count.items() if kind and several > 1):
            of_type = [use for use in uses if self._configs.type(use.config) == kind]
            for (earlier, later), settings in self._overridden(of_type).items():
                if of_type[later].level in levels:
                    yield LevelOverride(of_type[earlier], of_type[later], settings, list(stores))

    def _overridden(self, uses: Sequence[AppliedConfig[int, Where]]) -> dict[tuple[int, int], list[OverriddenSetting]]:
        """The settings by the indexes of the two: a value, and the one of its level that took its place."""
        from trialrun.runtime.channel_config.effective import same_level_conflicts  # imports the models
        from trialrun.runtime.channel_config.field_path import dotted_path

        key = tuple((use.level, use.config) for use in uses)
        if key not in self._found:
            found = self._found[key] = {}
            tree = self._merge(uses)
            for conflict in same_level_conflicts(tree, lambda index: uses[index].level) if tree else ():
                loser, winner = conflict.loser, conflict.winner
                field = dotted_path(tree.value, conflict.path) if tree else ""
                setting = OverriddenSetting(field, loser.value, winner.value)
                found.setdefault((loser.setter, winner.setter), []).append(setting)
        return self._found[key]

    def _merge(self, uses: Sequence[AppliedConfig[int, Where]]) -> MergedTree[int] | None:
        """What configs make together; what the stores of a brand share is computed once."""
        tree: MergedTree[int] | None = None
        key: tuple[int, ...] = ()
        for index, use in enumerate(uses):
            key = (*key, use.config)
            values = self._configs.values(use.config)
            tree = self._shared.get(key) or overlay(tree, index, values, lists=self._configs.lists)
            if use.level in BRAND_LEVELS:
                self._shared[key] = tree
        return tree
