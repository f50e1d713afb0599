"""sync: on demand, one at a time, told in words where it cannot be; the accounts of views and their grants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.service.service_fixture import MENU, NOON, RIDERS, ROWS, SERVING, SOURCE, catalog, run, service
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.store.store_folder import StoreFolder
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.service.error import ErrorInfo, ResourceInfo, ServiceError, Status, service_error
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.messages import (
    CreateFeatureViewRequest,
    DataKey,
    DeleteFeatureViewRequest,
    FeatureViewSync,
    FetchFeatureValuesRequest,
    GetFeatureViewRequest,
    GetFeatureViewSyncRequest,
    ListFeatureViewSyncsRequest,
    PatchFeatureViewRequest,
    RpcStatus,
    SyncFeatureViewRequest,
)
from trialrun.service.feature_view.syncs import to_rpc_status

ISOLATED = {"warehouseSource": SOURCE, "serviceAgentType": "SERVICE_AGENT_TYPE_FEATURE_VIEW"}


@pytest.fixture
def here(tmp_path: Path) -> FeatureViewService:
    return service(tmp_path)


def synced(here: FeatureViewService, name: str = RIDERS) -> FeatureViewSync:
    answer = run(here.sync(SyncFeatureViewRequest(featureView=name)))
    return run(here.get_sync(GetFeatureViewSyncRequest(name=answer.featureViewSync)))


def refusal(here: FeatureViewService, name: str = RIDERS) -> ServiceError:
    with pytest.raises(ServiceError) as told:
        synced(here, name)
    return told.value


def created(here: FeatureViewService, id_: str, view: dict[str, Any]) -> str:
    request = CreateFeatureViewRequest(parent=SERVING, featureViewId=id_, featureView=view)
    return run(here.create(request)).featureView.name or ""


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


def test_syncs_are_listed_with_the_newest_first(here: FeatureViewService) -> None:
    synced(here)
    synced(here)
    request = ListFeatureViewSyncsRequest(parent=RIDERS, pageSize=1)
    first = run(here.list_syncs(request))
    rest = run(here.list_syncs(request.model_copy(update={"pageToken": first.nextPageToken})))
    names = [featureviewsync.name for featureviewsync in (*first.featureViewSyncs, *rest.featureViewSyncs)]
    assert names == [f"{RIDERS}/featureViewSyncs/2", f"{RIDERS}/featureViewSyncs/1"]


def test_a_sync_that_there_is_not(here: FeatureViewService) -> None:
    with pytest.raises(ServiceError, match='there is no FeatureViewSync "9"'):
        run(here.get_sync(GetFeatureViewSyncRequest(name=f"{RIDERS}/featureViewSyncs/9")))


def test_a_continuous_view_takes_no_sync_on_demand(here: FeatureViewService) -> None:
    name = created(here, "live", {"warehouseSource": SOURCE, "syncConfig": {"continuous": True}})
    error = refusal(here, name)
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "continuous-view")


def test_an_unknown_source_fails_and_is_in_the_record(here: FeatureViewService) -> None:
    name = created(here, "lost", {"warehouseSource": {"uri": "bq://nowhere", "entityIdColumns": ["id"]}})
    error = refusal(here, name)
    assert error.status.name == "FAILED_PRECONDITION" and "bq://nowhere" in error.message
    record = run(here.get_sync(GetFeatureViewSyncRequest(name=f"{name}/featureViewSyncs/1")))
    assert (record.finalStatus.code, record.finalStatus.message) == (9, error.message)


def test_a_source_that_is_gone_fails(here: FeatureViewService, tmp_path: Path) -> None:
    (tmp_path / "riders.json").unlink()
    assert refusal(here).status.name == "FAILED_PRECONDITION"


def test_a_patched_source_is_synced_from_then_on(here: FeatureViewService) -> None:
    source = {"uri": "bq://acme.serving.menu", "entityIdColumns": ["dish"]}
    run(here.patch(PatchFeatureViewRequest(featureView={"name": RIDERS, "warehouseSource": source})))
    assert synced(here).json_object()["syncSummary"]["rowSynced"] == "3"


def test_two_views_are_synced_at_once(here: FeatureViewService) -> None:
    async def both() -> list[Any]:
        syncs = (here.sync(SyncFeatureViewRequest(featureView=name)) for name in (RIDERS, MENU))
        return await asyncio.gather(*syncs)

    assert [one.featureViewSync for one in asyncio.run(both())] == [
        f"{RIDERS}/featureViewSyncs/1",
        f"{MENU}/featureViewSyncs/1",
    ]


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
        syncing = asyncio.create_task(here.sync(SyncFeatureViewRequest(featureView=RIDERS)))
        await asyncio.sleep(0)
        assert (await here.get(GetFeatureViewRequest(name=RIDERS))).name == RIDERS
        Waiting.is_loose.set()
        await syncing

    asyncio.run(beside())


def test_a_sync_beside_another_of_the_same_view_is_aborted(tmp_path: Path) -> None:
    errors: list[ServiceError] = []
    folder = StoreFolder(tmp_path)
    here = FeatureViewService(catalog(tmp_path), folder, clock=FixedClock(NOON))
    rival = FeatureViewService(catalog(tmp_path), folder, clock=FixedClock(NOON))

    def in_the_middle(number: int, scan: object) -> None:
        errors.append(refusal(rival, MENU))

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
            run(here.delete(DeleteFeatureViewRequest(name=MENU)))
        told.append(refused.value.reason)

    declared = catalog(tmp_path)
    sync_view(
        declared.view(MENU), declared, folder.store_of(MENU), clock=FixedClock(NOON), before_serving=in_the_middle
    )
    assert told == ["sync-running"]


def test_the_account_of_a_view_stays_the_same(here: FeatureViewService) -> None:
    name = created(here, "own", ISOLATED)
    before = run(here.get(GetFeatureViewRequest(name=name))).serviceAccountEmail
    run(here.patch(PatchFeatureViewRequest(featureView={"name": name, "labels": {"a": "b"}})))
    after = run(here.get(GetFeatureViewRequest(name=name))).serviceAccountEmail
    assert before is not None and before.endswith("@acme.feature-views.example") and after == before


def test_every_view_has_an_account_of_its_own(here: FeatureViewService) -> None:
    names = [created(here, id_, ISOLATED) for id_ in ("one", "two")]
    assert len({run(here.get(GetFeatureViewRequest(name=name))).serviceAccountEmail for name in names}) == 2


def test_a_view_of_the_project_s_agent_has_no_account(here: FeatureViewService) -> None:
    assert run(here.get(GetFeatureViewRequest(name=RIDERS))).serviceAccountEmail is None


def test_a_sync_by_its_own_account_needs_a_grant_on_the_source(here: FeatureViewService) -> None:
    name = created(here, "own", ISOLATED)
    account = run(here.get(GetFeatureViewRequest(name=name))).serviceAccountEmail
    error = refusal(here, name)
    assert (error.status.name, error.message) == (
        "PERMISSION_DENIED",
        f"the service account of the view may not read {SOURCE['uri']}; grant roles/dataViewer on it to "
        f"serviceAccount:{account}",
    )
    here.grant(str(SOURCE["uri"]), f"serviceAccount:{account}")
    assert synced(here, name).finalStatus.code == 0
    here.revoke(str(SOURCE["uri"]), f"serviceAccount:{account}")
    assert refusal(here, name).reason == "missing-grant"


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
    assert f"may not read {SOURCE['uri']}" in refusal(here, created(here, "own", view)).message


def test_the_grants_of_a_deleted_view_are_gone(here: FeatureViewService) -> None:
    name = created(here, "own", ISOLATED)
    here.grant(
        str(SOURCE["uri"]), f"serviceAccount:{run(here.get(GetFeatureViewRequest(name=name))).serviceAccountEmail}"
    )
    run(here.delete(DeleteFeatureViewRequest(name=name)))
    assert refusal(here, created(here, "own", ISOLATED)).reason == "missing-grant"


def test_the_syncs_of_a_deleted_view_are_gone(here: FeatureViewService) -> None:
    name = created(here, "own", {"warehouseSource": SOURCE})
    synced(here, name)
    run(here.delete(DeleteFeatureViewRequest(name=name)))
    created(here, "own", {"warehouseSource": SOURCE})
    assert run(here.list_syncs(ListFeatureViewSyncsRequest(parent=name))).featureViewSyncs == []


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
    clock.does = lambda: run_in_thread(here.delete(DeleteFeatureViewRequest(name=RIDERS)))
    error = refusal(here)
    assert (error.status.name, error.reason) == ("ABORTED", "deleted-view")
    assert folder.store_of(RIDERS).snapshot(RIDERS) is None


def test_a_view_that_was_created_anew_is_not_touched_by_the_sync_of_the_old_one(tmp_path: Path) -> None:
    clock = Meanwhile(NOON)
    here = FeatureViewService(catalog(tmp_path), clock=clock)

    def replaced() -> None:
        run_in_thread(here.delete(DeleteFeatureViewRequest(name=RIDERS)))
        run_in_thread(here.create(NEW_RIDERS))

    clock.does = replaced
    assert refusal(here).reason == "deleted-view"
    (one,) = run(here.list_syncs(ListFeatureViewSyncsRequest(parent=RIDERS))).featureViewSyncs
    assert (one.name, one.finalStatus.code) == (f"{RIDERS}/featureViewSyncs/1", 0)
    request = FetchFeatureValuesRequest(featureView=RIDERS, dataKey=DataKey(key="ana"))
    assert run(here.fetch_feature_values(request)).keyValues is not None


NEW_RIDERS = CreateFeatureViewRequest(
    parent=SERVING, featureViewId="riders", featureView={"warehouseSource": SOURCE}, runSyncImmediately=True
)


def run_in_thread(operation: Coroutine[Any, Any, Any]) -> None:
    """Carry out an operation beside the event loop that is running."""
    thread = Thread(target=run, args=(operation,))
    thread.start()
    thread.join()


def test_nothing_is_written_to_the_documents(tmp_path: Path) -> None:
    declared = catalog(tmp_path)
    here = FeatureViewService(declared, clock=FixedClock(NOON))
    run(here.patch(PatchFeatureViewRequest(featureView={"name": RIDERS, "labels": {"a": "b"}})))
    assert declared.view(RIDERS).node.labels == {"team": "search"}


def test_the_field_that_keeps_a_view_from_being_synced_is_told_with_its_place(tmp_path: Path) -> None:
    registry = {"featureGroups": [{"featureGroupId": "nobody", "featureIds": ["trips"]}]}
    view = {"kind": "FeatureView", "name": f"{SERVING}/featureViews/lost", "featureRegistrySource": registry}
    (info,) = refusal(service(tmp_path, view), str(view["name"])).details
    assert isinstance(info, ErrorInfo)
    assert info.metadata["field"].startswith("featureView.featureRegistrySource.featureGroups[0]")


def test_details_of_a_status_are_messages_and_come_back_from_json() -> None:
    view = ResourceInfo(resourceType="FeatureView", resourceName="v")
    error = service_error(Status.NOT_FOUND, "view-not-found", "there is no such view", view)
    status = to_rpc_status(error)
    assert status.details == [*error.details]
    assert RpcStatus.model_validate(status.json_object()) == status


def create(here: FeatureViewService, id_: str, sync: dict[str, object]) -> str:
    view = {"warehouseSource": SOURCE, "syncConfig": sync}
    run(here.create(CreateFeatureViewRequest(parent=SERVING, featureViewId=id_, featureView=view)))
    return f"{SERVING}/featureViews/{id_}"


def test_continuous_views_and_views_with_a_schedule_are_synced_in_order(tmp_path: Path) -> None:
    clock = FixedClock(NOON)
    here = service(tmp_path, clock=clock)
    continuous = create(here, "continuous", {"continuous": True})
    hourly = create(here, "hourly", {"cron": "1 * * * *"})
    records = run(here.run_until(NOON + timedelta(minutes=2, seconds=30)))
    assert [(record.name.rpartition("/featureViewSyncs/")[0], record.createTime - NOON) for record in records] == [
        (continuous, timedelta(minutes=1)),
        (hourly, timedelta(minutes=1)),
        (continuous, timedelta(minutes=2)),
    ]
    assert [record.finalStatus.code for record in records] == [0, 0, 0]
    assert clock.now() == NOON + timedelta(minutes=2, seconds=30)
    with pytest.raises(ServiceError, match="synced continuously"):
        run(here.sync(SyncFeatureViewRequest(featureView=continuous)))


def test_views_on_demand_are_left_alone(tmp_path: Path) -> None:
    here = service(tmp_path)
    assert run(here.run_until(NOON + timedelta(days=1))) == []
    run(here.sync(SyncFeatureViewRequest(featureView=RIDERS)))


def test_a_sync_that_fails_is_in_its_record_and_stops_no_other(tmp_path: Path) -> None:
    here = service(tmp_path)
    create(here, "hourly", {"cron": "1 * * * *"})
    (tmp_path / "riders.json").unlink()
    records = run(here.run_until(NOON + timedelta(hours=2)))
    assert [record.finalStatus.code for record in records] == [9, 9]


def test_only_a_clock_that_is_set_can_be_moved() -> None:
    here = FeatureViewService(Catalog(), clock=SystemClock())
    with pytest.raises(TypeError, match="only a clock that can be set"):
        run(here.run_until(NOON))
