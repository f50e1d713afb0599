"""The clock of a server: shown, moved and sped up, with the syncs that are due on its way."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import NOON, RIDERS, SERVING, SOURCE
from trialrun.server.clock import ServerClock

CLOCK = "/trialrun/v1/clock"


@pytest.fixture
def client(tmp_path: Path) -> HttpClient:
    return HttpClient(tmp_path)


def create(client: HttpClient, id_: str, sync: dict[str, object], **further: object) -> str:
    body = {"warehouseSource": SOURCE, "syncConfig": sync, **further}
    assert client.send("POST", f"/v1/{SERVING}/featureViews?featureViewId={id_}", json=body).status_code == 200
    return f"{SERVING}/featureViews/{id_}"


def move(client: HttpClient, **change: object) -> dict[str, Any]:
    response = client.send("POST", CLOCK, json=change)
    assert response.status_code == 200, response.text
    return dict(response.json())


def times(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (sync["name"].split("/featureViews/")[1].split("/")[0], sync["createTime"][5:16]) for sync in answer["syncs"]
    ]


class Seconds:
    """A timer that is moved by hand."""

    def __init__(self) -> None:
        self.passed = 0.0

    def __call__(self) -> float:
        return self.passed


def test_a_clock_flows_at_its_speed_and_waits_for_syncs() -> None:
    timer = Seconds()
    clock = ServerClock(NOON, 3600, timer=timer)
    timer.passed = 1
    assert clock.now() == NOON  # nobody said yet that there is no sync to make
    clock.flow_until(NOON + timedelta(minutes=30))
    assert clock.now() == NOON + timedelta(minutes=30)
    assert clock.seconds_until(NOON + timedelta(hours=2)) == 1
    clock.flow_until(None)
    assert clock.now() == NOON + timedelta(hours=1)
    clock.change_speed(0)
    timer.passed = 100
    assert clock.now() == NOON + timedelta(hours=1)
    assert clock.seconds_until(NOON + timedelta(hours=2)) is None


def test_a_clock_never_goes_back_and_never_ends() -> None:
    timer = Seconds()
    clock = ServerClock(NOON, 1e9, timer=timer)
    with pytest.raises(ValueError, match="does not go back"):
        clock.move_to(NOON - timedelta(seconds=1))
    with pytest.raises(ValueError, match="year 9999"):
        clock.advance(timedelta(days=365 * 9000))
    clock.flow_until(None)
    timer.passed = 1e9
    assert clock.now().year == 9999


def test_the_clock_is_shown(client: HttpClient) -> None:
    response = client.send("GET", CLOCK)
    assert (response.json(), response.headers["content-type"]) == (
        {"now": "2026-03-01T12:00:00Z", "speed": 0},
        "application/json",
    )


def test_the_speed_of_the_clock_is_set(client: HttpClient) -> None:
    assert move(client, speed=60)["speed"] == client.clock.speed == 60


@pytest.mark.parametrize("change", first_of([{"advance": "12h"}, {"time": "2026-03-02T00:00:00Z"}]))
def test_the_clock_goes_to_a_time_and_on_at_another_speed(client: HttpClient, change: dict[str, str]) -> None:
    create(client, "a", {"cron": "0 */6 * * *"})
    move(client, speed=0.001)
    answer = move(client, **change, speed=0)
    assert (answer["now"][:16], answer["speed"]) == ("2026-03-02T00:00", 0)
    assert times(answer) == [("a", "03-01T18:00"), ("a", "03-02T00:00")]


def test_a_time_that_is_gone_leaves_the_speed_of_the_clock(client: HttpClient) -> None:
    assert client.send("POST", CLOCK, json={"time": "2026-02-28T00:00:00Z", "speed": 60}).status_code == 400
    assert client.clock.speed == 0


def test_an_advance_makes_the_syncs_on_its_way_in_order(client: HttpClient) -> None:
    create(client, "a", {"cron": "0 */6 * * *"})
    create(client, "b", {"cron": "30 13 * * *"})
    answer = move(client, advance="12h")
    assert answer["now"] == "2026-03-02T00:00:00Z"
    assert times(answer) == [("b", "03-01T13:30"), ("a", "03-01T18:00"), ("a", "03-02T00:00")]
    assert (answer["complete"], answer["syncCount"], answer["failedCount"]) == (True, 3, 0)
    assert answer["syncs"][0]["syncSummary"]["rowSynced"] == "2"
    assert times(move(client, time="2026-03-02T06:00:00Z")) == [("a", "03-02T06:00")]
    assert times(move(client, advance="0s")) == []


def test_the_change_of_a_view_counts_from_then_on(client: HttpClient) -> None:
    name = create(client, "a", {"cron": "0 */6 * * *"})
    assert len(times(move(client, advance="6h"))) == 1
    assert client.send("PATCH", f"/v1/{name}", json={"syncConfig": {"cron": "0 * * * *"}}).status_code == 200
    assert len(times(move(client, advance="6h"))) == 6
    assert client.send("DELETE", f"/v1/{name}").status_code == 200
    assert move(client, advance="6h")["syncs"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"time": "2026-02-28T00:00:00Z"}, "time"),
        ({"time": "yesterday"}, "time"),
        ({"advance": "-1s"}, "advance"),
        ({"advance": 3600}, "advance"),
        ({"advance": "999999999999d"}, "advance"),
        ({"advance": "3000000d"}, "advance"),
        ({"speed": -1}, "speed"),
        ({"speed": "NaN"}, "speed"),
        ({"speed": 1e10}, "speed"),
        ({"sped": 1}, "sped"),
        ({"time": "2026-03-02T00:00:00Z", "advance": "1s"}, "advance"),
        ({}, ""),
        ([], "body"),
    ],
)
def test_what_is_no_change_is_refused(client: HttpClient, body: object, field: str) -> None:
    response = client.send("POST", CLOCK, json=body)
    assert response.status_code == 400
    violations = [
        violation["field"]
        for detail in response.json()["error"]["details"]
        for violation in detail.get("fieldViolations", ())
    ]
    assert violations == [field] or (field == "" and violations == [])
    assert client.send("GET", CLOCK).json()["now"] == "2026-03-01T12:00:00Z"


def test_a_scheduler_syncs_by_itself_while_requests_are_answered(client: HttpClient) -> None:
    create(client, "hourly", {"cron": "0 * * * *"})

    async def watch() -> datetime:
        async with client.scheduler.running():
            client.clock.change_speed(36_000)
            client.scheduler.wake()
            for _ in range(200):
                records = (await client.send_async("GET", f"/v1/{SERVING}/featureViews/hourly/featureViewSyncs")).json()
                if len(records["featureViewSyncs"]) > 2:
                    return client.clock.now()
                await asyncio.sleep(0.05)
        raise AssertionError("nothing was synced")

    assert asyncio.run(watch()) > NOON + timedelta(hours=3)
    records = client.send("GET", f"/v1/{SERVING}/featureViews/hourly/featureViewSyncs").json()["featureViewSyncs"]
    assert {record["createTime"][13:] for record in records} == {":00:00Z"}


def test_the_bound_of_syncs_stops_the_clock(client: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialrun.server.clock.MAX_SYNCS", 3)
    create(client, "hourly", {"cron": "0 * * * *"})
    answer = move(client, advance="365d")
    assert (answer["complete"], answer["syncCount"], answer["now"]) == (False, 3, "2026-03-01T15:00:00Z")
    assert len(times(move(client, advance="1h"))) == 1


@pytest.mark.exhaustive
def test_a_jump_makes_the_syncs_of_many_small_steps(tmp_path: Path) -> None:
    found = []
    for steps in (["36h"], ["7h", "1s", "0s", "240m", "3599s", "1d"]):
        folder = tmp_path / str(len(steps))
        folder.mkdir()
        client = HttpClient(folder)
        create(client, "a", {"cron": "0 */5 * * *"})
        create(client, "b", {"cron": "TZ=Asia/Kolkata 30 1,13 * * *"})
        found.append([sync for step in steps for sync in times(move(client, advance=step))])
        assert client.send("GET", CLOCK).json()["now"] == "2026-03-03T00:00:00Z"
    assert found[0] == found[1]
    assert len(found[0]) == 11


def test_a_move_that_nobody_waits_for_stops_where_it_is(client: HttpClient) -> None:
    create(client, "often", {"continuous": True})
    asked = 0

    async def is_abandoned() -> bool:
        nonlocal asked
        asked += 1
        answer = await client.send_async("GET", f"/v1/{RIDERS}")  # other requests are answered meanwhile
        assert answer.status_code == 200
        return asked > 1

    run = asyncio.run(
        client.scheduler.move(lambda: client.clock.advance(timedelta(days=3650)), is_abandoned=is_abandoned)
    )
    assert (run.is_complete, run.count > 0) == (False, True)
    stopped_at = client.send("GET", CLOCK).json()["now"]
    assert stopped_at < "2030"
    assert move(client, advance="0s")["now"] == stopped_at
