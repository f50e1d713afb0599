"""Which menus a config is compared with, and what they leave open."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import told
from trialrun.lint.rule_support.brand_facts import format_value, summarize
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.model.validate import validate
from trialrun.parser import parse
from trialrun.runtime.channel_config.active_config import plain_config

CONFIG = """\
kind: ChannelConfig
name: {name}
type: AGENT_CUSTOMIZATION
operationsConfig:
  disambiguationStrategy: {{mappings: [{{type: SINGLE_TARGET, customerTerms: [x], targets: [{target}]}}]}}
"""
IN_ACME = "projects/p/locations/l/brands/acme/channelConfigs/c"
FRIES = "{kind: Menu, items: [{name: Fries, id: F1}]}"


def config(target: str, name: str = IN_ACME) -> tuple[str, str]:
    return ("config.yaml", CONFIG.format(name=name, target=target))


def menu(*documents: str) -> tuple[str, str]:
    return ("menu.yaml", "\n".join(f"- {document}" for document in documents))


@each_of(
    [
        ("acme", IN_ACME, True),
        ("projects/p/locations/l/brands/acme", IN_ACME, True),
        ("projects/q/locations/l/brands/acme", IN_ACME, False),
        ("acm", IN_ACME, False),
        ("cme", IN_ACME, False),
        ("other", IN_ACME, False),
        ("other", "c", True),
        ("''", IN_ACME, True),
    ]
)
def test_a_config_is_compared_with_the_menu_of_its_brand(brand: str, name: str, is_compared: bool) -> None:
    of_brand = menu(f"{{kind: Menu, brand: {brand}, items: [{{name: Fries}}]}}")
    assert bool(told("unknown-menu-item", [of_brand, config("{itemName: Soda}", name)])) == is_compared


def test_the_menus_of_a_brand_and_of_none_count_together() -> None:
    menus = menu("{kind: Menu, brand: acme, items: [{name: Soda}]}", "{kind: Menu, items: [{name: Fries}]}")
    other = menu("{kind: Menu, brand: other, items: [{name: Pie}]}")
    files = [menus, ("other.yaml", other[1]), config("{itemName: Soda}, {itemName: Fries}, {itemName: Pie}")]
    assert [finding.split(" ", 1)[1] for finding in told("unknown-menu-item", files)] == [
        'the menu has no item "Pie"; add it to the menu, or name another'
    ]


@each_of(
    [
        pytest.param("{kind: Menu}", id="no items at all"),
        pytest.param("{kind: Menu, items: [{name: Fries}, Soda]}", id="an item that was refused"),
        pytest.param("{kind: Menu, items: [{name: Fries}, {name: 7}]}", id="a name that was refused"),
        pytest.param("{kind: Menu, items: Fries}", id="items that were refused"),
        pytest.param("{kind: Menu, dishes: [{name: Fries}]}", id="a list of another name"),
        pytest.param("{kind: Menu, brand: 7, items: [{name: Fries}]}", id="a brand that was refused"),
    ]
)
def test_a_menu_that_does_not_say_all_says_nothing_of_what_it_lacks(document: str) -> None:
    assert told("unknown-menu-item", [menu(document), config("{itemName: Soda}")]) == []


def test_a_misspelt_list_says_what_there_is() -> None:
    menus = menu("{kind: Menu, itmes: [{name: Fries}]}")
    assert told("unknown-menu-item", [menus, config("{itemName: Fries}")]) == []
    assert len(told("unknown-menu-item", [menus, config("{itemName: Soda}")])) == 1


def test_one_of_several_menus_that_does_not_say_all_is_enough() -> None:
    menus = menu("{kind: Menu, items: [{name: Fries}]}", "{kind: Menu, items: [{name: Pie}, 7]}")
    assert told("unknown-menu-item", [menus, config("{itemName: Soda}")]) == []


def test_a_line_that_could_not_be_read_may_hold_the_item() -> None:
    broken = ("menu.yaml", 'kind: Menu\nitems:\n  - {name: Fries}\n  - {name: "Soda}\n')
    assert told("unknown-menu-item", [broken, config("{itemName: Soda}")]) == []


def test_an_empty_list_says_that_there_is_nothing() -> None:
    assert len(told("unknown-menu-item", [menu("{kind: Menu, items: []}"), config("{itemName: Soda}")])) == 1


def test_ids_are_compared_where_some_item_has_one() -> None:
    target = config("{itemName: Fries, itemId: F9}")
    assert told("unknown-menu-item", [menu("{kind: Menu, items: [{name: Fries}]}"), target]) == []
    assert len(told("unknown-menu-item", [menu(FRIES), target])) == 1


@each_of(["fries", "FRIES", "' Fries'", "'Fries '", "Fri es"])
def test_names_are_compared_as_they_are_written(name: str) -> None:
    (one,) = told("unknown-menu-item", [menu(FRIES), config(f"{{itemName: {name}}}")])
    assert one.endswith('did you mean "Fries"?')


def test_the_form_of_characters_makes_no_difference() -> None:
    menu_of = menu('{kind: Menu, items: [{name: "Caf\\u00e9"}]}')
    assert told("unknown-menu-item", [menu_of, config('{itemName: "Cafe\\u0301"}')]) == []


@each_of(
    [
        ("{itemName: Fries, itemId: S1}", ['the id "S1" belongs to the item "Soda", not to "Fries"; write "F1"']),
        ("{itemName: Fries, itemId: F1}", []),
        ("{itemName: Fries, itemId: F2}", []),
        ("{itemName: Pie, itemId: S1}", []),
        ("{itemName: Fries, itemId: X}", []),
        ("{itemName: Tea, itemId: S1}", ['the id "S1" belongs to the item "Soda", not to "Tea"; correct one of them']),
    ]
)
def test_a_name_and_an_id_mean_one_entry(target: str, expected: list[str]) -> None:
    items = "{name: Fries, id: F1}, {name: Fries, id: F2}, {name: Soda, id: S1}, {name: Tea}"
    found = told("menu-id-mismatch", [menu(f"{{kind: Menu, items: [{items}]}}"), config(target)])
    assert [one.split(" ", 1)[1] for one in found] == expected


NAMED = """
    kind: Menu
    items:
      - {displayName: Fries, semanticName: french_fries, id: F1}
      - {name: French fries XL, displayName: Fries XL, semanticName: Fries, id: F2}
      - {name: Pie}
    modifierGroups:
      - {displayName: Size, semanticName: portion, modifiers: [{displayName: Large, semanticName: large_size}]}
