"""What is shown at names that the workspace declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.hover.hover_fixture import marked, shown
from tests.lsp.navigation.open_workspace import opened
from trialrun.workspace.open_workspace import OpenWorkspace

CONFIG = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/north/channelConfigs/shakes
displayName: All shakes
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: A shake
        priority: 7
        celUpsell:
          conditionExpression: order.items.exists(i, i.displayName == 'Fries') && order.tier == 'gold'
          suggestedMenuItems: [Shake]
          suggestedModifierGroups: [{name: Size, suggestedModifiers: [Large]}]
      - displayName: Something sweet
        priority: 2
        disabled: true
        closingOffer:
          closingMessages:
            - offerMessage: {upsoldItemIds: [i-2], messageConfigs: []}
              skipTerms: [shake, soup]
"""
BRAND = """\
kind: Brand
name: projects/p/locations/l/brands/north
stores:
  - name: pier
    displayName: At the pier
    timeZone: Asia/Kolkata
    tags: [sea]
  - {name: hill, tags: [sea, far]}
bindings:
  - {rule: at-sea, channelConfig: shakes, stores: {tags: [sea]}}
"""
MENU = """\
kind: Menu
brand: projects/p/locations/l/brands/north
items:
  - {name: Fries, id: i-1, price: 2.5}
  - {name: Shake, id: i-2, price: 4.25, modifierGroups: [Size]}
  - {name: Milkshake soup, id: i-3}
modifierGroups:
  - name: Size
    id: g-1
    modifiers: [{name: Large, id: m-1}, {name: Small}]
"""
SCHEMA = """\
kind: SessionSchema
types:
  Order:
    items: list(Item)
    tier: string?    # gold or silver
  Item: {displayName: string}
variables: {order: Order}
"""
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/serving/featureViews/prices
warehouseSource: {uri: bq://prices, entityIdColumns: [item_id]}
indexConfig: {filterColumns: [item_id, gone]}
syncConfig: {cron: 0 6 * * *}
---
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/serving/featureViews/guests
featureRegistrySource: {featureGroups: [{featureGroupId: guests, featureIds: [visits]}]}
---
kind: FeatureOnlineStore
name: serving
type: OPTIMIZED
---
kind: Source
uri: bq://prices
files: prices/*.csv
columns: [{name: item_id, type: STRING, mode: REQUIRED}, {name: price, type: FLOAT}]
---
kind: Source
uri: bq://guests
files: guests/*.csv
columns: [{name: visits_90d, type: INT64}]
---
kind: FeatureGroupTable
featureGroupId: guests
uri: bq://guests
entityIdColumns: [id]
features: [{id: visits, column: visits_90d}]
"""
SCENARIO = """\
kind: Scenario
name: Prices
clock: 2026-11-22T12:30:00Z
steps:
  - schedule: {view: prices, expect: {runs: [2026-11-19T06:00:00Z]}}
  - resolve:
      store: hill
      expect: {values: [{field: "operationsConfig.upsellStrategy.upsells[A shake].disabled", absent: true}]}
  - session:
      store: pier
      turns: [{customer: add Shake, expect: {offered: [{upsell: A shake, items: [Shake]}]}}]
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    texts = {"config": CONFIG, "brand": BRAND, "menu": MENU, "schema": SCHEMA, "view": VIEW, "scenario": SCENARIO}
    return opened(tmp_path, **texts)


@pytest.mark.parametrize(
    ("file", "place", "told"),
    [
        ("config", "Menu|Items: [Shake]", "**`CelUpsell.suggestedMenuItems`**: a list of texts, required"),
        ("config", "suggestedMenuItems: [Sh|ake]", "`Shake`: an item of the menu, `menu.yaml:5`\n\n- id: `i-2`\n"),
        ("config", "suggestedMenuItems: [Sh|ake]", "- price: `4.25`\n- modifier groups: `Size`"),
        ("config", "upsoldItemIds: [i|-2]", "`i-2`: an item of the menu, `menu.yaml:5`\n\n- name: `Shake`"),
        ("config", "[{name: Si|ze", "`Size`: a modifier group of the menu, `menu.yaml:8`"),
        ("config", "[{name: Si|ze", "- modifiers: `Large`, `Small`"),
        ("config", "[La|rge]", "`Large`: a modifier of the menu, `menu.yaml:10`\n\n- id: `m-1`\n- group: `Size`"),
        ("config", "brands/no|rth", "`north`: a brand, `brand.yaml:2`\n\n- 2 stores"),
        (
            "config",
            "brands/north/channelConfigs/sh|akes",
            "`locations/{location}` / `brands/{brand}` / `channelConfigs/",
        ),
        ("config", "[sh|ake, soup]", "Skipped with 2 items of the menu in the order: `Shake`, `Milkshake soup`"),
        ("config", "prior|ity: 7", "1. Something sweet (priority 2, disabled)\n2. **A shake** (priority 7)"),
        ("brand", "Config: sh|akes", "`shakes`: All shakes, UPSELL_STRATEGY, ACTIVE, `config.yaml:2`"),
        ("brand", "name: pi|er", "`pier`: At the pier, now Fri 20 Nov 17:30 +05:30 (`brand.yaml:4`)"),
        ("brand", "{tags: [se|a]}", "`sea`: 2 stores, `pier`, `hill`"),
        ("brand", "rule: at|-sea", "`at-sea`: a config application rule, `brand.yaml:10`\n\n- config: `shakes`"),
        ("brand", "rule: at|-sea", "Applies at 2 stores: `pier`, `hill`"),
        ("view", "Columns: [it|em_id]", "`item_id`: STRING, REQUIRED, a column of `bq://prices`, `view.yaml:18`"),
        ("view", "uri: bq://pr|ices, ent", "`bq://prices`: a source, `view.yaml:16`\n\n- files: `prices/*.csv`"),
        ("view", "uri: bq://pr|ices, ent", "- columns: `item_id` STRING, REQUIRED; `price` FLOAT"),
        ("view", "featureGroupId: gu|ests, feat", "`guests`: a feature group, `view.yaml:26`\n\n- uri: `bq://guests`"),
        ("view", "featureIds: [vi|sits]", "- column: `visits_90d`\n- feature group: `guests`\n- type: INT64"),
        ("view", "OnlineStores/ser|ving/featureViews/pr", "`serving`: an online store, `view.yaml:12`"),
        ("scenario", "view: pri|ces", "- warehouseSource: `bq://prices`\n- next sync: Sat 21 Nov 06:00 +00:00"),
        ("scenario", "store: pi|er", "1 config applied at `pier`"),
        ("scenario", "upsell: A sh|ake", "- config: `shakes`\n- priority: `7`\n- by: `celUpsell`"),
        ("scenario", "add Sh|ake", "`Shake`: an item of the menu"),
        ("scenario", "2026-11-22|T12", "Sun 22 Nov 2026 12:30 UTC, in 2 d 0 h."),
        ("scenario", "2026-11-19|T06", "Thu 19 Nov 2026 06:00 UTC, 1 d 6 h ago."),
        ("scenario", "upsell|Strategy", "**`OperationsConfig.upsellStrategy`**: `UpsellStrategy`, optional"),
        ("scenario", "dis|abled", "**`UpsellConfig.disabled`**: true or false, optional"),
        ("scenario", "[A sh|ake].", "`A shake`: an upsell, `config.yaml:8`"),
        ("schema", "list(It|em)", "`Item`: a type of this schema\n\nFields: `displayName` string"),
        ("schema", "str|ing?", "`string`: a text\n\nWith `?` the value may be absent."),
        ("schema", "ti|er", "`Order.tier`: `string?`, gold or silver"),
    ],
)
def test_a_name_is_reported_where_it_is_used(live: OpenWorkspace, file: str, place: str, told: str) -> None:
    assert told in shown(live, f"{file}.yaml", place)


def test_a_path_that_cannot_be_read_is_a_value_of_its_field(live: OpenWorkspace) -> None:
    broken = SCENARIO.replace("[A shake].disabled", "[A shake.disabled")
    live.set_overlay(str(Path("scenario.yaml").resolve()), broken.encode())
    assert shown(live, "scenario.yaml", "dis|abled").startswith("**`ExpectedValue.field`**: text, required")


def test_a_text_of_a_condition_is_the_item_that_it_names(live: OpenWorkspace) -> None:
    told = shown(live, "config.yaml", "'Fr|ies'")
    assert told.startswith("`'Fries'`: `string`\n\n`Fries`: an item of the menu, `menu.yaml:4`\n")
    assert marked(live, "config.yaml", "'Fr|ies'") == "'Fries'"


def test_a_field_of_the_session_has_the_remark_of_its_schema(live: OpenWorkspace) -> None:
    assert "Declared at `schema.yaml:5`: gold or silver" in shown(live, "config.yaml", "order.ti|er")


def test_a_condition_with_a_mistake_has_the_remarks_all_the_same(live: OpenWorkspace) -> None:
    live.set_overlay(str(Path("config.yaml").resolve()), CONFIG.replace("== 'gold'", "== 5").encode())
    assert "Declared at `schema.yaml:5`: gold or silver" in shown(live, "config.yaml", "order.ti|er")


def test_what_nothing_declares_is_told_by_its_field_alone(live: OpenWorkspace) -> None:
    assert shown(live, "view.yaml", "go|ne").startswith("**`IndexConfig.filterColumns`**")


def test_the_same_name_of_another_brand_is_not_told(live: OpenWorkspace) -> None:
    other = MENU.replace("brands/north", "brands/south").replace("4.25", "9.99")
    live.set_overlay(str(Path("other.yaml").resolve()), other.encode())
    assert "9.99" not in shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")


def test_a_declaration_in_the_other_spelling_is_read_as_well(live: OpenWorkspace) -> None:
    live.set_overlay(
        str(Path("menu.yaml").resolve()), MENU.replace("modifierGroups: [Size]", "modifier_groups: [Size]").encode()
    )
    assert "- modifier groups: `Size`" in shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")


def test_names_follow_the_text_of_another_file(live: OpenWorkspace) -> None:
    shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")
    live.set_overlay(str(Path("menu.yaml").resolve()), MENU.replace("4.25", "4.75").encode())
    assert "- price: `4.75`" in shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")
