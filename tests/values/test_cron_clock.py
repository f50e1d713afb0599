"""Changes of clocks, against a scan of every real minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile

import pytest

from tests.cases import each_of, first_of, pairs_of
from trialrun.values import cron, time_zone

MINUTE = timedelta(minutes=1)
TRANSITIONS = [
    ("America/New_York", "2021-03-14"),
    ("America/New_York", "2021-11-07"),
    ("Pacific/Apia", "2011-12-30"),
    ("Australia/Lord_Howe", "2021-04-03"),
    ("Australia/Lord_Howe", "2021-10-02"),
    ("Africa/Casablanca", "2021-04-11"),
    ("Africa/Casablanca", "2021-05-16"),
    ("America/Sao_Paulo", "2018-11-04"),
    ("America/Sao_Paulo", "2018-02-18"),
    ("Antarctica/Troll", "2021-03-28"),
    ("Antarctica/Troll", "2021-10-31"),
    ("Europe/Dublin", "2021-03-28"),
    ("Europe/Dublin", "2021-10-31"),
    ("America/St_Johns", "2010-03-14"),
    ("America/St_Johns", "2010-11-07"),
    ("America/Havana", "2021-03-14"),
    ("America/Havana", "2021-11-07"),
    ("Europe/Lisbon", "1992-09-27"),
    ("Pacific/Kwajalein", "1993-08-21"),
]
EXPRESSIONS = [
    "* * * * *",
    "*/15 * * * *",
    "*/20 1-2 * * *",
    "*/30 1 * * *",
    "0 * * * *",
    "0 */2 * * *",
    "0 0 * * *",
    "0 0-4 * * *",
    "0 1 * * *",
    "0 12 * * 5",
    "0 3 * * *",
    "0 9 * * *",
    "10,40 2 * * *",
    "15 1,2,23 * * *",
    "15 2 * * *",
    "30 * * * *",
    "30 0 * * 0",
    "30 2 * * *",
    "30 23 * * *",
    "45 1 14,31 * *",
    "45 23,0,1 * * *",
    "59 1 * * SUN",
    "1-30 0 * * SUN,MON",
]


def real_minutes(zone: str, day: str) -> list[tuple[datetime, datetime]]:
    """Every minute from a day before to a day and a half after, with its wall clock."""
    first = datetime.fromisoformat(day).replace(tzinfo=UTC) - timedelta(hours=24)
    clocks = time_zone.load_zone(zone)
    minutes = (first + count * MINUTE for count in range(60 * 60))
    return [(minute, minute.astimezone(clocks).replace(tzinfo=None, fold=0)) for minute in minutes]


def matches(schedule: cron.CronExpression, wall: datetime) -> bool:
    minute, hour, day, month, weekday = schedule.masks
    if not (minute >> wall.minute & hour >> wall.hour & month >> wall.month & 1):
        return False
    dated, named = bool(day >> wall.day & 1), bool(weekday >> wall.isoweekday() % 7 & 1)
    return dated or named if schedule.either_day else dated and named


def wall_clock(schedule: cron.CronExpression, minutes: list[tuple[datetime, datetime]]) -> Iterator[datetime]:
    return (real for real, wall in minutes if matches(schedule, wall))


def vixie(schedule: cron.CronExpression, minutes: list[tuple[datetime, datetime]]) -> Iterator[datetime]:
    """A main loop that remembers how far the wall clock has come, as Vixie cron's does."""
    wild = any(schedule.fields[at].text.startswith("*") for at in (0, 1))
    reached = minutes[0][1]
    for real, wall in minutes:
        leapt = [reached + count * MINUTE for count in range((wall - reached) // MINUTE)]
        made_up = not wild and len(leapt) <= 180 and any(matches(schedule, missed) for missed in leapt)
        repeated = not wild and wall < reached
        if made_up or (matches(schedule, wall) and not repeated):
            yield real
        reached = max(reached, wall + MINUTE)


@pytest.mark.parametrize(("transition", "semantics"), pairs_of(TRANSITIONS, ["wall-clock", "vixie"], 4))
def test_runs_agree_with_a_scan_of_every_minute(transition: tuple[str, str], semantics: cron.Semantics) -> None:
    (zone, _), minutes = transition, real_minutes(*transition)
    start, stop = minutes[0][0] - MINUTE, minutes[-1][0] + MINUTE
    scan = vixie if semantics == "vixie" else wall_clock
    for text in EXPRESSIONS:
        schedule = cron.parse(f"TZ={zone} {text}").cron
        assert schedule is not None
        expected = list(scan(schedule, minutes))
        following = takewhile(lambda run: run < stop, cron.next_runs(schedule, after=start, semantics=semantics))
        preceding = takewhile(lambda run: run > start, cron.previous_runs(schedule, before=stop, semantics=semantics))
        assert list(following) == expected, text
        assert list(preceding) == expected[::-1], text


@pytest.mark.parametrize(("zone", "day"), first_of(TRANSITIONS, 4))
def test_skipped_and_doubled_times_agree_with_a_scan_of_every_minute(zone: str, day: str) -> None:
    minutes = real_minutes(zone, day)
    walls = [wall for _, wall in minutes]
    every_wall = [walls[0] + count * MINUTE for count in range((walls[-1] - walls[0]) // MINUTE)]
    missing, twice = set(every_wall) - set(walls), {wall for wall, count in Counter(walls).items() if count > 1}
    for text in ("15,45 0-5,12,23 * * *", "* 1-22 * * *"):
        schedule = cron.parse(f"TZ={zone} {text}").cron
        assert schedule is not None
        changes = list(cron.clock_changes(schedule, start=minutes[0][0], end=minutes[-1][0]))
        found = {kind: {c.local for c in changes if c.kind == kind} for kind in ("skipped", "doubled")}
        assert found["skipped"] == {wall for wall in missing if matches(schedule, wall)}, text
        assert found["doubled"] == {wall for wall in twice if matches(schedule, wall)}, text


YEAR = {"start": datetime(2026, 1, 1, tzinfo=UTC), "end": datetime(2027, 1, 1, tzinfo=UTC)}


@each_of(
    [
        ("CRON_TZ=America/New_York 30 2 * * *", [("skipped", "2026-03-08T02:30:00", "2026-03-08T07:00:00+00:00")]),
        ("CRON_TZ=America/New_York 30 1 * * *", [("doubled", "2026-11-01T01:30:00", "2026-11-01T06:00:00+00:00")]),
        ("CRON_TZ=America/New_York 30 2 * * MON", []),
        ("CRON_TZ=America/New_York 0 3 * * *", []),
        ("CRON_TZ=America/New_York 0 * * * *", []),
        ("CRON_TZ=America/New_York */10 * * * *", []),
        ("CRON_TZ=Australia/Lord_Howe 0 * * * *", [("skipped", "2026-10-04T02:00:00", "2026-10-03T15:30:00+00:00")]),
        ("CRON_TZ=Asia/Kolkata 30 2 * * *", []),
        ("30 2 * * *", []),
    ],
)
def test_what_a_year_of_clock_changes_does(text: str, expected: list[tuple[str, str, str]]) -> None:
    schedule = cron.parse(text).cron
    assert schedule is not None
    changes = cron.clock_changes(schedule, **YEAR)
    assert [(c.kind, c.local.isoformat(), c.at.isoformat()) for c in changes] == expected


def test_a_zone_that_nobody_knows_has_no_runs_to_give() -> None:
    schedule = cron.parse("CRON_TZ=Nowhere/City 0 0 * * *").cron
    assert schedule is not None
    with pytest.raises(time_zone.UnknownTimeZoneError):
        next(cron.next_runs(schedule, after=datetime(2026, 1, 1, tzinfo=UTC)))
