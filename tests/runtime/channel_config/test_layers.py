"""Which configs apply at a store, in which order, and which defaults and bindings apply nothing."""

from __future__ import annotations

import pytest

from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.layers import is_bound, layers, unapplied

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


def test_a_brand_without_defaults_bindings_and_tags_has_stores_at_which_nothing_applies() -> None:
    catalog = brands("{kind: Brand, stores: [{name: austin}]}", CONFIGS)
    assert applied(catalog, "austin") == [] and told(catalog, "austin") == []


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
    rules = {store.name[-6:]: [layer.rule for layer in layers(store, catalog)] for store in catalog.stores}
    assert rules == {
        "austin": ["everywhere", "empty", "all-tags", "named", "tagged-and-named"],
        "boston": ["everywhere", "empty", "named"],
        "hicago": ["everywhere", "empty"],
    }


def test_bindings_by_name_and_by_tag_keep_the_order_they_are_written_in() -> None:
    brand = """
        kind: Brand
        bindings:
          - {rule: named, channelConfig: one, stores: {names: [austin]}}
          - {rule: tagged, channelConfig: one, stores: {tags: [us]}}
          - {rule: everywhere, channelConfig: one}
        stores: [{name: austin, tags: [us]}]
    """
    catalog = brands(brand, CONFIGS)
    assert [layer.rule for layer in layers(catalog.store("austin"), catalog)] == ["named", "tagged", "everywhere"]


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
def test_is_bound(tags: list[str] | None, names: list[str] | None, *, expected: bool) -> None:
    store = {"store_name": "b/acme/stores/austin", "store_tags": ["us"]}
    assert is_bound(tags=tags, names=names, **store) is expected  # type: ignore[arg-type]


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


def test_a_binding_without_a_config_is_told() -> None:
    catalog = brands("{kind: Brand, bindings: [{rule: a}], stores: [{name: austin}]}", CONFIGS)
    assert told(catalog, "austin") == ["brand-binding 1: it names no ChannelConfig"]


@pytest.mark.parametrize("brand", ["acme", "b/acme"])
def test_of_two_configs_with_one_id_a_brand_means_its_own(brand: str) -> None:
    catalog = brands(f"{{kind: Brand, name: {brand}, defaults: [twin], stores: [{{name: austin}}]}}", CONFIGS)
    assert applied(catalog, "austin") == ["brand-default - b/acme/channelConfigs/twin 1"]


def test_of_two_configs_with_one_id_a_brand_that_has_neither_means_none() -> None:
    catalog = brands("{kind: Brand, name: zed, defaults: [twin], stores: [{name: austin}]}", CONFIGS)
    assert told(catalog, "austin") == ['brand-default 1: 2 ChannelConfigs are named "twin": 2.yaml:5, 2.yaml:6']


def test_one_config_at_two_levels_applies_at_both() -> None:
    catalog = brands("{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [one]}]}", CONFIGS)
    assert applied(catalog, "austin") == ["brand-default - one 1", "store-default - one 1"]


def test_stores_of_one_brand_share_its_layers() -> None:
    catalog = brands("{kind: Brand, defaults: [one], stores: [{name: austin}, {name: boston}]}", CONFIGS)
    austin, boston = (layers(store, catalog) for store in catalog.stores)
    assert austin[0] is boston[0]
