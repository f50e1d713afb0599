"""The case file: every row is a contract."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import each_of
from trialrun.values import cron, time_zone

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "cron_cases.yaml").read_text("utf-8"))
SEVERITIES = {"syntax": "reject", "unknown": "reject", "uneven-step": "accept"}
CODES = {
    "cron-dom-dow": "day-or-weekday",
    "cron-dom-dow-star-step": "portability",
    "cron-uneven-step": "uneven-step",
    "cron-start-step": "portability",
    "cron-question": "portability",
    "cron-macro": "portability",
}
DIALECT_NEUTRAL = [row for row in CASES["utc_dates"] if "dates" in row]


def verdict(codes: list[str]) -> str:
    """The gravest verdict of the problems' codes."""
    return min(
        (SEVERITIES.get(code, "warn") for code in codes), key=["reject", "warn", "accept"].index, default="accept"
    )


def parsed(text: str) -> cron.CronExpression:
    read = cron.parse(text).cron
    assert read is not None
    return read


def by_expression(rows: list[dict[str, Any]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    return each_of([pytest.param(row, id=row["expr"]) for row in rows])


@by_expression(CASES["syntax"])
def test_verdict(row: dict[str, Any]) -> None:
    assert verdict([problem.code for problem in cron.parse(row["expr"]).problems]) == row["verdict"]


@by_expression([row for row in CASES["syntax"] if row["verdict"] == "reject"])
def test_span_of_what_is_refused(row: dict[str, Any]) -> None:
    assert [[problem.start, problem.end] for problem in cron.parse(row["expr"]).problems] == [row["span"]]


@by_expression([row for row in CASES["syntax"] if row["verdict"] == "warn"])
def test_code_and_span_of_what_is_warned_of(row: dict[str, Any]) -> None:
    (problem,) = cron.parse(row["expr"]).problems
    assert (problem.code, [problem.start, problem.end]) == (CODES[row["code"]], row["span"])


@by_expression(CASES["zone_prefix"])
def test_verdict_on_prefix_and_zone(row: dict[str, Any]) -> None:
    reading = cron.parse(row["expr"])
    judged = time_zone.check(reading.zone_token.text) if reading.zone_token else None
    problems = [*reading.problems, *([judged] if judged else [])]
    assert verdict([problem.code for problem in problems]) == row["verdict"]


@by_expression([row for row in CASES["zone_prefix"] if row["verdict"] != "reject"])
def test_zone(row: dict[str, Any]) -> None:
    assert parsed(row["expr"]).zone == row["zone"]


@each_of(product(CASES["dst_fires"], ["wall-clock", "vixie"]))
def test_runs_at_changes_of_clocks(row: dict[str, Any], semantics: cron.Semantics) -> None:
    expected = row["vixie"] if semantics == "vixie" and row["vixie"] != "same" else row["wall_clock"]
    schedule = parsed(f"CRON_TZ={row['zone']} {row['expr']}")
    runs = cron.next_runs(schedule, after=datetime.fromisoformat(row["after"]), semantics=semantics)
    assert [run.isoformat() for run in islice(runs, len(expected))] == expected


@by_expression(DIALECT_NEUTRAL)
def test_dates(row: dict[str, Any]) -> None:
    runs = cron.next_runs(parsed(row["expr"]), after=datetime.fromisoformat(row["after"]))
    assert [run.date().isoformat() for run in islice(runs, len(row["dates"]) or 1)] == row["dates"]


@by_expression(CASES["lints"])
def test_lints(row: dict[str, Any]) -> None:
    schedule = parsed(row["expr"])
    codes = {problem.code for problem in cron.parse(row["expr"]).problems}
    found = {lint for lint, code in CODES.items() if code in codes and lint in row["lints"]} | _computed(schedule)
    assert found == set(row["lints"]) - {"cron-too-frequent"}
    assert codes <= {CODES.get(lint) for lint in row["lints"]}


@by_expression([row for row in CASES["lints"] if "cron-too-frequent" in row["lints"]])
def test_too_frequent(row: dict[str, Any]) -> None:
    gap = cron.shortest_gap_minutes(parsed(row["expr"]))
    assert gap is not None
    assert gap < CASES["lint_horizon"]["too_frequent_minutes"]


def _computed(schedule: cron.CronExpression) -> set[str]:
    start = datetime.fromisoformat(CASES["lint_horizon"]["as_of"])
    end = start + timedelta(days=365.25 * CASES["lint_horizon"]["years"])
    names = {"skipped": "cron-dst-gap", "doubled": "cron-dst-overlap"}
    lints = {names[change.kind] for change in cron.clock_changes(schedule, start=start, end=end)}
    if rare := cron.rarity(schedule):
        lints.add({"not-every-year": "cron-rare", "skips-months": "cron-skips-months"}[rare.kind])
    if cron.never_fires(schedule):
        lints.add("cron-never-fires")
    return lints | (set() if schedule.zone else {"cron-no-zone"})
