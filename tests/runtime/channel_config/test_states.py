"""The states of configs: what uses them, and what that makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.runtime.channel_config.brands import brands
from trialrun.model.companion import Brand
from trialrun.runtime.channel_config.layers import ConfigNames, ConfigUse, ConfigUses, config_state, config_uses, layers

LUNCH = "projects/p/locations/l/brands/acme/channelConfigs/lunch"
AUSTIN = {"name": "austin"}
NAMES = [f"projects/p/locations/l/brands/{brand}/channelConfigs/{id_}" for brand in ("acme", "cafe") for id_ in "ab"]
WRITTEN = some.sampled_from([*NAMES, "a", "b", "c", "channelConfigs/a"])
LEVEL = some.fixed_dictionaries(
    {
        "defaults": some.lists(WRITTEN, max_size=2),
        "bindings": some.lists(some.fixed_dictionaries({"rule": some.just("r"), "channelConfig": WRITTEN}), max_size=2),
    }
)


def of_lunch(*others: str, **brand: object) -> Sequence[ConfigUse]:
    return ConfigUses(config_uses(Brand.model_validate(brand)), ConfigNames([LUNCH, *others])).uses_of(LUNCH)


@pytest.mark.parametrize(
    ("brand", "level", "steps"),
    [
        ({"defaults": [LUNCH]}, "brand-default", ("defaults", 0)),
        ({"bindings": [{"rule": "noon", "channelConfig": LUNCH}]}, "brand-binding", ("bindings", 0, "channelConfig")),
        ({"stores": [{**AUSTIN, "defaults": ["x", LUNCH]}]}, "store-default", ("stores", 0, "defaults", 1)),
        (
            {"stores": [{**AUSTIN, "bindings": [{"rule": "noon", "channelConfig": LUNCH}]}]},
            "store-binding",
            ("stores", 0, "bindings", 0, "channelConfig"),
        ),
    ],
)
def test_a_default_or_a_binding_of_any_level_makes_a_config_active(
    brand: dict[str, object], level: str, steps: tuple[str | int, ...]
) -> None:
    (use,) = of_lunch(**brand)
    assert (use.level, use.path, config_state([use])) == (level, steps, "ACTIVE")


def test_a_config_that_nothing_names_is_a_draft() -> None:
    assert config_state(of_lunch(defaults=["dinner"])) == "DRAFT"


@pytest.mark.parametrize("brand", [{}, {"defaults": [LUNCH]}])
def test_a_promoted_config_is_promoted_whether_it_is_used_or_not(brand: dict[str, object]) -> None:
    assert config_state(of_lunch(**brand), is_promoted=True) == "PROMOTED"


@pytest.mark.parametrize(
    ("written", "is_named"),
    [("lunch", True), ("channelConfigs/lunch", True), ("long-lunch", False), (LUNCH.replace("acme", "acne"), False)],
)
def test_a_config_is_named_by_the_end_of_its_name(written: str, is_named: bool) -> None:
    assert bool(of_lunch(defaults=[written])) == is_named


@pytest.mark.parametrize(("brand", "is_named"), [("acme", True), ("bistro", False), ("cafe", True)])
def test_of_configs_that_share_an_end_a_brand_means_its_own(brand: str, is_named: bool) -> None:
    assert bool(of_lunch(LUNCH.replace("acme", "bistro"), name=brand, defaults=["lunch"])) == is_named


def test_a_config_of_exactly_the_name_is_meant_and_no_other() -> None:
    assert ConfigNames([LUNCH, "lunch"]).resolve("lunch", "acme") == ["lunch"]


def test_a_use_tells_its_rule_and_whose_it_is() -> None:
    noon, late = ({"rule": rule, "channelConfig": "lunch"} for rule in ("noon", "late"))
    used = of_lunch(name="acme", defaults=["lunch"], bindings=[noon], stores=[{**AUSTIN, "bindings": [late]}])
    assert [(use.rule, use.brand, use.store) for use in used] == [
        (None, "acme", None),
        ("noon", "acme", None),
        ("late", "acme", "austin"),
    ]


@given(some.sampled_from(["acme", "projects/p/locations/l/brands/acme", "bistro"]), LEVEL, LEVEL)
def test_what_plain_names_make_active_is_what_applies_at_the_one_store_of_a_brand(
    name: str, of_brand: dict[str, Any], of_store: dict[str, Any]
) -> None:
    document = {"kind": "Brand", "name": name, **of_brand, "stores": [{**AUSTIN, **of_store}]}
    configs = [{"kind": "ChannelConfig", "name": name, "type": "UPSELL_STRATEGY"} for name in NAMES]
    catalog = brands(*map(json.dumps, [document, *configs]))
    names = ConfigNames(NAMES)
    plain = [use for use in config_uses(catalog.brands[0].node) if len(names.resolve(use.config, name)) == 1]
    used = ConfigUses(plain, names)
    applied = {layer.config.node.name for layer in layers(catalog.stores[0], catalog)}
    assert {name: config_state(used.uses_of(name)) == "ACTIVE" for name in NAMES} == {
        name: name in applied for name in NAMES
    }
