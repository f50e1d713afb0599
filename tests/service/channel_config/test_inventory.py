"""Brands, stores and configs: read as files declare them, listed, and started without engines."""

import subprocess
import sys
from datetime import timedelta
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
    create,
    edit,
    edit_store,
    patch,
    promote,
    service,
)
from tests.service.service_fixture import NOON, refusal, run
from tests.service.test_restart import FailingJournal
from trialrun.lint.selection import default_selection
from trialrun.model.companion import Brand, Store
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.service.error import ServiceError
from trialrun.service.journal import Journal, Record
from trialrun.service.listing import GetRequest, ListRequest
from trialrun.service.resource import Merge
from trialrun.values.resource_name import last_id

OSLO = f"{HERE}/brands/oslo"
OSLO_VOICE = {"kind": "ChannelConfig", "name": f"{OSLO}/channelConfigs/calm", "type": "AGENT_CUSTOMIZATION"}
"""A config of a brand that a file adds later."""


def brand(here: ChannelConfigService, name: str = ACME) -> Brand:
    return run(here.get_brand(GetRequest(name=name)))


def store(here: ChannelConfigService, name: str = AUSTIN) -> Store:
    return run(here.get_store(GetRequest(name=name)))


def test_a_brand_of_the_workspace_has_all_names_in_full(here: ChannelConfigService) -> None:
    assert brand(here).defaults == [VOICE]
    assert [one.name for one in brand(here).stores or ()] == [AUSTIN, f"{ACME}/stores/boston"]


def test_a_brand_that_a_file_adds_is_there_with_its_stores() -> None:
    here = service(OSLO_VOICE)
    edit(here, OSLO_VOICE, {"kind": "Brand", "name": OSLO, "stores": [{"name": "havn", "defaults": ["calm"]}]})
    assert brand(here, OSLO).stores == [store(here, f"{OSLO}/stores/havn")]
    assert store(here, f"{OSLO}/stores/havn").defaults == [OSLO_VOICE["name"]]
    assert config(here, OSLO_VOICE["name"]).state == "ACTIVE"


@pytest.mark.parametrize("store", [{}, {"name": ""}])
def test_where_the_settings_allow_a_store_without_a_name_it_is_one_that_nobody_can_ask_for(store: Any) -> None:
    here = service({"kind": "Brand", "name": OSLO, "stores": [store, {"name": "havn"}]})
    assert len(brand(here, OSLO).stores or ()) == 2
    listed = run(here.list_stores(ListRequest(parent=OSLO))).stores
    assert [one.name for one in listed] == [f"{OSLO}/stores/havn"]


def test_a_name_that_means_one_config_is_answered_in_full_and_keeps_its_meaning(here: ChannelConfigService) -> None:
    edit(here, defaults=["channelConfigs/lunch"])
    run(here.promote(messages.PromoteChannelConfigRequest(name=LUNCH, destinationBrand=BISTRO)))
    assert (brand(here).defaults, config(here, f"{BISTRO}/channelConfigs/lunch").state) == ([LUNCH], "DRAFT")


def test_of_configs_that_share_an_id_a_brand_means_its_own(here: ChannelConfigService) -> None:
    run(here.promote(messages.PromoteChannelConfigRequest(name=LUNCH, destinationBrand=BISTRO)))
    edit(here, defaults=["lunch"])
    assert brand(here).defaults == [LUNCH]


def test_in_files_a_name_of_several_configs_of_other_brands_stands_for_each_of_them() -> None:
    copy = {"kind": "ChannelConfig", "name": f"{BISTRO}/channelConfigs/lunch", "type": "AGENT_CUSTOMIZATION"}
    here = service({"kind": "Brand", "name": OSLO, "defaults": ["lunch"]}, copy)
    assert brand(here, OSLO).defaults == ["lunch"]
    assert config(here, f"{BISTRO}/channelConfigs/lunch").state == "ACTIVE"


def test_a_store_that_its_file_leaves_out_is_gone(here: ChannelConfigService) -> None:
    edit(here, stores=[{"name": "austin-2"}])
    error = refusal(here.get_store(GetRequest(name=AUSTIN)))
    assert error.message == 'there is no Store "austin" under the brand "acme"; did you mean "austin-2"?'
    assert refusal(here.get_store(GetRequest(name="austin"))).status.name == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda here: here.get_brand(GetRequest(name=f"{ACME}s")), 'there is no Brand "acmes"'),
        (lambda here: here.get_store(GetRequest(name=f"{ACME}s/stores/a")), 'there is no Brand "acmes"'),
        (lambda here: here.list_stores(ListRequest(parent=f"{ACME}s")), 'there is no Brand "acmes"'),
    ],
)
def test_a_brand_that_there_is_not_is_told_with_its_near_name(
    here: ChannelConfigService, read: Any, message: str
) -> None:
    assert refusal(read(here)).message == f'{message}; did you mean "acme"?'


