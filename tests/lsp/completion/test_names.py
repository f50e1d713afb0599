"""Names that the workspace declares are completed where a field refers to them."""

from pathlib import Path

import pytest

from tests.lsp.completion.conftest import After, Ask, Labels
from tests.model.shapes import MESSAGES
from trialrun.lsp.features.completion.names import names_of
from trialrun.model.node import field_spec
from trialrun.values.cel.type_schema import SCALARS

BRAND = """kind: Brand
name: brands/north
stores:
  - {name: pier, tags: [harbor, kiosk]}
bindings:
  - {rule: always, channelConfig: voice}
---
kind: ChannelConfig
name: brands/north/channelConfigs/voice
type: AGENT_CUSTOMIZATION
operationsConfig:
  upsellStrategy: {upsells: [{displayName: More fries, priority: 1}]}
  disambiguationStrategy: {mappings: [{type: SINGLE_TARGET, customerTerms: [taters]}]}
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
labels: {team: rides}
warehouseSource: {uri: bq://a.b.prices, entityIdColumns: [ride_id]}
indexConfig: {embeddingColumn: point, filterColumns: [city]}
"""
CONFIG = "kind: ChannelConfig\nname: brands/north/channelConfigs/x\noperationsConfig:\n  "
UPSELL = f"{CONFIG}upsellStrategy:\n    upsells:\n      - celUpsell:\n          "
TARGET = f"{CONFIG}disambiguationStrategy:\n    mappings:\n      - targets:\n          - "
VIEW = "kind: FeatureView\n"
STEP = "kind: Scenario\nsteps:\n  - "
SESSION_TYPES = ["Cart", "list(Cart)", *SCALARS, "list(string)", "map(string, string)"]


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
        (f"{VIEW}warehouseSource:\n  uri: bq://a.b.prices\n  entityIdColumns:\n    - ¦", ["ride_id", "point", "city"]),
        (f"{VIEW}warehouseSource:\n  uri: bq://a.b.rides\n  entityIdColumns: ¦", ["user_id", "vector"]),
        (f"{VIEW}labels: {{¦", ["team"]),
        (f"{VIEW}labels:\n  team: ¦", ["rides"]),
        (f"{STEP}fetch:\n      view: prices\n      expect:\n        served: [{{values: {{¦", ["point", "city"]),
        (f"{STEP}search:\n      view: prices\n      stringFilters: [{{column: ¦", ["city"]),
        (f"{STEP}resolve: {{expect: {{values: [{{rule: ¦", ["always"]),
        (f"{STEP}session: {{turns: [{{expect: {{offered: [{{upsell: ¦", ["More fries"]),
        (f"{STEP}session: {{turns: [{{expect: {{mapped: [{{term: ¦", ["taters"]),
        (f"{STEP}session: {{turns: [{{expect: {{order: [¦", ["Fries", "Fish: the big one", "Noodles"]),
        ("kind: Scenario\ngiven: {sources: [{uri: bq://a.b.rides, rows: [{¦", ["user_id", "vector"]),
        ("kind: SessionSchema\ntypes: {Cart: {size: int}}\nvariables: {cart: C¦}", SESSION_TYPES),
        ("kind: ChannelConfig\nname: ¦", ["brands/north/channelConfigs/edited"]),
        (
            f"{VIEW}featureRegistrySource:\n  featureGroups:\n    - featureGroupId: rides\n      featureIds: [count, ¦",
            ["rating"],
        ),
    ],
)
def test_names_are_those_that_the_field_refers_to(labels: Labels, text: str, names: list[str]) -> None:
    assert labels(text, brand=BRAND, menus=MENUS, tables=TABLES) == names


TWO_GROUPS = MENUS.replace(
    "id: M-1}]}\n", "id: M-1}]}\n  - {name: Sizes, id: G-2, modifiers: [{name: Large, id: M-2}]}\n"
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{UPSELL}suggestedModifierGroups: [{{name: Sizes, suggestedModifiers: [¦]}}]", ["Large"]),
        (f"{UPSELL}suggestedModifierGroups: [{{suggestedModifiers: [¦], name: Sauces}}]", ["Mustard"]),
        (f"{UPSELL}suggestedModifierGroups: [{{name: Others, suggestedModifiers: [¦]}}]", ["Mustard", "Large"]),
        (f"{UPSELL}suggestedModifiers: [¦]", ["Mustard", "Large"]),
        (f"{TARGET}modifiers: [{{modifierGroupId: G-2, modifierName: ¦}}]", ["Large"]),
        (f"{TARGET}modifiers: [{{modifierGroupName: Sizes, modifierId: ¦}}]", ["M-2"]),
    ],
)
def test_modifiers_are_those_of_the_group_that_is_named(ask: Ask, text: str, names: list[str]) -> None:
    assert [item.label for item in ask(text, menus=TWO_GROUPS)] == names


