"""Where what a name means is declared, and where it is used."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import TOWN, at, lines, live, put
from trialrun.lint.settings import Profiles, read_settings
from trialrun.lsp.features.navigation import goto_definition, rank_of, references
from trialrun.lsp.symbols.index import declarations, occurrences
from trialrun.workspace.open_workspace import OpenWorkspace

BURGERS = Path(__file__).parents[3] / "fixtures" / "workspaces" / "burger-brand"


def _leads_to(live: OpenWorkspace, path: str, where: str) -> list[str]:
    return lines(live, goto_definition(live, path, at(live, path, where)))


@pytest.mark.parametrize(
    ("path", "where", "expected"),
    [
        ("brand.yaml", "[projects/p/|locations", ["lunch.yaml:2 lunch"]),
        ("brand.yaml", "channelConfig: |lunch", ["lunch.yaml:2 lunch"]),
        ("brand.yaml", 'channelConfig: "lunch|"', ["lunch.yaml:2 lunch"]),
        ("brand.yaml", "names: [p|ier]", ["brand.yaml:9 projects/p/locations/l/brands/north/stores/pier"]),
        ("lunch.yaml", "[F|-1]", ["menu.yaml:4 F-1"]),
        ("lunch.yaml", "'Kid''s Fr|ies'", ["menu.yaml:4 Kid's Fries"]),
        ("lunch.yaml", "name: Sau|ces", ["menu.yaml:6 Sauces"]),
        ("lunch.yaml", "suggestedModifiers: [Ho|t]", ["menu.yaml:6 Hot"]),
        ("lunch.yaml", "projects/p/locations|/l", ["brand.yaml:2 projects/p/locations/l/brands/north"]),
        ("menu.yaml", "[Sauces, G|-2]", ["menu.yaml:7 G-2"]),
        ("menu.yaml", "brand: no|rth", ["brand.yaml:2 projects/p/locations/l/brands/north"]),
        ("view.yaml", "featureGroupId: or|ders", ["tables.yaml:2 orders"]),
        ("view.yaml", "[sp|end]", ["tables.yaml:6 spend"]),
        ("view.yaml", "featureOnlineStores/sh|op", ["tables.yaml:21 shop"]),
        ("tables.yaml", "uri: bq://|p.d.orders", ["tables.yaml:16 bq://p.d.orders"]),
        ("tables.yaml", "entityIdColumns: [gu|est]", ["tables.yaml:18 guest"]),
        ("scenario.yaml", "view: gu|ests", ["view.yaml:2 guests"]),
        ("scenario.yaml", "store: pi|er", ["brand.yaml:9 projects/p/locations/l/brands/north/stores/pier"]),
        ("scenario.yaml", "rule: qu|iet", ["brand.yaml:11 quiet"]),
        ("scenario.yaml", "config: lu|nch", ["lunch.yaml:2 lunch"]),
        ("scenario.yaml", "con|fig: lunch", []),
        ("scenario.yaml", "name: What |is", []),
    ],
)
def test_leads_to_the_declaration(town: OpenWorkspace, path: str, where: str, expected: list[str]) -> None:
    assert _leads_to(town, path, where) == expected


def test_a_column_of_the_table_that_a_view_reads(town: OpenWorkspace) -> None:
    view = (
        "kind: FeatureView\nwarehouseSource: {uri: bq://p.d.orders, entityIdColumns: [guest]}\n"
        "indexConfig: {filterColumns: [spend]}\n"
    )
    put(town, "other.yaml", view)
    assert _leads_to(town, "other.yaml", "filterColumns: [sp|end]") == ["tables.yaml:18 spend"]


def test_every_name_of_the_example_workspace_has_one_declaration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BURGERS)
    example = live(BURGERS)
    names = [occurrence for reading in example.workspace_files() for occurrence in occurrences(example, reading)]
    counts = [(name.kind, len(declarations(example, name))) for name in names]
    assert [count for count in counts if count[1] != 1 and count[0] != "upsell"] == []
    assert {count for sort, count in counts if sort == "upsell"} == {1, 2, 3}  # overrides have the names of others


def test_of_configs_of_one_id_that_of_the_brand(town: OpenWorkspace) -> None:
    put(town, "south.yaml", TOWN["lunch"].replace("brands/north", "brands/south"))
    assert _leads_to(town, "brand.yaml", "channelConfig: lu|nch") == ["lunch.yaml:2 lunch"]


def test_follows_the_text_of_the_editor(town: OpenWorkspace) -> None:
    put(town, "menu.yaml", ("\n\n" + TOWN["menu"]))
    assert _leads_to(town, "lunch.yaml", "[F|-1]") == ["menu.yaml:6 F-1"]


def test_a_declaration_may_be_written_with_escapes(town: OpenWorkspace) -> None:
    put(town, "menu.yaml", TOWN["menu"].replace("id: F-1", 'id: "F\\x2d1"'))
    assert _leads_to(town, "lunch.yaml", "[F|-1]") == ["menu.yaml:4 F\\x2d1"]


def test_a_name_that_nothing_declares_leads_nowhere(town: OpenWorkspace) -> None:
    put(town, "menu.yaml", "kind: Menu\n")
    assert _leads_to(town, "lunch.yaml", "[F|-1]") == []


FEATURES = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/shop/featureViews/found
featureRegistrySource: {projectNumber: "7", featureGroups: [{featureGroupId: orders, featureIds: [spend]}]}
indexConfig: {filterColumns: [spend]}
---
kind: Scenario
name: Rows and values
given:
  sources:
    - {uri: "bq://p.d.orders", rows: [{guest: g1, spend: 2.5}]}
    - uri: bq://p.d.orders
      table: |
        | guest | spend |
        | g1    | 2     |
steps:
  - fetch: {view: guests, expect: {served: [{id: g1, values: {spend: 2.5}}]}}
"""


