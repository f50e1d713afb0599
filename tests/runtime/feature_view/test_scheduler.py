"""The scheduler under a clock that is moved: what is due, what was missed, what fails and what overlaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import pytest

from trialrun.diagnostic import Range
from trialrun.model.feature_view import FeatureView
from trialrun.model.validate import validate
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.schedule import CompletedSync, FailedSync, Scheduler
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.text import Position

SOURCE = {"warehouseSource": {"uri": "bq://p.d.t", "entityIdColumns": ["id"]}}
RAG = {"ragSource": {"uri": "bq://p.d.t"}}
Sync = Callable[[DeclaredResource[FeatureView]], str]


def view(name: str, sync: object = None, source: object = SOURCE, **further: object) -> DeclaredResource[FeatureView]:
    value = {"name": f"featureViews/{name}", **source, **({"syncConfig": sync} if sync else {}), **further}  # type: ignore[dict-item]
    node = validate(value, FeatureView).node
    assert isinstance(node, FeatureView)
    return DeclaredResource(node, f"{name}.yaml", "/", 0, lambda place: Range(Position(1, 1), Position(1, 1)))


def moment(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-20T{clock}").replace(tzinfo=UTC)


def synced(view: DeclaredResource[FeatureView]) -> str:
    return "a report"


def scheduler(
    clock: FixedClock, *views: DeclaredResource[FeatureView], sync: Sync = synced, last: datetime | None = None
) -> Scheduler[str]:
    return Scheduler(views, sync, clock, last_sync=lambda view: last)


def summarize(results: Iterable[CompletedSync[str] | FailedSync]) -> list[tuple[str, str, str]]:
    return [
        (
            (result.due.view.node.name or "").removeprefix("featureViews/"),
            f"{result.due.run.astimezone(UTC):%H:%M}",
            "synced" if isinstance(result, CompletedSync) else result.outcome,
        )
        for result in results
    ]


def test_views_are_synced_at_their_runs_in_order() -> None:
    clock = FixedClock(moment("00:30"))
    both = scheduler(clock, view("b", {"cron": "0 */2 * * *"}), view("a", {"cron": "0 * * * *"}), last=clock.now())
    assert summarize(both.run_until(moment("03:30"))) == [
        ("a", "01:00", "synced"),
        ("b", "02:00", "synced"),
        ("a", "02:00", "synced"),
        ("a", "03:00", "synced"),
    ]
    assert clock.now() == moment("03:30")


def test_a_sync_sees_the_moment_of_its_run() -> None:
    clock, seen = FixedClock(moment("00:30")), []

    def sync(view: DeclaredResource[FeatureView]) -> str:
        seen.append(clock.now())
        return ""

    list(scheduler(clock, view("a", {"cron": "0 * * * *"}), sync=sync, last=clock.now()).run_until(moment("02:00")))
    assert seen == [moment("01:00"), moment("02:00")]


def test_runs_that_were_missed_are_made_up_for_once() -> None:
    clock = FixedClock(moment("05:30"))
    late = scheduler(clock, view("a", {"cron": "0 * * * *"}), last=moment("01:15"))
    (due,) = late.due()
    assert due.run == moment("05:00")
    assert summarize(late.run_due()) == [("a", "05:00", "synced")]
    assert late.due() == []


def test_very_many_missed_runs_take_no_time() -> None:
    long_ago = datetime(1, 1, 1, tzinfo=UTC)  # a thousand million runs before
    late = scheduler(FixedClock(moment("05:30")), view("a", {"cron": "* * * * *"}), last=long_ago)
    assert [due_run.run for due_run in late.due()] == [moment("05:30")]


def test_a_view_that_was_never_synced_is_due_to_its_last_run() -> None:
    fresh = scheduler(FixedClock(moment("05:30")), view("a", {"cron": "0 3 * * *"}))
    assert [due_run.run for due_run in fresh.due()] == [moment("03:00")]


@pytest.mark.parametrize("schedule", [{"cron": "0 * * * *"}, {"continuous": True}], ids=str)
def test_a_sync_that_is_dated_in_the_future_does_for_no_run(schedule: dict[str, object]) -> None:
    clock = FixedClock(moment("05:30"))
    later = scheduler(clock, view("a", schedule), last=clock.now() + timedelta(days=1_000))
    assert [due.view.node.name for due in later.due()] == ["featureViews/a"]


def test_runs_before_a_view_was_created_are_not_missed() -> None:
    young = scheduler(
        FixedClock(moment("05:30")), view("a", {"cron": "0 3,6 * * *"}, createTime="2026-11-20T04:00:00Z")
    )
    assert young.due() == []
    assert young.next_run() == moment("06:00")


def test_a_sync_by_hand_does_for_the_runs_before_it() -> None:
    by_hand = scheduler(FixedClock(moment("05:30")), view("a", {"cron": "0 3 * * *"}), last=moment("04:00"))
    assert by_hand.due() == []
    assert by_hand.next_run() == moment("03:00") + timedelta(days=1)


def test_a_sync_that_fails_is_reported_and_stops_no_other() -> None:
    def sync(view: DeclaredResource[FeatureView]) -> str:
        if view.path == "a.yaml":
            raise CannotSync("there is no table; make it")
        return ""

    clock = FixedClock(moment("00:30"))
    both = scheduler(
        clock, view("a", {"cron": "0 * * * *"}), view("b", {"cron": "0 * * * *"}), sync=sync, last=clock.now()
    )
    results = list(both.run_until(moment("02:30")))
    assert summarize(results) == [
        ("a", "01:00", "failed"),
        ("b", "01:00", "synced"),
        ("a", "02:00", "failed"),
        ("b", "02:00", "synced"),
    ]
    assert isinstance(results[0], FailedSync)
    assert results[0].reason == "there is no table; make it"


def test_runs_that_fall_into_a_sync_of_the_same_view_are_left_out_and_told() -> None:
    clock = FixedClock(moment("00:30"))

    def sync(view: DeclaredResource[FeatureView]) -> str:
        clock.advance(timedelta(minutes=25))
        return ""

    slow = scheduler(clock, view("a", {"cron": "*/10 * * * *"}), sync=sync, last=clock.now())
    results = list(slow.run_until(moment("01:10")))
    assert summarize(results) == [
        ("a", "00:40", "synced"),
        ("a", "00:50", "running"),
        ("a", "01:00", "running"),
        ("a", "01:10", "synced"),
        ("a", "01:20", "running"),
        ("a", "01:30", "running"),
    ]
    assert isinstance(results[1], FailedSync)
    assert results[1].reason == "its sync since 2026-11-20T00:40:00Z was running"


def test_a_sync_that_another_process_runs_is_told() -> None:
    def sync(view: DeclaredResource[FeatureView]) -> str:
        raise SyncRunning("a sync is running")

    clock = FixedClock(moment("00:30"))
    busy = scheduler(clock, view("a", {"cron": "0 * * * *"}), sync=sync, last=clock.now())
    assert summarize(busy.run_until(moment("01:30"))) == [("a", "01:00", "running")]


def test_continuous_views_are_synced_every_minute() -> None:
    live = Scheduler(
        [view("live", {"continuous": True})],
        synced,
        FixedClock(moment("00:30")),
        last_sync=lambda view: moment("00:30"),
    )
    assert summarize(live.run_until(moment("00:32"))) == [("live", "00:31", "synced"), ("live", "00:32", "synced")]


@pytest.mark.parametrize(
    "idle",
    [
        view("rag", {"cron": "* * * * *"}, RAG),
        view("none"),
        view("broken", {"cron": "0 25 * * *"}),
        view("both", {"cron": "* * * * *", "continuous": True}),
        view("never", {"cron": "0 0 30 2 *"}),
    ],
    ids=lambda one: one.path,
)
def test_views_that_are_never_run(idle: DeclaredResource[FeatureView]) -> None:
    clock = FixedClock(moment("00:30"))
    asleep = scheduler(clock, idle)
    assert list(asleep.run_until(moment("23:30"))) == []
    assert asleep.next_run() is None


def test_the_clock_of_the_machine_is_not_moved() -> None:
    running = Scheduler([], synced, SystemClock(), last_sync=lambda view: None)
    with pytest.raises(TypeError):
        next(running.run_until(moment("01:00")))


def test_the_last_moment_that_there_is_has_no_run_after_it() -> None:
    clock = FixedClock(datetime.max.replace(tzinfo=UTC) - timedelta(seconds=1))
    both = scheduler(clock, view("a", {"continuous": True}), view("b", {"cron": "0 * * * *"}), last=clock.now())
    assert summarize(both.run_due()) == []
    assert both.next_run() is None
