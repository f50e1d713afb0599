"""Another name, wherever a thing is named."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.lsp.navigation.open_workspace import TOWN, at, edited, opened, put, words
from trialrun.lsp.features.navigation import goto_definition, references
from trialrun.lsp.features.rename import prepare_rename, rename
from trialrun.lsp.results import CannotRename
from trialrun.workspace.open_workspace import OpenWorkspace


def _renamed(live: OpenWorkspace, path: str, where: str, name: str) -> dict[str, list[str]]:
    """The lines that change, by file."""
    found = rename(live, path, at(live, path, where), name)
    made = {file: edited(live, file, edits) for file, edits in found.items()}
    before = {file: TOWN[file.removesuffix(".yaml")].splitlines() for file in made}
    return {
        file: [new.strip(" -") for old, new in zip(before[file], text.splitlines(), strict=True) if old != new]
        for file, text in made.items()
    }


def test_a_config_by_the_id_at_the_end_of_its_name(town: OpenWorkspace) -> None:
    assert _renamed(town, "brand.yaml", "channelConfig: lu|nch", "noon") == {
        "brand.yaml": [
            "defaults: [projects/p/locations/l/brands/north/channelConfigs/noon]",
            "channelConfig: noon",
            '{rule: quiet, channelConfig: "noon"}',
        ],
        "lunch.yaml": ["name: projects/p/locations/l/brands/north/channelConfigs/noon"],
        "scenario.yaml": ["values: [{field: tone, config: noon, rule: quiet}]"],
    }


def test_a_whole_name_under_the_same_parent_is_as_good_as_its_id(town: OpenWorkspace) -> None:
    whole = "projects/p/locations/l/brands/north/channelConfigs/noon"
    by_id = _renamed(town, "lunch.yaml", "channelConfigs/lu|nch", "noon")
    assert _renamed(town, "lunch.yaml", "channelConfigs/lu|nch", whole) == by_id


def test_an_item_in_the_quotes_that_it_stands_in(town: OpenWorkspace) -> None:
    assert _renamed(town, "menu.yaml", "name: Kid's| Fries", "Tom's: #1") == {
        "lunch.yaml": ["suggestedMenuItems: [\"Tom's: #1\", 'Tom''s: #1']"],
        "menu.yaml": ['{name: "Tom\'s: #1", id: F-1, modifierGroups: [Sauces, G-2]}'],
    }


def test_an_id_of_an_item(town: OpenWorkspace) -> None:
    assert _renamed(town, "lunch.yaml", "[F|-1]", "F-2") == {
        "lunch.yaml": ["upsoldItemIds: [F-2]"],
        "menu.yaml": ["{name: Kid's Fries, id: F-2, modifierGroups: [Sauces, G-2]}"],
    }


def test_a_modifier_in_its_own_group_alone(town: OpenWorkspace) -> None:
    assert _renamed(town, "lunch.yaml", "[Ho|t]", "Mild") == {
        "lunch.yaml": ["{name: Sauces, suggestedModifiers: [Mild]}"],
        "menu.yaml": ["{name: Sauces, id: G-1, modifiers: [{name: Mild}]}"],
    }


def test_a_modifier_group_a_feature_group_a_source_a_store_and_a_binding(town: OpenWorkspace) -> None:
    assert list(_renamed(town, "menu.yaml", "name: Sau|ces", "Dips")) == ["lunch.yaml", "menu.yaml"]
    assert list(_renamed(town, "view.yaml", "featureGroupId: or|ders", "buys")) == ["tables.yaml", "view.yaml"]
    assert _renamed(town, "tables.yaml", "uri: b|q://p.d.orders", "bq://p.d.buys")["tables.yaml"] == [
        "uri: bq://p.d.buys",
        "uri: bq://p.d.buys",
    ]
    assert list(_renamed(town, "scenario.yaml", "store: pi|er", "quay")) == ["brand.yaml", "scenario.yaml"]
    assert list(_renamed(town, "brand.yaml", "rule: qui|et", "calm")) == ["brand.yaml", "scenario.yaml"]


def test_a_name_at_an_anchor_changes_for_its_aliases_too(town: OpenWorkspace) -> None:
    shared = TOWN["brand"].replace("channelConfig: lunch", "channelConfig: &c lunch").replace('"lunch"', "*c")
    put(town, "brand.yaml", shared)
    found = rename(town, "lunch.yaml", at(town, "lunch.yaml", "channelConfigs/lu|nch"), "noon")
    assert "channelConfig: &c noon\n" in edited(town, "brand.yaml", found["brand.yaml"])


def test_not_where_an_alias_means_something_else(town: OpenWorkspace) -> None:
    put(town, "brand.yaml", TOWN["brand"].replace("rule: late", "rule: &c lunch").replace('"lunch"', "*c"))
    with pytest.raises(CannotRename, match="an alias would change"):
        rename(town, "lunch.yaml", at(town, "lunch.yaml", "channelConfigs/lu|nch"), "noon")


@pytest.mark.parametrize(
    ("path", "where", "name", "message"),
    [
        ("lunch.yaml", "priori|ty: 1", "noon", "nothing to rename here"),
        ("lunch.yaml", "channelConfigs/lu|nch", "a/b", "write only the id"),
        ("lunch.yaml", "channelConfigs/lu|nch", " ", "is empty"),
        ("menu.yaml", "name: Sau|ces", "Drinks", r"already used at menu.yaml:7"),
        ("menu.yaml", "name: Sau|ces", "G-2", r"already used at menu.yaml:7"),
        ("view.yaml", "featureViews/gue|sts", "others", "names of views are also used"),
        ("tables.yaml", "uri: bq|://p.d.orders", "buys", "has no scheme"),
    ],
)
def test_refused_with_the_reason(town: OpenWorkspace, path: str, where: str, name: str, message: str) -> None:
    with pytest.raises(CannotRename, match=message):
        rename(town, path, at(town, path, where), name)


def test_not_what_nothing_declares(town: OpenWorkspace) -> None:
    put(town, "menu.yaml", "kind: Menu\n")
    with pytest.raises(CannotRename, match='nothing in the workspace declares "F-1"'):
        rename(town, "lunch.yaml", at(town, "lunch.yaml", "[F|-1]"), "F-2")


@pytest.mark.parametrize("where", ["channelConfigs/lu|nch", "Si|des", "[F|-1]"])
def test_not_in_a_text_that_is_outside_of_the_workspace(town: OpenWorkspace, where: str) -> None:
    put(town, "../draft.yaml", TOWN["lunch"])
    place = at(town, "../draft.yaml", where)
    for refused in (
        lambda: prepare_rename(town, "../draft.yaml", place),
        lambda: rename(town, "../draft.yaml", place, "x"),
    ):
        with pytest.raises(CannotRename, match="this file is not part of the workspace that declares"):
            refused()


def test_the_same_name_changes_nothing(town: OpenWorkspace) -> None:
    assert rename(town, "lunch.yaml", at(town, "lunch.yaml", "channelConfigs/lu|nch"), "lunch") == {}


def test_a_broken_text_that_has_the_name_is_to_be_mended_first(tmp_path: Path) -> None:
    offered = """suggestedMenuItems: ["Kid's Fries", 'Kid''s Fries']"""
    lunch = TOWN["lunch"].replace(offered, "suggestedMenuItems: [Cola, Fries")
    live = opened(tmp_path, **{**TOWN, "lunch": lunch, "menu": TOWN["menu"].replace("Kid's Fries", "Fries")})
    with pytest.raises(CannotRename, match=r"lunch.yaml has a syntax error near the name; fix it first"):
        rename(live, "menu.yaml", at(live, "menu.yaml", "name: Fr|ies"), "Chips")


def test_a_name_in_a_part_that_cannot_be_read_is_to_be_mended_first(tmp_path: Path) -> None:
    live = opened(tmp_path, **{**TOWN, "lunch": (TOWN["lunch"] + "misc: [{one: [Kid's Fries\nother: 1\n")})
    with pytest.raises(CannotRename, match=r"lunch.yaml:\d+ is a syntax error that hides \"Kid's Fries\""):
        rename(live, "menu.yaml", at(live, "menu.yaml", "name: Kid's| Fries"), "Chips")


def test_a_broken_text_that_hides_nothing_of_the_name_is_no_obstacle(tmp_path: Path) -> None:
    broken = {"apart": "kind: Brand\nname: north\nstores: [{name: pier}\n# Kid's Fries are good\n"}
    live = opened(tmp_path, **TOWN, **broken)
    assert rename(live, "menu.yaml", at(live, "menu.yaml", "name: Kid's| Fries"), "Chips")


NAMED = {
    "menu": """
        kind: Menu
        brand: brands/east
        items:
          - {displayName: Hash browns, semanticName: hash_browns, id: H-1}
          - {displayName: Browns XL, semanticName: Hash browns}
    """,
    "config": """
        kind: ChannelConfig
        name: brands/east/channelConfigs/voice
        type: UPSELL_STRATEGY
        operationsConfig:
          upsellStrategy:
            upsells:
              - priority: 1
                celUpsell:
                  suggestedMenuItems: [hash_browns]
                  conditionExpression: "order.items.exists(i, i.displayName == (true ? 'Hash browns' : 'Tea'))"
              - {priority: 2, celUpsell: {suggestedMenuItems: [Hash browns]}}
              - {priority: 3, greetingOffer: {messages: [{upsoldItems: [Hash browns]}]}}
    """,
}


@pytest.mark.parametrize(
    ("where", "changed"),
    [
        (
            "displayName: Hash| browns",
            [
                "conditionExpression: \"order.items.exists(i, i.displayName == (true ? 'New' : 'Tea'))\"",
                "{priority: 3, greetingOffer: {messages: [{upsoldItems: [New]}]}}",
            ],
        ),
        ("semanticName: hash|_browns", ["suggestedMenuItems: [New]"]),
        ("semanticName: Hash| browns", ["{priority: 2, celUpsell: {suggestedMenuItems: [New]}}"]),
    ],
)
def test_each_name_of_an_item_where_it_is_meant(where: str, changed: list[str], tmp_path: Path) -> None:
    live = opened(tmp_path, **{name: dedent(text) for name, text in NAMED.items()})
    files = rename(live, "menu.yaml", at(live, "menu.yaml", where), "New")
    text = edited(live, "config.yaml", files["config.yaml"])
    before = dedent(NAMED["config"]).splitlines()
    assert [new.strip(" -") for old, new in zip(before, text.splitlines(), strict=True) if old != new] == changed


@pytest.mark.parametrize(
    ("path", "where", "name", "written"),
    [
        ("brand.yaml", "[projects/p|/locations", "lunch", "lunch"),
        ("brand.yaml", 'channelConfig: "lu|nch"', "lunch", "lunch"),
        ("lunch.yaml", "'Kid''s Fr|ies'", "Kid's Fries", "Kid''s Fries"),
        ("tables.yaml", "uri: bq|://p.d.orders", "bq://p.d.orders", "bq://p.d.orders"),
    ],
)
def test_the_part_of_a_name_that_changes(town: OpenWorkspace, path: str, where: str, name: str, written: str) -> None:
    found = prepare_rename(town, path, at(town, path, where))
    assert found is not None
    assert (found["placeholder"], words(town, path, found["range"])) == (name, written)


def test_a_key_and_a_text_are_no_names(town: OpenWorkspace) -> None:
    assert prepare_rename(town, "lunch.yaml", at(town, "lunch.yaml", "prio|rity: 1")) is None
    assert prepare_rename(town, "lunch.yaml", at(town, "lunch.yaml", "messageText: Fr|ies?")) is None


@pytest.mark.parametrize(
    ("path", "where", "reason"),
    [
        ("view.yaml", "featureViews/gue|sts", "names of views are also used"),
        ("menu.yaml", "[Sauces, G|-2]", "nothing in the workspace declares"),
    ],
)
def test_a_name_that_cannot_change_says_why(town: OpenWorkspace, path: str, where: str, reason: str) -> None:
    put(town, "menu.yaml", TOWN["menu"].replace("id: G-2, ", ""))
    with pytest.raises(CannotRename, match=reason):
        prepare_rename(town, path, at(town, path, where))


ANCHORS = """\
kind: Menu
items:
  - &fries {name: Fries, modifierGroups: !!seq &sizes [Sizes]}
  - {<<: *fries, name: "*fries &fries"}  # *fries
  - {name: Rings, modifierGroups: *sizes}
