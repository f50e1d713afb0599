"""Workspaces in a git repository, for plans."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.cli.example_workspace import copied
from tests.program import Run

VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/{name}
syncConfig: {{cron: "{cron}"}}
featureRegistrySource:
  featureGroups:
    - featureGroupId: menu
      featureIds: [{features}]
"""


def view(name: str = "menu", cron: str = "0 3 * * *", features: str = "price, size") -> str:
    return VIEW.format(name=name, cron=cron, features=features)


def git(folder: Path, *words: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    settings = ("-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "maintenance.auto=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *settings, *words], check=True, capture_output=True, env=environment, text=True
    )
    return done.stdout


def commit(folder: Path, *options: str) -> None:
    """Commit everything in a folder, which becomes a repository where it is none."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main", "--template=")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change", "--allow-empty", *options)


def plan(run: Run, *arguments: str, cwd: Path | None = None) -> Any:
    """The object of a plan."""
    ran = run("plan", *(arguments or ("HEAD",)), "--output-format", "json", "--fail-on", "never", cwd=cwd)
    assert (ran.code, ran.err) == (0, ""), ran.err
    return json.loads(ran.out)


def changes(run: Run, *arguments: str, cwd: Path | None = None) -> list[str]:
    """Id, level, path and pointer of every change."""
    return [
        f"{one['level']} {one['id']} {one['path']}{one['pointer']}" for one in plan(run, *arguments, cwd=cwd)["changes"]
    ]


EDITS = (
    ("channels/everyday-upsells.yaml", "maxUpsellOffers: 2", "maxUpsellOffers: 3"),
    (
        "channels/everyday-upsells.yaml",
        "Fries with burgers\n        priority: 1",
        "Fries with burgers\n        priority: 5",
    ),
    ("feature-views/guest-orders.yaml", "        - spend_30d\n", ""),
    ("feature-views/guest-profile.yaml", "America/Chicago 15", "America/New_York 15"),
    ("feature-views/guest-profile.yaml", "maxReplicaCount: 12", "maxReplicaCount: 8"),
    ("brand/brand.yaml", "[us, florida, drive-thru, spanish-first]", "[us, florida, drive-thru]"),
)
"""What is changed in the example workspace: file, old and new text."""


def change_example(folder: Path) -> None:
    """Commit the example workspace into a folder, and make some changes in its files."""
    change_files(copied(folder), EDITS)


def change_files(folder: Path, edits: Sequence[tuple[str, str, str]]) -> None:
    """Commit what a folder has, and make some changes in its files."""
    commit(folder)
    for name, old, new in edits:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def revise(folder: Path, after: str, before: str | None = None, file: str = "a.yaml") -> None:
    """Commit a file with one text, that of a view, and give it another."""
    (folder / file).write_text(view() if before is None else before)
    commit(folder)
    (folder / file).write_text(after)


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


def write_burgers(folder: Path, upsells: Sequence[dict[str, Any]] = UPSELLS, stores: int = 2, **strategy: Any) -> None:
    """Write a small workspace whose sessions are played: some stores of a brand with one menu, upsells and limits."""
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
