"""When schedules run, how often, and in which words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest
from croniter import croniter
from cronsim import CronSim
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import cron

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def parsed(text: str) -> cron.CronExpression:
    schedule = cron.parse(text).cron
    assert schedule is not None
    return schedule


def _field(first: int, last: int, *, steps: bool = True) -> st.SearchStrategy[str]:
    """Fields on which the libraries agree; `3-3` is not among them: croniter and cronsim take it for every value."""
    value = st.integers(first, last)
    ends = st.lists(value, min_size=2, max_size=2, unique=True).map(sorted)
    ranged = ends.map(lambda pair: f"{pair[0]}-{pair[1]}")
    stepped = st.builds("{}/{}".format, ranged, st.integers(1, max(1, last // 2)))
    starred = st.integers(2, last).map("*/{}".format)
    items = st.lists(st.one_of(value.map(str), ranged, stepped), min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), items, starred if steps else st.just("*"))


FIELDS = (_field(0, 59), _field(0, 23), _field(1, 31, steps=False), _field(1, 12), _field(0, 6, steps=False))
SCHEDULES = st.tuples(*FIELDS).map(" ".join)
MOMENTS = st.datetimes(datetime(1995, 1, 1), datetime(2085, 1, 1), timezones=st.just(UTC))


def _has_full_day_field(schedule: cron.CronExpression) -> bool:
    """croniter takes `1-31` for a star, and so ANDs where cron ORs."""
    return schedule.masks[2].bit_count() == 31 or schedule.masks[4].bit_count() == 7


@given(SCHEDULES, MOMENTS)
def test_runs_agree_with_cronsim(text: str, after: datetime) -> None:
    schedule = parsed(text)
    assume(not cron.never_fires(schedule))
    assert list(islice(cron.next_runs(schedule, after=after), 4)) == list(islice(CronSim(text, after), 4))


@given(SCHEDULES, MOMENTS)
def test_runs_agree_with_croniter(text: str, after: datetime) -> None:
    schedule = parsed(text)
    assume(not cron.never_fires(schedule))
    assume(not (schedule.either_day and _has_full_day_field(schedule)))
    other = croniter(text, after, max_years_between_matches=100)
    expected = [other.get_next(datetime) for _ in range(4)]
    assert list(islice(cron.next_runs(schedule, after=after), 4)) == expected


@given(SCHEDULES, MOMENTS, st.sampled_from(["UTC", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca"]))
def test_previous_runs_mirror_next_runs(text: str, after: datetime, zone: str) -> None:
    schedule = parsed(f"TZ={zone} {text}")
    forward = list(islice(cron.next_runs(schedule, after=after), 6))
    assume(forward)
    end = forward[-1] + timedelta(microseconds=1)
    assert list(islice(cron.previous_runs(schedule, before=end), len(forward))) == forward[::-1]


@given(SCHEDULES)
def test_never_fires_is_told_without_a_search(text: str) -> None:
    schedule = parsed(text)
    assert cron.never_fires(schedule) == (next(cron.next_runs(schedule, after=NEW_YEAR), None) is None)


@each_of(
    [
        ("0 0 30 2 *", True),
        ("0 0 31 2,4,6,9,11 *", True),
        ("0 0 29 2 *", False),
        ("0 0 30 2 1", False),
        ("0 0 31 4,5 *", False),
    ],
)
def test_never_fires(text: str, never: bool) -> None:
    assert cron.never_fires(parsed(text)) is never


def test_leap_days_over_centuries() -> None:
    runs = cron.next_runs(parsed("0 0 29 2 *"), after=datetime(1893, 1, 1, tzinfo=UTC))
    years = [run.year for run in islice(runs, 60)]
    assert (1900 in years, 2000 in years, 2100 in years) == (False, True, False)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York"])
def test_the_calendar_ends(zone: str) -> None:
    schedule = parsed(f"TZ={zone} 0 12 * * *")
    late = list(cron.next_runs(schedule, after=datetime(9999, 12, 29, tzinfo=UTC)))
    early = list(cron.previous_runs(schedule, before=datetime(1, 1, 4, tzinfo=UTC)))
    assert 2 <= len(late) <= 4
    assert 2 <= len(early) <= 4


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_are_moments_too(moment: datetime) -> None:
    schedule = parsed("TZ=Asia/Tokyo 0 0 * * *")
    assert len(list(islice(cron.next_runs(schedule, after=moment), 1))) == (moment.year == 1)
    assert len(list(islice(cron.previous_runs(schedule, before=moment), 1))) == (moment.year == 9999)


def test_runs_are_strictly_later_and_strictly_earlier() -> None:
    schedule = parsed("0 0 * * *")
    assert next(cron.next_runs(schedule, after=NEW_YEAR)) == NEW_YEAR + timedelta(days=1)
    assert next(cron.previous_runs(schedule, before=NEW_YEAR)) == NEW_YEAR - timedelta(days=1)


def test_a_moment_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="no offset"):
        next(cron.next_runs(parsed("0 0 * * *"), after=datetime(2026, 1, 1)))


@each_of(
    [
        ("0 0 31 * *", (2, 4, 6, 9, 11)),
        ("0 0 30 * *", (2,)),
        ("0 0 29 * *", (2,)),
        ("0 0 29-31 1-3 *", (2,)),
        ("0 0 31 4,5 *", (4,)),
        ("0 0 29 2 *", (2,)),
        ("0 0 28 * *", None),
        ("0 0 15,31 * *", None),
        ("0 0 31 1,3 *", None),
        ("0 0 31 * MON", None),
        ("0 0 30 2 *", None),
    ],
)
def test_rarity(text: str, months: tuple[int, ...] | None) -> None:
    rare = cron.rarity(parsed(text))
    assert (rare and rare.months) == months


@each_of(
    [
        ("* * * * *", 1, 1440),
        ("*/7 * * * *", 4, 216),
        ("0 */5 * * *", 240, 5),
        ("0 0 * * *", 1440, 1),
        ("58,3 0,23 * * *", 5, 4),
        ("0 0,23 * * *", 60, 2),
        ("0 0,23 * * MON", 1380, 2),
        ("0 0 * * MON", 10080, 1),
        ("0 0 1 * *", 28 * 1440, 1),
        ("0 0 29 2 *", 1461 * 1440, 1),
        ("0 0 1,31 * *", 1440, 1),
        ("0 0 30 2 *", None, 1),
    ],
)
def test_shortest_gap_and_runs_per_day(text: str, gap: int | None, per_day: int) -> None:
    schedule = parsed(text)
    assert (cron.shortest_gap_minutes(schedule), cron.runs_per_day(schedule)) == (gap, per_day)


@given(SCHEDULES)
def test_no_two_runs_are_closer_than_the_shortest_gap(text: str) -> None:
    schedule = parsed(text)
    assume(not cron.never_fires(schedule))
    runs = list(islice(cron.next_runs(schedule, after=NEW_YEAR), 200))
    shortest = cron.shortest_gap_minutes(schedule)
    assert shortest is not None
    assert all(later - earlier >= timedelta(minutes=shortest) for earlier, later in pairwise(runs))


@each_of(
    [
        ("30 2 * * MON", "at 02:30 every Monday"),
        ("0 3 * * *", "at 03:00 every day"),
        ("59 23,0 * * *", "at 00:59 and 23:59 every day"),
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("5 * * * *", "at minute 5 of every hour"),
        ("* 3 * * *", "every minute of hour 3 every day"),
        ("0 */2 * * *", "at minute 0 of every 2nd hour from 0 every day"),
        ("0 9-17 * * MON-FRI", "at minute 0 of hours 9 to 17 every Monday to Friday"),
        ("0 0 1 * *", "at 00:00 on day 1 of every month"),
        ("0 0 29 2 *", "at 00:00 on day 29 of February"),
        ("0 0 13 * FRI", "at 00:00 on day 13 of the month and every Friday"),
        ("0 0 * 1,7 *", "at 00:00 every day in January and July"),
        ("0 * * 7 *", "at minute 0 of every hour in July"),
        ("0 0 1-31 * MON", "at 00:00 every day"),
        ("CRON_TZ=America/New_York 30 2 * * *", "at 02:30 every day (America/New_York)"),
        ("@weekly", "at 00:00 every Sunday"),
    ],
)
def test_plain_english(text: str, words: str) -> None:
    assert cron.describe(parsed(text)) == words


@given(SCHEDULES)
def test_every_schedule_has_words(text: str) -> None:
    assert cron.describe(parsed(text))
