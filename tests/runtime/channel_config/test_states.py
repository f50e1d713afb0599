"""The states of configs: what uses them, and what that makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trialrun.model.companion import Brand
from trialrun.runtime.channel_config.states import ConfigNames, Use, Uses, state_of, uses

LUNCH = "projects/p/locations/l/brands/acme/channelConfigs/lunch"
AUSTIN = {"name": "austin"}


def of_lunch(*others: str, **brand: object) -> Sequence[Use]:
    return Uses(uses(Brand.model_validate(brand)), ConfigNames([LUNCH, *others])).of(LUNCH)


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
    assert (use.level, use.steps, state_of([use])) == (level, steps, "ACTIVE")


def test_a_config_that_nothing_names_is_a_draft() -> None:
    assert state_of(of_lunch(defaults=["dinner"])) == "DRAFT"


@pytest.mark.parametrize("brand", [{}, {"defaults": [LUNCH]}])
def test_a_promoted_config_is_promoted_whether_it_is_used_or_not(brand: dict[str, object]) -> None:
    assert state_of(of_lunch(**brand), is_promoted=True) == "PROMOTED"


@pytest.mark.parametrize(
    ("written", "is_named"),
    [("lunch", True), ("channelConfigs/lunch", True), ("long-lunch", False), (LUNCH.replace("acme", "acne"), False)],
)
def test_a_config_is_named_by_the_end_of_its_name(written: str, is_named: bool) -> None:
    assert bool(of_lunch(defaults=[written])) == is_named


@pytest.mark.parametrize(("brand", "is_named"), [("acme", True), ("bistro", False), ("cafe", True)])
def test_of_configs_that_share_an_end_a_brand_means_its_own(brand: str, is_named: bool) -> None:
    assert bool(of_lunch(LUNCH.replace("acme", "bistro"), name=brand, defaults=["lunch"])) == is_named


def test_a_use_tells_its_rule_and_whose_it_is() -> None:
    noon, late = ({"rule": rule, "channelConfig": "lunch"} for rule in ("noon", "late"))
    used = of_lunch(name="acme", defaults=["lunch"], bindings=[noon], stores=[{**AUSTIN, "bindings": [late]}])
    assert [(use.rule, use.brand, use.store) for use in used] == [
        (None, "acme", None),
        ("noon", "acme", None),
        ("late", "acme", "austin"),
    ]
