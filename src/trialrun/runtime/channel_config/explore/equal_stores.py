"""Which stores of equal configurations sessions can tell apart: by what they sell, and where a condition asks."""

from __future__ import annotations

from collections.abc import Hashable

from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
from trialrun.runtime.channel_config.menu import BrandMenu, brand_menu

STORE_PATH = ("session", "store")
"""The value of the state by which a condition can tell stores apart."""


def reads_store(config: ActiveConfig) -> bool:
    """Whether a condition depends on which store it is; assumed of one that cannot be read."""
    from trialrun.values.cel.parse import parse
    from trialrun.values.cel.syntax_tree import condition_reads

    strategy = config.upsell_strategy
    for upsell in (strategy.upsells if strategy else None) or ():
        text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
        tree = parse(text).tree if text else None
        if text and (tree is None or any(_may_be_store(read.path) for read in condition_reads(tree))):
            return True
    return False


def _may_be_store(path: tuple[str, ...]) -> bool:
    return path == STORE_PATH[: len(path)]


def sold_at(store: DeclaredStore, catalog: BrandCatalog) -> Hashable:
    """What tells the menu of a store from that of another of its brand: the lists that name it, and its time zone."""
    menus: dict[int, BrandMenu] = catalog.cache.setdefault("menus of brands", {})
    if id(store.brand) not in menus:
        menus[id(store.brand)] = brand_menu(store.brand, catalog)
    menu = menus[id(store.brand)]
    return store.store.timeZone if menu.depends_on_time else None, menu.store_lists(store.name)
