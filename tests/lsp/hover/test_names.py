"""What is shown at names that the workspace declares, at anchors and aliases, and in baselines and policies."""

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import marked, opened, put, shown
from trialrun.lsp.analysis.options import Options, workspace_request
from trialrun.lsp.features.hover import hover
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
    put(live, "scenario.yaml", SCENARIO.replace("[A shake].disabled", "[A shake.disabled"))
    assert shown(live, "scenario.yaml", "dis|abled").startswith("**`ExpectedValue.field`**: text, required")


def test_a_text_of_a_condition_is_the_item_that_it_names(live: OpenWorkspace) -> None:
    told = shown(live, "config.yaml", "'Fr|ies'")
    assert told.startswith("`'Fries'`: `string`\n\n`Fries`: an item of the menu, `menu.yaml:4`\n")
    assert marked(live, "config.yaml", "'Fr|ies'") == "'Fries'"


def test_a_field_of_the_session_has_the_remark_of_its_schema(live: OpenWorkspace) -> None:
    assert "Declared at `schema.yaml:5`: gold or silver" in shown(live, "config.yaml", "order.ti|er")


def test_a_condition_with_a_mistake_has_the_remarks_all_the_same(live: OpenWorkspace) -> None:
    put(live, "config.yaml", CONFIG.replace("== 'gold'", "== 5"))
    assert "Declared at `schema.yaml:5`: gold or silver" in shown(live, "config.yaml", "order.ti|er")


def test_what_nothing_declares_is_told_by_its_field_alone(live: OpenWorkspace) -> None:
    assert shown(live, "view.yaml", "go|ne").startswith("**`IndexConfig.filterColumns`**")


def test_the_same_name_of_another_brand_is_not_told(live: OpenWorkspace) -> None:
    put(live, "other.yaml", MENU.replace("brands/north", "brands/south").replace("4.25", "9.99"))
    assert "9.99" not in shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")


def test_a_declaration_in_the_other_spelling_is_read_as_well(live: OpenWorkspace) -> None:
    put(live, "menu.yaml", MENU.replace("modifierGroups: [Size]", "modifier_groups: [Size]"))
    assert "- modifier groups: `Size`" in shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")


def test_names_follow_the_text_of_another_file(live: OpenWorkspace) -> None:
    shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")
    put(live, "menu.yaml", MENU.replace("4.25", "4.75"))
    assert "- price: `4.75`" in shown(live, "config.yaml", "suggestedMenuItems: [Sh|ake]")


ALIASES = """\
- x-daily: &daily
    cron: 0 6 * * *
- kind: FeatureView
  name: a
  syncConfig: *daily
  labels: &ours {team: a, tier: b}
- kind: FeatureView
  name: b
  syncConfig:
    <<: *daily
    cron: 0 7 * * *
  labels:
    <<: *ours
    team: c  # not *ours, nor &daily
  etag: "*ours"
"""


@pytest.fixture
def aliased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    return opened(tmp_path, views=ALIASES)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("Config: *da|ily", '`*daily` refers to the value at `&daily` (line 1):\n\n`{"cron": "0 6 * * *"}`'),
        ("Config: *da|ily", "**`FeatureView.syncConfig`**: `SyncConfig`, optional"),
        ("&ou|rs", "`&ours` names this value; it is repeated on line 13."),
        (
            "<|<: *ours",
            "Merges the keys of `&ours` (line 6); keys that are set here take precedence.\n\nMerged keys: `tier`",
        ),
        ("<<: *ou|rs", "`*ours` refers to the value at `&ours` (line 6)."),
        ("cr|on: 0 6", "**`SyncConfig.cron`**: text, optional"),
        ("cron: 0 |6", "Runs at 06:00 every day"),
        ("cron: 0 |7", "Runs at 07:00 every day"),
    ],
)
def test_an_alias_is_told(aliased: OpenWorkspace, place: str, told: str) -> None:
    assert told in shown(aliased, "views.yaml", place)


def test_the_sign_and_the_name_are_marked(aliased: OpenWorkspace) -> None:
    assert marked(aliased, "views.yaml", "<<: *ou|rs") == "*ours"
    assert marked(aliased, "views.yaml", "<|<: *ours") == "<<"


