"""The clock of the service: moved to a moment, with all syncs that are due until then."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.service_fixture import NOON, RIDERS, SERVING, SOURCE, run, service
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.runtime.declaration import Catalog
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.messages import CreateFeatureViewRequest, SyncFeatureViewRequest


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
