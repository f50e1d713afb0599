"""Lists of configs, brands and stores: filtered, ordered, and cut into pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.service.channel_config.service_fixture import (
    ACME,
    BISTRO,
    HERE,
    create,
    patch_store,
    promote,
    refusal,
    service,
)
from tests.service.service_fixture import NOON, run
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.values.resource_name import last_id


@pytest.fixture
def here() -> ChannelConfigService:
    clock = FixedClock(NOON)
    made = service(clock=clock)
    clock.advance(timedelta(minutes=1))
    create(made, "dinner", displayName="Abendbrot", type="UPSELL_STRATEGY")
    patch_store(made, timeZone="America/Chicago", displayName="Austin")
    return made


def configs(here: ChannelConfigService, **request: Any) -> tuple[list[str], str]:
    answer = run(here.list(messages.ListChannelConfigsRequest(**{"parent": ACME, **request})))
    return [last_id(channelconfig.name or "") for channelconfig in answer.channelConfigs], answer.nextPageToken


def stores(here: ChannelConfigService, **request: Any) -> list[str]:
    answer = run(here.list_stores(messages.ListStoresRequest(**{"parent": ACME, **request})))
    return [last_id(store.name or "") for store in answer.stores]


def brands(here: ChannelConfigService, **request: Any) -> list[str]:
    answer = run(here.list_brands(messages.ListBrandsRequest(**{"parent": HERE, **request})))
    return [last_id(brand.name or "") for brand in answer.brands]


def test_a_list_beside_changes_is_of_one_moment(here: ChannelConfigService) -> None:
    patch_store(here, bindings=[{"rule": "late", "channelConfig": "dinner"}])
    told = here._documents.responses_under(ACME)
    first = next(told)
    patch_store(here, bindings=[{"rule": "late", "channelConfig": "lunch"}])
    states = {last_id(one.name or ""): one.state for one in (first, *told)}
    assert states == {"voice": "ACTIVE", "lunch": "DRAFT", "dinner": "ACTIVE"}


@pytest.mark.parametrize(
    ("request_", "ids"),
    [
        ({}, ["dinner", "lunch", "voice"]),
        ({"filter": "state = ACTIVE"}, ["voice"]),
        ({"filter": 'type="AGENT_CUSTOMIZATION"'}, ["lunch", "voice"]),
        ({"filter": "display_name = *n*"}, ["dinner", "lunch"]),
        ({"filter": "channel_config_id = voice"}, ["voice"]),
        ({"filter": 'create_time > "2026-03-01T12:00:00Z"'}, ["dinner"]),
        ({"orderBy": "create_time desc, channel_config_id"}, ["dinner", "lunch", "voice"]),
        ({"orderBy": "display_name"}, ["voice", "dinner", "lunch"]),
        ({"parent": BISTRO}, []),
    ],
)
def test_configs_are_filtered_and_ordered(here: ChannelConfigService, request_: dict[str, str], ids: list[str]) -> None:
    assert configs(here, **request_)[0] == ids


def test_a_promoted_config_is_found_by_its_state(here: ChannelConfigService) -> None:
    promote(here)
    assert configs(here, filter="state = PROMOTED")[0] == ["lunch"]


def test_pages_of_configs_go_on_when_configs_come_meanwhile(here: ChannelConfigService) -> None:
    first, token = configs(here, pageSize=2)
    create(here, "brunch")
    assert (first, configs(here, pageSize=2, pageToken=token)) == (["dinner", "lunch"], (["voice"], ""))


def test_a_token_is_good_for_its_filter_only(here: ChannelConfigService) -> None:
    _, token = configs(here, pageSize=1)
    request = messages.ListChannelConfigsRequest(parent=ACME, pageToken=token, filter="state = DRAFT")
    assert refusal(here.list(request)).reason == "invalid-page-token"


def test_a_wrong_filter_is_told_at_its_character(here: ChannelConfigService) -> None:
    error = refusal(here.list(messages.ListChannelConfigsRequest(parent=ACME, filter="stat = DRAFT")))
    assert error.message == 'filter: character 1: there is no field "stat" to filter by; did you mean "state"?'


@pytest.mark.parametrize(
    ("request_", "ids"),
    [
        ({}, ["austin", "boston"]),
        ({"orderBy": "store_id desc"}, ["boston", "austin"]),
        ({"filter": "tags:kiosk"}, ["boston"]),
        ({"filter": "tags:city AND NOT tags:kiosk"}, ["austin"]),
        ({"filter": "tags:ki*"}, ["boston"]),
        ({"filter": "time_zone = America/*"}, ["austin"]),
    ],
)
def test_stores_are_filtered_and_ordered(here: ChannelConfigService, request_: dict[str, str], ids: list[str]) -> None:
    assert stores(here, **request_) == ids


def test_tags_are_compared_by_a_colon(here: ChannelConfigService) -> None:
    error = refusal(here.list_stores(messages.ListStoresRequest(parent=ACME, filter="tags = city")))
    assert '"tags" is not compared by =; use one of :, as in tags:drive-thru' in error.message


def test_brands_are_listed_by_project_and_location(here: ChannelConfigService) -> None:
    assert brands(here) == ["acme", "bistro"]
    assert brands(here, orderBy="brand_id desc", pageSize=1) == ["bistro"]
    assert brands(here, parent="projects/food/locations/eu") == []


def test_a_parent_that_is_no_location_is_refused(here: ChannelConfigService) -> None:
    error = refusal(here.list_brands(messages.ListBrandsRequest(parent=ACME)))
    assert (error.status.name, error.field_violations[0].field) == ("INVALID_ARGUMENT", "parent")


def test_a_list_under_an_unknown_brand_fails(here: ChannelConfigService) -> None:
    error = refusal(here.list(messages.ListChannelConfigsRequest(parent=f"{HERE}/brands/bistrot")))
    assert (error.status.name, error.message) == ("NOT_FOUND", 'there is no Brand "bistrot"; did you mean "bistro"?')
