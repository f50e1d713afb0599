"""The stores at which sessions may go in another way after a change, equal ones once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from trialrun.changes.store_differences import StoreDifferences
from trialrun.changes.store_reach import Stores
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
from trialrun.runtime.channel_config.equivalence import group_stores
from trialrun.runtime.channel_config.explore.report import reads_store, sold_at
from trialrun.runtime.channel_config.overlay import MERGE_KEYS
from trialrun.runtime.options import Options

SESSION_FIELDS = frozenset(
    {"upsellStrategy", "greetings", "defaultLanguageCode", "disambiguationStrategy", "interactionMode"}
)
"""Fields of an operations config that decide what happens in sessions."""
UNHEARD_FIELDS = frozenset({"cateringGuidelines", "triggerReason", "description", "displayName"})
"""Fields below them that do not: what the agent is told, and names."""


@dataclass
class StorePair:
    """Stores with equal configurations, by name, and the first one on both sides."""

    names: Sequence[str]
    stores: tuple[DeclaredStore, DeclaredStore]
    catalogs: tuple[BrandCatalog, BrandCatalog]
    options: Options

    @cached_property
    def configs(self) -> tuple[ActiveConfig, ActiveConfig]:
        """The effective configuration on both sides."""
        before, after = (
            resolve_active_config(store, catalog, self.options)
            for store, catalog in zip(self.stores, self.catalogs, strict=True)
        )
        return before, after


def is_heard(path: Sequence[str]) -> bool:
    """Whether sessions depend on a field of an effective configuration."""
    if len(path) < 2:
        return tuple(path) in ((), ("operationsConfig",))
    is_unheard = path[-1] in UNHEARD_FIELDS and path[-2] not in MERGE_KEYS
    return path[0] == "operationsConfig" and path[1] in SESSION_FIELDS and not is_unheard


def count_session_stores(stores: Stores) -> int:
    """The number of stores whose sessions may differ."""
    return sum(len(group.names) for group in _audible_groups(stores))


def _audible_groups(stores: Stores) -> list[StoreDifferences]:
    return [group for group in stores.differences if any(is_heard(field.path) for field in group.fields)]


def session_stores(stores: Stores, options: Options) -> list[StorePair]:
    """The stores whose sessions may differ, those with the most equals first.

    Stores are equal where both sides have equal configurations and menus, and no condition asks for the store.
    """
    groups = _audible_groups(stores)
    numbers = [_group_numbers([getattr(group, side) for group in groups]) for side in ("before", "after")]
    earlier, later = (_by_name(catalog) for catalog in (stores.before, stores.after))
    pairs: dict[Hashable, list[str]] = {}
    for group in groups:
        is_alone = reads_store(group.before) or reads_store(group.after)
        equal = numbers[0][id(group.before)], numbers[1][id(group.after)]
        for name in group.names:
            sides = (earlier[name], stores.before), (later[name], stores.after)
            menus = [(id(store.brand.node), sold_at(store, catalog)) for store, catalog in sides]
            pairs.setdefault((equal, *menus, name if is_alone else ""), []).append(name)
    catalogs = stores.before, stores.after
    found = (
        StorePair(names, (earlier[names[0]], later[names[0]]), catalogs, options)
        for names in map(sorted, pairs.values())
    )
    return sorted(found, key=lambda pair: (-len(pair.names), pair.names[0]))


def _group_numbers(configs: Sequence[ActiveConfig]) -> dict[int, int]:
    """For each configuration, by identity, the number of the group of equal ones that it is in."""
    groups = enumerate(group_stores(configs))
    return {id(config): number for number, group in groups for config in group.stores}


def _by_name(catalog: BrandCatalog) -> dict[str, DeclaredStore]:
    return {store.name: store for store in reversed(catalog.stores)}
