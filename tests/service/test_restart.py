"""What clients did is there again when a service begins anew over its journal, and files are the truth.

Values in Redis are there for every service: what one syncs and writes, another one serves and searches.
"""

import itertools
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.redis_servers import Server
from tests.service import service_fixture
from tests.service.service_fixture import (
    DOCUMENTS,
    MENU,
    NOON,
    RIDERS,
    SERVING,
    SOURCE,
    catalog,
    deleting,
    got,
    patched,
    policy,
    run,
    sent,
    stream,
    synced,
)
from trialrun.errors import StoreError
from trialrun.lint.selection import Selection, default_rules, default_selection
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.store.guard import StoreGuard
from trialrun.runtime.feature_view.trial_run import RemoteStores, StoreFolder
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.iam import AccessEnabled, Caller
from trialrun.service.journal import Journal, Record
from trialrun.service.journal_file import FILE_NAME, JournalFile, open_journal, read_journal
from trialrun.service.listing import GetRequest, ListRequest


@contextmanager
def opened(folder: Path) -> Iterator[JournalFile]:
    with open_journal(folder, StoreGuard(folder)) as journal:
        yield journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".trialrun"


def test_what_was_written_is_there_again_in_its_order(folder: Path) -> None:
    with opened(folder) as journal:
        journal.write([Record("view", "b", {"n": 1}), Record("view", "a", {"n": 2}), Record("other", "b", {"n": 3})])
        journal.write([Record("view", "b", {"n": 4}), Record("other", "b", None)])
    with opened(folder) as journal:
        assert list(journal.read("view")) == [("b", {"n": 4}), ("a", {"n": 2})]
        assert list(journal.read("view", "a")) == [("a", {"n": 2})]
        assert (journal.names("view"), journal.names("other")) == (["b", "a"], [])
        assert (journal.get("view", "a"), journal.get("other", "b")) == ({"n": 2}, None)


@pytest.mark.parametrize("name", ["ü", "\ud800", "a/%_*", "", "\0"])
def test_any_text_is_a_name_and_a_value(folder: Path, name: str) -> None:
    with opened(folder) as journal:
        journal.write([Record("view", name, {name: name})])
        assert list(journal.read("view", name)) == [(name, {name: name})]


def test_a_second_server_is_refused(folder: Path) -> None:
    refused = pytest.raises(StoreError, match=r"another server uses .*; end it, or choose another")
    with opened(folder), refused, opened(folder):
        pass
    with opened(folder):  # the lock ends with its server
        pass


def test_a_journal_is_read_while_a_server_writes_it(folder: Path) -> None:
    guard = StoreGuard(folder)
    with read_journal(folder, guard) as journal:
        assert journal is None
    with opened(folder) as written:
        written.write([Record("view", "a", {"n": 1})])
        with read_journal(folder, guard) as journal:
            assert journal is not None and journal.get("view", "a") == {"n": 1}


