"""Conditions and schedules with one change."""

from __future__ import annotations

import pytest

from trialrun.runtime.scenario.mutation.condition_mutations import mutated_conditions
from trialrun.runtime.scenario.mutation.schedule_mutations import mutated_schedules
from trialrun.values.cron import parse as parse_cron


@pytest.mark.parametrize(
    ("condition", "mutated"),
    [
        ("a && b", ["a || b"]),
        ("a && b && c", ["a || b && c", "a && b || c"]),
        ("a && // x && y\n b || c", ["a && // x && y\n b && c", "a || // x && y\n b || c"]),
        ("(a) || ((b)) || (c)", ["(a) && ((b)) || (c)", "(a) || ((b)) && (c)"]),
        ("a == 'x'", ["a != 'x'", 'a == "x~"']),
        ("a >= 3", ["a > 3", "a >= 4"]),
        ("a < 2.5", ["a <= 2.5", "a < 3.5"]),
        ("a == 2u", ["a != 2u", "a == 3u"]),
        ("!(a || b)", ["((a || b))", "!(a && b)"]),
        ("a in ['x']", ["!(a in ['x'])", 'a in ["x~"]']),
        ("l.exists(i, i.a)", ["l.all(i, i.a)"]),
        ("a == true", ["a != true", "a == false"]),
        ("has(a.b)", []),
        ("a &&", []),
    ],
)
def test_conditions_with_one_change(condition: str, mutated: list[str]) -> None:
    assert [change.apply(condition) for change in mutated_conditions(condition)] == mutated


def test_a_change_says_where_it_is() -> None:
    change = next(mutated_conditions("a\n  && b"))
    assert (change.start, change.end) == (4, 6)


@pytest.mark.parametrize(
    ("schedule", "mutated"),
    [
        ("0 3 * * *", ["1 3 * * *", "0 4 * * *"]),
        ("59 23 31 12 6", ["0 23 31 12 6", "59 0 31 12 6", "59 23 1 12 6", "59 23 31 1 6", "59 23 31 12 0"]),
        ("*/15 * * * *", ["*/30 * * * *"]),
        ("*/45 */12 * * *", ["0 */12 * * *", "*/45 0 * * *"]),
        ("CRON_TZ=America/New_York 0 3 * * *",
         ["CRON_TZ=Pacific/Kiritimati 0 3 * * *", "CRON_TZ=America/New_York 1 3 * * *",
          "CRON_TZ=America/New_York 0 4 * * *"]),
        ("@daily", []),
        ("not a schedule", []),
    ],
)  # fmt: skip
def test_schedules_with_one_change(schedule: str, mutated: list[str]) -> None:
    assert [change.apply(schedule) for change in mutated_schedules(schedule)] == mutated


@pytest.mark.exhaustive
def test_a_long_condition_is_not_copied_for_each_change() -> None:
    condition = " && ".join(["a == 1"] * 12_000)
    assert len(condition) > 100_000
    changes = list(mutated_conditions(condition))
    assert len(changes) > 30_000
    assert sum(len(change.replacement) for change in changes) < len(condition)


def test_every_changed_schedule_is_valid() -> None:
    for schedule in ("59 23 31 12 6", "TZ=Europe/Berlin 5 */6 1,15 * MON-FRI"):
        for change in mutated_schedules(schedule):
            assert parse_cron(change.apply(schedule)).cron is not None
