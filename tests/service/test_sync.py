"""sync: on demand, one at a time, and by a schedule, which reads no sources that are unchanged; grants of accounts."""

import asyncio
import json
import os
import time
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.cases import first_of
from tests.service.service_fixture import (
    MENU,
    NOON,
    RIDERS,
    ROWS,
    SERVING,
    SOURCE,
    catalog,
    created,
    deleting,
    fetching,
    getting,
    got,
    patched,
    refusal,
    run,
    sent,
    service,
    stream,
    synced,
    syncing,
)
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view import trial_run
from trialrun.runtime.feature_view.source import location
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.runtime.feature_view.trial_run import StoreFolder
from trialrun.service.error import ErrorInfo, ResourceInfo, ServiceError, Status, service_error
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.storage import stale_reads
from trialrun.service.feature_view.syncs import to_rpc_status
from trialrun.service.listing import GetRequest, ListRequest

ISOLATED = {"warehouseSource": SOURCE, "serviceAgentType": "SERVICE_AGENT_TYPE_FEATURE_VIEW"}


def add(here: FeatureViewService, id_: str, view: dict[str, Any]) -> str:
    """Create a view under a store; its name."""
    return created(here, view, featureViewId=id_).featureView.name or ""


def scheduled(here: FeatureViewService, id_: str, sync: dict[str, object]) -> str:
    return add(here, id_, {"warehouseSource": SOURCE, "syncConfig": sync})


def test_a_sync_is_told_by_its_name_and_what_it_did(here: FeatureViewService) -> None:
    made = synced(here)
    assert made.name == f"{RIDERS}/featureViewSyncs/1"
    assert made.json_object()["syncSummary"]["rowSynced"] == "2"
    assert (made.finalStatus.code, made.createTime) == (0, NOON)
    assert "sync-latest-row" in made.assumptions


def test_findings_in_the_rows_come_with_the_sync(here: FeatureViewService, tmp_path: Path) -> None:
    again = [*ROWS, {**ROWS[0], "trips": 13}]
    (tmp_path / "riders.json").write_text("".join(f"{json.dumps(row)}\n" for row in again))
    assert [finding.message for finding in synced(here).findings] != []


@pytest.mark.parametrize(
    ("order", "numbers"), [("create_time desc", "321"), ("createTime desc", "321"), ("create_time", "123")]
)
def test_syncs_of_one_time_come_in_the_direction_of_the_others(
    here: FeatureViewService, order: str, numbers: str
) -> None:
    for _ in range(3):
        run(here.sync(m.SyncFeatureViewRequest(featureView=RIDERS)))
    listed, token = "", ""
    while token or not listed:
        page = run(here.list_syncs(ListRequest(parent=RIDERS, orderBy=order, pageSize=2, pageToken=token)))
        listed += "".join((sync.name or "")[-1] for sync in page.featureViewSyncs)
        token = page.nextPageToken
    assert listed == numbers


def test_syncs_are_listed_with_the_newest_first(here: FeatureViewService) -> None:
    synced(here)
    synced(here)
    request = ListRequest(parent=RIDERS, pageSize=1)
    first = run(here.list_syncs(request))
    rest = run(here.list_syncs(request.model_copy(update={"pageToken": first.nextPageToken})))
    names = [featureviewsync.name for featureviewsync in (*first.featureViewSyncs, *rest.featureViewSyncs)]
    assert names == [f"{RIDERS}/featureViewSyncs/2", f"{RIDERS}/featureViewSyncs/1"]


def test_a_sync_that_there_is_not(here: FeatureViewService) -> None:
    with pytest.raises(ServiceError, match='there is no FeatureViewSync "9"'):
        run(here.get_sync(GetRequest(name=f"{RIDERS}/featureViewSyncs/9")))


def test_a_continuous_view_takes_no_sync_on_demand(here: FeatureViewService) -> None:
    name = add(here, "live", {"warehouseSource": SOURCE, "syncConfig": {"continuous": True}})
    error = refusal(syncing(here, name))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "continuous-view")


def test_an_unknown_source_fails_and_is_in_the_record(here: FeatureViewService) -> None:
    name = add(here, "lost", {"warehouseSource": {"uri": "bq://nowhere", "entityIdColumns": ["id"]}})
    error = refusal(syncing(here, name))
    assert error.status.name == "FAILED_PRECONDITION" and "bq://nowhere" in error.message
    record = run(here.get_sync(GetRequest(name=f"{name}/featureViewSyncs/1")))
    assert (record.finalStatus.code, record.finalStatus.message) == (9, error.message)


