"""When schedules run, how often, and in which words."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile
from pathlib import Path

import pytest
from croniter import croniter
from cronsim import CronSim
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_of, first_of, pairs_of
from tests.program import Run
from trialrun.values import cron, time_zone

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
    ]
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
    ]
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
    ]
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
    ]
)
def test_plain_english(text: str, words: str) -> None:
    assert cron.describe(parsed(text)) == words


@given(SCHEDULES)
def test_every_schedule_has_words(text: str) -> None:
    assert cron.describe(parsed(text))


MINUTE = timedelta(minutes=1)
TRANSITIONS = [
    ("America/New_York", "2021-03-14"), ("America/New_York", "2021-11-07"), ("Pacific/Apia", "2011-12-30"),
    ("Australia/Lord_Howe", "2021-04-03"), ("Australia/Lord_Howe", "2021-10-02"), ("Africa/Casablanca", "2021-04-11"),
    ("Africa/Casablanca", "2021-05-16"), ("America/Sao_Paulo", "2018-11-04"), ("America/Sao_Paulo", "2018-02-18"),
    ("Antarctica/Troll", "2021-03-28"), ("Antarctica/Troll", "2021-10-31"), ("Europe/Dublin", "2021-03-28"),
    ("Europe/Dublin", "2021-10-31"), ("America/St_Johns", "2010-03-14"), ("America/St_Johns", "2010-11-07"),
    ("America/Havana", "2021-03-14"), ("America/Havana", "2021-11-07"), ("Europe/Lisbon", "1992-09-27"),
    ("Pacific/Kwajalein", "1993-08-21"),
]  # fmt: skip
EXPRESSIONS = [
    "* * * * *", "*/15 * * * *", "*/20 1-2 * * *", "*/30 1 * * *", "0 * * * *", "0 */2 * * *", "0 0 * * *",
    "0 0-4 * * *", "0 1 * * *", "0 12 * * 5", "0 3 * * *", "0 9 * * *", "10,40 2 * * *", "15 1,2,23 * * *",
    "15 2 * * *", "30 * * * *", "30 0 * * 0", "30 2 * * *", "30 23 * * *", "45 1 14,31 * *", "45 23,0,1 * * *",
    "59 1 * * SUN", "1-30 0 * * SUN,MON",
]  # fmt: skip


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
    ]
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


OTHER_PROGRAMS = (Path(__file__).parents[2] / "docs/other-programs.md").read_text(encoding="utf-8")
SCHEDULERS, CLOCK_CHANGES = (
    OTHER_PROGRAMS.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    for title in ("Schedulers", "Clock changes and time zones")
)
ON_THE_PAGE = dict(re.findall(r"^\| `(.+?)` \|.*\| (.+?) \|$", SCHEDULERS, re.MULTILINE))
"""Schedules that six schedulers run differently, and what the page says of trialrun."""
CLOCK_CHANGE = r"^\| [^`|]+: `(.+?)` in (\S+) on (\S+) \|.*\| (.+?) \|$"


def rules(text: str) -> list[str]:
    """The rules that warn of a schedule which schedulers read differently."""
    codes = {problem.code for problem in cron.parse(text).problems}
    return [f"`cron-{code}`" for code in ("portability", "day-or-weekday") if code in codes]


@each_of(sorted(ON_THE_PAGE))
def test_the_page_has_the_runs_and_the_warning_of_a_form_on_which_schedulers_disagree(text: str) -> None:
    year = (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))
    runs = sum(1 for _ in takewhile(lambda run: run < year[1], cron.next_runs(parsed(text), after=year[0])))
    assert ", ".join([str(runs), *rules(text)]) == ON_THE_PAGE[text]
    fields = text.split(" ")
    # cron-parser alone refuses a star in a list of minutes, hours or months
    assert rules(text) or any("," in fields[at] and "*" in fields[at].split(",") for at in (0, 1, 3))


def test_the_page_says_which_forms_have_a_warning_though_all_schedulers_agree() -> None:
    for words, has_warning in (("All six run these alike", False), ("These too", True)):
        lists = re.findall(rf"^{words}.*?: (.+)\.$", SCHEDULERS, re.MULTILINE)
        forms = [form for line in lists for form in re.findall(r"`(.+?)`", line)]
        assert forms and [form for form in forms if bool(rules(form)) != has_warning] == []


@each_of([text for text in ON_THE_PAGE if text[0] != "@"])
def test_following_the_advice_leads_to_a_form_without_it(text: str) -> None:
    for _ in range(2):  # each of the day fields may have its own
        problem = next((problem for problem in cron.parse(text).problems if problem.code == "portability"), None)
        if problem is not None:
            text = text[: problem.start] + str(problem.replacement) + text[problem.end :]
    assert "`cron-portability`" not in rules(text)


@each_of(re.findall(CLOCK_CHANGE, CLOCK_CHANGES, re.MULTILINE))
def test_the_page_has_the_runs_of_a_day_on_which_clocks_change(text: str, name: str, day: str, words: str) -> None:
    zone = time_zone.load_zone(name)
    midnight = datetime.fromisoformat(day).replace(tzinfo=zone)
    after = midnight.astimezone(UTC) - timedelta(seconds=1)
    local = [run.astimezone(zone) for run in islice(cron.next_runs(parsed(f"CRON_TZ={name} {text}"), after=after), 60)]
    times = Counter(f"{run:%H:%M}" for run in local if run.date() == midnight.date())
    count, twice = times.total(), [at for at, runs in times.items() if runs == 2]
    if count > 4:
        assert words == f"{count} runs" + (f", {', '.join(twice)} twice" if twice else "")
    else:
        once = ", ".join(at for at in times if at not in twice)
        assert words == ("; ".join(filter(None, [once, f"{', '.join(twice)} twice" if twice else ""])) or "no run")


@pytest.mark.parametrize(
    ("rule", "row"),
    [
        ("cron-portability", "| `0 0 */1 * 1-5` | 365 | 261 | 365 | 365 | 261 | 261 |"),
        ("cron-portability", "| `9-9 0 1 * *` | 720 | 12 | 12 | 12 | 12 | 12 |"),
        ("cron-day-or-weekday", "| `0 0 13 * 1` | 62 | 62 | 62 | 62 | 2 | 62 |"),
        ("cron-dst", "`15 2 * * *` in Australia/Lord_Howe on 2027-10-03 | 02:30 | 02:30 | 02:30 | no run | no run |"),
        ("cron-dst", "fugit 1.5.2"),
    ],
)
def test_explain_prints_what_schedulers_do(run: Run, rule: str, row: str) -> None:
    assert row in run("explain", rule).out


def test_explain_of_another_rule_has_no_table(run: Run) -> None:
    assert "croniter" not in run("explain", "cron-rare").out


@each_of(["America/Vancouver", "America/Edmonton", "America/Winnipeg", "Africa/Casablanca"])
def test_the_table_of_changed_zones_has_those_of_2026(zone: str) -> None:
    assert zone in time_zone.changed_zones()


@each_of(sorted(time_zone.changed_zones()))
def test_a_changed_zone_is_one_of_the_database(zone: str) -> None:
    assert zone in time_zone.zone_names()


def test_the_table_of_changed_zones_is_of_the_release_in_use() -> None:
    with open(time_zone.__path__[0] + "/changed_zones.txt", encoding="ascii") as lines:
        assert next(lines).split()[-1] <= time_zone.IANA_VERSION