@pytest.mark.parametrize("place", ["not *ou|rs", "nor &da|ily"])
def test_what_a_comment_says_is_no_alias(aliased: OpenWorkspace, place: str) -> None:
    assert "stand" not in shown(aliased, "views.yaml", place)


def test_what_a_text_says_is_no_alias(aliased: OpenWorkspace) -> None:
    assert "**`FeatureView.etag`**" in shown(aliased, "views.yaml", '"*ou|rs')


SETTINGS = 'policies = ["policies/"]\nbaseline = "baseline.json"\nignore = ["cron-dst"]\n'
POLICY = """\
id: views-have-an-owner
on: FeatureView
at: optimizedConfig.automaticResources.minReplicaCount
check: has(self.labels) && self.optimizedConfig.automaticResources.minReplicaCount > 1
message: nobody owns this view; name its owner in labels
"""
BASELINE = (
    '{"version": 1, "findings": [{"fingerprint": "ab", "rule": "cron-dst", "path": "a", "pointer": "", "message": ""}]}'
)
IGNORING = "kind: FeatureView  # trialrun: ignore[views-have-an-owner] not yet\nname: prices\n"


@pytest.fixture
def with_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    texts = {"trialrun.toml": SETTINGS, "policies/owner.yaml": POLICY, "baseline.json": BASELINE, "view.yaml": IGNORING}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return OpenWorkspace(workspace_request(str(tmp_path), Options(cache=False)))


def test_settings_are_left_to_editors_of_toml(with_policy: OpenWorkspace) -> None:
    assert hover(with_policy, "trialrun.toml", SETTINGS.index("cron-dst")) is None


def test_a_rule_of_the_baseline_is_told(with_policy: OpenWorkspace) -> None:
    assert shown(with_policy, "baseline.json", "cron|-dst").startswith("**cron-dst**: Schedule with runs")


def test_a_policy_in_a_comment_is_told(with_policy: OpenWorkspace) -> None:
    assert shown(with_policy, "view.yaml", "views-have|-an-owner").startswith("**views-have-an-owner**: Nobody owns")


def test_a_finding_of_a_policy_has_its_page(with_policy: OpenWorkspace) -> None:
    put(with_policy, "view.yaml", "kind: FeatureView\noptimizedConfig: {}\n")
    assert "**views-have-an-owner**: Nobody owns this view" in shown(with_policy, "view.yaml", "optimized|Config")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("o|n: F", "**`on`**, required: the message that the policy looks at"),
        ("Feature|View", "**`FeatureView`**: The representation of values"),
        ("automatic|Resources.minReplicaCount\ncheck", "**`AutomaticResources.minReplicaCount`**: an integer"),
        ("self.la|bels", "**`FeatureView.labels`**: a mapping of texts"),
        ("minReplica|Count > 1", "`self.optimizedConfig.automaticResources.minReplicaCount`: `int`"),
        ("|&& self", "`a && b`: True if both are"),
        ("no|body", "**`message`**, required: what is wrong"),
    ],
)
def test_a_policy_is_told(with_policy: OpenWorkspace, place: str, told: str) -> None:
    assert told in shown(with_policy, "policies/owner.yaml", place)


def test_a_part_of_an_expression_is_marked(with_policy: OpenWorkspace) -> None:
    assert marked(with_policy, "policies/owner.yaml", "self.la|bels") == "self.labels"


WORKSPACE_POLICY = """\
id: few-views
scope: workspace
on: FeatureView
parameters: {max: {type: int, default: 4}}
check: documents("FeatureView").filter(v, v.name == self.name).size() < parameters.max && texts(self) == []
message: m
"""


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("scop|e", "**`scope`**, optional: what the policy looks at"),
        ("docu|ments(", '`documents("FeatureView")`: `list(FeatureView)`'),
        ("docu|ments(", "All documents of a kind in the workspace"),
        ("v.na|me", "Resource name"),
        ("parameters.m|ax", "`parameters.max`: `int`"),
        ("te|xts(self)", "All free texts and conditions of a message"),
    ],
)
def test_a_policy_on_the_workspace_is_told(with_policy: OpenWorkspace, place: str, told: str) -> None:
    put(with_policy, "policies/owner.yaml", WORKSPACE_POLICY)
    assert told in shown(with_policy, "policies/owner.yaml", place)
