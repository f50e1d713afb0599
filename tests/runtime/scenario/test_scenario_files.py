"""Scenarios that pass and fail, and how values and conditions are compared."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.program import Run
from trialrun.model.scenario import ExpectedSearch, ScenarioStep
from trialrun.runtime.feature_view.search import SearchResult
from trialrun.runtime.scenario.coverage import operand_deletions
from trialrun.runtime.scenario.environment import Mismatch
from trialrun.runtime.scenario.format import matches_expected
from trialrun.runtime.scenario.runner import PLAYERS
from trialrun.runtime.scenario.turn_expectations import deciding_operands
from trialrun.runtime.scenario.view_steps import compare_recall
from trialrun.values import cel

FIXTURES = Path(__file__).parents[3] / "fixtures" / "scenarios"
AT = ("--at", "2026-11-20T00:00:00Z", "--isolated")


@pytest.mark.parametrize("path", sorted((FIXTURES / "passing").iterdir()), ids=lambda path: path.stem)
def test_every_scenario_of_the_file_passes(path: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / path.name).write_bytes(path.read_bytes())
    ran = run("test", *AT)
    assert (ran.code, ran.err) == (0, ""), ran.out


@pytest.mark.parametrize("path", sorted((FIXTURES / "failing").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_file_fails_as_it_says(path: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / path.name).write_bytes(path.read_bytes())
    ran = run("test", *AT, COLUMNS="100")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_kind_of_step_has_a_player() -> None:
    assert set(PLAYERS) == set(ScenarioStep.unions["deed"])
    assert {*ScenarioStep.model_fields} - {"clock"} == set(PLAYERS)


@pytest.mark.exhaustive
def test_the_scenarios_of_the_example_workspace_pass(run: Run) -> None:
    ran = run("test", "scenarios", cwd=FIXTURES.parent / "workspaces" / "burger-brand")
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert ran.out.endswith("\n25 scenarios: 25 passed\n")


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@each_of(
    [
        (None, None),
        (True, True),
        (7, 7),
        (7, 7.0),
        (0.1, 0.1),
        ("7", "7"),
        (math.nan, math.nan),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (b"\x00\x01", "AAE="),
        (NOON, "2026-03-02T12:00:00Z"),
        (NOON, "2026-03-02T13:00:00+01:00"),
        ([1.0, 0.0], [1, 0]),
        ((NOON,), ["2026-03-02T12:00:00Z"]),
    ],
)
def test_the_same(got: Any, expected: Any) -> None:
    assert matches_expected(got, expected)


@each_of(
    [
        (None, 0),
        (0, None),
        (True, 1),
        (1, True),
        (7, "7"),
        ("7", 7),
        (0.1, 0.1000001),
        pytest.param(0.1, 10**400, id="beyond-all-floats"),
        pytest.param(math.nan, 10**400, id="nan-and-beyond-all-floats"),
        (math.nan, 0),
        (math.inf, -math.inf),
        (b"\x00", "AAE="),
        (NOON, "2026-03-02T12:00:01Z"),
        (NOON, "noon"),
        ([1, 0], [1]),
        ([1, 0], [0, 1]),
        ([1], 1),
    ],
)
def test_not_the_same(got: Any, expected: Any) -> None:
    assert not matches_expected(got, expected)


def test_numbers_may_be_off_by_the_tolerance() -> None:
    assert matches_expected([0.1], [0.11], tolerance=0.02)
    assert not matches_expected([0.1], [0.13], tolerance=0.02)


STATE = {"order": {"subtotal": 5.0, "items": []}, "session": {"turn": 1, "daypartId": "lunch"}}
TRUE, FALSE = "order.subtotal > 1.0", "session.turn > 7"
OTHER_FALSE = "order.items.exists(i, i.quantity > 1)"


@each_of(
    [
        (f"{TRUE} && {FALSE}", [FALSE]),
        (f"{FALSE} && {TRUE} && {OTHER_FALSE}", [FALSE, OTHER_FALSE]),
        (f"{TRUE} && {TRUE}", [TRUE, TRUE]),
        (f"{TRUE} || {FALSE}", [TRUE]),
        (f"{FALSE} || {OTHER_FALSE}", [FALSE, OTHER_FALSE]),
        (f"!({FALSE})", [f"({FALSE})"]),
        (f"{TRUE} && !({FALSE} || {TRUE})", [TRUE]),
        (f"{TRUE} ? {FALSE} : {TRUE}", [TRUE, FALSE]),
        (f"{FALSE} ? {FALSE} : {TRUE}", [FALSE, TRUE]),
        (TRUE, [TRUE]),
    ],
)
def test_what_a_value_rests_on(condition: str, rests_on: list[str]) -> None:
    _, parts = cel.compile(condition).trace(STATE)
    assert [part.text for part in deciding_operands(condition, parts)] == rests_on


@each_of(
    [
        ("a && b", {"a": "true && b", "b": "a && true"}),
        ("a || b || c", {"a": "false || b || c", "b": "a || false || c", "c": "a || b || false"}),
        ("!(a && b)", {"a": "!(true && b)", "b": "!(a && true)"}),
        ("a && (b || c)", {"a": "true && (b || c)", "(b || c)": "a && true", "b": "a && (false || c)",
                           "c": "a && (b || false)"}),
        ("x.exists(i, i.a && i.b)", {"i.a": "x.exists(i, true && i.b)", "i.b": "x.exists(i, i.a && true)"}),
        ("t ? a : b", {"a": "(b)", "b": "(a)"}),
        ("(t ? a : b) && c", {"(t ? a : b)": "true && c", "a": "(b) && c", "b": "(a) && c",
                              "c": "(t ? a : b) && true"}),
        ("a > 1", {}),
        ("!a", {}),
        ("a &&", {}),
    ],
)  # fmt: skip
def test_every_operand_that_could_be_left_out(condition: str, without: dict[str, str]) -> None:
    assert {condition[start:end]: mutated for start, end, mutated in operand_deletions(condition)} == without


def test_a_recall_below_the_least_is_not_as_expected() -> None:
    expect = ExpectedSearch(recall=0.95)
    assert list(compare_recall(expect, SearchResult((), 0.95))) == []
    assert list(compare_recall(expect, SearchResult((), 0.9))) == [
        Mismatch(expect.location("recall"), "a recall of at least 0.95", "0.9")
    ]
