"""Where configs apply: the brands that use them, their stores, and the other configs there, as far as it is certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lint.rule_support import brand_facts
from trialrun.lint.rule_support.brand_facts import BrandFacts, BrandLevel, ConfigCatalog, StoreLevel
from trialrun.values.resource_name import is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.lint.file_result import Fact
    from trialrun.lint.workspace_rules import Facts

SetsOf = Callable[[list[Any], list[Any], list[Any]], Iterable[Any]]
"""The sets of configs that apply at the stores of a brand, by its defaults, bindings and stores: the runtime's."""
UPSELL_STEPS = 4
"""The steps from a config to one of its upsells: operationsConfig, upsellStrategy, upsells and the number."""


class ConfigUses:
    """The brands, the stores and the neighbors of each config of a workspace, by the config of a fact."""

    def __init__(self, facts: Facts, sets_of: SetsOf) -> None:
        self._configs = ConfigCatalog(facts)
        brands = brand_facts.group_by_brand(facts)
        self._is_complete = all(brand.is_complete for brand in brands)
        self._unclear = brand_facts.unclear_configs(brands, self._configs)
        self._numbers: dict[str, list[int]] = {}
        for number, config in enumerate(self._configs.all):
            self._numbers.setdefault(config.value.name, []).append(number)
        self._brands = self._brands_by_config(brands)
        self._stores: dict[int, set[str]] = {}
        self._beside: dict[int, set[int]] = {}
        for brand in brands:
            self._add_sets(sets_of(*brand.as_data(self._configs)))
        self._certain_stores = {number: frozenset(stores) for number, stores in self._stores.items()}
        self.index = StoreIndex(store for stores in self._stores.values() for store in stores)

    def brands(self, fact: Fact[Any]) -> Sequence[str]:
        """The names of the brands that use the config of a fact."""
        numbers = self._numbers.get(fact.resource, [])
        return list(dict.fromkeys(brand for number in numbers for brand in self._brands.get(number, ())))

    def stores(self, fact: Fact[Any]) -> frozenset[str] | None:
        """The stores at which the config of a fact applies; None if it is unused, or not all of them are known."""
        number = self._certain_number(fact)
        return None if number is None else self._certain_stores.get(number)

    def has_own_condition(self, fact: Fact[Any]) -> bool:
        """Whether no other config at a store may override the upsell of a fact, and so its condition."""
        number = self._certain_number(fact)
        own = None if number is None else self._upsell(number, fact)
        if number is None or own is None:
            return False
        return not any(
            self._configs.all[other].value.is_partial or any(_may_merge(own, each) for each in self._upsells(other))
            for other in self._beside.get(number, ())
        )

    def _certain_number(self, fact: Fact[Any]) -> int | None:
        numbers = self._numbers.get(fact.resource, [])
        is_certain = self._is_complete and len(numbers) == 1 and numbers[0] not in self._unclear
        return numbers[0] if is_certain else None

    def _upsells(self, number: int) -> list[Any]:
        strategy = self._configs.summary(number).get("operationsConfig", {}).get("upsellStrategy", {})
        upsells: list[Any] = strategy.get("upsells", [])
        return upsells

    def _upsell(self, number: int, fact: Fact[Any]) -> Mapping[str, Any] | None:
        """The outline of the upsell of a fact; None if parts of the config were refused."""
        config = self._configs.all[number]
        place = len(config.steps) + UPSELL_STEPS - 2
        index = fact.steps[place] if place < len(fact.steps) else None
        upsells = self._upsells(number)
        if config.value.is_partial or not isinstance(index, int) or index >= len(upsells):
            return None
        upsell: Mapping[str, Any] = upsells[index]
        return upsell

    def _brands_by_config(self, brands: Iterable[BrandFacts]) -> Mapping[int, Iterable[str]]:
        found: dict[int, dict[str, None]] = {}
        for brand in brands:
            for name in _config_names(brand):
                for number in self._configs.resolve(name, brand.name):
                    found.setdefault(number, {})[brand.name] = None
        return found

    def _add_sets(self, sets: Iterable[Any]) -> None:
        for config_set in sets:
            numbers = {use.config for use in config_set.uses}
            for number in numbers:
                self._stores.setdefault(number, set()).update(store.name for store in config_set.stores)
                self._beside.setdefault(number, set()).update(numbers - {number})


def _config_names(brand: BrandFacts) -> Iterator[str]:
    for fact in brand.uses():
        value = fact.value
        yield from value.names[1:] if isinstance(value, BrandLevel | StoreLevel) else (value.name,)


def _may_merge(upsell: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether one of two upsells may override the other: they match by name, or without two names by priority."""
    field = "displayName" if upsell.get("displayName") and other.get("displayName") else "priority"
    return bool(upsell.get(field) == other.get(field))


class StoreIndex:
    """The names of stores by the ids at their ends, so that lists of stores are compared without a look at each."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_id: dict[str, list[str]] = {}
        for name in dict.fromkeys(names):
            self._by_id.setdefault(last_id(name), []).append(name)

    def named(self, names: Iterable[str]) -> frozenset[str]:
        """The stores that a list names."""
        return frozenset(
            store for name in names for store in self._by_id.get(last_id(name), ()) if is_same_resource(name, store)
        )
