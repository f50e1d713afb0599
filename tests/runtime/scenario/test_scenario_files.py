"""Scenarios that pass and fail, how values and conditions are compared, and given rows with their types."""

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.program import Run
from trialrun.model.scenario import ExpectedSearch, ScenarioStep
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.search import SearchResult
from trialrun.runtime.feature_view.source.columns import table_columns
from trialrun.runtime.feature_view.source.location import TableLocation
from trialrun.runtime.feature_view.source.write_table import CannotMake, make_table
from trialrun.runtime.scenario import view_steps
from trialrun.runtime.scenario.coverage import operand_deletions
from trialrun.runtime.scenario.environment import Mismatch, matches_expected
from trialrun.runtime.scenario.given import describe_misfit, infer_column, parse_rows
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


GIVEN = "given: {sources: [{uri: 'bq://p.d.guests', rows: [{guest_id: a, x: 1}]}]}"


@pytest.mark.parametrize("given", [GIVEN, ""], ids=["made", "refused"])
def test_a_wait_makes_a_bounded_number_of_syncs(
    given: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_steps, "MAX_SYNCS", 3)
    text = (FIXTURES / "passing" / "warehouse.yaml").read_text(encoding="utf-8").split("\n---\nkind: Scenario")[0]
    steps = "- wait: {until: %s, views: [guests]}"
    scenario = f"kind: Scenario\nname: s\nclock: 2026-03-02T10:00:00Z\n{given}\nsteps: [{steps[2:]}]\n"
    (tmp_path / "s.yaml").write_text(f"{text}\n---\n{scenario % '2026-03-05T10:00:00Z'}", encoding="utf-8")
    assert run("test", *AT).code == (not given)
    (tmp_path / "s.yaml").write_text(f"{text}\n---\n{scenario % '9999-12-31T23:59:59Z'}", encoding="utf-8")
    ran = run("test", *AT, COLUMNS="200")
    assert ran.code == 1
    assert "3 syncs are made before 2026-03-06T03:00:00Z; wait until then" in ran.out
    assert ran.out.count("expected: no refusal") == (not given)


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
    ]
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
    ]
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
    ]
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


@each_of(
    [
        ([True, None], "BOOL"),
        ([1, 2**63 - 1], "INT64"),
        ([1, 2.5], "DOUBLE"),
        ([1, "NaN"], "DOUBLE"),
        ([1, 2**63], "DOUBLE"),
        (["a", "1"], "STRING"),
        (["2026-03-02T10:00:00Z", "2026-03-02T10:00:00+02:00"], "TIMESTAMP"),
        (["2026-03-02T10:00:00Z", "soon"], "STRING"),
        ([[1.5, 2], []], "DOUBLE REPEATED"),
        ([["a"], None], "STRING REPEATED"),
        ([None, None], "STRING"),
        ([[]], "STRING REPEATED"),
    ]
)
def test_a_column_has_the_type_of_its_values(values: list[Any], shown: str) -> None:
    assert infer_column("c", values).type_text == shown


@pytest.mark.parametrize("values", [[1, "a"], [True, 1], [[1], 1], [["a", 1]], [{"a": 1}]])
def test_a_mixture_has_to_be_declared(values: list[Any]) -> None:
    with pytest.raises(ValueError, match="declare its type"):
        infer_column("c", values)


@each_of(
    [
        (None, "INT64", False, None),
        (7, "INT64", False, None),
        (True, "INT64", False, "a 64-bit integer"),
        (2**63, "INT64", False, "a 64-bit integer"),
        ("7", "INT64", False, "a 64-bit integer"),
        (7, "DOUBLE", False, None),
        ("Infinity", "DOUBLE", False, None),
        pytest.param(10**400, "DOUBLE", False, "a number", id="beyond-all-floats"),
        (7, "STRING", False, "a text"),
        ("AAE=", "BYTES", False, None),
        ("no", "BYTES", False, "bytes in base64"),
        ("2026-03-02", "TIMESTAMP", False, "an RFC 3339 time"),
        ([1, 0.5], "DOUBLE", True, None),
        (1, "DOUBLE", True, "a list, each item a number"),
        ([1, None], "DOUBLE", True, None),
        ({"any": 1}, "UNSUPPORTED", False, None),
    ]
)
def test_a_value_fits_its_column(value: Any, kind: Type, repeated: bool, wanted: str | None) -> None:
    assert describe_misfit(value, Column("c", kind, repeated)) == wanted


