"""Brands and their stores: what can be created, changed and deleted, and what that does to configs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.channel_config.service_fixture import (
    ACME,
    AUSTIN,
    BISTRO,
    DOCUMENTS,
    HERE,
    LUNCH,
    VOICE,
    catalog,
    config,
    patch_brand,
    patch_store,
    refusal,
    service,
)
from tests.service.service_fixture import run
from trialrun.lint.selection import Selection, default_rules
from trialrun.model.companion import Brand, Store
from trialrun.service.channel_config import ChannelConfigService, messages

OSLO = f"{HERE}/brands/oslo"
OSLO_VOICE = {"kind": "ChannelConfig", "name": f"{OSLO}/channelConfigs/calm", "type": "AGENT_CUSTOMIZATION"}
OSLO_LOUD = {**OSLO_VOICE, "name": f"{OSLO}/channelConfigs/loud"}
"""Configs of a brand that is created later."""


def brand(here: ChannelConfigService, name: str = ACME) -> Brand:
    return run(here.get_brand(messages.GetBrandRequest(name=name)))


def store(here: ChannelConfigService, name: str = AUSTIN) -> Store:
    return run(here.get_store(messages.GetStoreRequest(name=name)))


def creating(here: ChannelConfigService, **content: Any) -> Any:
    return here.create_brand(messages.CreateBrandRequest(parent=HERE, brandId="oslo", brand=content))


def creating_store(here: ChannelConfigService, id_: str = "oslo", parent: str = ACME, **content: Any) -> Any:
    return here.create_store(messages.CreateStoreRequest(parent=parent, storeId=id_, store=content))


def deleting(here: ChannelConfigService, name: str, **request: bool) -> Any:
    return here.delete_brand(messages.DeleteBrandRequest(name=name, **request))


def test_a_brand_of_the_workspace_has_all_names_in_full(here: ChannelConfigService) -> None:
    assert brand(here).defaults == [VOICE]
    assert [one.name for one in brand(here).stores or ()] == [AUSTIN, f"{ACME}/stores/boston"]


def test_a_brand_can_be_created_with_its_stores() -> None:
    here = service(OSLO_VOICE)
    made = run(creating(here, displayName="Oslo", stores=[{"name": "havn", "defaults": ["calm"]}])).brand
    assert made == brand(here, OSLO)
    assert store(here, f"{OSLO}/stores/havn").defaults == [OSLO_VOICE["name"]]
    assert config(here, OSLO_VOICE["name"]).state == "ACTIVE"


@pytest.mark.parametrize(
    ("content", "rule", "field"),
    [
        ({"defaults": ["lnch"]}, "unknown-channel-config", "brand.defaults[0]"),
        ({"defaults": [LUNCH]}, "unknown-channel-config", "brand.defaults[0]"),
        ({"stores": [{"name": "a", "defaults": ["lunch"]}]}, "unknown-channel-config", "brand.stores[0].defaults[0]"),
        ({"bindings": [{"rule": "a"}]}, "missing-field", "brand.bindings[0]"),
        (
            {"bindings": [{"rule": "a", "channelConfig": "calm"}, {"rule": "a", "channelConfig": "loud"}]},
            "rule-bound-twice",
            "brand.bindings[1].rule",
        ),
        ({"stores": [{"name": "a"}, {"name": f"{OSLO}/stores/a"}]}, "duplicate-resource-name", "brand.stores[1].name"),
        ({"stores": [{"name": AUSTIN}]}, "invalid-resource-name", "brand.stores[0].name"),
        ({"stores": [{"displayName": "a"}]}, "missing-field", "brand.stores[0]"),
        ({"color": "red"}, "unknown-field", "brand.color"),
    ],
)
def test_what_is_wrong_with_a_brand_is_refused(content: dict[str, Any], rule: str, field: str) -> None:
    error = refusal(creating(service(OSLO_VOICE, OSLO_LOUD), **content))
    assert (error.status.name, error.reason, error.field_violations[0].field) == ("INVALID_ARGUMENT", rule, field)


@pytest.mark.parametrize("store", [{}, {"name": ""}])
def test_where_the_settings_allow_a_store_without_a_name_it_is_one_that_nobody_can_ask_for(store: Any) -> None:
    lenient = Selection(default_rules() - {"missing-field"})
    here = ChannelConfigService(catalog(*DOCUMENTS), selection=lenient)
    assert len(run(creating(here, stores=[store, {"name": "havn"}])).brand.stores or ()) == 2
    listed = run(here.list_stores(messages.ListStoresRequest(parent=OSLO))).stores
    assert [one.name for one in listed] == [f"{OSLO}/stores/havn"]


def test_a_brand_is_there_once(here: ChannelConfigService) -> None:
    run(creating(here))
    assert refusal(creating(here)).message == 'there is a brand "oslo" already; patch it, or use another id'


def test_a_name_that_means_one_config_is_answered_in_full_and_keeps_its_meaning(here: ChannelConfigService) -> None:
    patch_brand(here, defaults=["channelConfigs/lunch"])
    run(here.promote(messages.PromoteChannelConfigRequest(name=LUNCH, destinationBrand=BISTRO)))
    assert (brand(here).defaults, config(here, f"{BISTRO}/channelConfigs/lunch").state) == ([LUNCH], "DRAFT")


def test_of_configs_that_share_an_id_a_brand_means_its_own(here: ChannelConfigService) -> None:
    run(here.promote(messages.PromoteChannelConfigRequest(name=LUNCH, destinationBrand=BISTRO)))
    patch_brand(here, name=BISTRO, defaults=["lunch"])
    assert brand(here, BISTRO).defaults == [f"{BISTRO}/channelConfigs/lunch"]


def test_a_name_that_means_several_configs_of_other_brands_is_refused(here: ChannelConfigService) -> None:
    run(here.promote(messages.PromoteChannelConfigRequest(name=LUNCH, destinationBrand=BISTRO)))
    error = refusal(creating(here, defaults=["lunch"]))
    assert (error.reason, error.field_violations[0].field) == ("unknown-channel-config", "brand.defaults[0]")


def test_in_files_a_name_of_several_configs_of_other_brands_stands_for_each_of_them() -> None:
    copy = {"kind": "ChannelConfig", "name": f"{BISTRO}/channelConfigs/lunch", "type": "AGENT_CUSTOMIZATION"}
    here = service({"kind": "Brand", "name": OSLO, "defaults": ["lunch"]}, copy)
    assert brand(here, OSLO).defaults == ["lunch"]
    assert config(here, f"{BISTRO}/channelConfigs/lunch").state == "ACTIVE"


def test_a_store_that_a_patch_of_its_brand_leaves_out_is_gone(here: ChannelConfigService) -> None:
    patch_brand(here, stores=[{"name": "austin-2"}])
    error = refusal(here.get_store(messages.GetStoreRequest(name=AUSTIN)))
    assert error.message == 'there is no Store "austin" under the brand "acme"; did you mean "austin-2"?'


def test_a_patch_without_stores_leaves_them(here: ChannelConfigService) -> None:
    assert len(patch_brand(here, displayName="Acme").brand.stores or ()) == 2


def test_a_brand_with_anything_under_it_is_deleted_by_force_only(here: ChannelConfigService) -> None:
    error = refusal(deleting(here, ACME))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "brand-not-empty")
    assert error.message == 'the brand "acme" has 2 configs and 2 stores; delete them first, or set force'
    run(deleting(here, ACME, force=True))
    assert refusal(here.get_store(messages.GetStoreRequest(name=AUSTIN))).message.startswith('there is no Brand "acme"')
    assert refusal(here.get(messages.GetChannelConfigRequest(name=LUNCH))).status.name == "NOT_FOUND"


def test_force_does_not_take_a_config_from_another_brand() -> None:
    here = service({"kind": "Brand", "name": OSLO, "defaults": [LUNCH]})
    error = refusal(deleting(here, ACME, force=True))
    assert error.message == '"lunch" is used by the defaults of the brand "oslo"; remove it there first'


def test_an_empty_brand_can_be_deleted(here: ChannelConfigService) -> None:
    run(deleting(here, BISTRO))
    assert refusal(deleting(here, BISTRO)).status.name == "NOT_FOUND"


def test_a_store_is_the_last_of_its_brand(here: ChannelConfigService) -> None:
    made = run(creating_store(here, name="ignored", timeZone="Europe/Oslo")).store
    assert made.name == f"{ACME}/stores/oslo"
    assert (brand(here).stores or [])[-1] == made == store(here, made.name or "")


def test_a_store_is_there_once(here: ChannelConfigService) -> None:
    assert refusal(creating_store(here, "austin")).status.name == "ALREADY_EXISTS"


def test_a_store_is_under_a_brand_that_there_is(here: ChannelConfigService) -> None:
    assert refusal(creating_store(here, parent=f"{ACME}s")).message == 'there is no Brand "acmes"; did you mean "acme"?'


@pytest.mark.parametrize(
    ("content", "rule", "field"),
    [
        ({"bindings": [{"rule": "a", "channelConfig": "lnch"}]}, "unknown-channel-config", "store.bindings[0].channel"),
        ({"tags": "city"}, "wrong-type", "store.tags"),
        ({"zone": "x"}, "unknown-field", "store.zone"),
    ],
)
def test_what_is_wrong_with_a_store_is_told_by_its_own_fields(
    here: ChannelConfigService, content: dict[str, Any], rule: str, field: str
) -> None:
    error = refusal(creating_store(here, **content))
    assert (error.reason, error.field_violations[0].field[: len(field)]) == (rule, field)


def test_what_is_wrong_elsewhere_in_a_brand_keeps_no_store_from_a_change() -> None:
    here = ChannelConfigService(
        catalog({"kind": "Brand", "name": ACME, "defaults": ["gone"], "stores": [{"name": "a"}]})
    )
    assert patch_store(here, name=f"{ACME}/stores/a", tags=["city"]).store.tags == ["city"]


def test_a_patch_of_a_store_changes_what_it_sets(here: ChannelConfigService) -> None:
    after = patch_store(here, timeZone="America/Chicago").store
    assert (after.tags, after.timeZone, after) == (["city"], "America/Chicago", store(here))


def test_a_deleted_store_is_gone(here: ChannelConfigService) -> None:
    run(here.delete_store(messages.DeleteStoreRequest(name=AUSTIN)))
    assert [one.name for one in brand(here).stores or ()] == [f"{ACME}/stores/boston"]


@pytest.mark.parametrize(
    ("documents", "name"),
    [
        (
            [
                {"kind": "ChannelConfig", "name": f"{OSLO}/channelConfigs/x", "type": "UPSELL_STRATEGY"},
                {"kind": "Brand", "name": "projects/food/locations/eu/brands/other"},
            ],
            OSLO,
        ),
        ([{"kind": "Brand", "name": f"{HERE}/brands/other"}], OSLO),
        ([], "projects/local/locations/local/brands/oslo"),
    ],
)
def test_a_brand_that_says_an_id_alone_is_where_the_others_are(documents: list[dict[str, Any]], name: str) -> None:
    here = ChannelConfigService(catalog({"kind": "Brand", "name": "oslo"}, *documents))
    assert brand(here, name).name == name