def test_an_event_loop_goes_on_beside_a_sync(tmp_path: Path) -> None:
    class Waiting(FixedClock):
        """A clock that waits for somebody else before it says what time it is."""

        is_loose = Event()

        def now(self) -> datetime:
            assert self.is_loose.wait(timeout=30)
            return super().now()

    Waiting.is_loose.set()
    here = service(tmp_path, clock=Waiting(NOON))

    async def beside() -> None:
        Waiting.is_loose.clear()
        task = asyncio.create_task(syncing(here))
        await asyncio.sleep(0)
        assert (await getting(here)).name == RIDERS
        Waiting.is_loose.set()
        await task

    asyncio.run(beside())


def test_a_sync_beside_another_of_the_same_view_is_aborted(tmp_path: Path) -> None:
    errors: list[ServiceError] = []
    folder = StoreFolder(tmp_path)
    here = FeatureViewService(catalog(tmp_path), folder, clock=FixedClock(NOON))
    rival = FeatureViewService(catalog(tmp_path), folder, clock=FixedClock(NOON))

    def in_the_middle(number: int, scan: object) -> None:
        errors.append(refusal(syncing(rival, MENU)))

    view = catalog(tmp_path).view(MENU)
    sync_view(view, catalog(tmp_path), folder.store_of(MENU), clock=FixedClock(NOON), before_serving=in_the_middle)
    assert [(error.status.name, error.reason) for error in errors] == [("ABORTED", "sync-running")]
    assert synced(here, MENU).finalStatus.code == 0


def test_a_view_cannot_be_deleted_in_the_middle_of_a_sync(tmp_path: Path) -> None:
    folder = StoreFolder(tmp_path)
    here = FeatureViewService(catalog(tmp_path), folder, clock=FixedClock(NOON))
    told: list[str] = []

    def in_the_middle(number: int, scan: object) -> None:
        with pytest.raises(ServiceError) as refused:
            run(deleting(here, MENU))
        told.append(refused.value.reason)

    declared = catalog(tmp_path)
    sync_view(
        declared.view(MENU), declared, folder.store_of(MENU), clock=FixedClock(NOON), before_serving=in_the_middle
    )
    assert told == ["sync-running"]


def test_the_account_of_a_view_stays_the_same(here: FeatureViewService) -> None:
    name = add(here, "own", ISOLATED)
    before = got(here, name).serviceAccountEmail
    patched(here, name=name, labels={"a": "b"})
    after = got(here, name).serviceAccountEmail
    assert before is not None and before.endswith("@acme.feature-views.example") and after == before
    assert got(here).serviceAccountEmail is None, "it is of the agent of the project"


def test_every_view_has_an_account_of_its_own(here: FeatureViewService) -> None:
    names = [add(here, id_, ISOLATED) for id_ in ("one", "two")]
    assert len({got(here, name).serviceAccountEmail for name in names}) == 2


def test_a_sync_by_its_own_account_needs_a_grant_on_the_source(here: FeatureViewService) -> None:
    name = add(here, "own", ISOLATED)
    account = got(here, name).serviceAccountEmail
    error = refusal(syncing(here, name))
    assert (error.status.name, error.message) == (
        "PERMISSION_DENIED",
        f"the service account of the view may not read {SOURCE['uri']}; grant roles/dataViewer on it to "
        f"serviceAccount:{account}",
    )
    here.grants.grant(str(SOURCE["uri"]), f"serviceAccount:{account}")
    assert synced(here, name).finalStatus.code == 0
    here.grants.revoke(str(SOURCE["uri"]), f"serviceAccount:{account}")
    assert refusal(syncing(here, name)).reason == "missing-grant"


def test_a_view_of_feature_groups_needs_a_grant_on_their_tables(tmp_path: Path) -> None:
    group = {
        "kind": "FeatureGroupTable",
        "featureGroupId": "riders",
        "uri": SOURCE["uri"],
        "entityIdColumns": ["rider_id"],
        "features": [{"id": "trips"}],
    }
    here = service(tmp_path, group)
    registry = {"featureGroups": [{"featureGroupId": "riders", "featureIds": ["trips"]}]}
    view = {"featureRegistrySource": registry, "serviceAgentType": "SERVICE_AGENT_TYPE_FEATURE_VIEW"}
    assert f"may not read {SOURCE['uri']}" in refusal(syncing(here, add(here, "own", view))).message


