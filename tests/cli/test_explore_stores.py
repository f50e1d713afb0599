"""`trialrun explore --all-stores`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.program import Run

NAME = "projects/p/locations/l/brands/b"
AT = ("--at", "2026-11-22", "--sessions", "20")
BRAND = f"""\
kind: Brand
name: {NAME}
defaults: [sides]
stores: [{{name: a}}, {{name: b}}, {{name: c, tags: [city]}}]
bindings: [{{rule: city, channelConfig: quick, stores: {{tags: [city]}}}}]
---
kind: Menu
brand: {NAME}
items: [{{name: Burger, price: 6.10}}, {{name: Fries, price: 2.20}}]
---
kind: ChannelConfig
name: {NAME}/channelConfigs/sides
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: Fries
        priority: 1
        celUpsell: {{conditionExpression: "CONDITION", suggestedMenuItems: [Fries]}}
---
kind: ChannelConfig
name: {NAME}/channelConfigs/quick
type: UPSELL_STRATEGY
operationsConfig: {{upsellStrategy: {{maxUpsellOffers: 3}}}}
"""
CONDITION = "order.items.size() > 0"


def write(folder: Path, condition: str = CONDITION) -> None:
    (folder / "brand.yaml").write_text(BRAND.replace("CONDITION", condition))


def explored(run: Run, *options: str) -> Any:
    return json.loads(run("explore", "--all-stores", "--output-format", "json", *AT, *options).out)


def test_equal_stores_are_explored_once(run: Run, tmp_path: Path) -> None:
    write(tmp_path)
    found = explored(run)
    assert [group["stores"] for group in found["groups"]] == [["a", "b"], ["c"]]
    assert (found["stores"], found["summary"]) == (3, {"error": 0, "warning": 1, "note": 1})


@pytest.mark.parametrize("condition", first_of(["[session].exists(s, s.store == 'a')", "session.store == 'a'"]))
def test_stores_that_a_condition_can_tell_apart_are_explored_each(run: Run, tmp_path: Path, condition: str) -> None:
    write(tmp_path, condition)
    assert [group["stores"] for group in explored(run)["groups"]] == [["a"], ["b"], ["c"]]


def test_the_text_names_equal_stores(run: Run, tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("explore", "--all-stores", *AT)
    assert (ran.code, ran.out.count("  the same at b\n"), ran.out.count("customers: ")) == (0, 1, 1)


def test_a_store_with_errors_does_not_hide_the_others(run: Run, tmp_path: Path) -> None:
    write(tmp_path)
    text = (tmp_path / "brand.yaml").read_text()
    (tmp_path / "brand.yaml").write_text(text.replace("maxUpsellOffers: 3", "maxUpsellOffers: many"))
    ran = run("explore", "--all-stores", "--output-format", "json", *AT)
    groups = json.loads(ran.out)["groups"]
    assert ran.code == 1
    assert [("result" in group, "errors" in group) for group in groups] == [(True, False), (False, True)]


@pytest.mark.parametrize("arguments", [(), ("a", "--all-stores")])
def test_one_store_or_all(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path)
    assert run("explore", *arguments).err == "error: give either a STORE or --all-stores\n"


@pytest.mark.parametrize(
    ("availability", "groups"),
    first_of(
        [
            ("{stores: [a, c]}", [["a"], ["b"], ["c"]]),
            ("{stores: [a, b]}", [["a", "b"], ["c"]]),
            ("{exceptStores: [b]}", [["a"], ["b"], ["c"]]),
            ("{soldOut: true}", [["a", "b"], ["c"]]),
        ],
        2,
    ),
)
def test_stores_that_sell_other_items_are_explored_each(
    run: Run, tmp_path: Path, availability: str, groups: list[list[str]]
) -> None:
    text = BRAND.replace("CONDITION", CONDITION)
    fries = f"{{name: Fries, price: 2.20, availability: {availability}}}"
    (tmp_path / "brand.yaml").write_text(text.replace("{name: Fries, price: 2.20}", fries))
    assert [group["stores"] for group in explored(run)["groups"]] == groups


def test_stores_in_other_time_zones_are_explored_each_where_the_menu_depends_on_the_time(
    run: Run, tmp_path: Path
) -> None:
    text = BRAND.replace("CONDITION", CONDITION).replace("{name: b}", "{name: b, timeZone: Asia/Tokyo}")
    (tmp_path / "brand.yaml").write_text(text)
    assert [group["stores"] for group in explored(run)["groups"]] == [["a", "b"], ["c"]]
    fries = "{name: Fries, price: 2.20, availability: {hours: [{start: '06:00', end: '10:30'}]}}"
    (tmp_path / "brand.yaml").write_text(text.replace("{name: Fries, price: 2.20}", fries))
    assert [group["stores"] for group in explored(run)["groups"]] == [["a"], ["b"], ["c"]]


def test_an_upsell_of_what_a_store_does_not_sell_is_a_surprise(run: Run, tmp_path: Path) -> None:
    fries = "{name: Fries, price: 2.20, availability: {exceptStores: [b]}}"
    text = BRAND.replace("CONDITION", CONDITION).replace("{name: Fries, price: 2.20}", fries)
    (tmp_path / "brand.yaml").write_text(text)
    found = {tuple(group["stores"]): group["result"]["surprises"] for group in explored(run)["groups"]}
    assert [each for each in found["a",] if each["kind"] == "unavailable-item"] == []
    (surprise,) = [each for each in found["b",] if each["kind"] == "unavailable-item"]
    assert surprise["severity"] == "warning"
    assert surprise["message"] == (
        '"Fries" is not offered where it would be: "Fries" is not available: b does not sell it'
    )
