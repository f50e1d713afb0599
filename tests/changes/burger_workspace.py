"""A small workspace whose sessions are played: two stores of a brand with one menu and three upsells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

BRAND = "projects/p/locations/l/brands/b"
MENU = ("Burger", "Fries", "Cola", "Shake", "Pie")


def upsell(name: str, priority: int, condition: str, item: str, **others: Any) -> dict[str, Any]:
    """An upsell with a condition."""
    cel = {"conditionExpression": condition, "suggestedMenuItems": [item]}
    return {"displayName": name, "priority": priority, "celUpsell": cel, **others}


def ordered(item: str) -> str:
    """The condition that an item is in the order."""
    return f"order.items.exists(i, i.displayName == '{item}')"


UPSELLS = (
    upsell("Fries with burgers", 1, ordered("Burger"), "Fries"),
    upsell("Cola with burgers", 2, ordered("Burger"), "Cola"),
    upsell("Pie with shakes", 3, ordered("Shake"), "Pie"),
)


def write(folder: Path, upsells: Sequence[dict[str, Any]] = UPSELLS, stores: int = 2, **strategy: Any) -> None:
    """Write the workspace, with some upsells and limits."""
    config = {
        "kind": "ChannelConfig",
        "name": f"{BRAND}/channelConfigs/upsells",
        "type": "UPSELL_STRATEGY",
        "operationsConfig": {"upsellStrategy": {**strategy, "upsells": list(upsells)}},
    }
    brand = {
        "kind": "Brand",
        "name": BRAND,
        "defaults": [config["name"]],
        "stores": [{"name": f"{BRAND}/stores/{name}"} for name in ("austin", "boston", "chicago")[:stores]],
    }
    menu = {"kind": "Menu", "name": "menu", "brand": BRAND, "items": [{"name": name} for name in MENU]}
    for name, document in (("config", config), ("brand", brand), ("menu", menu)):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def scenario(name: str, offered: str, customer: str = "add Burger", store: str = "austin") -> str:
    """A scenario of one turn, which expects an offer."""
    expected = f"[{{upsell: {offered}}}]" if offered else "[]"
    return (
        f"kind: Scenario\nname: {name}\nclock: 2026-11-20T12:00:00Z\nsteps:\n  - session:\n      store: {store}\n"
        f"      turns:\n        - customer: {customer}\n          expect: {{offered: {expected}}}\n"
    )
