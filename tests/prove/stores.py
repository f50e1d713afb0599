"""A store with a menu of four items, whose upsells a test writes."""

import json
from pathlib import Path
from typing import Any

from tests.program import Run

NAME = "projects/p/locations/l/brands/b"
AT = ("--at", "2026-11-22T12:00:00Z")
BRAND = f"""\
kind: Brand
name: {NAME}
defaults: [{NAME}/channelConfigs/upsells]
stores: [{{name: {NAME}/stores/corner, timeZone: America/Chicago}}]
---
kind: Menu
brand: {NAME}
items:
  - {{name: Burger, id: I-1, price: 6.49, modifierGroups: []}}
  - {{name: Fries, id: I-2, price: 2.99, modifierGroups: []}}
  - {{name: Cola, id: I-3, price: 1.10, modifierGroups: []}}
  - {{name: Hash Browns, id: I-4, price: 2.10, modifierGroups: [],
     availability: {{hours: [{{start: "06:00", end: "10:30"}}]}}}}
modifierGroups: []
"""
HAS_BURGER = "order.items.exists(i, i.displayName == 'Burger')"


def upsell(name: str, condition: str, items: str = "Fries", **fields: Any) -> dict[str, Any]:
    """A CEL upsell; `fields` are further ones of the upsell, those of `cel` of its condition."""
    cel = {"conditionExpression": condition, "suggestedMenuItems": [items], **fields.pop("cel", {})}
    return {"displayName": name, "celUpsell": cel, **fields}


def message(name: str, kind: str, items: str, **fields: Any) -> dict[str, Any]:
    """A greeting or a closing offer with one message."""
    said = {"upsoldItems": [items], "messageConfigs": [{"languageCode": "en", "messageText": f"{items}?"}]}
    offer = {"messages": [said]} if kind == "greetingOffer" else {"closingMessages": [{"offerMessage": said, **fields}]}
    return {"displayName": name, kind: offer}


def write_store(folder: Path, *upsells: dict[str, Any], **strategy: Any) -> None:
    """Write the store; the priorities of the upsells are their order."""
    numbered = [{"priority": number, **one} for number, one in enumerate(upsells, start=1)]
    config = {
        "kind": "ChannelConfig",
        "name": f"{NAME}/channelConfigs/upsells",
        "type": "UPSELL_STRATEGY",
        "operationsConfig": {"defaultLanguageCode": "en", "upsellStrategy": {**strategy, "upsells": numbered}},
    }
    (folder / "brand.yaml").write_text(BRAND)
    (folder / "upsells.yaml").write_text(json.dumps(config, indent=1))


def proofs(run: Run, *options: str) -> list[dict[str, Any]]:
    """What is proved at the store."""
    ran = run("prove", "corner", *AT, *options, "--output-format", "json", "--fail-on", "never")
    assert (ran.code, ran.err) == (0, ""), ran.err
    groups = json.loads(ran.out)["groups"]
    answers: list[dict[str, Any]] = groups[0]["answers"]
    return answers


def offered(run: Run) -> dict[str, str]:
    """Of each upsell, whether it is offered: the reason of a proof that it never is, else the verdict."""
    found = {one["upsell"]: one for one in proofs(run) if one["question"] == "offered"}
    return {
        name: one["message"].partition(" is never offered: ")[2] if one["verdict"] == "never" else one["verdict"]
        for name, one in found.items()
    }
