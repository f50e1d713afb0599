"""What a sync serves, and what it says of the rows."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of, pairs_of
from tests.runtime.feature_view.catalog_fixture import (
    NAME,
    NOW,
    Row,
    catalog,
    codes,
    duckdb_table,
    grouped,
    guests,
    lines,
    sqlite_table,
    synced,
)
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.data_finding import CannotSync, DataFinding
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import SyncReport, sync_view
from trialrun.runtime.options import Options

MORNING = "2026-11-22T08:00:00Z"
INDEX = {"indexConfig": {"embeddingColumn": "v", "embeddingDimension": 2, "filterColumns": ["city"]}}
CONTINUOUS = {"syncConfig": {"continuous": True}}
SQLITE = {"database": "g.db", "table": "t", "timestampColumn": "at"}


def finding(report: SyncReport, code: str) -> DataFinding:
    (found,) = (one for one in report.findings if one.code == code)
    return found


def row(id: Any = "g", at: str = MORNING, **values: Any) -> Row:
    return {"id": id, "feature_timestamp": at, **values}


def test_of_rows_with_one_moment_the_one_with_the_greatest_values_is_served(tmp_path: Path) -> None:
    rows = [row(a=1, b=9), row(a=2, b=None), row(a=2, b=1), row("h", a=1, b=1)]
    report, served = synced(guests(tmp_path, *rows))
    assert served == {("g",): {"a": 2, "b": 1}, ("h",): {"a": 1, "b": 1}}
    ties = finding(report, "timestamp-ties")
    assert ties.message.startswith("1 of 2 entities has several values")
    assert ties.examples == ["g"]
    assert "sync-ties" in report.assumptions


def test_ties_come_out_the_same_in_any_order_of_files(tmp_path: Path) -> None:
    rows = [row(a=value % 7, b=str(value)) for value in range(30)]
    served = []
    for name, ordered in (("one", rows), ("other", rows[::-1])):
        (tmp_path / name).mkdir()
        for number in range(3):
            lines(tmp_path / name / f"{number}.jsonl", ordered[number::3])
        served.append(synced(guests(tmp_path, files=f"{name}/*.jsonl"))[1])
    assert served[0] == served[1] == {("g",): {"a": 6, "b": "6"}}


def test_vectors_that_no_search_finds_are_told(tmp_path: Path) -> None:
    duckdb_table(
        tmp_path / "g.duckdb",
        "CREATE TABLE t AS SELECT * FROM (VALUES ('a', [1.0, 2.0]::DOUBLE[], NULL::VARCHAR), ('b', NULL, NULL), "
        "('c', [1.0], NULL), ('d', ['NaN'::FLOAT, 1.0], NULL), ('e', [NULL, 1.0], NULL), ('f', [1.0, -1e39], NULL), "
        "('g', [1e308, 1e308], NULL), ('h', [3.4028235e38, 1.0], NULL)) AS t (id, v, city)",
    )
    report, served = synced(guests(tmp_path, view=INDEX, files=None, database="g.duckdb", table="t"))
    assert {one.code: list(one.examples) for one in report.findings} == {
        "value-does-not-fit": ["[NULL, 1.0]"],
        "null-vectors": ["b", "e"],
        "wrong-vector-length": ["c"],
        "non-finite-vectors": ["d", "f", "g"],
        "null-filter-column": [],
    }
    assert served[("a",)]["v"] == [1.0, 2.0]


def test_values_that_do_not_fit_are_read_as_null(tmp_path: Path) -> None:
    (tmp_path / "guests.csv").write_text("id,visits,born,rich\n1,2,2026-01-01,yes\n2,x,later,true\n3,1.5,,\n")
    types = {"visits": "INT64", "born": "TIMESTAMP", "rich": "BOOL", "id": "INT64"}
    columns = [{"name": name, "type": type} for name, type in types.items()]
    report, served = synced(guests(tmp_path, files="guests.csv", columns=columns))
    found = {one.message.split('"')[3]: list(one.examples) for one in report.findings}
    assert found == {"visits": ["1.5", "x"], "born": ["later"]}
    assert served[(2,)] == {"visits": None, "born": None, "rich": True}


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-11-22 08:00:00", datetime(2026, 11, 22, 8, tzinfo=UTC)),
        ("2026-11-22T08:00:00.5+02:00", datetime(2026, 11, 22, 6, microsecond=500_000, tzinfo=UTC)),
        (1_795_334_400, datetime(2026, 11, 22, 8, tzinfo=UTC)),
        (1_795_334_400_001, datetime(2026, 11, 22, 8, microsecond=1000, tzinfo=UTC)),
        (1_795_334_400_000_001, datetime(2026, 11, 22, 8, microsecond=1, tzinfo=UTC)),
        (1_795_334_400.1, datetime(2026, 11, 22, 8, microsecond=100_000, tzinfo=UTC)),
        (1_795_334_400_000.0007, datetime(2026, 11, 22, 8, tzinfo=UTC)),
        (0.0000019, datetime(1970, 1, 1, microsecond=1, tzinfo=UTC)),
        (-0.0000001, datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    ],
)
def test_moments_of_sqlite_are_iso_texts_or_numbers_since_1970(
    tmp_path: Path, written: object, moment: datetime
) -> None:
    sqlite_table(tmp_path / "g.db", "t", "id TEXT, at TIMESTAMP, a INTEGER", [("g", written, 1)])
    made = guests(tmp_path, files=None, **SQLITE)
    store = SqliteStore(":memory:")
    synced(made, store)
    (served,) = store.fetch(NAME, [("g",)])
    assert served and served.timestamp == moment


def test_values_of_sqlite_that_are_not_of_their_column_are_told(tmp_path: Path) -> None:
    rows = [("g", MORNING, "many", "[1, 2]", 1), ("h", "soon", 1, "[]", 0), ("i", MORNING, 2.0, '[1, "x"]', "x")]
    sqlite_table(tmp_path / "g.db", "t", "id TEXT, at TIMESTAMP, a INTEGER, v TEXT, b BOOLEAN", rows)
    columns = [{"name": "v", "type": "FLOAT", "mode": "REPEATED"}]
    report, served = synced(guests(tmp_path, files=None, columns=columns, **SQLITE))
    assert served == {("g",): {"a": None, "v": [1.0, 2.0], "b": True}, ("i",): {"a": 2, "v": None, "b": None}}
    misfits = [one for one in report.findings if one.code == "value-does-not-fit"]
    found = {misfit.message.split('"')[3]: list(misfit.examples) for misfit in misfits}
    assert found == {"at": ["soon"], "a": ["many"], "v": ['[1, "x"]'], "b": ["x"]}


def test_texts_of_sqlite_that_are_not_utf_8_are_null_and_others_are_served(tmp_path: Path) -> None:
    rows = [(str(number), "2026-11-01", number, "v", 1.5) for number in range(300)]
    sqlite_table(tmp_path / "g.db", "t", "id TEXT, at TIMESTAMP, a INTEGER, v TEXT, d REAL", rows)
    with closing(sqlite3.connect(tmp_path / "g.db")) as connection, connection:
        connection.execute("UPDATE t SET v = CAST(x'636166E9' AS TEXT) WHERE id IN ('7', '250')")
        connection.execute("UPDATE t SET d = CAST(x'E9' AS TEXT) WHERE id = '251'")
        connection.execute("INSERT INTO t VALUES ('7', '2026-11-02', 8, 'newer', 2)")
    report, served = synced(guests(tmp_path, files=None, **SQLITE))
    assert len(served) == 300
    assert served[("7",)] == {"a": 8, "v": "newer", "d": 2.0}
    assert served[("250",)] == {"a": 250, "v": None, "d": 1.5}
    assert served[("251",)] == {"a": 251, "v": "v", "d": None}
    assert served[("299",)] == {"a": 299, "v": "v", "d": 1.5}
    assert codes(report) == ["value-does-not-fit", "value-does-not-fit"]


def test_a_schema_of_sqlite_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    file = tmp_path / "g.db"
    sqlite_table(file, "t", "id TEXT, at TIMESTAMP, a INTEGER", [("g", MORNING, 1)])
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE", b"CREATE \xe4ABLE"))
    with pytest.raises(CannotSync, match="the schema has a text that is not UTF-8"):
        synced(guests(tmp_path, files=None, **SQLITE))


def test_lists_of_sqlite_that_have_nulls_or_cannot_be_read_are_null(tmp_path: Path) -> None:
    lists = ["[1, null]", f"[{2**63}]", "[" * 100_000]
    rows = [(id, MORNING, written) for id, written in zip("ghi", lists, strict=True)]
    sqlite_table(tmp_path / "g.db", "t", "id TEXT, at TIMESTAMP, v TEXT", rows)
    columns = [{"name": "v", "type": "INT64", "mode": "REPEATED"}]
    report, served = synced(guests(tmp_path, files=None, columns=columns, **SQLITE))
    assert [served[id,]["v"] for id in "ghi"] == [None, None, None]
    assert max(map(len, report.findings[0].examples)) < 200


def test_misfits_are_reported_for_all_groups_of_one_table(tmp_path: Path) -> None:
    lines(tmp_path / "t.jsonl", [row(a=1, b="x")])
    source = {"uri": "t", "files": "t.jsonl", "columns": [{"name": "b", "type": "INT64"}]}
    assert codes(synced(grouped(tmp_path, {"a": "t", "b": "t"}, source))[0]) == ["value-does-not-fit"]


FAR = ["-infinity", "0044-03-15 (BC) 00:00:00", "10000-01-01 00:00:00", "infinity"]


@pytest.mark.parametrize(("type", "moment"), pairs_of(["TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_MS", "TIMESTAMP_S"], FAR))
def test_a_moment_of_no_year_from_1_to_9999_is_read_as_null(tmp_path: Path, moment: str, type: str) -> None:
    far = f"CAST('{moment}' AS {type})"
    duckdb_table(
        tmp_path / "g.duckdb",
        f"CREATE TABLE t AS SELECT 'a' AS id, {far} AS x, [{far}] AS l UNION ALL "
        "SELECT 'b', TIMESTAMP '9999-12-31 23:59:59.999999', [TIMESTAMP '0001-01-01']",
    )
    report, served = synced(guests(tmp_path, files=None, database="g.duckdb", table="t"))
    last, first = datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)
    if type in ("TIMESTAMP_MS", "TIMESTAMP_S"):
        last = served["b",]["x"]
    assert served == {("a",): {"x": None, "l": None}, ("b",): {"x": last, "l": [first]}}
    assert [(one.code, len(one.examples)) for one in report.findings] == [("value-does-not-fit", 1)] * 2


@pytest.mark.parametrize("moment", FAR)
def test_a_row_of_no_year_from_1_to_9999_keeps_no_other_from_being_served(tmp_path: Path, moment: str) -> None:
    duckdb_table(
        tmp_path / "g.duckdb",
        f"CREATE TABLE t AS SELECT 'a' AS id, TIMESTAMP '{moment}' AS at, 1 AS x UNION ALL "
        "SELECT 'a', TIMESTAMP '2026-01-01', 2 UNION ALL SELECT 'b', TIMESTAMP '2026-01-01', 3",
    )
    report, served = synced(guests(tmp_path, files=None, database="g.duckdb", table="t", timestampColumn="at"))
    assert served == {("a",): {"x": 2}, ("b",): {"x": 3}}
    assert codes(report) == ["null-timestamps", "value-does-not-fit"]


RAG = [
    {"corpus_id": corpus, "file_id": "f", "chunk_id": chunk, "chunk_data_type": "TEXT", "chunk_data": "…"}
    | {"embeddings": [0.5], "file_original_uri": "gs://f"}
    for corpus, chunk in (("1", "a"), ("2", "b"), ("1", "c"))
]


@pytest.mark.parametrize(("corpus", "chunks"), [({}, "abc"), ({"ragCorpusId": "1"}, "ac")])
def test_a_rag_view_serves_the_chunks_of_its_corpus(tmp_path: Path, corpus: dict[str, str], chunks: str) -> None:
    lines(tmp_path / "r.jsonl", RAG)
    columns = [{"name": "corpus_id", "type": "STRING"}]
    sources = [{"uri": "bq://r", "files": "r.jsonl", "columns": columns}]
    _, served = synced(catalog(tmp_path, {"ragSource": {"uri": "bq://r", **corpus}}, sources=sources))
    assert sorted(served) == [(chunk,) for chunk in chunks]


def test_a_rag_table_has_its_seven_columns(tmp_path: Path) -> None:
    lines(tmp_path / "r.jsonl", [{name: value for name, value in RAG[0].items() if name != "chunk_data"}])
    sources = [{"uri": "bq://r", "files": "r.jsonl", "columns": [{"name": "corpus_id", "type": "STRING"}]}]
    with pytest.raises(CannotSync, match='no column "chunk_data" for a RAG source'):
        synced(catalog(tmp_path, {"ragSource": {"uri": "bq://r"}}, sources=sources))


def test_a_continuous_view_asks_only_for_what_is_newer(tmp_path: Path) -> None:
    store = SqliteStore(":memory:")
    older = "2026-11-21T00:00:00Z"
    first, _ = synced(guests(tmp_path, row(a=1), row("h", older, a=1), view=CONTINUOUS), store)
    later = row(at="2026-11-22T13:00:00Z", a=2)
    made = guests(tmp_path, row(a=1), row("h", older, a=9), later, view=CONTINUOUS)
    second, served = synced(made, store, now=NOW + timedelta(hours=2))
    assert (first.plan.incremental, second.plan.incremental) == (False, True)
    assert served == {("g",): {"a": 2}, ("h",): {"a": 1}}
    assert (second.counts.entities, second.counts.changed, second.counts.vanished) == (2, 1, 0)


def test_a_continuous_view_sees_rows_that_come_later_with_the_newest_moment(tmp_path: Path) -> None:
    store = SqliteStore(":memory:")
    synced(guests(tmp_path, row(a=1), view=CONTINUOUS), store)
    report, served = synced(guests(tmp_path, row(a=1), row("h", a=2), view=CONTINUOUS), store)
    assert (report.plan.incremental, served) == (True, {("g",): {"a": 1}, ("h",): {"a": 2}})


def test_a_continuous_view_waits_for_the_table_that_is_furthest_behind(tmp_path: Path) -> None:
    sources = [{"uri": id, "files": f"{id}.jsonl"} for id in "ab"]
    store, made = SqliteStore(":memory:"), grouped(tmp_path, {"a": "a", "b": "b"}, *sources, **CONTINUOUS)
    rows = [row(at=f"2026-11-22T0{hour}:00:00Z", b=hour) for hour in (2, 4)]
    lines(tmp_path / "a.jsonl", [row(at="2026-11-22T09:00:00Z", a=1)])
    lines(tmp_path / "b.jsonl", rows[:1])
    synced(made, store)
    lines(tmp_path / "b.jsonl", rows)
    report, served = synced(made, store)
    assert (report.plan.incremental, served) == (True, {("g",): {"a": 1, "b": 4}})


def test_a_continuous_view_that_is_synced_as_of_before_serves_what_was_then(tmp_path: Path) -> None:
    store = SqliteStore(":memory:")
    made = guests(tmp_path, row(a=1), row(at="2026-11-22T11:00:00Z", a=2), view=CONTINUOUS)
    synced(made, store)
    assert synced(made, store, now=NOW - timedelta(hours=2))[1] == {("g",): {"a": 1}}


def test_a_continuous_view_whose_rows_are_elsewhere_now_is_synced_whole(tmp_path: Path) -> None:
    store = SqliteStore(":memory:")
    synced(guests(tmp_path, row(a=1), view=CONTINUOUS), store)
    lines(tmp_path / "b.jsonl", [row(at="2026-11-20T00:00:00Z", a=9)])
    assert synced(guests(tmp_path, view=CONTINUOUS, files="b.jsonl"), store)[1] == {("g",): {"a": 9}}


def test_a_continuous_view_that_changed_is_synced_whole(tmp_path: Path) -> None:
    store = SqliteStore(":memory:")
    synced(guests(tmp_path, row(a=1), view=CONTINUOUS), store)
    report, served = synced(guests(tmp_path, row(a=1, b=2), view=CONTINUOUS), store)
    assert (report.plan.incremental, served) == (False, {("g",): {"a": 1, "b": 2}})


@pytest.mark.parametrize(
    ("type", "options", "left"),
    first_of(
        [
            ("KEY_VALUE", Options(), ["g", "h"]),
            ("OPTIMIZED", Options(), ["g"]),
            ("OPTIMIZED", Options(vanished_entities="keep"), ["g", "h"]),
            ("KEY_VALUE", Options(vanished_entities="drop"), ["g"]),
        ],
        2,
    ),
)
def test_entities_that_vanished(tmp_path: Path, type: str, options: Options, left: Sequence[str]) -> None:
    store, view = SqliteStore(":memory:"), {"warehouseSource": {"uri": "u", "entityIdColumns": ["id"]}}
    sources = [{"uri": "u", "files": "guests.jsonl"}]
    for rows in ([row(a=1), row("h", a=1)], [row(a=1)]):
        lines(tmp_path / "guests.jsonl", rows)
        report, served = synced(catalog(tmp_path, view, sources=sources, store=type), store, options=options)
    assert sorted(id for (id,) in served) == left
    assert (report.counts.vanished, "sync-vanished" in report.assumptions) == (1, True)


def test_what_was_served_stays_when_the_rows_break_off(tmp_path: Path) -> None:
    store = SqliteStore(":memory:")
    synced(guests(tmp_path, {"id": 1, "a": 1}), store)
    (tmp_path / "guests.csv").write_text("id,a\n" + "1,2\n" * 30_000 + "1,x\n")
    with pytest.raises(
        CannotSync,
        match='the rows cannot be read: column "a" is INT64 by its first rows, and has another value; declare it: x',
    ) as raised:
        synced(guests(tmp_path, files="guests.csv"), store)
    assert raised.value.steps == ("warehouseSource", "uri")
    assert list(store.scan(NAME, ["a"])) == [((1,), 1)]


def test_the_report_counts_rows_and_bytes_and_progress_is_told(tmp_path: Path) -> None:
    made, told = guests(tmp_path, row(a=1), row(a=2), row("h", a=1)), []
    report = sync_view(
        made.view(NAME),
        made,
        SqliteStore(":memory:"),
        clock=FixedClock(NOW),
        progress=lambda done, total: told.append((done, total)),
    )
    assert (report.plan.view, report.counts.read, report.counts.entities, told) == (NAME, 3, 2, [(2, None)])
    assert report.bytes == (tmp_path / "guests.jsonl").stat().st_size