"""
UPSELL = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/c
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            celUpsell: {{conditionExpression: "true", suggestedMenuItems: {suggested}, suggestedModifiers: {modifiers}}}
          - priority: 2
            greetingOffer: {{messages: [{{upsoldItems: {upsold}, messageConfigs: []}}]}}
"""


def named(suggested: str = "[]", upsold: str = "[]", modifiers: str = "[]") -> list[str]:
    text = UPSELL.format(suggested=suggested, upsold=upsold, modifiers=modifiers)
    found = told("unknown-menu-item", [("menu.yaml", NAMED), ("config.yaml", text)])
    return [finding.split(" ", 1)[1] for finding in found]


@pytest.mark.parametrize(
    ("suggested", "upsold"),
    [
        pytest.param("[french_fries, Pie]", "[Fries, Pie]", id="each by the form that is expected"),
        pytest.param("[Fries]", "[Fries]", id="a semantic name of one item that is the name of another"),
        pytest.param("[]", "[French fries XL, Fries XL]", id="a name beside the display name"),
    ],
)
def test_items_are_compared_by_the_form_of_name_that_the_specification_has(suggested: str, upsold: str) -> None:
    assert named(suggested, upsold) == []


def test_the_other_form_of_name_is_a_note() -> None:
    assert named("[Fries XL]", "[french_fries]", "[Large]") == [
        '"Fries XL" is the name of this item, and its semantic name is expected here; write "Fries"',
        '"Large" is the name of this modifier, and its semantic name is expected here; write "large_size"',
        '"french_fries" is the semantic name of this item, and its name is expected here; write "Fries"',
    ]


def test_what_has_neither_form_is_unknown() -> None:
    assert named("[F1, frenchfries]", "[F1, Tofu]") == [
        'the menu has no item "F1", which is an id; write "french_fries"',
        'the menu has no item "frenchfries"; did you mean "french_fries"?',
        'the menu has no item "F1", which is an id; write "Fries"',
        'the menu has no item "Tofu"; add it to the menu, or name another',
    ]


def test_an_id_beside_a_name_or_semantic_name_is_that_of_the_same_item() -> None:
    files = [("menu.yaml", NAMED)]
    assert told("menu-id-mismatch", [*files, config("{itemName: french_fries, itemId: F1}")]) == []
    assert told("menu-id-mismatch", [*files, config("{itemName: Fries XL, itemId: F2}")]) == []
    (finding,) = told("menu-id-mismatch", [*files, config("{itemName: Fries, itemId: F2}")])
    assert finding.endswith('the id "F2" belongs to the item "Fries XL", not to "Fries"; write "F1"')


def test_a_condition_is_compared_with_what_items_are_called() -> None:
    text = UPSELL.format(suggested="[Pie]", modifiers="[]", upsold="[Pie]")
    for name, is_known in (("Fries XL", True), ("French fries XL", False), ("french_fries", False)):
        condition = f"order.items.exists(i, i.displayName == '{name}')"
        files = [("menu.yaml", NAMED), ("config.yaml", text.replace('"true"', f'"{condition}"'))]
        assert (told("unknown-menu-item", files) == []) == is_known


