"""Text files: declared columns come letter for letter, moments with their offsets, and no line is passed over."""

import gzip
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases import pairs_of
from tests.runtime.feature_view.catalog_fixture import catalog, codes, duckdb_table, grouped, guests, lines, synced
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.options import Options

VIEW = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["id"]}}


def in_csv(folder: Path, text: str, **source: Any) -> Catalog:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return catalog(folder, VIEW, sources=[{"uri": "bq://t", "files": "t.csv", **source}])


def in_json(folder: Path, *rows: Mapping[str, Any], **column: str) -> Catalog:
    return guests(folder, *rows, columns=[{"name": "a", **column}])


def test_texts_of_json_that_look_like_moments_come_letter_for_letter(tmp_path: Path) -> None:
    rows = [{"id": "x", "a": "2026-01-01T00:00:00Z"}, {"id": "y", "a": "2026-02-01T00:00:00+02:00"}]
    found = synced(in_json(tmp_path, *rows, type="STRING"))[1]
    assert [found[id,]["a"] for id in "xy"] == ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00+02:00"]


def test_texts_of_json_beside_numbers_have_no_quotes(tmp_path: Path) -> None:
    found = synced(in_json(tmp_path, {"id": "x", "a": "007"}, {"id": "y", "a": 7}, type="STRING"))[1]
    assert [found[id,]["a"] for id in "xy"] == ["007", "7"]


def test_a_part_of_an_integer_does_not_fit_an_integer_column_of_json(tmp_path: Path) -> None:
    rows = [{"id": "x", "a": 1.5}, {"id": "y", "a": "n/a"}, {"id": "z", "a": 7.0}]
    report, found = synced(in_json(tmp_path, *rows, type="INT64"))
    assert [found[id,]["a"] for id in "xyz"] == [None, None, 7]
    assert report.findings[0].message.startswith('"bq://guests" has 2 values in column "a" that are not INT64')


def test_keys_of_json_that_differ_in_capitals_are_columns_each(tmp_path: Path) -> None:
    assert synced(in_json(tmp_path, {"id": "x", "a": 1, "A": 2}, type="INT64"))[1]["x",] == {"a": 1, "A_1": 2}


def test_moments_of_csv_with_offsets_are_those_in_utc_where_nothing_is_declared(tmp_path: Path) -> None:
    text = "id,feature_timestamp,a\nx,2026-01-01T00:00:00+05:00,1\ny,2026-01-01T00:00:00Z,2\n"
    found = synced(in_csv(tmp_path, text), now=datetime(2026, 1, 1, tzinfo=UTC))[1]
    assert found == {("x",): {"a": 1}, ("y",): {"a": 2}}


def test_the_first_line_of_csv_has_the_names_also_where_it_looks_like_the_others(tmp_path: Path) -> None:
    assert synced(in_csv(tmp_path, "id,2026\nx,1\ny,2\n"))[1] == {("x",): {"2026": 1}, ("y",): {"2026": 2}}


def test_lines_of_csv_before_those_of_another_width_are_not_passed_over(tmp_path: Path) -> None:
    text = "id,a\n" + "x,1\n" * 5 + "id,a,b\n" + "y,1,2\n" * 50
    with pytest.raises(CannotSync, match=r'line 7 of "t[.]csv" has 3 values, where the header has 2'):
        synced(in_csv(tmp_path, text))