def test_a_name_that_needs_quotes_gets_them(after: After) -> None:
    assert after(f"{TARGET}itemName: ¦", "Fish: the big one", menus=MENUS).endswith('itemName: "Fish: the big one"')


def test_a_name_of_the_text_that_is_edited_counts(labels: Labels) -> None:
    text = "kind: Brand\nname: north\nstores: [{name: quay}]\nbindings:\n  - stores: {names: [¦]}\n"
    assert labels(text) == ["quay"]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("kind: Brand\nname: b/x\n---\nkind: ChannelConfig\nname: ¦\n", ["b/x/channelConfigs/edited"]),
        ("kind: Brand\nname: short\n---\nkind: ChannelConfig\nname: ¦\n", []),
        ("kind: FeatureOnlineStore\nname: s/x\n---\nkind: FeatureView\nname: ¦\n", ["s/x/featureViews/edited"]),
        ("kind: FeatureOnlineStore\nname: short\n---\nkind: FeatureView\nname: ¦\n", []),
    ],
)
def test_new_names_are_below_parents_with_a_full_name(labels: Labels, text: str, offered: list[str]) -> None:
    assert labels(text) == offered


def test_a_key_of_a_map_gets_its_colon(after: After) -> None:
    assert after(f"{VIEW}labels:\n  ¦", "team", tables=TABLES) == f"{VIEW}labels:\n  team: "
    assert after('{"kind": "FeatureView", "labels": {¦}}', "team", "edited.json", tables=TABLES).endswith('{"team": }}')
    assert after(f'{VIEW}labels: {{"te¦"}}', "team", tables=TABLES).endswith('labels: {"team": }')
    assert after(f"{VIEW}labels: {{'te¦'}}", "team", tables=TABLES).endswith("labels: {'team': }")


def test_the_fields_of_a_config_have_their_paths(labels: Labels) -> None:
    assert "operationsConfig.upsellStrategy.maxUpsellOffers" in labels(
        f"{STEP}resolve: {{expect: {{values: [{{field: ¦"
    )


def test_tools_and_reasons_are_those_of_the_runtime(labels: Labels) -> None:
    assert "collect_name" in labels(f"{STEP}session: {{expect: {{tools: [¦")
    assert "max-offers" in labels(f"{STEP}session: {{turns: [{{expect: {{notOffered: [{{because: ¦")


NAMED_MENU = """kind: Menu
brand: brands/east
dayparts: [{name: breakfast}]
items:
  - {displayName: Hash browns, semanticName: hash_browns, id: H-1}
  - {name: Tea}
"""
UPSELL = """kind: ChannelConfig
name: brands/east/channelConfigs/voice
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
"""


def test_items_are_suggested_by_semantic_names_and_upsold_by_names(labels: Labels) -> None:
    text = NAMED_MENU + "---\n" + UPSELL
    assert labels(text + "        celUpsell: {suggestedMenuItems: [¦]}\n") == ["hash_browns", "Tea"]
    assert labels(text + "        greetingOffer: {messages: [{upsoldItems: [¦]}]}\n") == ["Hash browns", "Tea"]


def test_an_item_is_sold_in_dayparts_of_its_menu(labels: Labels) -> None:
    assert labels(NAMED_MENU + "    availability: {dayparts: [¦]}\n") == ["breakfast"]


def test_a_file_of_tables_is_found_beside_the_source(labels: Labels, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rides.parquet").touch()
    (tmp_path / "data" / "notes.txt").touch()
    assert labels("kind: Source\nfiles: d¦") == ["data/"]
    assert labels("kind: Source\nfiles: data/¦") == ["data/rides.parquet"]


def test_a_moment_is_that_of_the_clock(labels: Labels) -> None:
    assert labels("kind: Scenario\nclock: ¦") == ["2026-11-20T10:30:00Z", "2026-11-20T00:00:00Z"]


NOT_COMPLETED = {
    *("binding", "brand", "column", "customer term", "feature", "feature group", "item", "modifier"),
    *("modifier group", "online store", "source", "store", "upsell", "daypart"),
}
"""What a declaration calls by a name of its own."""


def test_each_field_that_refers_to_something_has_its_names() -> None:
    specs = {f"{model.__name__}.{name}": field_spec(model, name) for model in MESSAGES for name in model.model_fields}
    references = {name: spec for name, spec in specs.items() if spec.names}
    assert len(references) > 40
    assert [name for name, spec in references.items() if names_of(spec) is None] == []
    declarations = {spec.declares for spec in specs.values() if spec.declares and names_of(spec) is None}
    assert declarations - NOT_COMPLETED == set()