modifierGroups: &fries
  - &one {name: Sizes}
---
kind: Menu
items: [&fries {name: Other}]
"""


@pytest.fixture
def anchored(tmp_path: Path) -> OpenWorkspace:
    return opened(tmp_path, menu=ANCHORS)


def _anchor_lines(anchored: OpenWorkspace, where: str, ask: object = goto_definition) -> list[str]:
    assert callable(ask)
    found = ask(anchored, "menu.yaml", at(anchored, "menu.yaml", where))
    return [f"{location['range'].start.line}:{words(anchored, 'menu.yaml', location['range'])}" for location in found]


@pytest.mark.parametrize("where", ["*fr|ies", "|*fries, name", "<<: *fries|", "&fr|ies {name: Fries"])
def test_an_alias_leads_to_its_anchor(anchored: OpenWorkspace, where: str) -> None:
    assert _anchor_lines(anchored, where) == ["3:fries"]


def test_an_anchor_behind_a_tag(anchored: OpenWorkspace) -> None:
    assert _anchor_lines(anchored, "modifierGroups: *si|zes") == ["3:sizes"]


def test_an_anchor_is_referred_to_by_its_aliases(anchored: OpenWorkspace) -> None:
    assert _anchor_lines(anchored, "&fr|ies {name: Fries", references) == ["3:fries", "4:fries"]


def test_a_name_given_again_is_another_anchor(anchored: OpenWorkspace) -> None:
    assert _anchor_lines(anchored, "modifierGroups: &fr|ies", references) == ["6:fries"]


def test_a_sign_in_a_text_is_none(anchored: OpenWorkspace) -> None:
    assert _anchor_lines(anchored, '"*fr|ies &fries"') == ["4:*fries &fries"]


def test_another_name_for_an_anchor_and_its_aliases(anchored: OpenWorkspace) -> None:
    (edits,) = rename(anchored, "menu.yaml", at(anchored, "menu.yaml", "*si|zes"), "all-sizes").values()
    assert edited(anchored, "menu.yaml", edits) == anchored.files.bytes_of("menu.yaml").decode().replace(
        "&sizes", "&all-sizes"
    ).replace("*sizes", "*all-sizes")
    found = prepare_rename(anchored, "menu.yaml", at(anchored, "menu.yaml", "*si|zes"))
    assert found is not None
    assert (found["placeholder"], words(anchored, "menu.yaml", found["range"])) == ("sizes", "sizes")


@pytest.mark.parametrize(
    ("name", "reason"), [("a b", "is not a valid anchor name"), ("fries", "this document already has")]
)
def test_a_name_that_an_anchor_cannot_have(anchored: OpenWorkspace, name: str, reason: str) -> None:
    with pytest.raises(CannotRename, match=reason):
        rename(anchored, "menu.yaml", at(anchored, "menu.yaml", "*si|zes"), name)
