"""The rows of "Texts" in docs/other-programs.md: what DuckDB and, in spark/test_reading.py, Spark make of a text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

PAGE = Path(__file__).parents[4] / "docs" / "other-programs.md"
AS_MOMENT = ("TRY_CAST({} AS TIMESTAMP WITH TIME ZONE)::VARCHAR", "CAST(TRY_CAST({} AS TIMESTAMP_LTZ) AS STRING)")
ROWS: list[tuple[str, tuple[str, str], Any, Any]] = [
    ("2026-11-01 01:30:00 America/New_York", AS_MOMENT, "2026-11-01 06:30:00+00", "2026-11-01 05:30:00"),
    ("2026-01-01 24:00:00", AS_MOMENT, "2026-01-02 00:00:00+00", None),
    ("2026-01-01 00:00:00 +05:30", AS_MOMENT, None, "2025-12-31 18:30:00"),
    ("2026-01-01T00", AS_MOMENT, None, "2026-01-01 00:00:00"),
    ("2026-01-01 1:2+05:30", AS_MOMENT, "2025-12-31 19:32:00+00", None),
    (" true", ("TRY_CAST({} AS BOOLEAN)", "TRY_CAST({} AS BOOLEAN)"), None, True),
    ("-nan", ("TRY_CAST({} AS DOUBLE)::VARCHAR", "CAST(TRY_CAST({} AS DOUBLE) AS STRING)"), "-nan", None),
    ("1_0", ("TRY_CAST({} AS DOUBLE)", "TRY_CAST({} AS DOUBLE)"), 10.0, None),
    ("1d", ("TRY_CAST({} AS DOUBLE)", "TRY_CAST({} AS DOUBLE)"), None, 1.0),
    ("[1,]", ("TRY_CAST({} AS VARCHAR[])", "FROM_JSON({}, 'ARRAY<STRING>')"), ["1", ""], None),
    ("[1] x", ("json_valid({})", "FROM_JSON({}, 'ARRAY<STRING>')"), False, ["1"]),
    ("[NaN]", ("json_valid({})", "FROM_JSON({}, 'ARRAY<STRING>')"), True, ['"NaN"']),
    ("YW\nJj", ("TRY(from_base64({}))", "UNBASE64({})"), None, b"abc"),
]


@pytest.mark.parametrize(("text", "sql", "expected"), [(text, sql, found) for text, (sql, _), found, _ in ROWS])
def test_what_duckdb_makes_of_a_text(text: str, sql: str, expected: Any) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        ((found,),) = connection.execute(f"SELECT {sql.format('?')}", [text]).fetchall()
    assert found == expected


def test_the_page_has_every_text() -> None:
    section = PAGE.read_text().partition("### Texts")[2].partition("\n## ")[0]
    texts = re.findall(r"^\| `(.+?)`", section, re.M)
    assert texts == [text.replace("\n", "\\n") for text, *_ in ROWS]
