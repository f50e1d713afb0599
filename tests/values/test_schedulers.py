"""What six schedulers make of schedules: the data of `scripts/schedulers.py`, the page, and the rules that warn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts import schedulers
from tests.cases import each_of
from tests.program import Run
from trialrun.values import cron, time_zone

DATA: dict[str, Any] = json.loads(schedulers.DATA.read_text(encoding="utf-8"))
FORMS = {**DATA["pairs"], **DATA["ranges"]}


def test_the_data_has_every_form_and_the_versions_that_the_script_runs() -> None:
    assert (DATA["versions"], [*DATA["pairs"], *DATA["ranges"]]) == (
        schedulers.VERSIONS,
        [*schedulers.PAIRS, *schedulers.RANGES],
    )


@each_of([text for text, row in FORMS.items() if not row["agree"]])
def test_a_form_on_which_schedulers_disagree_has_a_warning(text: str) -> None:
    assert schedulers.rules(text) or schedulers.has_accepted_star(text)


@each_of([text for text, row in FORMS.items() if not row["agree"] and text[0] != "@"])
def test_following_the_advice_leads_to_a_form_without_it(text: str) -> None:
    for _ in range(2):  # each of the day fields may have its own
        problem = next((problem for problem in cron.parse(text).problems if problem.code == "portability"), None)
        if problem is not None:
            text = text[: problem.start] + str(problem.replacement) + text[problem.end :]
    assert "`cron-portability`" not in schedulers.rules(text)


def test_the_page_has_the_tables() -> None:
    text = schedulers.PAGE.read_text(encoding="utf-8")
    assert schedulers.with_sections(text) == text, "run python scripts/schedulers.py --page"


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


@each_of(
    [
        (["2027-11-07T01:30-04:00", "2027-11-07T01:30-05:00"], "01:30 twice"),
        (["2027-11-07T01:00-04:00", "2027-11-07T01:30-04:00"], "01:00, 01:30 in the first pass"),
        (["2027-11-07T01:30-05:00"], "01:30 in the second pass"),
        (["2027-11-07T03:00-05:00"], "03:00"),
        ([], "no run"),
    ]
)
def test_the_runs_of_a_day_in_words(runs: list[str], words: str) -> None:
    assert schedulers.in_words(runs, "America/New_York") == words


@each_of(["America/Vancouver", "America/Edmonton", "America/Winnipeg", "Africa/Casablanca"])
def test_the_table_of_changed_zones_has_those_of_2026(zone: str) -> None:
    assert zone in time_zone.changed_zones()


@each_of(sorted(time_zone.changed_zones()))
def test_a_changed_zone_is_one_of_the_database(zone: str) -> None:
    assert zone in time_zone.zone_names()


def test_the_table_of_changed_zones_is_of_the_release_in_use() -> None:
    table = time_zone.__path__[0] + "/changed_zones.txt"
    with open(table, encoding="ascii") as lines:
        assert next(lines).split()[-1] <= time_zone.IANA_VERSION