def test_brands_and_stores_that_a_client_of_an_older_version_changed_are_there_until_their_files_change() -> None:
    journal = Journal()
    ChannelConfigService(catalog(*DOCUMENTS), journal=journal)
    kept = dict(journal.read("Brand"))[ACME]
    stores = [*kept["content"]["stores"], {"name": f"{ACME}/stores/kiosk"}]
    changed = {**kept, "isChanged": True, "declaredStores": [AUSTIN], "content": {**kept["content"], "stores": stores}}
    journal.write([Record("Brand", ACME, changed)])
    again = ChannelConfigService(catalog(*DOCUMENTS), journal=journal)
    assert len(brand(again).stores or ()) == 3
    edit(again, displayName="Acme")
    assert len(brand(again).stores or ()) == 2


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


@pytest.fixture
def here() -> ChannelConfigService:
    clock = FixedClock(NOON)
    made = service(clock=clock)
    clock.advance(timedelta(minutes=1))
    create(made, "dinner", displayName="Abendbrot", type="UPSELL_STRATEGY")
    edit_store(made, timeZone="America/Chicago", displayName="Austin")
    return made


def configs(here: ChannelConfigService, **request: Any) -> tuple[list[str], str]:
    answer = run(here.list(ListRequest(**{"parent": ACME, **request})))
    return [last_id(channelconfig.name or "") for channelconfig in answer.channelConfigs], answer.nextPageToken


def stores(here: ChannelConfigService, **request: Any) -> list[str]:
    answer = run(here.list_stores(ListRequest(**{"parent": ACME, **request})))
    return [last_id(store.name or "") for store in answer.stores]


def brands(here: ChannelConfigService, **request: Any) -> list[str]:
    answer = run(here.list_brands(ListRequest(**{"parent": HERE, **request})))
    return [last_id(brand.name or "") for brand in answer.brands]


def test_a_list_beside_changes_is_of_one_moment(here: ChannelConfigService) -> None:
    edit_store(here, bindings=[{"rule": "late", "channelConfig": "dinner"}])
    before = here._inventory
    told = map(before.to_response, before.configs_under(ACME))
    first = next(told)
    edit_store(here, bindings=[{"rule": "late", "channelConfig": "lunch"}])
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


def test_a_state_or_type_that_is_none_is_refused(here: ChannelConfigService) -> None:
    error = refusal(here.list(ListRequest(parent=ACME, filter="state = active")))
    assert error.message == 'filter: character 9: state has no value "active"; did you mean "ACTIVE"?'
    error = refusal(here.list(ListRequest(parent=ACME, filter="type:KIOSK")))
    assert "there are TYPE_UNSPECIFIED, UPSELL_STRATEGY, AGENT_CUSTOMIZATION" in error.message


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
    error = refusal(here.list_stores(ListRequest(parent=ACME, filter="tags = city")))
    assert '"tags" is not compared by =; use one of :, as in tags:drive-thru' in error.message


def test_brands_are_listed_by_project_and_location(here: ChannelConfigService) -> None:
    assert brands(here) == ["acme", "bistro"]
    assert brands(here, orderBy="brand_id desc", pageSize=1) == ["bistro"]
    assert brands(here, parent="projects/food/locations/eu") == []


def test_a_parent_that_is_no_location_is_refused(here: ChannelConfigService) -> None:
    error = refusal(here.list_brands(ListRequest(parent=ACME)))
    assert (error.status.name, error.field_violations[0].field) == ("INVALID_ARGUMENT", "parent")


def test_a_list_under_an_unknown_brand_fails(here: ChannelConfigService) -> None:
    error = refusal(here.list(ListRequest(parent=f"{HERE}/brands/bistrot")))
    assert (error.status.name, error.message) == ("NOT_FOUND", 'there is no Brand "bistrot"; did you mean "bistro"?')


NEVER = (
    *("cel_expr_python", "duckdb", "faiss", "google.protobuf", "numpy", "sqlite3", "yaml", "trialrun.values.cel"),
    *("trialrun.model.feature_view", "trialrun.runtime.feature_view", "trialrun.service.feature_view"),
)