@pytest.mark.parametrize(
    "type", ["DATE); COPY (SELECT 1) TO '{file}'; CREATE TABLE b (i INT", "DATE DEFAULT ('{file}')"]
)
def test_a_type_is_a_type_and_nothing_else_of_a_statement(tmp_path: Path, type: str) -> None:
    column = Column("x", "UNSUPPORTED", False, type.format(file=tmp_path / "written.csv"), False)
    with pytest.raises(CannotMake, match='column "x" has type DATE'):
        make_table(str(tmp_path / "made.duckdb"), "rows", [column], [["2026-01-01"]])
    assert not (tmp_path / "written.csv").exists()


def test_a_table_may_have_types_that_no_feature_has(tmp_path: Path) -> None:
    written = ["DATE", "DECIMAL(10, 2)", "STRUCT(a INTEGER, b VARCHAR[])[]", "TIME WITH TIME ZONE"]
    columns = [Column(f"c{at}", "UNSUPPORTED", False, type, False) for at, type in enumerate(written)]
    row = ["2026-01-01", "1.5", [{"a": 1, "b": ["x"]}], "10:00:00+02"]
    make_table(str(tmp_path / "made.duckdb"), "rows", columns, [row, [None] * 4] * 300)
    place = TableLocation("u", str(tmp_path), None, None, "made.duckdb", "rows")
    assert [table_column.source_type for table_column in table_columns(place)] == [
        "DATE",
        "DECIMAL(10,2)",
        "STRUCT(a INTEGER, b VARCHAR[])[]",
        "TIME WITH TIME ZONE",
    ]


TABLE = r"""
| id | tier   | visits | score | speaks   | note       |
|----|:-------|-------:|-------|----------|------------|
| g1 | gold   | 12     | .5    | [en, fr] | a \| b     |
| g2 |        | -1     | NaN   | []       | "null"     |
| 3  | null   | 1e3    | 2.0   | [1, 2.5] | "say \"x\"" |
"""


def test_cells_are_read_like_yaml() -> None:
    assert parse_rows(TABLE) == [
        {"id": "g1", "tier": "gold", "visits": 12, "score": 0.5, "speaks": ["en", "fr"], "note": "a | b"},
        {"id": "g2", "tier": None, "visits": -1, "score": "NaN", "speaks": [], "note": "null"},
        {"id": 3, "tier": None, "visits": 1000.0, "score": 2.0, "speaks": [1, 2.5], "note": 'say "x"'},
    ]


def test_cells_of_text_columns_stay_as_they_stand() -> None:
    row: dict[str, Any] = {"a": "007", "b": "true", "c": "[x]", "d": 7}
    assert parse_rows("a | b | c | d\n007 | true | [x] | 7", texts={"a", "b", "c"}) == [row]


def test_a_table_needs_no_outer_bars_no_rule_no_last_cell_and_no_rows() -> None:
    assert parse_rows("a|b\n1|2\n") == parse_rows("| a | b |\n|---|---|\n| 1 | 2 |") == [{"a": 1, "b": 2}]
    assert parse_rows("| a | b |\n| 1 | |") == [{"a": 1, "b": None}]
    assert parse_rows("| a | b |") == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "the table is empty"),
        ("| a | b |\n| 1 |", "line 2 of the table has 1 cell and its first line 2"),
        ("| a | b |\n\n| 1 | 2 | 3 |", "line 3 of the table has 3 cells"),
        ("| a | a |\n| 1 | 2 |", "a column without a name, or one twice"),
        ("| a | |\n| 1 | 2 |", "a column without a name, or one twice"),
    ],
)
def test_what_is_no_table(table: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_rows(table)