@pytest.mark.parametrize(
    ("before", "name", "expected"),
    [
        ("filterColumns: [", "spend", ["tables.yaml:6 spend"]),
        ("rows: [{", "guest", ["tables.yaml:18 guest"]),
        ("| guest | ", "spend", ["tables.yaml:18 spend"]),
        ("values: {", "spend", ["tables.yaml:6 spend"]),
    ],
)
def test_features_and_columns_of_views_and_rows(
    town: OpenWorkspace, before: str, name: str, expected: list[str]
) -> None:
    put(town, "more.yaml", FEATURES)
    found = goto_definition(town, "more.yaml", FEATURES.index(before + name) + len(before) + 2)
    assert lines(town, found) == expected


def test_the_files_of_a_source_open(town: OpenWorkspace) -> None:
    Path("orders.csv").write_text("guest,spend\n", encoding="utf-8")
    found = goto_definition(town, "tables.yaml", at(town, "tables.yaml", "files: ord|ers.csv"))
    assert [(location["uri"], location["range"].start.line) for location in found] == [("orders.csv", 1)]


def test_the_file_that_is_expected_to_set_a_value(town: OpenWorkspace) -> None:
    text = TOWN["scenario"].replace("config: lunch", 'file: "lunch.yaml:7"')
    put(town, "scenario.yaml", text)
    found = goto_definition(town, "scenario.yaml", text.index("lunch.yaml:7"))
    assert [(location["uri"], location["range"].start.line) for location in found] == [("lunch.yaml", 7)]


def test_the_policy_that_a_comment_silences(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('policies = ["own.yaml"]\n', encoding="utf-8")
    policy = "id: has-a-name\non: FeatureView\ncheck: has(self.name)\nmessage: name it\ndoc: A view has a name.\n"
    (tmp_path / "own.yaml").write_text(policy, encoding="utf-8")
    (tmp_path / "view.yaml").write_text("# trialrun: ignore-file[cron-dst, has-a-name] no\nkind: FeatureView\n")
    open_ = OpenWorkspace(replace(live(tmp_path).request, profiles=Profiles(read_settings(str(tmp_path)))))
    assert _leads_to(open_, "view.yaml", "has|-a-name") == ["own.yaml:1 has-a-name"]
    assert _leads_to(open_, "view.yaml", "cron|-dst") == []


def _named(live: OpenWorkspace, path: str, where: str) -> list[str]:
    found = references(live, path, at(live, path, where))
    return [f"{location['uri']}:{location['range'].start.line}:{location['range'].start.column}" for location in found]


def test_a_config_is_named_in_defaults_bindings_and_scenarios(town: OpenWorkspace) -> None:
    found = ["brand.yaml:3:12", "brand.yaml:6:20", "brand.yaml:11:39", "lunch.yaml:2:58", "scenario.yaml:8:40"]
    assert _named(town, "lunch.yaml", "channelConfigs/lu|nch") == found


def test_an_item_by_its_name_and_by_its_id(town: OpenWorkspace) -> None:
    found = ["lunch.yaml:12:31", "lunch.yaml:18:33", "lunch.yaml:18:48", "menu.yaml:4:12", "menu.yaml:4:29"]
    assert _named(town, "menu.yaml", "id: F|-1") == found


def test_the_same_from_a_use_and_from_a_declaration(town: OpenWorkspace) -> None:
    assert _named(town, "scenario.yaml", "store: pi|er") == _named(town, "brand.yaml", "stores/pi|er")


def test_a_modifier_of_another_group_is_another(town: OpenWorkspace) -> None:
    assert _named(town, "lunch.yaml", "[Ho|t]") == ["lunch.yaml:20:51", "menu.yaml:6:48"]


def test_a_feature_group_of_another_project_is_another(town: OpenWorkspace) -> None:
    assert _named(town, "view.yaml", "featureGroupId: or|ders") == ["tables.yaml:2:17", "view.yaml:6:24"]


def test_a_source_by_its_uri(town: OpenWorkspace) -> None:
    assert _named(town, "tables.yaml", "uri: bq|://p.d.orders") == ["tables.yaml:4:6", "tables.yaml:16:6"]


def test_uses_alone_where_they_are_asked_for(town: OpenWorkspace) -> None:
    found = references(town, "menu.yaml", at(town, "menu.yaml", "id: F|-1"), with_declarations=False)
    assert {location["uri"] for location in found} == {"lunch.yaml"}


def test_a_name_that_nothing_declares_wherever_it_is_written(town: OpenWorkspace) -> None:
    put(town, "menu.yaml", "kind: Menu\n")
    assert _named(town, "lunch.yaml", "['Kid''s Fr|ies']".strip("[]")) == ["lunch.yaml:18:33", "lunch.yaml:18:48"]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [("fri", ["Fries", "Stir-Fried", "Kid's Fries", "Afri", "Ferris"]), ("", ["a", "bc"]), ("sidesize", ["Side Size"])],
)
def test_the_nearest_names_come_first(wanted: str, names: list[str]) -> None:
    ranks = [rank for name in names if (rank := rank_of(name, wanted)) is not None]
    assert len(ranks) == len(names)
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(("name", "wanted"), [("Fries", "fx"), ("Fries", "sf"), ("", "a"), ("ab", "abc")])
def test_a_name_without_the_letters_in_their_order_is_not_found(name: str, wanted: str) -> None:
    assert rank_of(name, wanted) is None