PARTS = """
- {kind: Menu,
   modifierGroups: [{name: Size, id: G1, modifiers: [{name: Large}]}, {name: Sauce, modifiers: [{name: Ranch}]}],
   items: [{name: Fries, modifierGroups: [G1]}, {name: Pie, modifierGroups: []}, {name: Tea}]}
"""


@each_of(
    [
        ("{itemName: Fries, modifiers: [{modifierName: Large}]}", None),
        ("{itemName: Fries, modifiers: [{modifierName: Large, modifierGroupName: Size}]}", None),
        ("{itemName: Fries, modifiers: [{modifierName: Large, modifierGroupId: G1}]}", None),
        ("{itemName: Tea, modifiers: [{modifierName: Large}]}", None),
        ("{itemName: Fries, modifiers: [{modifierName: Ranch}]}", '"Fries" does not take the modifier "Ranch"'),
        ("{itemName: Pie, modifiers: [{modifierName: Large}]}", '"Pie" does not take the modifier "Large"'),
        (
            "{itemName: Fries, modifiers: [{modifierName: Ranch, modifierGroupName: Sauce}]}",
            '"Fries" does not take the modifier group "Sauce"',
        ),
    ]
)
def test_a_modifier_is_one_that_its_item_takes(target: str, message: str | None) -> None:
    found = told("unknown-menu-item", [("menu.yaml", PARTS), config(target)])
    assert [finding.split(" ", 1)[1] for finding in found] == (
        [f"{message}, so it is left out; name one that fits"] if message else []
    )


SUGGESTING = """
kind: ChannelConfig
name: projects/p/locations/l/brands/acme/channelConfigs/c
operationsConfig: {{upsellStrategy: {{upsells: [{{priority: 1, celUpsell: {{suggestedMenuItems: {items}, {rest}}}}}]}}}}
"""


@each_of(
    [
        ("[Fries]", "suggestedModifiers: [Large]", []),
        (
            "[Fries]",
            "suggestedModifierGroups: [{name: Size}, {name: Sauce}]",
            ['"Fries" does not take the modifier gr'],
        ),
        ("[Fries, Pie]", "suggestedModifiers: [Large, Ranch]", ["the suggested items do not take the modifier"]),
        ("[Pie, Tea]", "suggestedModifiers: [Large]", []),
    ]
)
def test_a_suggested_modifier_is_one_that_an_item_takes(items: str, rest: str, messages: list[str]) -> None:
    text = SUGGESTING.format(items=items, rest=rest)
    found = told("unknown-menu-item", [("menu.yaml", PARTS), ("config.yaml", text)])
    assert len(found) == len(messages)
    assert all(message in finding for message, finding in zip(messages, found, strict=True))


CHANNELS = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "burger-brand" / "channels"
CONFIGS = [
    validate(document.value, ChannelConfig).node
    for path in sorted(CHANNELS.iterdir())
    for document in parse(path.read_bytes(), path.name).documents
]


def keys(value: Any, field: str = "") -> Any:
    """The fields that are set, items only of lists whose items are told apart; names of strategies are left out."""
    if isinstance(value, dict):
        labels = ("displayName", "description") if field == "operationsConfig" else ()
        return {name: keys(one, name) for name, one in value.items() if name not in labels}
    return [keys(one) for one in value] if field in ("upsells", "greetings") else isinstance(value, list)


@each_of(CONFIGS)
def test_an_outline_has_the_fields_that_the_runtime_sees(config: ChannelConfig) -> None:
    assert keys(summarize(config, without=CHANNEL_CONFIG_IDENTITY).value) == keys(plain_config(config))


@pytest.mark.parametrize(
    "value",
    [
        {"tone": "FRENDLY"},
        {"operationsConfig": {"greetings": [7, {"languageCode": "en"}]}},
        {"operationsConfig": {"disambiguationStrategy": {"mappings": [{"type": "SINGLE_TARGET", "targets": [7]}]}}},
    ],
)
def test_an_outline_says_that_some_of_the_config_was_refused(value: dict[str, Any]) -> None:
    assert summarize(validate(value, ChannelConfig).node).is_partial


def test_a_long_value_is_shown_by_its_beginning() -> None:
    config = {"supplementalInstructions": {"freeformInstructions": "Keep it short: people are hungry, and so are you."}}
    told = summarize(validate(config, ChannelConfig).node).value["supplementalInstructions"]["freeformInstructions"]
    assert format_value(told) == '"Keep it short: people ar…"'
    assert [format_value(one) for one in ("FRIENDLY", 3, False)] == ['"FRIENDLY"', "3", "false"]