def test_the_grants_of_a_deleted_view_are_gone(here: FeatureViewService) -> None:
    name = add(here, "own", ISOLATED)
    here.grants.grant(str(SOURCE["uri"]), f"serviceAccount:{got(here, name).serviceAccountEmail}")
    run(deleting(here, name))
    assert refusal(syncing(here, add(here, "own", ISOLATED))).reason == "missing-grant"


def test_the_syncs_of_a_deleted_view_are_gone(here: FeatureViewService) -> None:
    name = add(here, "own", {"warehouseSource": SOURCE})
    synced(here, name)
    run(deleting(here, name))
    add(here, "own", {"warehouseSource": SOURCE})
    assert run(here.list_syncs(ListRequest(parent=name))).featureViewSyncs == []


class Meanwhile(FixedClock):
    """A clock that lets somebody else do something when a sync begins."""

    does: Callable[[], None] | None = None

    def now(self) -> datetime:
        does, self.does = self.does, None
        if does:
            does()
        return super().now()


def test_nothing_is_kept_of_a_view_that_was_deleted_before_its_sync_ended(tmp_path: Path) -> None:
    clock, folder = Meanwhile(NOON), StoreFolder(tmp_path)
    here = FeatureViewService(catalog(tmp_path), folder, clock=clock)
    clock.does = lambda: run_in_thread(deleting(here))
    error = refusal(syncing(here))
    assert (error.status.name, error.reason) == ("ABORTED", "deleted-view")
    assert folder.store_of(RIDERS).snapshot(RIDERS) is None


def test_a_view_that_was_created_anew_is_not_touched_by_the_sync_of_the_old_one(tmp_path: Path) -> None:
    clock = Meanwhile(NOON)
    here = FeatureViewService(catalog(tmp_path), clock=clock)

    def replaced() -> None:
        run_in_thread(deleting(here))
        run_in_thread(here.create(NEW_RIDERS))

    clock.does = replaced
    assert refusal(syncing(here)).reason == "deleted-view"
    (one,) = run(here.list_syncs(ListRequest(parent=RIDERS))).featureViewSyncs
    assert (one.name, one.finalStatus.code) == (f"{RIDERS}/featureViewSyncs/1", 0)
    assert run(fetching(here)).keyValues is not None


NEW_RIDERS = m.CreateFeatureViewRequest(
    parent=SERVING, featureViewId="riders", featureView={"warehouseSource": SOURCE}, runSyncImmediately=True
)


def run_in_thread(operation: Coroutine[Any, Any, Any]) -> None:
    """Carry out an operation beside the event loop that is running."""
    thread = Thread(target=run, args=(operation,))
    thread.start()
    thread.join()


def test_nothing_is_written_to_the_documents(tmp_path: Path) -> None:
    declared = catalog(tmp_path)
    patched(FeatureViewService(declared, clock=FixedClock(NOON)), labels={"a": "b"})
    assert declared.view(RIDERS).node.labels == {"team": "search"}


def test_the_field_that_keeps_a_view_from_being_synced_is_told_with_its_place(tmp_path: Path) -> None:
    registry = {"featureGroups": [{"featureGroupId": "nobody", "featureIds": ["trips"]}]}
    view = {"kind": "FeatureView", "name": f"{SERVING}/featureViews/lost", "featureRegistrySource": registry}
    (info,) = refusal(syncing(service(tmp_path, view), str(view["name"]))).details
    assert isinstance(info, ErrorInfo)
    assert info.metadata["field"].startswith("featureView.featureRegistrySource.featureGroups[0]")


def test_details_of_a_status_are_messages_and_come_back_from_json() -> None:
    view = ResourceInfo(resourceType="FeatureView", resourceName="v")
    error = service_error(Status.NOT_FOUND, "view-not-found", "there is no such view", view)
    status = to_rpc_status(error)
    assert status.details == [*error.details]
    assert m.RpcStatus.model_validate(status.json_object()) == status