def test_importing_it_loads_no_engine_and_nothing_of_views() -> None:
    code = "import sys, trialrun.service.channel_config; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint(NEVER)


NEW = f"{ACME}/channelConfigs/new"


@pytest.fixture
def journal() -> Journal:
    return Journal()


def begun(journal: Journal, *, at: timedelta = timedelta(), **changes: Any) -> ChannelConfigService:
    """A service over a journal; `changes` are those of the documents of lunch (`lunch=…`) or acme (`acme=…`)."""
    return ChannelConfigService(
        catalog(*documents(**changes)), clock=FixedClock(NOON + at), selection=default_selection(), journal=journal
    )


def documents(**changes: Any) -> list[dict[str, Any]]:
    names = {LUNCH: "lunch", ACME: "acme"}
    merged = [{**document, **(changes.get(names.get(document["name"], "")) or {})} for document in DOCUMENTS]
    return [one for one in merged if changes.get(names.get(one["name"], ""), {}) is not None]


def replaced(service: ChannelConfigService, **changes: Any) -> Merge:
    return service.replace_documents(catalog(*documents(**changes)), default_selection())


def missing(service: ChannelConfigService, name: str) -> bool:
    try:
        config(service, name)
    except ServiceError as error:
        return error.status.name == "NOT_FOUND"
    return False


def test_everything_is_as_it_was(journal: Journal) -> None:
    acme = {"bindings": [{"rule": "quiet", "channelConfig": "lunch"}]}
    first = begun(journal, acme=acme)
    create(first)
    patch(first, displayName="Noon")
    promote(first, to=BISTRO)
    copy = f"{BISTRO}/channelConfigs/lunch"
    run(first.delete(GetRequest(name=NEW)))
    again = begun(journal, at=timedelta(hours=1), acme=acme)
    names = (LUNCH, VOICE, copy)
    assert [config(again, name) for name in names] == [config(first, name) for name in names]
    assert (brand(again), brand(again, BISTRO)) == (brand(first), brand(first, BISTRO))
    assert missing(again, NEW)
    assert config(again).state == "PROMOTED"


def test_what_a_client_deleted_stays_so_until_its_document_changes(journal: Journal) -> None:
    run(begun(journal).delete(GetRequest(name=LUNCH)))
    assert missing(begun(journal), LUNCH)
    assert config(begun(journal, lunch={"displayName": "Noon"})).displayName == "Noon"


def test_the_file_wins_once_its_document_changes(journal: Journal) -> None:
    service = begun(journal)
    patch(service, displayName="Client")
    assert replaced(service).overruled == []
    assert config(service).displayName == "Client"
    assert replaced(service, lunch={"displayName": "File"}, acme={"displayName": "File"}).overruled == [LUNCH]
    assert (config(service).displayName, brand(service).displayName) == ("File", "File")


def test_what_is_promoted_stays_so_until_its_document_changes(journal: Journal) -> None:
    service = begun(journal)
    promote(service)
    replaced(service)
    assert config(service).state == "PROMOTED"
    replaced(service, lunch={"displayName": "File"})
    assert config(service).state == "DRAFT"


def test_documents_that_go_take_their_resources(journal: Journal) -> None:
    service = begun(journal)
    create(service)
    merge = replaced(service, lunch=None)
    assert (merge.removed, missing(service, LUNCH), missing(service, NEW)) == ([LUNCH], True, False)


def test_names_of_configs_mean_what_they_mean_now(journal: Journal) -> None:
    service = begun(journal, lunch=None, acme={"defaults": ["lunch"]})
    assert brand(service).defaults == ["lunch"]
    replaced(service, acme={"defaults": ["lunch"]})
    assert brand(service).defaults == [LUNCH]
    assert config(service).state == "ACTIVE"


@pytest.mark.parametrize(
    "change",
    [
        create,
        lambda service: patch(service, displayName="Noon"),
        lambda service: run(service.delete(GetRequest(name=LUNCH))),
        lambda service: promote(service, to=BISTRO),
    ],
    ids=["create", "patch", "delete", "promote"],
)
def test_a_full_disk_refuses_a_change_and_changes_nothing(change: Any) -> None:
    journal = FailingJournal()
    service = begun(journal)
    before, records = (config(service), brand(service)), journal.records
    journal.is_full = True
    with pytest.raises(ServiceError, match="the disk is full"):
        change(service)
    assert ((config(service), brand(service)), journal.records) == (before, records)
    assert missing(service, NEW)
    assert missing(service, f"{BISTRO}/channelConfigs/lunch")
