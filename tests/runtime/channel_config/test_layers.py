"""Which configs apply at a store, in which order, and which defaults and bindings apply nothing."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.runtime.channel_config.brands import at_store, brands
from trialrun.lint.rule_support import brand_facts
from trialrun.model.companion import Brand
from trialrun.runtime.channel_config.active_config import LABEL_PATHS, Conflict
from trialrun.runtime.channel_config.layers import (
    ConfigUse,
    Selector,
    config_names,
    config_state,
    config_uses,
    layers,
    unapplied,
    uses_by_config,
)
from trialrun.runtime.declaration import BrandCatalog

CONFIGS = """
    - {kind: ChannelConfig, name: one, type: UPSELL_STRATEGY}
    - {kind: ChannelConfig, name: two, type: UPSELL_STRATEGY}
    - {kind: ChannelConfig, name: voice, type: AGENT_CUSTOMIZATION}
    - {kind: ChannelConfig, name: untyped}
    - {kind: ChannelConfig, name: b/acme/channelConfigs/twin, type: UPSELL_STRATEGY}
    - {kind: ChannelConfig, name: b/other/channelConfigs/twin, type: UPSELL_STRATEGY}
"""


def applied(catalog: BrandCatalog, store: str) -> list[str]:
    found = layers(catalog.store(store), catalog)
    return [f"{one.level} {one.rule or '-'} {one.config.node.name} {one.line}" for one in found]


def told(catalog: BrandCatalog, store: str) -> list[str]:
    return [
        f"{unapplied_config.level} {unapplied_config.line}: {unapplied_config.reason}"
        for unapplied_config in unapplied(catalog.store(store), catalog)
    ]


def test_levels_come_one_after_the_other_and_each_in_the_order_it_is_written() -> None:
    brand = """
        kind: Brand
        stores:
          - name: austin
            bindings: [{rule: third, channelConfig: two}]
            defaults: [voice, one]
        bindings:
          - {rule: first, channelConfig: two}
          - {rule: second, channelConfig: one}
        defaults: [one, voice]
    """
    assert applied(brands(brand, CONFIGS), "austin") == [
        "brand-default - one 9",
        "brand-default - voice 9",
        "brand-binding first two 7",
        "brand-binding second one 8",
        "store-default - voice 5",
        "store-default - one 5",
        "store-binding third two 4",
    ]


def test_a_binding_applies_where_its_stores_say() -> None:
    brand = """
        kind: Brand
        bindings:
          - {rule: everywhere, channelConfig: one}
          - {rule: empty, channelConfig: one, stores: {}}
          - {rule: all-tags, channelConfig: one, stores: {tags: [us, kiosk]}}
          - {rule: named, channelConfig: one, stores: {names: [austin, brands/acme/stores/boston]}}
          - {rule: tagged-and-named, channelConfig: one, stores: {tags: [kiosk], names: [austin, boston]}}
        stores:
          - {name: brands/acme/stores/austin, tags: [us, kiosk]}
          - {name: brands/acme/stores/boston, tags: [us]}
          - {name: brands/acme/stores/chicago}
    """
    catalog = brands(brand, CONFIGS)
    assert {store.name[-6:]: [layer.rule for layer in layers(store, catalog)] for store in catalog.stores} == {
        "austin": ["everywhere", "empty", "all-tags", "named", "tagged-and-named"],
        "boston": ["everywhere", "empty", "named"],
        "hicago": ["everywhere", "empty"],
    }


def test_a_binding_whose_stores_cannot_be_read_applies_to_no_more_than_those_it_names() -> None:
    brand = """
        kind: Brand
        bindings:
          - {rule: no-mapping, channelConfig: one, stores: austin}
          - {rule: no-lists, channelConfig: one, stores: {names: austin}}
          - {rule: half-a-list, channelConfig: one, stores: {tags: [us, 1]}}
          - {rule: no-texts, channelConfig: one, stores: {names: [1]}}
          - {rule: among-others, channelConfig: one, stores: {names: [1, austin]}}
        stores: [{name: austin, tags: [us]}]
    """
    assert applied(brands(brand, CONFIGS), "austin") == ["brand-binding among-others one 7"]


@pytest.mark.parametrize(
    ("tags", "names", "expected"),
    [
        (None, None, True),
        ([], [], True),
        (["us"], None, True),
        (["us", "kiosk"], None, False),
        (None, ["austin"], True),
        (None, ["boston", "b/acme/stores/austin"], True),
        (None, ["ustin"], False),
        (["kiosk"], ["austin"], False),
    ],
)
def test_a_selector_matches_a_store_with_all_tags_and_one_of_the_names(
    tags: list[str] | None, names: list[str] | None, *, expected: bool
) -> None:
    assert Selector(tags, names).matches("b/acme/stores/austin", ["us"]) is expected


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("thre", 'no ChannelConfig is named "thre"'),
        ("twin", '2 ChannelConfigs are named "twin": 2.yaml:5, 2.yaml:6'),
        ("untyped", '"untyped" has no type (2.yaml:4)'),
    ],
)
def test_a_name_that_means_no_config_is_told_with_its_place(name: str, reason: str) -> None:
    brand = f"""
        kind: Brand
        defaults: [{name}]
        bindings: [{{rule: a, channelConfig: {name}}}]
        stores:
          - name: austin
            defaults: [{name}]
            bindings: [{{rule: a, channelConfig: {name}}}]
    """
    catalog = brands(brand, CONFIGS)
    assert applied(catalog, "austin") == []
    levels = [("brand-default", 2), ("brand-binding", 3), ("store-default", 6), ("store-binding", 7)]
    assert told(catalog, "austin") == [f"{level} {line}: {reason}" for level, line in levels]


@pytest.mark.parametrize(
    ("brand", "reason"),
    [
        ("bindings: [{rule: a}]", "brand-binding 1: it names no ChannelConfig"),
        ("name: zed, defaults: [twin]", 'brand-default 1: 2 ChannelConfigs are named "twin": 2.yaml:5, 2.yaml:6'),
    ],
)
def test_what_names_no_config_or_two_is_told(brand: str, reason: str) -> None:
    assert told(brands(f"{{kind: Brand, {brand}, stores: [{{name: austin}}]}}", CONFIGS), "austin") == [reason]


@pytest.mark.parametrize("brand", ["acme", "b/acme"])
def test_of_two_configs_with_one_id_a_brand_means_its_own(brand: str) -> None:
    catalog = brands(f"{{kind: Brand, name: {brand}, defaults: [twin], stores: [{{name: austin}}]}}", CONFIGS)
    assert applied(catalog, "austin") == ["brand-default - b/acme/channelConfigs/twin 1"]


def test_one_config_at_two_levels_applies_at_both() -> None:
    catalog = brands("{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [one]}]}", CONFIGS)
    assert applied(catalog, "austin") == ["brand-default - one 1", "store-default - one 1"]


def test_stores_of_one_brand_share_its_layers() -> None:
    catalog = brands("{kind: Brand, defaults: [one], stores: [{name: austin}, {name: boston}]}", CONFIGS)
    austin, boston = (layers(store, catalog) for store in catalog.stores)
    assert austin[0] is boston[0]


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


@pytest.mark.parametrize(
    ("one", "two", "clash"),
    [
        (
            "maxUpsellOffers: 1, maxItemsInCart: 5",
            "maxUpsellOffers: 2, maxItemsInCart: 5",
            "level /maxUpsellOffers: two 2 over one 1",
        ),
        (
            "upsells: [{displayName: A, priority: 1, celUpsell: {suggestedMenuItems: [Pie]}}]",
            "upsells: [{displayName: A, priority: 1, disabled: true, celUpsell: {suggestedMenuItems: [Fries]}}]",
            "level /upsells/0/celUpsell/suggestedMenuItems: two ['Fries'] over one ['Pie']",
        ),
        (
            "upsells: [{displayName: A, priority: 1}, {displayName: B, priority: 2}]",
            "upsells: [{displayName: C, priority: 1}, {displayName: D, priority: 2, disabled: true}]",
            "priority /upsells/2/priority: one 1 over two 1",
        ),
    ],
    ids=["fields", "lists-of-upsells", "priorities-of-enabled-upsells"],
)
def test_two_bindings_of_a_level_that_set_different_values_clash(one: str, two: str, clash: str) -> None:
    assert shown(clashes(one, two)) == [clash]


def test_a_clash_that_a_higher_level_settles_says_so() -> None:
    found = clashes("maxUpsellOffers: 1", "maxUpsellOffers: 2", "maxUpsellOffers: 3", store="boston")
    assert shown(found) == ["level /maxUpsellOffers: two 2 over one 1"]
    assert found[0].settled is not None and found[0].settled.name == "three"
    assert clashes("maxUpsellOffers: 1", "maxUpsellOffers: 2")[0].settled is None


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


def test_names_and_descriptions_of_strategies_do_not_clash() -> None:
    one = config("one", "").replace("{upsellStrategy", "{displayName: One, description: The first, upsellStrategy")
    two = config("two", "").replace("{upsellStrategy", "{displayName: Two, description: The second, upsellStrategy")
    found = at_store("austin", BRAND, one, two, config("three", "")).types["UPSELL_STRATEGY"]
    assert found.value["operationsConfig"]["displayName"] == "Two" and found.conflicts == ()


def test_the_rules_leave_out_the_same_names_and_descriptions() -> None:
    assert [(field, name) for field, names in brand_facts.LABELS.items() for name in names] == list(LABEL_PATHS)


@pytest.mark.parametrize(("three", "is_settled"), [("{conditionExpression: 'true'}", False), ("{priority: 3}", True)])
def test_members_of_a_union_clash_also_where_a_higher_level_has_a_part_in_one(*, three: str, is_settled: bool) -> None:
    one = "upsells: [{displayName: A, greetingOffer: {messages: [{displayName: x}]}}]"
    two = "upsells: [{displayName: A, celUpsell: {priority: 2}}]"
    found = clashes(one, two, f"upsells: [{{displayName: A, celUpsell: {three}}}]", store="boston")
    assert [line.split(" over ")[0] for line in shown(found)] == ["level /upsells/0/celUpsell: two {'priority': 2}"]
    assert (found[0].settled is not None) == is_settled


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
    used = uses_by_config(config_uses(Brand.model_validate(brand)), config_names([LUNCH, *others]))
    return used.get(LUNCH, ())


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


def test_a_config_of_exactly_the_name_is_meant_and_no_other() -> None:
    assert config_names([LUNCH, "lunch"]).resolve("lunch", "acme") == ["lunch"]


def test_a_use_tells_its_level_its_rule_whose_it_is_and_its_place() -> None:
    noon, late = ({"rule": rule, "channelConfig": "lunch"} for rule in ("noon", "late"))
    store = {**AUSTIN, "defaults": ["x", LUNCH], "bindings": [late]}
    used = of_lunch(name="acme", defaults=["lunch"], bindings=[noon], stores=[store])
    assert [(use.level, use.rule, use.brand, use.store, use.path) for use in used] == [
        ("brand-default", None, "acme", None, ("defaults", 0)),
        ("brand-binding", "noon", "acme", None, ("bindings", 0, "channelConfig")),
        ("store-default", None, "acme", "austin", ("stores", 0, "defaults", 1)),
        ("store-binding", "late", "acme", "austin", ("stores", 0, "bindings", 0, "channelConfig")),
    ]
    assert {config_state([use]) for use in used} == {"ACTIVE"}


@given(some.sampled_from(["acme", "projects/p/locations/l/brands/acme", "bistro"]), LEVEL, LEVEL)
def test_what_plain_names_make_active_is_what_applies_at_the_one_store_of_a_brand(
    name: str, of_brand: dict[str, Any], of_store: dict[str, Any]
) -> None:
    document = {"kind": "Brand", "name": name, **of_brand, "stores": [{**AUSTIN, **of_store}]}
    configs = [{"kind": "ChannelConfig", "name": name, "type": "UPSELL_STRATEGY"} for name in NAMES]
    catalog = brands(*map(json.dumps, [document, *configs]))
    names = config_names(NAMES)
    plain = [use for use in config_uses(catalog.brands[0].node) if len(names.resolve(use.config, name)) == 1]
    used = uses_by_config(plain, names)
    applied = {layer.config.node.name for layer in layers(catalog.stores[0], catalog)}
    assert {name: config_state(used.get(name, ())) == "ACTIVE" for name in NAMES} == {
        name: name in applied for name in NAMES
    }
