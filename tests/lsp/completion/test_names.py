"""Names that the workspace declares are completed where a field refers to them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Labels = Callable[..., list[str]]
After = Callable[..., str]

BRAND = """kind: Brand
name: brands/north
stores:
  - {name: pier, tags: [harbor, kiosk]}
---
kind: ChannelConfig
name: brands/north/channelConfigs/voice
type: AGENT_CUSTOMIZATION
"""
MENUS = """kind: Menu
name: north
brand: brands/north
items:
  - {name: Fries, id: I-1}
  - {name: "Fish: the big one", id: I-2}
modifierGroups:
  - {name: Sauces, id: G-1, modifiers: [{name: Mustard, id: M-1}]}
---
kind: Menu
name: south
brand: brands/south
items: [{name: Noodles, id: I-9}]
"""
TABLES = """kind: Source
uri: bq://a.b.rides
columns:
  - {name: user_id, type: STRING}
  - {name: vector, type: FLOAT64, mode: REPEATED}
---
kind: FeatureGroupTable
featureGroupId: rides
uri: bq://a.b.rides
entityIdColumns: [user_id]
features: [{id: count}, {id: rating}]
---
kind: FeatureView
name: prices
"""
CONFIG = "kind: ChannelConfig\nname: brands/north/channelConfigs/x\noperationsConfig:\n  "
UPSELL = f"{CONFIG}upsellStrategy:\n    upsells:\n      - celUpsell:\n          "
TARGET = f"{CONFIG}disambiguationStrategy:\n    mappings:\n      - targets:\n          - "
VIEW = "kind: FeatureView\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{UPSELL}suggestedMenuItems: [¦]", ["Fries", "Fish: the big one"]),
        (f"{UPSELL}suggestedMenuItems:\n            - Fries\n            - ¦\n", ["Fish: the big one"]),
        (f"{UPSELL}suggestedMenuItems:\n            ¦\n", ["Fries", "Fish: the big one"]),
        (f"{UPSELL}suggestedModifiers: [¦", ["Mustard"]),
        (f"{UPSELL}suggestedModifierGroups:\n            - name: ¦", ["Sauces"]),
        (f"{TARGET}itemName: ¦", ["Fries", "Fish: the big one"]),
        (f"{TARGET}itemId: ¦", ["I-1", "I-2"]),
        (f"{TARGET}modifiers: [{{modifierName: ¦}}]", ["Mustard"]),
        (f"{TARGET}modifiers: [{{modifierId: ¦}}]", ["M-1"]),
        (f"{TARGET}modifiers: [{{modifierGroupId: ¦}}]", ["G-1"]),
        ("kind: Menu\nbrand: ¦", ["brands/north"]),
        ("kind: Brand\ndefaults: [¦]", ["brands/north/channelConfigs/voice"]),
        ("kind: Brand\nbindings:\n  - channelConfig: ¦", ["brands/north/channelConfigs/voice"]),
        ("kind: Brand\nname: brands/north\nbindings:\n  - stores: {names: [¦", ["pier"]),
        ("kind: Brand\nbindings:\n  - stores: {tags: [harbor, ¦", ["kiosk"]),
        ("kind: Scenario\nsteps:\n  - resolve: {store: ¦", ["pier"]),
        ("kind: Scenario\nsteps:\n  - sync: {view: ¦", ["prices"]),
        (f"{VIEW}warehouseSource: {{uri: ¦", ["bq://a.b.rides"]),
        (f"{VIEW}warehouseSource:\n  uri: bq://a.b.rides\n  entityIdColumns: [user_id, ¦", ["vector"]),
        (f"{VIEW}indexConfig: {{embeddingColumn: ¦}}\nragSource: {{uri: bq://a.b.rides}}\n", ["user_id", "vector"]),
        (f"{VIEW}warehouseSource:\n  uri: bq://elsewhere\n  entityIdColumns: [¦", []),
        (f"{VIEW}featureRegistrySource:\n  featureGroups:\n    - featureGroupId: ¦", ["rides"]),
        (
            f"{VIEW}featureRegistrySource:\n  featureGroups:\n    - featureGroupId: rides\n      featureIds: [count, ¦",
            ["rating"],
        ),
    ],
)
def test_names_are_those_that_the_field_refers_to(labels: Labels, text: str, names: list[str]) -> None:
    assert labels(text, brand=BRAND, menus=MENUS, tables=TABLES) == names


def test_a_name_that_needs_quotes_gets_them(after: After) -> None:
    assert after(f"{TARGET}itemName: ¦", "Fish: the big one", menus=MENUS).endswith('itemName: "Fish: the big one"')


def test_a_name_of_the_text_that_is_edited_counts(labels: Labels) -> None:
    text = "kind: Brand\nname: north\nstores: [{name: quay}]\nbindings:\n  - stores: {names: [¦]}\n"
    assert labels(text) == ["quay"]