def test_a_write_that_fails_in_the_middle_keeps_nothing(folder: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(folder) as journal:
        journal.write([Record("view", "a", {"n": 1})])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
        try:
            with pytest.raises(StoreError, match=r"cannot grow|is full"):
                journal.write([Record("view", f"many {number}", {"text": "x" * 1000}) for number in range(1000)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert list(journal.read("view")) == [("a", {"n": 1})]
        journal.write([Record("view", "b", {"n": 2})])
    with opened(folder) as journal:
        assert list(journal.read("view")) == [("a", {"n": 1}), ("b", {"n": 2})]


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET value = '{\"n\": 2}'",
        "UPDATE records SET value = 'no json'",
        "UPDATE records SET name = x'62'",
        "UPDATE records SET digest = ''",
        "UPDATE records SET number = 'first'",
        "UPDATE records SET number = 9223372036854775807",
        "UPDATE records SET name = x'ff'",
        "UPDATE records SET name = 'a'",
        "CREATE TABLE more (a)",
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 9",
    ],
)
def test_a_file_that_somebody_changed_is_refused(folder: Path, statement: str) -> None:
    with opened(folder) as journal:
        journal.write([Record("view", "a", {"n": 1})])
    change(folder, statement)
    with pytest.raises(StoreError, match=r"is damaged|of another (program|version)"), opened(folder) as journal:
        journal.names("view")
        list(journal.read("view"))


def test_a_folder_that_a_repository_brings_is_refused(folder: Path) -> None:
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(b"SQLite format 3\0" + b"\0" * 4000)
    with pytest.raises(StoreError, match="was created by another user, in another place"), opened(folder):
        pass


@pytest.mark.parametrize("name", [FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"])
def test_links_are_not_followed(folder: Path, tmp_path: Path, name: str) -> None:
    with opened(folder):
        pass
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="links are not followed"), opened(folder):
        pass
    assert not (tmp_path / "elsewhere").exists()


COPY, GONE = f"{SERVING}/featureViews/copy", f"{SERVING}/featureViews/gone"
PREFIXES = map("service{}".format, itertools.count())


@pytest.fixture(params=[pytest.param("memory", marks=pytest.mark.exhaustive), "file"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    if request.param == "memory":
        yield Journal()
        return
    folder = tmp_path / "kept"
    with open_journal(folder, StoreGuard(folder)) as opened:
        yield opened


@pytest.fixture
def begin(tmp_path: Path, journal: Journal) -> Callable[..., Any]:
    """Makes services over one journal, over the documents of the fixture or others."""
    return lambda *documents, **options: begun(tmp_path, journal, *documents, **options)


def begun(folder: Path, journal: Journal, *documents: dict[str, Any], **options: Any) -> Any:
    found = catalog_of(folder, documents or DOCUMENTS)
    places = StoreFolder(folder, temporary=True)
    return FeatureViewService(found, places, clock=options.pop("clock", FixedClock(NOON)), journal=journal, **options)


def catalog_of(folder: Path, documents: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service_fixture, "DOCUMENTS", documents)
        return catalog(folder)


def riders(**fields: Any) -> list[dict[str, Any]]:
    """The documents with another view of riders."""
    return [document if document.get("name") != RIDERS else {**document, **fields} for document in DOCUMENTS]


def create(service: FeatureViewService, id: str = "copy", *caller: Caller, **options: Any) -> Any:
    view = {"warehouseSource": SOURCE}
    request = m.CreateFeatureViewRequest(parent=SERVING, featureViewId=id, featureView=view, **options)
    return run(service.create(request, *caller)).featureView


def missing(service: FeatureViewService, name: str) -> bool:
    try:
        got(service, name)
    except ServiceError as error:
        return error.status.name == "NOT_FOUND"
    return False


def syncs(service: FeatureViewService) -> Any:
    return run(service.list_syncs(ListRequest(parent=RIDERS))).featureViewSyncs


def values(service: FeatureViewService, key: str, *caller: Caller, name: str = RIDERS) -> dict[str, Any] | None:
    request = {"featureView": name, "dataKey": {"key": key}, "dataFormat": "PROTO_STRUCT"}
    return run(service.fetch_feature_values(m.FetchFeatureValuesRequest.model_validate(request), *caller)).protoStruct


def set_policy(service: FeatureViewService, name: str, **members: str) -> Any:
    return run(service.set_iam_policy(m.SetIamPolicyRequest(resource=name, policy=policy(**members))))


def access_token(service: FeatureViewService, name: str) -> Any:
    request = m.GenerateFetchAccessTokenRequest(featureView=name)
    return run(service.generate_fetch_access_token(request)).accessToken


def test_views_are_as_they_were(begin: Callable[..., Any]) -> None:
    first = begin()
    create(first)
    create(first, "gone")
    run(deleting(first, GONE))
    patched(first, labels={"team": "menu"})
    before = [got(first), got(first, COPY)]
    again = begin(clock=FixedClock(NOON + timedelta(days=1)))
    assert [got(again), got(again, COPY)] == before
    assert missing(again, GONE)
    run(deleting(again, COPY, etag=before[1].etag))


def test_a_view_of_the_files_is_the_same_one(begin: Callable[..., Any]) -> None:
    caller = Caller("user:ana@acme.example", access_token=access_token(begin(), RIDERS))
    again = begin(clock=FixedClock(NOON + timedelta(minutes=1)), access=AccessEnabled(policy()))
    with pytest.raises(ServiceError) as refusal:  # the token holds, and there are no values
        values(again, "ana", caller)
    assert refusal.value.reason == "never-synced"


def test_no_version_has_the_etag_of_another(begin: Callable[..., Any]) -> None:
    etags = set()
    for _ in range(3):
        service = begin()
        etags |= {patched(service, labels={"team": team}).featureView.etag for team in ("a", "b")}
    assert len(etags) == 6


def test_a_view_of_the_same_name_is_another_one(begin: Callable[..., Any]) -> None:
    first = begin()
    create(first)
    caller = Caller("user:ben@acme.example", access_token=access_token(first, COPY))
    run(deleting(first, COPY))
    again = begin(access=AccessEnabled(policy(admin="user:ana@acme.example")))
    create(again, "copy", Caller("user:ana@acme.example"))
    with pytest.raises(ServiceError, match="that was deleted"):
        values(again, "ana", caller, name=COPY)


def test_syncs_and_values_are_as_they_were(begin: Callable[..., Any]) -> None:
    first = begin()
    synced(first)
    create(first, runSyncImmediately=True)
    again = begin()
    assert syncs(again) == syncs(first)
    assert values(again, "ana", name=COPY) is not None
    assert synced(again).name.endswith("/featureViewSyncs/2")


def test_policies_are_as_they_were(begin: Callable[..., Any]) -> None:
    kept = set_policy(begin(), RIDERS, viewer="user:ana@acme.example")
    again = begin()
    assert run(again.get_iam_policy(m.GetIamPolicyRequest(resource=RIDERS))) == kept
    assert set_policy(again, RIDERS, viewer="user:ana@acme.example").etag != kept.etag


def test_a_view_takes_what_is_its_own_with_it(begin: Callable[..., Any], journal: Journal) -> None:
    first = begin()
    create(first, runSyncImmediately=True)
    set_policy(first, COPY, viewer="allUsers")
    run(deleting(first, COPY))
    assert [*journal.read("Policy")] == [*journal.read("FeatureViewSync")] == []


def test_a_deleted_view_of_a_file_stays_deleted_until_its_document_changes(begin: Callable[..., Any]) -> None:
    run(deleting(begin(), RIDERS))
    assert missing(begin(), RIDERS)
    assert got(begin(*riders(labels={"team": "new"}))).labels == {"team": "new"}


def test_what_a_client_changed_holds_until_the_document_changes(begin: Callable[..., Any], tmp_path: Path) -> None:
    first = begin()
    created = got(first).createTime
    patched(first, labels={"team": "client"})
    assert got(begin()).labels == {"team": "client"}
    again = begin(clock=FixedClock(NOON + timedelta(hours=1)))
    merge = again.replace_documents(catalog_of(tmp_path, riders(labels={"team": "file"})), default_selection())
    assert (merge.taken, merge.overruled) == ([RIDERS], [RIDERS])
    view = got(again)
    assert (view.labels, view.createTime, view.updateTime) == ({"team": "file"}, created, "2026-03-01T13:00:00Z")


def test_a_view_goes_with_its_document(begin: Callable[..., Any], tmp_path: Path) -> None:
    service = begin()
    create(service)
    without = [document for document in DOCUMENTS if document.get("name") != RIDERS]
    merge = service.replace_documents(catalog_of(tmp_path, without), default_selection())
    assert (merge.removed, missing(service, RIDERS), missing(service, COPY)) == ([RIDERS], True, False)
    assert missing(begin(*without), RIDERS)


def test_of_documents_that_cannot_all_be_read_no_view_goes(begin: Callable[..., Any], tmp_path: Path) -> None:
    service = begin()
    service.replace_documents(catalog_of(tmp_path, DOCUMENTS[:4]), default_selection(), is_complete=False)
    assert not missing(service, RIDERS)


def test_a_document_takes_the_name_of_a_view_of_a_client(begin: Callable[..., Any], tmp_path: Path) -> None:
    service = begin()
    create(service)
    copy = {"kind": "FeatureView", "name": COPY, "labels": {"team": "file"}, "warehouseSource": SOURCE}
    merge = service.replace_documents(catalog(tmp_path, [copy]), default_selection())
    assert (merge.overruled, got(service, COPY).labels) == ([COPY], {"team": "file"})


def test_documents_that_did_not_change_leave_everything_as_it_is(
    begin: Callable[..., Any], tmp_path: Path, journal: Journal
) -> None:
    service = begin()
    patched(service, labels={"team": "client"})
    before = [*journal.read("FeatureView")]
    merge = service.replace_documents(catalog(tmp_path), default_selection())
    assert (merge.taken, merge.removed, [*journal.read("FeatureView")]) == ([], [], before)


def test_other_rules_hold_from_then_on(begin: Callable[..., Any], tmp_path: Path) -> None:
    service = begin()
    with pytest.raises(ServiceError):
        patched(service, syncConfig={"cron": "0 25 * * *"})
    service.replace_documents(catalog(tmp_path), Selection(default_rules() - {"cron-syntax"}))
    patched(service, syncConfig={"cron": "0 25 * * *"})


class FailingJournal(Journal):
    """A journal whose disk is full once it is told so."""

    is_full = False

    def write(self, records: Any) -> None:
        if self.is_full:
            raise StoreError("the disk is full; free some space")
        super().write(records)

    @property
    def records(self) -> list[Record]:
        return [Record(kind, name, value) for kind, of in self._values.items() for name, value in of.items()]


@pytest.mark.parametrize(
    "change",
    [
        create,
        lambda service: patched(service, labels={"team": "menu"}),
        lambda service: run(deleting(service, RIDERS)),
        lambda service: set_policy(service, RIDERS),
    ],
    ids=["create", "patch", "delete", "setIamPolicy"],
)
def test_a_full_disk_refuses_a_change_and_changes_nothing(tmp_path: Path, change: Any) -> None:
    journal = FailingJournal()
    service = begun(tmp_path, journal)
    synced(service)
    before, records = got(service), journal.records
    journal.is_full = True
    with pytest.raises(ServiceError, match="the disk is full") as refusal:
        change(service)
    assert (refusal.value.status.name, refusal.value.reason) == ("UNAVAILABLE", "cannot-store")
    assert (got(service), missing(service, COPY), journal.records) == (before, True, records)
    assert values(service, "ana") is not None


def test_a_sync_whose_record_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    journal = FailingJournal()
    service = begun(tmp_path, journal)
    journal.is_full = True
    with pytest.raises(ServiceError, match="the disk is full"):
        synced(service)
    assert syncs(service) == []


@pytest.fixture(params=["redis_server", pytest.param("redis_cluster", marks=pytest.mark.exhaustive)])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty store; indexes go to a folder of the test."""
    monkeypatch.setenv("TRIALRUN_CACHE_DIR", str(tmp_path / "cache"))
    nodes: Server | list[Server] = request.getfixturevalue(request.param)
    return f"redis://127.0.0.1:{(nodes[0] if isinstance(nodes, list) else nodes).port}?prefix={next(PREFIXES)}"


@pytest.fixture
def here(tmp_path: Path, address: str) -> FeatureViewService:
    """A service that has synced both views."""
    made = remote(tmp_path, address)
    for name in (RIDERS, MENU):
        synced(made, name)
    return made


@pytest.fixture
def there(tmp_path: Path, address: str) -> FeatureViewService:
    """Another service of the same store."""
    return remote(tmp_path, address)


def remote(folder: Path, address: str) -> FeatureViewService:
    return service_fixture.service(folder, places=RemoteStores(address))


def search(of: FeatureViewService, **query: Any) -> list[str]:
    request = m.SearchNearestEntitiesRequest.model_validate({"featureView": MENU, "query": query})
    return [neighbor.entityId for neighbor in run(of.search_nearest_entities(request)).nearestNeighbors.neighbors]


def test_a_sync_is_on_record_and_its_values_are_fetched_elsewhere(
    here: FeatureViewService, there: FeatureViewService
) -> None:
    record = run(here.get_sync(GetRequest(name=f"{RIDERS}/featureViewSyncs/1")))
    assert record.json_object()["syncSummary"]["rowSynced"] == "2"
    assert values(there, "ben") == values(here, "ben") == {"trips": 7, "rating": None}


def test_a_direct_write_is_served_elsewhere_and_survives_a_sync(
    here: FeatureViewService, there: FeatureViewService
) -> None:
    entry = {"dataKey": {"key": "ana"}, "features": [{"name": "trips", "value": {"int64Value": "99"}}]}
    request = m.DirectWriteRequest.model_validate({"featureView": RIDERS, "dataKeyAndFeatureValues": [entry]})
    (answer,) = stream(there.direct_write(sent(request)))
    assert answer.status.code == 0
    assert values(here, "ana") == {"trips": 99, "rating": 4.5}
    synced(here)
    assert values(there, "ana") == {"trips": 99, "rating": 4.5}


def test_a_search_finds_what_another_service_has_synced(here: FeatureViewService, there: FeatureViewService) -> None:
    assert search(there, embedding={"value": [0, 1]}) == search(here, embedding={"value": [0, 1]}) == ["3", "2", "1"]
    assert search(there, entityId="1", stringFilters=[{"name": "cuisine", "denyTokens": ["thai"]}]) == ["3"]


def test_a_view_that_is_deleted_is_gone_from_the_store(here: FeatureViewService, there: FeatureViewService) -> None:
    run(deleting(here, RIDERS))
    with pytest.raises(ServiceError) as refused:
        values(there, "ana")
    assert refused.value.reason == "never-synced"


def test_a_store_that_cannot_be_reached_is_an_error_of_the_service(tmp_path: Path) -> None:
    pytest.importorskip("redis")
    with pytest.raises(ServiceError) as refused:
        values(remote(tmp_path, "redis://127.0.0.1:1"), "ana")
    assert (refused.value.status.name, "cannot be reached" in refused.value.message) == ("UNAVAILABLE", True)
