"""When views are synced: by their documents, before and after a moment, in herds, and by the scheduler."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

import pytest

from tests.cases import each_of
from trialrun.diagnostic import Range
from trialrun.model.feature_view import FeatureView
from trialrun.model.validate import validate
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    InvalidSchedule,
    OnDemand,
    ScheduledSync,
    Scheduler,
    SyncSchedule,
    clock_changes,
    find_collisions,
    last_run,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.text import Position

SOURCE = {"warehouseSource": {"uri": "bq://p.d.t", "entityIdColumns": ["id"]}}
NEW_YORK = "CRON_TZ=America/New_York "


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def schedule(sync: object, *, semantics: Options = DEFAULT_OPTIONS, **further: object) -> SyncSchedule:
    value = {"kind": "FeatureView", **(further or SOURCE), **({} if sync is None else {"syncConfig": sync})}
    node = validate(value, FeatureView).node
    assert isinstance(node, FeatureView)
    return schedule_of(node, semantics)


def runs(schedule: SyncSchedule, after: str, count: int = 3) -> list[str]:
    return [run.isoformat() for run in islice(next_runs(schedule, after=moment(after)), count)]


def test_a_schedule_without_a_prefix_is_in_utc() -> None:
    daily = schedule({"cron": "0 3 * * *"})
    assert isinstance(daily, CronSchedule)
    assert daily.zone == "UTC"
    assert runs(daily, "2026-11-20T03:00", 2) == ["2026-11-21T03:00:00+00:00", "2026-11-22T03:00:00+00:00"]


@pytest.mark.parametrize(
    ("until", "run"),
    [
        ("2026-11-20T03:00", "2026-11-20T03:00"),
        ("2026-11-20T02:59:59.999999", "2026-11-19T03:00"),
        ("2026-11-20T23:00", "2026-11-20T03:00"),
    ],
)
def test_the_last_run_is_at_or_before_a_moment(until: str, run: str) -> None:
    assert last_run(schedule({"cron": "0 3 * * *"}), until=moment(until)) == moment(run)


def test_the_last_run_of_all_is_found_from_the_end_of_the_calendar() -> None:
    assert last_run(schedule({"cron": "0 3 * * *"}), until=moment("9999-12-31T23:59:59.999999")) == moment(
        "9999-12-31T03:00"
    )


def test_a_schedule_that_never_fires_has_no_runs() -> None:
    never = schedule({"cron": "0 0 30 2 *"})
    assert runs(never, "2026-11-20") == []
    assert last_run(never, until=moment("2026-11-20")) is None


@pytest.mark.parametrize(
    ("sync", "reason"),
    [
        (None, "it has no syncConfig"),
        ({}, "its syncConfig sets neither cron nor continuous"),
        ({"continuous": False}, "its syncConfig sets neither cron nor continuous"),
    ],
)
def test_without_a_schedule_a_view_is_synced_on_demand(sync: object, reason: str) -> None:
    assert schedule(sync) == OnDemand(reason)


def test_a_rag_source_is_synced_on_demand_whatever_is_scheduled() -> None:
    rag = schedule({"cron": "0 3 * * *"}, ragSource={"uri": "bq://p.d.t"})
    assert rag == OnDemand("its source is a RAG source", "0 3 * * *")
    assert runs(rag, "2026-11-20") == []


def test_a_continuous_view_has_no_runs_of_its_own() -> None:
    continuous = schedule({"continuous": True})
    assert continuous == Continuous()
    assert runs(continuous, "2026-11-20") == []
    assert last_run(continuous, until=moment("2026-11-20")) is None


@each_of(
    [
        ({"cron": "0 25 * * *"}, ("syncConfig", "cron"), "hour 25"),
        ({"cron": "TZ=Europe/Atlantis 0 3 * * *"}, ("syncConfig", "cron"), "not an IANA time zone name"),
        ({"cron": 5}, ("syncConfig", "cron"), "its cron cannot be read"),
        ({"continuous": "yes"}, ("syncConfig", "continuous"), "its continuous cannot be read"),
        ({"cron": "0 3 * * *", "continuous": True}, ("syncConfig", "continuous"), "keep one"),
        ("0 3 * * *", ("syncConfig",), "its syncConfig cannot be read"),
    ]
)
def test_what_cannot_be_read_says_where_it_stands(sync: object, steps: tuple[str, ...], reason: str) -> None:
    unreadable = schedule(sync)
    assert isinstance(unreadable, InvalidSchedule)
    assert unreadable.steps == steps
    assert reason in unreadable.reason


def change_texts(schedule: SyncSchedule, year: str) -> list[tuple[str, str]]:
    changes = clock_changes(schedule, start=moment(f"{year}-01-01"), end=moment(f"{year}-12-31"))
    return [(change.kind, change.local.isoformat()) for change in changes]


def test_clock_changes_take_runs_away_and_double_them() -> None:
    assert change_texts(schedule({"cron": f"{NEW_YORK}30 2 * * *"}), "2027") == [("skipped", "2027-03-14T02:30:00")]
    assert change_texts(schedule({"cron": f"{NEW_YORK}30 1 * * *"}), "2027") == [("doubled", "2027-11-07T01:30:00")]


def test_by_vixie_a_fixed_time_is_made_up_for_and_runs_once() -> None:
    vixie = Options(cron_semantics="vixie")
    spring = schedule({"cron": f"{NEW_YORK}30 2 * * *"}, semantics=vixie)
    assert runs(spring, "2027-03-14T00:00", 1) == ["2027-03-14T03:00:00-04:00"]
    assert last_run(spring, until=moment("2027-03-14T12:00")) == moment("2027-03-14T07:00")
    assert change_texts(spring, "2027") == []
    assert change_texts(schedule({"cron": f"{NEW_YORK}30 1 * * *"}, semantics=vixie), "2027") == []


def test_by_vixie_a_gap_of_a_day_is_not_made_up_for() -> None:
    lost = schedule({"cron": "TZ=Pacific/Apia 0 12 * * *"}, semantics=Options(cron_semantics="vixie"))
    assert change_texts(lost, "2011") == [("skipped", "2011-12-30T12:00:00")]


STORE = "projects/p/locations/l/featureOnlineStores/s"
THREE = datetime(2026, 11, 20, 3, tzinfo=UTC)
FOUR = THREE + timedelta(hours=1)


def view_name(name: str, store: str = STORE) -> str:
    return f"{store}/featureViews/{name}"


def test_more_views_than_allowed_in_one_minute_are_a_herd() -> None:
    views = [(view_name("a"), [THREE, FOUR]), (view_name("b"), [THREE, FOUR]), (view_name("c"), [FOUR])]
    (herd,) = find_collisions(views, most=2)
    assert (herd.store_id, herd.views, herd.minutes) == ("s", (view_name("a"), view_name("b"), view_name("c")), (FOUR,))
    assert find_collisions(views, most=3) == []


def test_the_minute_counts_in_whatever_zone_it_is_said() -> None:
    in_phoenix = THREE.astimezone(timezone(timedelta(hours=-7))) + timedelta(seconds=59)
    assert find_collisions([(view_name("a"), [THREE]), (view_name("b"), [in_phoenix])], most=1)[0].minutes == (THREE,)


def test_one_view_alone_is_no_herd_whatever_the_setting() -> None:
    assert find_collisions([(view_name("a"), [THREE]), (view_name("a"), [THREE])], most=0) == []


def test_stores_do_not_share_herds_and_a_name_without_a_store_is_in_none() -> None:
    views = [(view_name("a"), [THREE]), (view_name("a", f"{STORE}2"), [THREE]), ("x", [THREE]), ("y", [THREE])]
    assert find_collisions(views, most=1) == []


def test_the_same_views_are_one_herd_and_the_earliest_comes_first() -> None:
    views = [(view_name("c"), [THREE, FOUR]), (view_name("a"), [THREE, FOUR]), (view_name("b"), [FOUR])]
    found = find_collisions(views, most=1)
    assert [(len(herd.views), herd.minutes) for herd in found] == [(2, (THREE,)), (3, (FOUR,))]


RAG = {"ragSource": {"uri": "bq://p.d.t"}}
Sync = Callable[[DeclaredResource[FeatureView]], str]


def view(name: str, sync: object = None, source: object = SOURCE, **further: object) -> DeclaredResource[FeatureView]:
    value = {"name": f"featureViews/{name}", **source, **({"syncConfig": sync} if sync else {}), **further}  # type: ignore[dict-item]
    node = validate(value, FeatureView).node
    assert isinstance(node, FeatureView)
    return DeclaredResource(node, f"{name}.yaml", "/", 0, lambda place: Range(Position(1, 1), Position(1, 1)))


def today_at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-20T{clock}").replace(tzinfo=UTC)


def synced(view: DeclaredResource[FeatureView]) -> str:
    return "a report"


def scheduler(
    clock: FixedClock, *views: DeclaredResource[FeatureView], sync: Sync = synced, last: datetime | None = None
) -> Scheduler[str]:
    return Scheduler(views, sync, clock, last_sync=lambda view: last)


def summarize(results: Iterable[ScheduledSync[str]]) -> list[tuple[str, str, str]]:
    return [
        (
            (result.view.node.name or "").removeprefix("featureViews/"),
            f"{result.run.astimezone(UTC):%H:%M}",
            result.outcome,
        )
        for result in results
    ]


def test_views_are_synced_at_their_runs_in_order() -> None:
    clock = FixedClock(today_at("00:30"))
    both = scheduler(clock, view("b", {"cron": "0 */2 * * *"}), view("a", {"cron": "0 * * * *"}), last=clock.now())
    assert summarize(both.run_until(today_at("03:30"))) == [
        ("a", "01:00", "synced"),
        ("b", "02:00", "synced"),
        ("a", "02:00", "synced"),
        ("a", "03:00", "synced"),
    ]
    assert clock.now() == today_at("03:30")


def test_a_sync_sees_the_moment_of_its_run() -> None:
    clock, seen = FixedClock(today_at("00:30")), []

    def sync(view: DeclaredResource[FeatureView]) -> str:
        seen.append(clock.now())
        return ""

    list(scheduler(clock, view("a", {"cron": "0 * * * *"}), sync=sync, last=clock.now()).run_until(today_at("02:00")))
    assert seen == [today_at("01:00"), today_at("02:00")]


def test_runs_that_were_missed_are_made_up_for_once() -> None:
    late = scheduler(FixedClock(today_at("05:30")), view("a", {"cron": "0 * * * *"}), last=today_at("01:15"))
    ((_, run),) = late.due()
    assert run == today_at("05:00")
    assert summarize(late.run_due()) == [("a", "05:00", "synced")]
    assert late.due() == []


def test_very_many_missed_runs_take_no_time() -> None:
    long_ago = datetime(1, 1, 1, tzinfo=UTC)  # a thousand million runs before
    late = scheduler(FixedClock(today_at("05:30")), view("a", {"cron": "* * * * *"}), last=long_ago)
    assert [run for _, run in late.due()] == [today_at("05:30")]


@pytest.mark.parametrize("schedule", [{"cron": "0 * * * *"}, {"continuous": True}], ids=str)
def test_a_sync_that_is_dated_in_the_future_does_for_no_run(schedule: dict[str, object]) -> None:
    clock = FixedClock(today_at("05:30"))
    later = scheduler(clock, view("a", schedule), last=clock.now() + timedelta(days=1_000))
    assert [view.node.name for view, _ in later.due()] == ["featureViews/a"]


def test_runs_before_a_view_was_created_are_not_missed() -> None:
    young = scheduler(
        FixedClock(today_at("05:30")), view("a", {"cron": "0 3,6 * * *"}, createTime="2026-11-20T04:00:00Z")
    )
    assert young.due() == []
    assert young.next_run() == today_at("06:00")


def test_a_sync_by_hand_does_for_the_runs_before_it() -> None:
    by_hand = scheduler(FixedClock(today_at("05:30")), view("a", {"cron": "0 3 * * *"}), last=today_at("04:00"))
    assert by_hand.due() == []
    assert by_hand.next_run() == today_at("03:00") + timedelta(days=1)


def test_a_sync_that_fails_is_reported_and_stops_no_other() -> None:
    def sync(view: DeclaredResource[FeatureView]) -> str:
        if view.path == "a.yaml":
            raise CannotSync("there is no table; make it")
        return ""

    clock = FixedClock(today_at("00:30"))
    both = scheduler(
        clock, view("a", {"cron": "0 * * * *"}), view("b", {"cron": "0 * * * *"}), sync=sync, last=clock.now()
    )
    results = list(both.run_until(today_at("02:30")))
    assert summarize(results) == [
        ("a", "01:00", "failed"),
        ("b", "01:00", "synced"),
        ("a", "02:00", "failed"),
        ("b", "02:00", "synced"),
    ]
    assert results[0].reason == "there is no table; make it"


def test_runs_that_fall_into_a_sync_of_the_same_view_are_left_out_and_told() -> None:
    clock = FixedClock(today_at("00:30"))

    def sync(view: DeclaredResource[FeatureView]) -> str:
        clock.advance(timedelta(minutes=25))
        return ""

    slow = scheduler(clock, view("a", {"cron": "*/10 * * * *"}), sync=sync, last=clock.now())
    results = list(slow.run_until(today_at("01:10")))
    assert summarize(results) == [
        ("a", "00:40", "synced"),
        ("a", "00:50", "running"),
        ("a", "01:00", "running"),
        ("a", "01:10", "synced"),
        ("a", "01:20", "running"),
        ("a", "01:30", "running"),
    ]
    assert results[1].reason == "its sync since 2026-11-20T00:40:00Z was running"


def test_a_sync_that_another_process_runs_is_told() -> None:
    def sync(view: DeclaredResource[FeatureView]) -> str:
        raise SyncRunning("a sync is running")

    clock = FixedClock(today_at("00:30"))
    busy = scheduler(clock, view("a", {"cron": "0 * * * *"}), sync=sync, last=clock.now())
    assert summarize(busy.run_until(today_at("01:30"))) == [("a", "01:00", "running")]


def test_continuous_views_are_synced_every_minute() -> None:
    live = Scheduler(
        [view("live", {"continuous": True})],
        synced,
        FixedClock(today_at("00:30")),
        last_sync=lambda view: today_at("00:30"),
    )
    assert summarize(live.run_until(today_at("00:32"))) == [("live", "00:31", "synced"), ("live", "00:32", "synced")]


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
    asleep = scheduler(FixedClock(today_at("00:30")), idle)
    assert list(asleep.run_until(today_at("23:30"))) == []
    assert asleep.next_run() is None


def test_the_clock_of_the_machine_is_not_moved() -> None:
    running = Scheduler([], synced, SystemClock(), last_sync=lambda view: None)
    with pytest.raises(TypeError):
        next(running.run_until(today_at("01:00")))


def test_the_last_moment_that_there_is_has_no_run_after_it() -> None:
    clock = FixedClock(datetime.max.replace(tzinfo=UTC) - timedelta(seconds=1))
    both = scheduler(clock, view("a", {"continuous": True}), view("b", {"cron": "0 * * * *"}), last=clock.now())
    assert summarize(both.run_due()) == []
    assert both.next_run() is None