MALFORMED = {
    "t.jsonl": ('{"id": "x"}\n\n{"id": "y",\n{"id": "z"}\n', 'line 3 of "t[.]jsonl" is not valid JSON: '),
    "commas.jsonl": ('{"id": "x"},\n{"id": "y"},\n', 'line 1 of "commas[.]jsonl" is not valid JSON: [a-z ]+$'),
    "t.json": ('[{"id": "x"},\n{"id": "y"},\n]\n', 'line 3 of "t[.]json" is not valid JSON: '),
    # a name that would be that of another file, with its place
    't", at byte 1 in line 9: b.jsonl': ('{"id": "x"}\n{\n', 'line 2 of .* b[.]jsonl" is not valid JSON: [a-z ]+$'),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_the_line_of_malformed_json_is_named(tmp_path: Path, name: str) -> None:
    text, message = MALFORMED[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(CannotSync, match=message):
        synced(catalog(tmp_path, VIEW, sources=[{"uri": "bq://t", "files": name}]))


def test_the_words_of_an_enumeration_may_have_any_signs(tmp_path: Path) -> None:
    duckdb_table(tmp_path / "t.duckdb", "CREATE TABLE t AS SELECT 'x' AS id, 'b)'::ENUM('a', 'b)') AS a")
    where = {"uri": "bq://t", "database": "t.duckdb", "table": "t"}
    assert synced(catalog(tmp_path, VIEW, sources=[where]))[1]["x",] == {"a": "b)"}


@pytest.mark.parametrize("file", ["shop.duckdb", "shop.v1.db", "main.duckdb", "s.duckdb", "o'b, {c}.duckdb"])
def test_a_view_of_a_database_finds_its_tables_as_where_its_file_is_opened(tmp_path: Path, file: str) -> None:
    whole = "shop.main.t" if file.startswith("shop.") else "main.t"
    duckdb_table(
        tmp_path / "shop.duckdb",
        "CREATE TABLE t AS SELECT 'x' AS id, 7 AS a",
        "CREATE SCHEMA s",
        "CREATE VIEW s.v AS FROM t",
        f"CREATE MACRO m() AS TABLE FROM {whole}",  # a view by an earlier DuckDB has whole names, too
        "CREATE VIEW w AS FROM m()",
    )
    (tmp_path / "shop.duckdb").rename(tmp_path / file)
    for table in ("t", "s.v", "w"):
        source = {"uri": "bq://t", "database": file, "table": table}
        assert synced(catalog(tmp_path, VIEW, sources=[source]))[1] == {("x",): {"a": 7}}


AT = "TIMESTAMPTZ '2026-01-01 00:00:00Z' AS feature_timestamp"


def test_macros_of_a_database_replace_no_functions_of_ours(tmp_path: Path) -> None:
    macros = [
        f"CREATE MACRO {name}(x) AS NULL" for name in ("timezone", "max", "row_number", "unnest", "list_transform")
    ]
    rows = f"SELECT 'x' AS id, {AT}, [7] AS a"
    duckdb_table(tmp_path / "d.db", f"CREATE TABLE t AS {rows}", *macros)
    source = {"uri": "bq://t", "database": "d.db", "table": "t"}
    assert synced(catalog(tmp_path, VIEW, sources=[source]))[1] == {("x",): {"a": [7]}}


@pytest.mark.parametrize("file", ["a/main.db", "database_1.db", "t.db"])
def test_databases_beside_each_other_have_the_names_of_their_files(tmp_path: Path, file: str) -> None:
    (tmp_path / "a").mkdir()
    made = ["CREATE SCHEMA s", f"CREATE TABLE s.t AS SELECT 'x' AS id, {AT}, 1 AS a", "CREATE VIEW v AS FROM s.t"]
    duckdb_table(tmp_path / file, *made)
    duckdb_table(tmp_path / "s.db", "CREATE SCHEMA t", f"CREATE TABLE t AS SELECT 'x' AS id, {AT}, 2 AS b")
    duckdb_table(tmp_path / "main.db", f"CREATE TABLE t AS SELECT 'x' AS id, {AT}, 3 AS c")
    tables = {"bq://a": (file, "v"), "bq://b": ("s.db", "t"), "bq://c": ("main.db", "t")}
    sources = [{"uri": uri, "database": name, "table": table} for uri, (name, table) in tables.items()]
    asked = {"a": "bq://a", "b": "bq://b", "c": "bq://c"}
    assert synced(grouped(tmp_path, asked, *sources))[1] == {("x",): {"a": 1, "b": 2, "c": 3}}


def test_a_view_of_a_database_takes_no_table_of_another_one_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    duckdb_table(tmp_path / "x.db", f"CREATE TABLE t AS SELECT 'x' AS id, {AT}, 1 AS a")
    made = f"CREATE TABLE t AS SELECT 'x' AS id, {AT}, 2 AS b", "CREATE MACRO m() AS TABLE FROM x.main.t"
    duckdb_table(tmp_path / "a/x.db", *made, "CREATE VIEW w AS FROM m()")
    sources = [
        {"uri": "bq://a", "database": "x.db", "table": "t"},
        {"uri": "bq://b", "database": "a/x.db", "table": "w"},
    ]
    with pytest.raises(CannotSync, match="does not exist"):
        synced(grouped(tmp_path, {"a": "bq://a", "b": "bq://b"}, *sources))


def test_many_files_of_json_need_little_memory(tmp_path: Path) -> None:
    for number in range(100):
        late = {"late": 1.5} if number == 99 else {"late": 1} if number == 98 else {}
        lines(tmp_path / f"{number:03}.jsonl", [{"id": number, "a": number, **late}])
    made = catalog(tmp_path, VIEW, sources=[{"uri": "bq://t", "files": "*.jsonl"}])
    found = synced(made, options=Options(memory_limit="500MB"))[1]
    assert (len(found), found[98,], found[99,]) == (100, {"a": 98, "late": 1.0}, {"a": 99, "late": 1.5})


def test_an_empty_file_of_csv_brings_no_column(tmp_path: Path) -> None:
    (tmp_path / "u.csv").touch()
    (tmp_path / "t.csv").write_text("id,a\nx,1\n", encoding="utf-8")
    made = catalog(tmp_path, VIEW, sources=[{"uri": "bq://t", "files": "*.csv"}])
    assert synced(made)[1] == {("x",): {"a": 1}}


def test_a_file_is_read_once_also_where_links_lead_to_it_again(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,a\nx,1\n", encoding="utf-8")
    (tmp_path / "again").symlink_to(".")
    assert synced(catalog(tmp_path, VIEW, sources=[{"uri": "bq://t", "files": "**/*.csv"}]))[0].counts.read == 1


PAGE = Path(__file__).parents[4] / "docs" / "other-programs.md"
AS_MOMENT = ("TRY_CAST({} AS TIMESTAMP WITH TIME ZONE)::VARCHAR", "CAST(TRY_CAST({} AS TIMESTAMP_LTZ) AS STRING)")
ROWS: list[tuple[str, tuple[str, str], Any, Any]] = [
    ("2026-11-01 01:30:00 America/New_York", AS_MOMENT, "2026-11-01 06:30:00+00", "2026-11-01 05:30:00"),
    (
        "2026-01-01 10:00:00 nowhere",
        ("TRY_CAST({} AS TIMESTAMP)::VARCHAR", "CAST(TRY_CAST({} AS TIMESTAMP_NTZ) AS STRING)"),
        "2026-01-01 10:00:00",
        None,
    ),
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
    assert re.findall(r"^\| `(.+?)`", section, re.M) == [text.replace("\n", "\\n") for text, *_ in ROWS]


DECLARED = [{"name": "id", "type": "INT64"}, {"name": "x", "type": "STRING"}, {"name": "y", "type": "STRING"}]
RAGGED = {
    "short": ("id,x,y\n1,a,b\n2,c\n", 'line 3 of "t[.]csv" has 2 values, where the header has 3'),
    "long": ('id,x,y\n1,"a",b\n2,c,d,e\n3,d,e\n', 'line 3 of "t[.]csv" has 4 values, where the header has 3'),
    "one": ('id;x;y\n1;"a\n";b\n2\n', 'line 4 of "t[.]csv" has 1 value, where the header has 3'),
    "late": ("id,x,y\n" + "1,a,b\n" * 30_000 + "2,c\n", 'line 30002 of "t[.]csv" has 2 values, where the header has 3'),
}


@pytest.mark.parametrize(("ragged", "source"), pairs_of([*RAGGED], [{}, {"columns": DECLARED}]))
def test_a_ragged_line_is_named(tmp_path: Path, ragged: str, source: dict[str, Any]) -> None:
    text, message = RAGGED[ragged]
    with pytest.raises(CannotSync, match=message):
        synced(in_csv(tmp_path, text, **source))


def test_a_ragged_line_of_a_packed_file_is_named(tmp_path: Path) -> None:
    made = in_csv(tmp_path, "", files="t.csv.gz")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"id,x,y\n1,a,b\n2,c\n"))
    with pytest.raises(CannotSync, match=r'line 3 of "t[.]csv[.]gz" has 2 values'):
        synced(made)


BROKEN = {
    "a quote that is not closed": (
        "t.csv", 'id,x,y\n1,"a",b\n2,"c,d\n3,e,f\n',
        'the row in line 3 of "t[.]csv" has a quote that is not closed, or text behind one; correct it',
    ),
    "one that is closed far away": (
        "t.csv", 'id,x,y\n1,"a,b\n2,c,d\n3,"e",f\n',
        'the row in line 2 of "t[.]csv" has a quote that is not closed, or text behind one',
    ),
    "text behind a quote": ("t.csv", 'id,x,y\n1,"a"b,c\n', 'the row in line 2 of "t[.]csv" has a quote'),
    "a late quote": (
        "t.csv", "id,x,y\n" + '1,a,b\n' * 30_000 + '2,"c,d\n', 'line 30002 of "t[.]csv" has a quote that is not closed',
    ),
    "a long line": ("t.csv", f"id,x,y\n1,{'a' * 2_000_001},b\n", 'a line of "t[.]csv" has more than 2,000,000 bytes'),
    "no text": ("t.csv", "", '"t[.]csv" is empty; its first line has the names of the columns'),
    "blank lines": ("t.csv", "\n\n", '"t[.]csv" is empty'),
    "a key twice": ("t.json", '[{"id": 1, "x": "a", "x": "b"}]', '"t[.]json" has an object with the key "x" twice'),
    "an array that ends early": ("t.json", '[{"id": 1, "x": "a"},\n', '"t[.]json" ends within its array'),
    "a number": ("t.jsonl", '{"id": 1, "x": "a"}\n5\n', "a row is no object: 5; write an object for each row"),
    "lists": ("t.jsonl", "[1, 2]\n[3]\n", "a row is no object: "),
}  # fmt: skip


@pytest.mark.parametrize(("broken", "source"), pairs_of([*BROKEN], [{}, {"columns": DECLARED}]))
def test_a_broken_text_file_is_refused_in_our_words(tmp_path: Path, broken: str, source: dict[str, Any]) -> None:
    file, text, message = BROKEN[broken]
    (tmp_path / file).write_text(text)
    with pytest.raises(CannotSync, match=message) as refused:
        synced(catalog(tmp_path, VIEW, sources=[{"uri": "bq://t", "files": file, **source}]))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("data", [b"id,x\n1,caf\xe9\n", "id,x\n1,a\n".encode("utf-16")])
def test_a_file_that_is_not_utf_8_says_how_to_save_it(tmp_path: Path, data: bytes) -> None:
    made = in_csv(tmp_path, "")
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(CannotSync, match=r'line [12] of "t[.]csv" is not UTF-8; save the file as UTF-8'):
        synced(made)


@pytest.mark.parametrize("text", ["", "\n", "[]"])
def test_a_file_of_json_without_rows_has_the_declared_columns(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    source = {"uri": "bq://t", "files": "t.json"}
    report, rows = synced(catalog(tmp_path, VIEW, sources=[{**source, "columns": DECLARED}]))
    assert (rows, codes(report)) == ({}, ["empty-source"])
    with pytest.raises(CannotSync, match="the files have no rows to tell their columns; declare `columns`"):
        synced(catalog(tmp_path, VIEW, sources=[source]))


@pytest.mark.parametrize("source", [{}, {"columns": DECLARED}], ids=["undeclared", "declared"])
def test_double_quotes_alone_are_quotes(tmp_path: Path, source: dict[str, Any]) -> None:
    _, rows = synced(in_csv(tmp_path, 'id,x,y\n1,\'a\',"b, c"\n2,\'d\',"""e"""\n', **source))
    assert rows == {(1,): {"x": "'a'", "y": "b, c"}, (2,): {"x": "'d'", "y": '"e"'}}


@pytest.mark.parametrize("source", [{}, {"columns": DECLARED}], ids=["undeclared", "declared"])
def test_two_quotes_are_the_empty_text_and_nothing_is_null(tmp_path: Path, source: dict[str, Any]) -> None:
    _, rows = synced(in_csv(tmp_path, 'id,x,y\n1,"",b\n2,,c\n', **source))
    assert rows == {(1,): {"x": "", "y": "b"}, (2,): {"x": None, "y": "c"}}


PRICES = {"id": "x", "price": 1, "Price": 2, "price_1": 3}


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_a_column_that_the_engine_would_take_for_another_is_refused(format: str, tmp_path: Path) -> None:
    file = tmp_path / f"t.{format}"
    if format == "parquet":
        numbers = {name: [value] for name, value in PRICES.items()} | {"parts": [{"price": 1, "PRICE": 2}]}
        pq.write_table(pa.table(numbers), file)
    elif format == "csv":
        file.write_text(f"{','.join(PRICES)}\n{','.join(map(str, PRICES.values()))}\n")
    else:
        file.write_text(json.dumps(PRICES))
    with pytest.raises(CannotSync, match=r'the columns "([Pp]rice)" and "([Pp]rice)" differ in capitals alone'):
        synced(catalog(tmp_path, VIEW, sources=[{"uri": "bq://t", "files": file.name}]))


def test_columns_that_end_in_numbers_are_their_own(tmp_path: Path) -> None:
    text = "id,price,price_1,price_1_1\nx,1,2,3\n"
    assert synced(in_csv(tmp_path, text))[1] == {("x",): {"price": 1, "price_1": 2, "price_1_1": 3}}


@pytest.mark.parametrize("text", ["id,a,a,a_1\nx,1,2,3\n", "id,a,a\nx,1,2\n"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(CannotSync, match='two columns have the name "a"; rename one'):
        synced(in_csv(tmp_path, text))
