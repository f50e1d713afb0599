"""The types of given columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.columns import table_columns
from trialrun.runtime.feature_view.source.location import TableLocation
from trialrun.runtime.feature_view.source.write_table import CannotMake, make_table
from trialrun.runtime.scenario.given import describe_misfit, infer_column


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
    ],
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
    ],
)
def test_a_value_fits_its_column(value: Any, kind: Type, repeated: bool, wanted: str | None) -> None:
    assert describe_misfit(value, Column("c", kind, repeated)) == wanted


@pytest.mark.parametrize(
    "type", ["DATE); COPY (SELECT 1) TO '{file}'; CREATE TABLE b (i INT", "DATE DEFAULT ('{file}')"]
)
def test_a_type_is_a_type_and_nothing_else_of_a_statement(tmp_path: Path, type: str) -> None:
    written = type.format(file=tmp_path / "written.csv")
    column = Column("x", "UNSUPPORTED", False, written, False)
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
