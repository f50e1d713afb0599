"""Offers of what is certainly never sold, and what is not certain."""

from __future__ import annotations

import pytest

from tests.lint.workspace_findings import told
from trialrun.lint.rule_support.condition_dayparts import condition_dayparts

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


def found(*menus: str, config: str = "everyday", condition: str = "true", disabled: str = "false") -> list[str]:
    files = [(f"menu{number}.yaml", f"kind: Menu\n{menu}") for number, menu in enumerate(menus)]
    text = CONFIG.format(name=f"{NAME}/{config}", condition=condition, disabled=disabled)
    findings = told("unavailable-menu-item", [("brand.yaml", BRAND), ("config.yaml", text), *files])
    return [finding.partition(" is never available here: ")[2].partition(";")[0] for finding in findings]


def fries(availability: str, head: str = "") -> str:
    return f"{head}items: [{{name: Fries, availability: {availability}}}]"


@pytest.mark.parametrize(
    ("menu", "config", "reason"),
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
    ],
)
def test_what_is_never_sold_where_a_config_applies(menu: str, config: str, reason: str) -> None:
    assert found(menu, config=config) == [reason]


@pytest.mark.parametrize(
    "menu",
    [
        fries("{}"),
        fries("{soldOut: false}"),
        fries("{stores: [boston]}"),
        fries("{exceptStores: [austin]}"),
        fries("{hours: [{start: '06:00', end: '10:30'}]}"),
        fries("{dayparts: [breakfast]}"),
        fries("{stores: [7]}"),
        fries("{soldOut: 'maybe'}"),
    ],
)
def test_what_may_be_sold_is_not_reported(menu: str) -> None:
    assert found(menu) == []


def test_another_menu_may_sell_it() -> None:
    assert found(fries("{stores: [dallas]}"), "items: [{name: Fries}]") == []
    assert found(fries("{stores: [dallas]}"), fries("{stores: [austin]}")) == []
    assert found(fries("{stores: [dallas]}"), fries("{soldOut: true}")) == [
        "none of the 2 stores of this config sells it"
    ]


def test_an_upsell_that_is_disabled_offers_nothing() -> None:
    assert found(fries("{soldOut: true}"), disabled="true") == []


@pytest.mark.parametrize(
    ("condition", "is_apart"),
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
    ],
)
def test_a_condition_that_asks_for_another_daypart(condition: str, is_apart: bool) -> None:
    assert bool(found(fries("{dayparts: [breakfast]}"), condition=condition)) == is_apart


def test_dayparts_of_a_condition() -> None:
    assert condition_dayparts("session.daypartId in ['a', 'b'] && order.subtotal > 1.0") == ("a", "b")
    assert condition_dayparts("other.daypartId == 'a'") == ()