def test_continuous_views_and_views_with_a_schedule_are_synced_in_order(tmp_path: Path) -> None:
    clock = FixedClock(NOON)
    here = service(tmp_path, clock=clock)
    continuous = scheduled(here, "continuous", {"continuous": True})
    hourly = scheduled(here, "hourly", {"cron": "1 * * * *"})
    records = run(here.run_until(NOON + timedelta(minutes=2, seconds=30)))
    assert [(record.name.rpartition("/featureViewSyncs/")[0], record.createTime - NOON) for record in records] == [
        (continuous, timedelta(minutes=1)),
        (hourly, timedelta(minutes=1)),
        (continuous, timedelta(minutes=2)),
    ]
    assert [record.finalStatus.code for record in records] == [0, 0, 0]
    assert clock.now() == NOON + timedelta(minutes=2, seconds=30)
    with pytest.raises(ServiceError, match="synced continuously"):
        synced(here, continuous)


def test_a_sync_that_fails_is_in_its_record_and_stops_no_other(tmp_path: Path) -> None:
    here = service(tmp_path)
    scheduled(here, "hourly", {"cron": "1 * * * *"})
    (tmp_path / "riders.json").unlink()
    records = run(here.run_until(NOON + timedelta(hours=2)))
    assert [record.finalStatus.code for record in records] == [9, 9]


def test_only_a_clock_that_is_set_can_be_moved() -> None:
    here = FeatureViewService(Catalog(), clock=SystemClock())
    with pytest.raises(TypeError, match="only a clock that can be set"):
        run(here.run_until(NOON))


DAILY = f"{SERVING}/featureViews/daily"
FINE_GRAIN = 15_000_000
"""Nanoseconds, some more than the 10 ms between two ticks of the slowest kernels."""
Reads = list[str]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """The views whose sources were read."""
    views: Reads = []
    read = trial_run.sync_view

    def sync_view(view: Any, *arguments: Any, **options: Any) -> Any:
        views.append(view.node.name.rpartition("/")[2])
        return read(view, *arguments, **options)

    monkeypatch.setattr(trial_run, "sync_view", sync_view)
    return views


@pytest.fixture
def daily(here: FeatureViewService, tmp_path: Path, fine_times: None) -> FeatureViewService:
    scheduled(here, "daily", {"cron": "0 6 * * *"})
    age(tmp_path)
    return here


