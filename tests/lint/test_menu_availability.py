"""Offers of what is certainly never sold, and what is not certain."""

from time import process_time

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import told
from trialrun.lint.rule_support.menu_availability import condition_dayparts
from trialrun.lint.workspace_rules import REST_ON_ABSENCE

NAME = "projects/p/locations/l/brands/acme/channelConfigs"
BRAND = """
kind: Brand
name: acme
defaults: [everyday]
stores: [{name: austin}, {name: boston, bindings: [{rule: r, channelConfig: night}]}]
"""
CONFIG = """
kind: ChannelConfig
name: {name}
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: fries
        priority: 1
        disabled: {disabled}
        celUpsell: {{conditionExpression: "{condition}", suggestedMenuItems: [Fries]}}
"""


def found(
    *menus: str, config: str = "everyday", condition: str = "true", disabled: str = "false", brand: str = BRAND
) -> list[str]:
    files = [(f"menu{number}.yaml", f"kind: Menu\n{menu}") for number, menu in enumerate(menus)]
    text = CONFIG.format(name=f"{NAME}/{config}", condition=condition, disabled=disabled)
    findings = told("unavailable-menu-item", [("brand.yaml", brand), ("config.yaml", text), *files])
    return [finding.partition(" is never available here: ")[2].partition(";")[0] for finding in findings]


def fries(availability: str, head: str = "") -> str:
    return f"{head}items: [{{name: Fries, availability: {availability}}}]"


@each_of(
    [
        (fries("{soldOut: true}"), "everyday", "it is sold out"),
        (fries("{}", "availability: {soldOut: true}\n"), "everyday", "it is sold out"),
        (fries("{stores: [dallas]}"), "everyday", "none of the 2 stores of this config sells it"),
        (fries("{exceptStores: [austin, boston]}"), "everyday", "none of the 2 stores of this config sells it"),
        (fries("{stores: [austin]}"), "night", "the one store of this config does not sell it"),
        (fries("{}", "availability: {stores: [austin]}\n"), "night", "the one store of this config does not sell it"),
        (
            fries("{stores: [boston]}", "availability: {stores: [austin]}\n"),
            "everyday",
            "none of the 2 stores of this config sells it",
        ),
    ]
)
def test_what_is_never_sold_where_a_config_applies(menu: str, config: str, reason: str) -> None:
    assert found(menu, config=config) == [reason]


@each_of(
    [
        fries("{}"),
        fries("{soldOut: false}"),
        fries("{stores: [boston]}"),
        fries("{exceptStores: [austin]}"),
        fries("{hours: [{start: '06:00', end: '10:30'}]}"),
        fries("{dayparts: [breakfast]}"),
        fries("{stores: [7]}"),
        fries("{soldOut: 'maybe'}"),
    ]
)
def test_what_may_be_sold_is_not_reported(menu: str) -> None:
    assert found(menu) == []


def test_another_menu_may_sell_it() -> None:
    assert found(fries("{stores: [dallas]}"), "items: [{name: Fries}]") == []
    assert found(fries("{stores: [dallas]}"), fries("{stores: [austin]}")) == []
    assert found(fries("{stores: [dallas]}"), fries("{soldOut: true}")) == [
        "none of the 2 stores of this config sells it"
    ]


@pytest.mark.parametrize(
    "menus",
    [
        ("items: [{name: Fries, id: F1, availability: {soldOut: true}}]", "items: [{name: Chips, id: F1}]"),
        ("items: [{name: Chips, semanticName: Fries, availability: {soldOut: true}}]", "items: [{name: Chips}]"),
        ("items: [{name: Fries, availability: {soldOut: true}}]", "items: [{name: Chips, semanticName: Fries}]"),
        ("items: [{name: Fries, availability: {soldOut: true}}]", "items: [{name: Chips, id: Fries}]"),
        ("items: [{name: Fries, availability: {soldOut: true}}]", "items: [{price: 7}]"),
    ],
)
def test_an_item_that_is_the_same_by_id_or_by_another_name_may_be_sold(menus: tuple[str, str]) -> None:
    assert found(menus[0]) == ["it is sold out"]
    assert found(*menus) == []


def test_what_the_menu_of_another_brand_may_sell_that_uses_the_config() -> None:
    other = "{kind: Brand, name: other, defaults: [everyday], stores: [{name: lyon}]}"
    sold_out = fries("{soldOut: true}", "brand: acme\n")
    assert found(sold_out, brand=f"{BRAND}---\n{other}") == []
    menus = sold_out, fries("{soldOut: true}", "brand: other\n")
    assert found(*menus, brand=f"{BRAND}---\n{other}") == ["it is sold out"]
    assert found(menus[0], fries("{}", "brand: other\n"), brand=f"{BRAND}---\n{other}") == []


