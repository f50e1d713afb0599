"""Where only the order of writing says what is effective."""

from __future__ import annotations

import pytest

from tests.runtime.channel_config.brands import at_store
from trialrun.lint.rule_support import config_summary
from trialrun.runtime.channel_config.effective import LABEL_PATHS, Conflict

BRAND = """
    kind: Brand
    bindings:
      - {rule: first, channelConfig: one}
      - {rule: second, channelConfig: two}
    stores:
      - {name: austin}
      - {name: boston, bindings: [{rule: third, channelConfig: three}]}
"""


def config(name: str, strategy: str) -> str:
    head = f"kind: ChannelConfig\nname: {name}\ntype: UPSELL_STRATEGY"
    return f"{head}\noperationsConfig: {{upsellStrategy: {{{strategy}}}}}\n"


def clashes(one: str, two: str, three: str = "", *, store: str = "austin", brand: str = BRAND) -> list[Conflict]:
    texts = [config("one", one), config("two", two), config("three", three)]
    return list(at_store(store, brand, *texts).types["UPSELL_STRATEGY"].conflicts)


def shown(found: list[Conflict]) -> list[str]:
    return [
        f"{one.kind} {one.pointer.removeprefix('/operationsConfig/upsellStrategy')}:"
        f" {one.winner.name} {one.winner.value!r} over {one.loser.name} {one.loser.value!r}"
        for one in found
    ]


def test_two_bindings_of_a_level_that_set_a_field_to_different_values_clash() -> None:
    assert shown(clashes("maxUpsellOffers: 1, maxItemsInCart: 5", "maxUpsellOffers: 2, maxItemsInCart: 5")) == [
        "level /maxUpsellOffers: two 2 over one 1"
    ]


def test_bindings_of_different_levels_do_not_clash() -> None:
    assert clashes("", "maxUpsellOffers: 2", "maxUpsellOffers: 3", store="boston") == []


def test_a_clash_that_a_higher_level_settles_says_so() -> None:
    found = clashes("maxUpsellOffers: 1", "maxUpsellOffers: 2", "maxUpsellOffers: 3", store="boston")
    assert shown(found) == ["level /maxUpsellOffers: two 2 over one 1"]
    assert found[0].settled is not None and found[0].settled.name == "three"
    assert clashes("maxUpsellOffers: 1", "maxUpsellOffers: 2")[0].settled is None


def test_two_defaults_of_a_level_clash_as_well() -> None:
    brand = "{kind: Brand, defaults: [one, two], stores: [{name: austin}]}"
    found = clashes("maxUpsellOffers: 1", "maxUpsellOffers: 2", brand=brand)
    assert shown(found) == ["level /maxUpsellOffers: two 2 over one 1"]


def test_lists_and_parts_of_upsells_clash() -> None:
    one = "upsells: [{displayName: A, priority: 1, celUpsell: {suggestedMenuItems: [Pie]}}]"
    two = "upsells: [{displayName: A, priority: 1, disabled: true, celUpsell: {suggestedMenuItems: [Fries]}}]"
    assert shown(clashes(one, two)) == [
        "level /upsells/0/celUpsell/suggestedMenuItems: two ['Fries'] over one ['Pie']",
    ]


def test_members_of_a_union_clash() -> None:
    one = "upsells: [{displayName: A, priority: 1, celUpsell: {suggestedMenuItems: [Pie]}}]"
    two = "upsells: [{displayName: A, priority: 1, greetingOffer: {messages: [{displayName: x}]}}]"
    assert [line.split(":")[0] for line in shown(clashes(one, two))] == ["level /upsells/0/greetingOffer"]


def test_a_clash_over_what_a_higher_level_cleared_is_settled() -> None:
    one = "upsells: [{displayName: A, celUpsell: {priority: 1}}]"
    two = "upsells: [{displayName: A, celUpsell: {priority: 2}}]"
    three = "upsells: [{displayName: A, greetingOffer: {messages: [{displayName: x}]}}]"
    assert len(clashes(one, two, three)) == 1
    assert clashes(one, two, three, store="boston") == []


def test_enabled_upsells_of_one_priority_clash_and_the_first_in_the_list_goes_first() -> None:
    one = "upsells: [{displayName: A, priority: 1}, {displayName: B, priority: 2}]"
    two = "upsells: [{displayName: C, priority: 1}, {displayName: D, priority: 2, disabled: true}]"
    assert shown(clashes(one, two)) == ["priority /upsells/2/priority: one 1 over two 1"]


def test_names_and_descriptions_of_strategies_do_not_clash() -> None:
    one = config("one", "").replace("{upsellStrategy", "{displayName: One, description: The first, upsellStrategy")
    two = config("two", "").replace("{upsellStrategy", "{displayName: Two, description: The second, upsellStrategy")
    found = at_store("austin", BRAND, one, two, config("three", "")).types["UPSELL_STRATEGY"]
    assert found.value["operationsConfig"]["displayName"] == "Two" and found.conflicts == ()


def test_the_rules_leave_out_the_same_names_and_descriptions() -> None:
    assert [(field, name) for field, names in config_summary.LABELS.items() for name in names] == list(LABEL_PATHS)


@pytest.mark.parametrize(("three", "is_settled"), [("{conditionExpression: 'true'}", False), ("{priority: 3}", True)])
def test_members_of_a_union_clash_also_where_a_higher_level_has_a_part_in_one(*, three: str, is_settled: bool) -> None:
    one = "upsells: [{displayName: A, greetingOffer: {messages: [{displayName: x}]}}]"
    two = "upsells: [{displayName: A, celUpsell: {priority: 2}}]"
    found = clashes(one, two, f"upsells: [{{displayName: A, celUpsell: {three}}}]", store="boston")
    assert [line.split(" over ")[0] for line in shown(found)] == ["level /upsells/0/celUpsell: two {'priority': 2}"]
    assert (found[0].settled is not None) == is_settled
