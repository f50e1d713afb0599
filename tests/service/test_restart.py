"""What clients did is there again when a service begins anew over its journal, and files are the truth."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import (
    DOCUMENTS,
    NOON,
    RIDERS,
    SERVING,
    SOURCE,
    catalog,
    policy,
    run,
)
from trialrun.lint.selection import Selection, default_rules, default_selection
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.store.guard import StoreGuard
from trialrun.runtime.feature_view.store.store_folder import StoreFolder
from trialrun.service.caller import Member
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.iam import AccessEnabled
from trialrun.service.journal import Journal, JournalError, MemoryJournal, Record
from trialrun.service.journal_file import open_journal

COPY = f"{SERVING}/featureViews/copy"


@pytest.fixture(params=[pytest.param("memory", marks=pytest.mark.exhaustive), "file"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    if request.param == "memory":
        yield MemoryJournal()
        return
    folder = tmp_path / "kept"
    with open_journal(folder, StoreGuard(folder)) as opened:
        yield opened


def begun(folder: Path, journal: Journal, documents: list[dict[str, Any]] | None = None, **options: Any) -> Any:
    """A service over a journal, over the documents of the fixture or others."""
    found = catalog(folder)
    if documents is not None:
        found = catalog_of(folder, documents)
    places = StoreFolder(folder, temporary=True)
    return FeatureViewService(found, places, clock=options.pop("clock", FixedClock(NOON)), journal=journal, **options)


def catalog_of(folder: Path, documents: list[dict[str, Any]]) -> Any:
    from unittest.mock import patch

    with patch("tests.service.service_fixture.DOCUMENTS", documents):
        return catalog(folder)


def riders(**fields: Any) -> list[dict[str, Any]]:
    """The documents with another view of riders."""
    return [document if document.get("name") != RIDERS else {**document, **fields} for document in DOCUMENTS]


def create(service: FeatureViewService, id_: str = "copy", **options: Any) -> Any:
    request = m.CreateFeatureViewRequest(
        parent=SERVING, featureViewId=id_, featureView={"warehouseSource": SOURCE}, **options
    )
    return run(service.create(request)).featureView


def patch(service: FeatureViewService, name: str = RIDERS, **fields: Any) -> Any:
    return run(service.patch(m.PatchFeatureViewRequest(featureView={"name": name, **fields}))).featureView


def get(service: FeatureViewService, name: str = RIDERS) -> Any:
    return run(service.get(m.GetFeatureViewRequest(name=name)))


def missing(service: FeatureViewService, name: str) -> bool:
    try:
        get(service, name)
    except ServiceError as error:
        return error.status.name == "NOT_FOUND"
    return False


def test_views_are_as_they_were(tmp_path: Path, journal: Journal) -> None:
    first = begun(tmp_path, journal)
    create(first)
    create(first, "gone")
    run(first.delete(m.DeleteFeatureViewRequest(name=f"{SERVING}/featureViews/gone")))
    patch(first, labels={"team": "menu"})
    before = [get(first), get(first, COPY)]
    again = begun(tmp_path, journal, clock=FixedClock(NOON + timedelta(days=1)))
    assert [get(again), get(again, COPY)] == before
    assert missing(again, f"{SERVING}/featureViews/gone")
    run(again.delete(m.DeleteFeatureViewRequest(name=COPY, etag=before[1].etag)))


def test_a_view_of_the_files_is_the_same_one(tmp_path: Path, journal: Journal) -> None:
    token = run(
        begun(tmp_path, journal).generate_fetch_access_token(m.GenerateFetchAccessTokenRequest(featureView=RIDERS))
    )
    again = begun(tmp_path, journal, clock=FixedClock(NOON + timedelta(minutes=1)), access=AccessEnabled(policy()))
    caller = Member("user:ana@acme.example", access_token=token.accessToken)
    with pytest.raises(ServiceError) as refusal:  # the token holds, and there are no values
        run(again.fetch_feature_values(m.FetchFeatureValuesRequest(featureView=RIDERS, dataKey={"key": "ana"}), caller))
    assert refusal.value.reason == "never-synced"


def test_no_version_has_the_etag_of_another(tmp_path: Path, journal: Journal) -> None:
    etags = []
    for _ in range(3):
        service = begun(tmp_path, journal)
        etags += [patch(service, labels={"team": team}).etag for team in ("a", "b")]
    assert len(set(etags)) == 6


def test_a_view_of_the_same_name_is_another_one(tmp_path: Path, journal: Journal) -> None:
    first = begun(tmp_path, journal)
    create(first)
    token = run(first.generate_fetch_access_token(m.GenerateFetchAccessTokenRequest(featureView=COPY)))
    run(first.delete(m.DeleteFeatureViewRequest(name=COPY)))
    again = begun(tmp_path, journal, access=AccessEnabled(policy(admin="user:ana@acme.example")))
    ana = Member("user:ana@acme.example")
    request = m.CreateFeatureViewRequest(parent=SERVING, featureViewId="copy", featureView={"warehouseSource": SOURCE})
    run(again.create(request, ana))
    caller = Member("user:ben@acme.example", access_token=token.accessToken)
    with pytest.raises(ServiceError, match="that was deleted"):
        run(again.fetch_feature_values(m.FetchFeatureValuesRequest(featureView=COPY, dataKey={"key": "ana"}), caller))


def test_syncs_and_values_are_as_they_were(tmp_path: Path, journal: Journal) -> None:
    first = begun(tmp_path, journal)
    run(first.sync(m.SyncFeatureViewRequest(featureView=RIDERS)))
    create(first, runSyncImmediately=True)
    again = begun(tmp_path, journal)
    assert run(again.list_syncs(m.ListFeatureViewSyncsRequest(parent=RIDERS))) == run(
        first.list_syncs(m.ListFeatureViewSyncsRequest(parent=RIDERS))
    )
    answer = run(again.fetch_feature_values(m.FetchFeatureValuesRequest(featureView=COPY, dataKey={"key": "ana"})))
    assert answer.keyValues is not None
    name = run(again.sync(m.SyncFeatureViewRequest(featureView=RIDERS))).featureViewSync
    assert name.endswith("/featureViewSyncs/2")


def test_policies_are_as_they_were(tmp_path: Path, journal: Journal) -> None:
    first = begun(tmp_path, journal)
    given = policy(viewer="user:ana@acme.example")
    kept = run(first.set_iam_policy(m.SetIamPolicyRequest(resource=RIDERS, policy=given)))
    again = begun(tmp_path, journal)
    assert run(again.get_iam_policy(m.GetIamPolicyRequest(resource=RIDERS))) == kept
    changed = run(again.set_iam_policy(m.SetIamPolicyRequest(resource=RIDERS, policy=given)))
    assert changed.etag != kept.etag


def test_a_view_takes_what_is_its_own_with_it(tmp_path: Path, journal: Journal) -> None:
    first = begun(tmp_path, journal)
    create(first, runSyncImmediately=True)
    run(first.set_iam_policy(m.SetIamPolicyRequest(resource=COPY, policy=policy(viewer="allUsers"))))
    run(first.delete(m.DeleteFeatureViewRequest(name=COPY)))
    assert [*journal.read("Policy")] == [*journal.read("FeatureViewSync")] == []


def test_a_deleted_view_of_a_file_stays_deleted_until_its_document_changes(tmp_path: Path, journal: Journal) -> None:
    run(begun(tmp_path, journal).delete(m.DeleteFeatureViewRequest(name=RIDERS)))
    assert missing(begun(tmp_path, journal), RIDERS)
    assert get(begun(tmp_path, journal, riders(labels={"team": "new"}))).labels == {"team": "new"}


def test_what_a_client_changed_holds_until_the_document_changes(tmp_path: Path, journal: Journal) -> None:
    first = begun(tmp_path, journal)
    created = get(first).createTime
    patch(first, labels={"team": "client"})
    assert get(begun(tmp_path, journal)).labels == {"team": "client"}
    again = begun(tmp_path, journal, clock=FixedClock(NOON + timedelta(hours=1)))
    merge = again.replace_documents(catalog_of(tmp_path, riders(labels={"team": "file"})), default_selection())
    assert (merge.taken, merge.overruled) == ([RIDERS], [RIDERS])
    view = get(again)
    assert (view.labels, view.createTime, view.updateTime) == ({"team": "file"}, created, "2026-03-01T13:00:00Z")


def test_a_view_goes_with_its_document(tmp_path: Path, journal: Journal) -> None:
    service = begun(tmp_path, journal)
    create(service)
    without = [document for document in DOCUMENTS if document.get("name") != RIDERS]
    merge = service.replace_documents(catalog_of(tmp_path, without), default_selection())
    assert (merge.removed, missing(service, RIDERS), missing(service, COPY)) == ([RIDERS], True, False)
    assert missing(begun(tmp_path, journal, without), RIDERS)


def test_of_documents_that_cannot_all_be_read_no_view_goes(tmp_path: Path, journal: Journal) -> None:
    service = begun(tmp_path, journal)
    service.replace_documents(catalog_of(tmp_path, DOCUMENTS[:4]), default_selection(), is_complete=False)
    assert not missing(service, RIDERS)


def test_a_document_takes_the_name_of_a_view_of_a_client(tmp_path: Path, journal: Journal) -> None:
    service = begun(tmp_path, journal)
    create(service)
    copy = {"kind": "FeatureView", "name": COPY, "labels": {"team": "file"}, "warehouseSource": SOURCE}
    merge = service.replace_documents(catalog(tmp_path, [copy]), default_selection())
    assert (merge.overruled, get(service, COPY).labels) == ([COPY], {"team": "file"})


def test_documents_that_did_not_change_leave_everything_as_it_is(tmp_path: Path, journal: Journal) -> None:
    service = begun(tmp_path, journal)
    patch(service, labels={"team": "client"})
    before = [*journal.read("FeatureView")]
    merge = service.replace_documents(catalog(tmp_path), default_selection())
    assert (merge.taken, merge.removed, [*journal.read("FeatureView")]) == ([], [], before)


def test_other_rules_hold_from_then_on(tmp_path: Path, journal: Journal) -> None:
    service = begun(tmp_path, journal)
    few = Selection(default_rules() - {"cron-syntax"})
    with pytest.raises(ServiceError):
        patch(service, syncConfig={"cron": "0 25 * * *"})
    service.replace_documents(catalog(tmp_path), few)
    patch(service, syncConfig={"cron": "0 25 * * *"})


class FailingJournal(MemoryJournal):
    """A journal whose disk is full once it is told so."""

    is_full = False

    def write(self, records: Any) -> None:
        if self.is_full:
            raise JournalError("the disk is full; free some space")
        super().write(records)

    @property
    def records(self) -> list[Record]:
        return [Record(kind, name, value) for kind, of in self._values.items() for name, value in of.items()]


@pytest.mark.parametrize(
    "change",
    [
        create,
        lambda service: patch(service, labels={"team": "menu"}),
        lambda service: run(service.delete(m.DeleteFeatureViewRequest(name=RIDERS))),
        lambda service: run(service.set_iam_policy(m.SetIamPolicyRequest(resource=RIDERS, policy=policy()))),
    ],
    ids=["create", "patch", "delete", "setIamPolicy"],
)
def test_a_full_disk_refuses_a_change_and_changes_nothing(tmp_path: Path, change: Any) -> None:
    journal = FailingJournal()
    service = begun(tmp_path, journal)
    run(service.sync(m.SyncFeatureViewRequest(featureView=RIDERS)))
    before, records = get(service), journal.records
    journal.is_full = True
    with pytest.raises(ServiceError, match="the disk is full") as refusal:
        change(service)
    assert (refusal.value.status.name, refusal.value.reason) == ("UNAVAILABLE", "cannot-store")
    assert (get(service), missing(service, COPY), journal.records) == (before, True, records)
    run(service.fetch_feature_values(m.FetchFeatureValuesRequest(featureView=RIDERS, dataKey={"key": "ana"})))


def test_a_sync_whose_record_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    journal = FailingJournal()
    service = begun(tmp_path, journal)
    journal.is_full = True
    with pytest.raises(ServiceError, match="the disk is full"):
        run(service.sync(m.SyncFeatureViewRequest(featureView=RIDERS)))
    assert run(service.list_syncs(m.ListFeatureViewSyncsRequest(parent=RIDERS))).featureViewSyncs == []
