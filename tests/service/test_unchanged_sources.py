"""Scheduled syncs whose sources are unchanged are not read again, and say the same as if they were."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.service.service_fixture import NOON, ROWS, SERVING, SOURCE, run, sent, service, stream
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view import trial_run
from trialrun.runtime.feature_view.source import location
from trialrun.service.feature_view import FeatureViewService, messages

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
def here(tmp_path: Path) -> Iterator[FeatureViewService]:
    here = service(tmp_path, clock=FixedClock(NOON))
    create(here, "daily", {"cron": "0 6 * * *"})
    age(tmp_path)
    yield here


def create(here: FeatureViewService, id_: str, sync: dict[str, object]) -> None:
    view = {"warehouseSource": SOURCE, "syncConfig": sync}
    run(here.create(messages.CreateFeatureViewRequest(parent=SERVING, featureViewId=id_, featureView=view)))


@pytest.fixture(autouse=True)
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


def advance(here: FeatureViewService, days: int) -> list[messages.FeatureViewSync]:
    return list(run(here.run_until(here._clock.now() + timedelta(days=days))))


def summaries(records: list[messages.FeatureViewSync]) -> list[dict[str, Any]]:
    return [record.syncSummary.model_dump() if record.syncSummary else {} for record in records]


def test_a_year_of_syncs_reads_what_is_needed(here: FeatureViewService, reads: Reads) -> None:
    records = advance(here, 365)
    assert (len(records), len(reads)) == (365, 3)
    assert len({record.createTime for record in records}) == 365
    assert [record.name.rpartition("/")[2] for record in records] == [str(number) for number in range(1, 366)]
    assert summaries(records)[1:] == [summaries(records)[1]] * 364
    listed = run(here.list_syncs(messages.ListFeatureViewSyncsRequest(parent=DAILY, pageSize=1000)))
    assert len(listed.featureViewSyncs) == 365


@pytest.mark.parametrize("sync", first_of([{"cron": "* * * * *"}, {"continuous": True}]), ids=str)
def test_the_records_are_those_of_syncs_that_read(
    tmp_path: Path, sync: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for is_spared in (True, False):
        folder = tmp_path / str(is_spared)
        folder.mkdir()
        here = service(folder, clock=FixedClock(NOON))
        create(here, "often", sync)
        later = {**ROWS[0], "trips": 13, "feature_timestamp": "2026-03-01T12:03:30Z"}
        write(folder, *ROWS, later)
        if not is_spared:
            monkeypatch.setattr("trialrun.service.feature_view.syncs._places", lambda report: None)
        records = run(here.run_until(NOON + timedelta(minutes=6)))
        found.append([record.json_object() for record in records])
    assert found[0] == found[1]
    assert len(found[0]) == 6


def test_a_changed_table_is_read(here: FeatureViewService, reads: Reads, tmp_path: Path) -> None:
    advance(here, 10)
    write(tmp_path, *ROWS, {**ROWS[0], "rider_id": "cem"})
    assert summaries(advance(here, 1))[0]["rowSynced"] == 3
    status = (tmp_path / "riders.json").stat()
    write(tmp_path, *ROWS, {**ROWS[0], "rider_id": "dan"})  # as large, at the same time of change
    os.utime(tmp_path / "riders.json", ns=(status.st_atime_ns, status.st_mtime_ns))
    age(tmp_path)
    assert summaries(advance(here, 1))[0]["new"] == 1


def test_a_row_of_a_later_time_is_read_when_it_comes_up(here: FeatureViewService, reads: Reads, tmp_path: Path) -> None:
    write(tmp_path, *ROWS, {**ROWS[0], "trips": 13, "feature_timestamp": "2026-03-20T00:00:00Z"})
    records = advance(here, 30)
    assert [summary["changed"] for summary in summaries(records)].index(1) == 18
    assert records[18].createTime.day == 20
    assert 5 <= len(reads) <= 6


def test_a_table_that_was_just_written_is_read_again(
    here: FeatureViewService, reads: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance(here, 10)
    monkeypatch.setattr(location, "FINE_GRAIN", 3600 * 10**9)
    before = len(reads)
    (tmp_path / "riders.json").touch()
    advance(here, 1)
    assert len(reads) == before + 1


def test_a_sync_after_a_direct_write_is_read(here: FeatureViewService, reads: Reads) -> None:
    advance(here, 10)
    before = len(reads)
    write_request = messages.DirectWriteRequest.model_validate(
        {
            "featureView": DAILY,
            "dataKeyAndFeatureValues": [
                {"dataKey": {"key": "eve"}, "features": [{"name": "trips", "value": {"int64Value": "5"}}]}
            ],
        }
    )
    assert len(stream(here.direct_write(sent(write_request)))[0].writeResponses) == 1
    assert summaries(advance(here, 1))[0]["rowSynced"] == 3
    assert len(reads) == before + 1


def test_a_view_on_demand_is_always_read(here: FeatureViewService, reads: Reads) -> None:
    advance(here, 10)
    before = len(reads)
    run(here.sync(messages.SyncFeatureViewRequest(featureView=DAILY)))
    assert len(reads) == before + 1


def test_a_table_without_times_is_always_read(tmp_path: Path, reads: Reads) -> None:
    here = service(tmp_path, clock=FixedClock(NOON))
    create(here, "daily", {"cron": "0 6 * * *"})
    write(tmp_path, {"rider_id": "ana", "trips": 1})
    assert len(advance(here, 6)) == len(reads) == 6


def test_a_view_that_may_not_read_its_source_any_more_fails(here: FeatureViewService, reads: Reads) -> None:
    view = {
        "warehouseSource": SOURCE,
        "syncConfig": {"cron": "0 5 * * *"},
        "serviceAgentType": "SERVICE_AGENT_TYPE_FEATURE_VIEW",
    }
    created = run(here.create(messages.CreateFeatureViewRequest(parent=SERVING, featureViewId="own", featureView=view)))
    member = f"serviceAccount:{created.featureView.serviceAccountEmail}"
    here.grant(SOURCE["uri"], member)
    assert {record.finalStatus.code for record in advance(here, 10)} == {0}
    here.revoke(SOURCE["uri"], member)
    assert [record.finalStatus.code for record in advance(here, 1)] == [7, 0]


def test_stale_reads_after_a_sync_that_changed_nothing_are_those_of_now(
    here: FeatureViewService, tmp_path: Path
) -> None:
    from trialrun.service.feature_view.storage import stale_reads

    here.keep_previous_values()
    request = messages.FetchFeatureValuesRequest.model_validate(
        {"featureView": DAILY, "dataKey": {"key": "ana"}, "dataFormat": "PROTO_STRUCT"}
    )

    def trips() -> tuple[object, object]:
        now = run(here.fetch_feature_values(request)).protoStruct or {}
        with stale_reads(True):
            before = run(here.fetch_feature_values(request)).protoStruct or {}
        return now["trips"], before["trips"]

    advance(here, 2)
    write(tmp_path, {**ROWS[0], "trips": 99})
    advance(here, 1)
    assert trips() == (99, 12)
    advance(here, 10)
    assert trips() == (99, 99)