@each_of(
    [
        ("{displayName: fries, celUpsell: {conditionExpression: 'true'}}", False),
        ("{priority: 1, celUpsell: {conditionExpression: 'true'}}", False),
        ("{displayName: shake, priority: 1, celUpsell: {conditionExpression: 'true'}}", True),
        ("{displayName: shake, priority: 2, celUpsell: {conditionExpression: 'true'}}", True),
    ]
)
def test_a_condition_that_another_config_overrides(upsell: str, is_certain: bool) -> None:
    other = CONFIG.partition("    upsells:")[0].format(name=f"{NAME}/night")
    brand = f"{BRAND}---\n{other}    upsells: [{upsell}]\n"
    menu = fries("{dayparts: [breakfast]}")
    assert bool(found(menu, brand=brand, condition="session.daypartId == 'lunch'")) == is_certain


def test_a_file_that_cannot_be_read_may_have_a_menu_that_sells_it() -> None:
    assert "unavailable-menu-item" in REST_ON_ABSENCE


LIMITED = (
    CONFIG.format(name=f"{NAME}/limited", condition="true", disabled="false").replace(
        "    upsells:\n", "    maxUpsellOffers: 1\n    upsells:\n"
    )
    + """
      - displayName: cola
        priority: 2
        celUpsell: {conditionExpression: order.items.size() > 1, suggestedMenuItems: [Cola]}
"""
)


@each_of([("{soldOut: false}", 1), ("{soldOut: false, days: [FUNDAY]}", 0), ("{soldOut: false, zone: x}", 0)])
def test_an_unknown_key_may_restrict_an_item(availability: str, unreachable: int) -> None:
    menu = f"kind: Menu\n{fries(availability)}"
    assert len(told("unreachable-upsell", [("config.yaml", LIMITED), ("menu.yaml", menu)])) == unreachable


def test_long_lists_of_stores_take_no_time_for_each_item() -> None:
    stores = [f"s{number}" for number in range(2000)]
    items = ", ".join(f"{{name: Item {number}}}" for number in range(300))
    offers = ", ".join(f"Item {number}" for number in range(300))
    brand = (
        f"{{kind: Brand, name: acme, defaults: [everyday], stores: [{', '.join(f'{{name: {s}}}' for s in stores)}]}}"
    )
    menu = f"availability: {{exceptStores: [{', '.join(stores)}]}}\nitems: [{items}]"
    text = CONFIG.format(name=f"{NAME}/everyday", condition="true", disabled="false").replace("[Fries]", f"[{offers}]")
    files = [("brand.yaml", brand), ("config.yaml", text), ("menu.yaml", f"kind: Menu\n{menu}")]
    begin = process_time()
    assert len(told("unavailable-menu-item", files)) == 300
    assert process_time() - begin < 10


def test_a_message_names_a_few_dayparts() -> None:
    menu = fries(f"{{dayparts: [{', '.join(f'd{number}' for number in range(99))}]}}")
    condition = "session.daypartId == 'lunch' || session.daypartId == 'lunch'"
    sold = "d0 and d1 and d2 and d3 and d4 and others"
    assert found(menu, condition=condition) == [f"it is sold at {sold}, and the condition asks for lunch"]


def test_an_upsell_that_is_disabled_offers_nothing() -> None:
    assert found(fries("{soldOut: true}"), disabled="true") == []


@each_of(
    [
        ("session.daypartId == 'lunch'", True),
        ("'lunch' == session.daypartId && order.subtotal > 5.0", True),
        ("session.daypartId in ['lunch', 'dinner']", True),
        ("session.daypartId == 'lunch' || session.daypartId == 'dinner'", True),
        ("session.daypartId in ['lunch', 'breakfast']", False),
        ("session.daypartId == 'lunch' || order.subtotal > 5.0", False),
        ("session.daypartId != 'breakfast'", False),
        ("!(session.daypartId == 'lunch')", False),
        ("session.daypartId == session.channelType", False),
        ("session.daypartId ==", False),
    ]
)
def test_a_condition_that_asks_for_another_daypart(condition: str, is_apart: bool) -> None:
    assert bool(found(fries("{dayparts: [breakfast]}"), condition=condition)) == is_apart


def test_dayparts_of_a_condition() -> None:
    assert condition_dayparts("session.daypartId in ['a', 'b'] && order.subtotal > 1.0") == ("a", "b")
    assert condition_dayparts("other.daypartId == 'a'") == ()