@pytest.fixture
def fine_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell files apart that differ by the time that file systems need, without the reserve of the program."""
    monkeypatch.setattr(location, "FINE_GRAIN", FINE_GRAIN)


def age(folder: Path) -> None:
    """Let the tables be older than what file systems tell apart."""
    time.sleep(FINE_GRAIN / 1e9 + 0.005)
    assert time.time_ns() - (folder / "riders.json").stat().st_ctime_ns > FINE_GRAIN


def write(folder: Path, *rows: dict[str, object]) -> None:
    (folder / "riders.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    age(folder)


def advance(here: FeatureViewService, days: int) -> list[m.FeatureViewSync]:
    return list(run(here.run_until(here._clock.now() + timedelta(days=days))))


def summaries(records: list[m.FeatureViewSync]) -> list[dict[str, Any]]:
    return [record.syncSummary.model_dump() if record.syncSummary else {} for record in records]


def test_a_year_of_syncs_reads_what_is_needed(daily: FeatureViewService, reads: Reads) -> None:
    records = advance(daily, 365)
    assert (len(records), len(reads)) == (365, 3)
    assert len({record.createTime for record in records}) == 365
    assert [record.name.rpartition("/")[2] for record in records] == [str(number) for number in range(1, 366)]
    assert summaries(records)[1:] == [summaries(records)[1]] * 364
    assert len(run(daily.list_syncs(ListRequest(parent=DAILY, pageSize=1000))).featureViewSyncs) == 365


@pytest.mark.parametrize("sync", first_of([{"cron": "* * * * *"}, {"continuous": True}]), ids=str)
def test_the_records_are_those_of_syncs_that_read(
    tmp_path: Path, sync: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for is_spared in (True, False):
        folder = tmp_path / str(is_spared)
        folder.mkdir()
        here = service(folder, clock=FixedClock(NOON))
        scheduled(here, "often", sync)
        write(folder, *ROWS, {**ROWS[0], "trips": 13, "feature_timestamp": "2026-03-01T12:03:30Z"})
        if not is_spared:
            monkeypatch.setattr("trialrun.service.feature_view.syncs._places", lambda report: None)
        records = run(here.run_until(NOON + timedelta(minutes=6)))
        found.append([record.json_object() for record in records])
    assert found[0] == found[1]
    assert len(found[0]) == 6


def test_a_changed_table_is_read(daily: FeatureViewService, reads: Reads, tmp_path: Path) -> None:
    advance(daily, 10)
    write(tmp_path, *ROWS, {**ROWS[0], "rider_id": "cem"})
    assert summaries(advance(daily, 1))[0]["rowSynced"] == 3
    status = (tmp_path / "riders.json").stat()
    write(tmp_path, *ROWS, {**ROWS[0], "rider_id": "dan"})  # as large, at the same time of change
    os.utime(tmp_path / "riders.json", ns=(status.st_atime_ns, status.st_mtime_ns))
    age(tmp_path)
    assert summaries(advance(daily, 1))[0]["new"] == 1


def test_a_row_of_a_later_time_is_read_when_it_is_due(daily: FeatureViewService, reads: Reads, tmp_path: Path) -> None:
    write(tmp_path, *ROWS, {**ROWS[0], "trips": 13, "feature_timestamp": "2026-03-20T00:00:00Z"})
    records = advance(daily, 30)
    assert [summary["changed"] for summary in summaries(records)].index(1) == 18
    assert records[18].createTime.day == 20
    assert 5 <= len(reads) <= 6


def test_a_table_that_was_just_written_is_read_again(
    daily: FeatureViewService, reads: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance(daily, 10)
    monkeypatch.setattr(location, "FINE_GRAIN", 3600 * 10**9)
    before = len(reads)
    (tmp_path / "riders.json").touch()
    advance(daily, 1)
    assert len(reads) == before + 1


def test_a_sync_after_a_direct_write_is_read(daily: FeatureViewService, reads: Reads) -> None:
    advance(daily, 10)
    before = len(reads)
    write_request = m.DirectWriteRequest.model_validate(
        {
            "featureView": DAILY,
            "dataKeyAndFeatureValues": [
                {"dataKey": {"key": "eve"}, "features": [{"name": "trips", "value": {"int64Value": "5"}}]}
            ],
        }
    )
    assert len(stream(daily.direct_write(sent(write_request)))[0].writeResponses) == 1
    assert summaries(advance(daily, 1))[0]["rowSynced"] == 3
    assert len(reads) == before + 1


def test_a_view_on_demand_is_always_read(daily: FeatureViewService, reads: Reads) -> None:
    advance(daily, 10)
    before = len(reads)
    synced(daily, DAILY)
    assert len(reads) == before + 1


def test_a_table_without_times_is_always_read(tmp_path: Path, reads: Reads) -> None:
    here = service(tmp_path, clock=FixedClock(NOON))
    scheduled(here, "daily", {"cron": "0 6 * * *"})
    write(tmp_path, {"rider_id": "ana", "trips": 1})
    assert len(advance(here, 6)) == len(reads) == 6


def test_a_view_that_may_not_read_its_source_any_more_fails(daily: FeatureViewService, reads: Reads) -> None:
    view = {
        "warehouseSource": SOURCE,
        "syncConfig": {"cron": "0 5 * * *"},
        "serviceAgentType": "SERVICE_AGENT_TYPE_FEATURE_VIEW",
    }
    member = f"serviceAccount:{created(daily, view, featureViewId='own').featureView.serviceAccountEmail}"
    daily.grants.grant(SOURCE["uri"], member)
    assert {record.finalStatus.code for record in advance(daily, 10)} == {0}
    daily.grants.revoke(SOURCE["uri"], member)
    assert [record.finalStatus.code for record in advance(daily, 1)] == [7, 0]


def test_stale_reads_after_a_sync_that_changed_nothing_are_those_of_now(
    daily: FeatureViewService, tmp_path: Path
) -> None:
    daily.storage.keeps_previous = True

    def trips() -> tuple[object, object]:
        now = run(fetching(daily, view=DAILY, dataFormat="PROTO_STRUCT")).protoStruct or {}
        with stale_reads(True):
            before = run(fetching(daily, view=DAILY, dataFormat="PROTO_STRUCT")).protoStruct or {}
        return now["trips"], before["trips"]

    advance(daily, 2)
    write(tmp_path, {**ROWS[0], "trips": 99})
    advance(daily, 1)
    assert trips() == (99, 12)
    advance(daily, 10)
    assert trips() == (99, 99)
