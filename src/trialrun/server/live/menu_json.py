"""The menu of a store as the playground shows it: what can be ordered there now, and what cannot and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.availability import Moment
from trialrun.runtime.channel_config.session.plan import session_plan

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import BrandMenu, Item
    from trialrun.workspace.store_dry_run import StoreDryRun

MAX_ITEMS = 2_000
"""Items that are listed, in the order of the menu; the others can be typed."""


def menu_json(trial: StoreDryRun) -> dict[str, Any]:
    """The items of a store's menu with their modifiers, at the time of the trial."""
    menu = trial.menu
    plan = session_plan(trial.active_config, menu, trial.catalog.schema_for)
    moment = Moment(trial.store.name, plan.local_time(trial.now))
    items = [_item(item, menu, moment) for item in menu.items[:MAX_ITEMS]]
    return {
        "store": trial.store.name,
        "isDeclared": menu.is_declared,
        "items": items,
        "omitted": max(0, len(menu.items) - MAX_ITEMS),
    }


def _item(item: Item, menu: BrandMenu, moment: Moment) -> dict[str, Any]:
    reason = menu.why_unavailable(item, moment)
    groups: dict[str, list[str]] = {}
    for modifier in menu.modifiers_of(item):
        groups.setdefault(modifier.group, []).append(modifier.name)
    return {
        "name": item.name,
        "id": item.id or None,
        "price": item.price,
        **({"unavailable": reason} if reason else {}),
        **({"modifiers": [{"group": group, "names": names} for group, names in groups.items()]} if groups else {}),
    }
