"""What clients did to configs is there again over the same journal, and files are the truth."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.service.channel_config.service_fixture import (
    ACME,
    BISTRO,
    DOCUMENTS,
    LUNCH,
    VOICE,
    catalog,
    config,
    create,
    patch,
    promote,
)
from tests.service.service_fixture import NOON, run
from tests.service.test_restart import FailingJournal
from trialrun.lint.selection import default_selection
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.service.error import ServiceError
from trialrun.service.journal import Journal, MemoryJournal
from trialrun.service.origin import Merge

NEW = f"{ACME}/channelConfigs/new"


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


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


def brand(service: ChannelConfigService, name: str = ACME) -> Any:
    return run(service.get_brand(messages.GetBrandRequest(name=name)))


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
    run(first.delete(messages.DeleteChannelConfigRequest(name=NEW)))
    again = begun(journal, at=timedelta(hours=1), acme=acme)
    names = (LUNCH, VOICE, copy)
    assert [config(again, name) for name in names] == [config(first, name) for name in names]
    assert (brand(again), brand(again, BISTRO)) == (brand(first), brand(first, BISTRO))
    assert missing(again, NEW)
    assert config(again).state == "PROMOTED"


def test_what_a_client_deleted_stays_so_until_its_document_changes(journal: Journal) -> None:
    run(begun(journal).delete(messages.DeleteChannelConfigRequest(name=LUNCH)))
    assert missing(begun(journal), LUNCH)
    assert config(begun(journal, lunch={"displayName": "Noon"})).displayName == "Noon"


def test_the_file_wins_once_its_document_changes(journal: Journal) -> None:
    service = begun(journal)
    patch(service, displayName="Client")
    assert replaced(service).overruled == []
    assert config(service).displayName == "Client"
    merge = replaced(service, lunch={"displayName": "File"}, acme={"displayName": "File"})
    assert merge.overruled == [LUNCH]
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
        lambda service: run(service.delete(messages.DeleteChannelConfigRequest(name=LUNCH))),
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
