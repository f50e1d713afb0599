"""Where rows may be, by which engine and from which roots, and what types their columns are read as."""

import ast
import os
import re
import sys
import tempfile
import time
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

import duckdb
import pytest

import trialrun
from tests.cases import each_of, first_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, duckdb_table, lines, sqlite_table
from trialrun.model.companion import Source
from trialrun.runtime.feature_view import column as column_module
from trialrun.runtime.feature_view.column import Column, declared_columns, fetch_batches, parse_column, split_rows
from trialrun.runtime.feature_view.plan import build_plan, open_engine_of
from trialrun.runtime.feature_view.source.columns import table_columns
from trialrun.runtime.feature_view.source.engine import EngineCache, engine_dialect, open_engine
from trialrun.runtime.feature_view.source.interface import SPARK_DIALECT, STANDARD
from trialrun.runtime.feature_view.source.location import (
    FileState,
    TableLocation,
    Unreadable,
    assumption_of,
    file_states,
    files_of,
    has_types,
    remote_location,
)
from trialrun.runtime.feature_view.store.interface import InvalidEntityId, entity_id_from_parts
from trialrun.runtime.options import EngineAddress, Options


def column_texts(columns: tuple[Column, ...]) -> list[str]:
    return [f"{column.name} {column.type_text}" for column in columns]


@each_of(
    [
        ("STRING", "STRING"),
        ("varchar(20)", "STRING"),
        ("INT64", "INT64"),
        ("FLOAT", "DOUBLE"),
        ("double precision", "DOUBLE"),
        ("BOOL", "BOOL"),
        ("BYTES", "BYTES"),
        ("TIMESTAMP", "TIMESTAMP"),
        ("ARRAY<FLOAT64>", "DOUBLE REPEATED"),
        ("FLOAT[3]", "DOUBLE REPEATED"),
        ("DATE", "DATE"),
        ("NUMERIC(9, 2)", "NUMERIC(9, 2)"),
        ("STRUCT<a INT64>", "STRUCT<a INT64>"),
    ]
)
def test_words_for_types(written: str, shown: str) -> None:
    assert parse_column("c", written).type_text == shown


def test_declared_columns_have_modes() -> None:
    columns = [{"name": "id", "type": "STRING", "mode": "REQUIRED"}, {"name": "v", "type": "FLOAT", "mode": "REPEATED"}]
    id, vector = declared_columns(Source.model_validate({"uri": "u", "columns": columns}))
    assert (id.required, vector.repeated, vector.type) == (True, True, "DOUBLE")


def test_types_of_a_sqlite_table_are_those_that_it_or_the_source_declares(tmp_path: Path) -> None:
    sqlite_table(tmp_path / "d.db", "t", "a INTEGER, b TEXT, c REAL, d DATETIME, e DATE, f, g TEXT", [])
    declared = (parse_column("g", "FLOAT", mode="REPEATED"),)
    location = TableLocation("u", str(tmp_path), database="d.db", table="T", declared=declared)
    assert column_texts(table_columns(location)) == [
        "a INT64", "b STRING", "c DOUBLE", "d TIMESTAMP", "e DATE", "f without a type (declare it in the Source)",
        "g DOUBLE REPEATED",
    ]  # fmt: skip


def test_parquet_footers_tell_which_columns_are_never_null(tmp_path: Path) -> None:
    for name, value in (("a", "1"), ("b", "NULL")):
        path = tmp_path / f"{name}.parquet"
        duckdb_table(tmp_path / f"{name}.duckdb", f"COPY (SELECT 1 AS x, {value}::INTEGER AS y) TO '{path}'")
    columns = table_columns(TableLocation("u", str(tmp_path), "*.parquet"))
    assert [column.required for column in columns] == [True, False]


def test_a_glob_gives_files_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b", "a/2", "a/10"):
        (tmp_path / f"{name}.csv").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.csv").write_text("id\n1\n")
    found = files_of(TableLocation("u", str(tmp_path), "**/*.csv"))
    assert [os.path.relpath(path, tmp_path).replace(os.sep, "/") for path in found] == ["a/10.csv", "a/2.csv", "b.csv"]


def test_names_may_have_any_characters(tmp_path: Path) -> None:
    folder = tmp_path / "o'clock [1] *"
    folder.mkdir()
    lines(folder / 'it\'s "a" [x]*.jsonl', [{'the "id"': 1}])
    with closing(open_engine([TableLocation("u\"'", str(folder), "*.jsonl")], Options())) as opened:
        assert opened.all('SELECT "the ""id""" FROM "u""\'"') == [(1,)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text file and two databases."""
    folder = tmp_path_factory.mktemp("places")
    (folder / "a.txt").write_text("x" * 5000)
    duckdb_table(folder / "d.duckdb", "CREATE TABLE guests (id INTEGER)")
    sqlite_table(folder / "d.db", "guests", "id INTEGER", [])
    return folder


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"files": "*.csv"}, 'no file matches "*.csv"'),
        ({"files": "/etc/*.csv"}, '"/etc/*.csv" is an absolute path'),
        ({"files": "s3://bucket/a.csv"}, '"s3://bucket/a.csv" is not on this machine; choose an engine with --engine'),
        ({"files": "s3://me:secret@bucket/a.csv"}, "the location has a user; remove it"),
        ({"database": "jdbc:h2:mem:x", "table": "t"}, '"jdbc:h2:mem:x" is not on this machine'),
        ({"files": "a.txt"}, 'cannot tell the format from the extension of "a.txt"'),
        ({"database": "d.duckdb", "table": "gests"}, '"d.duckdb" has no table "gests"; did you mean "guests"?'),
        ({"database": "d.db", "table": "gests"}, '"d.db" has no table "gests"; did you mean "guests"?'),
        ({"database": "d.duckdb"}, "set `table`"),
        ({"database": "nowhere.db", "table": "t"}, 'there is no file "nowhere.db"'),
        ({"database": "a.txt", "table": "t"}, "not a valid DuckDB database file"),
        ({}, "the Source names neither files nor a database"),
    ],
)
def test_what_cannot_be_read_says_why(folder: Path, place: dict[str, str], message: str) -> None:
    with pytest.raises(Unreadable) as raised:
        table_columns(TableLocation("u", str(folder), **place))  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_nothing_but_the_files_of_the_source_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("id\n1\n")
    duckdb_table(tmp_path / "d.duckdb", f"CREATE VIEW t AS SELECT * FROM read_csv('{tmp_path}/secret.csv')")
    with pytest.raises(Unreadable, match="cannot access file"):
        table_columns(TableLocation("u", str(tmp_path), database="d.duckdb", table="t"))


def test_what_was_spilled_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lines(tmp_path / "a.jsonl", [{"id": 1}])
    table_columns(TableLocation("u", str(tmp_path), "a.jsonl"))
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_without_duckdb_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines(tmp_path / "a.jsonl", [{"id": 1}])
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(Unreadable, match=r"run pip install 'trialrun\[runtime\]'"):
        table_columns(TableLocation("u", str(tmp_path), "a.jsonl"))


ROWS = [(number, [0.5] * (number % 7)) for number in range(1_000)]


def fetched(rows: list[Any], lists: tuple[int, ...], max_rows: int = 400) -> list[list[Any]]:
    cursor = iter(rows)
    return list(fetch_batches(lambda size: list(islice(cursor, size)), max_rows, lists))


@pytest.mark.parametrize("lists", [(), (1,)])
def test_every_row_is_in_one_batch(lists: tuple[int, ...]) -> None:
    for made in (fetched(ROWS, lists), list(split_rows(ROWS, 400, lists))):
        assert list(chain.from_iterable(made)) == ROWS
        assert max(map(len, made)) == 400


def test_batches_of_long_lists_have_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_module, "MAX_ELEMENTS", 1_000)
    rows = [(number, [0.5] * (1 if number < 300 else 50)) for number in range(1_000)]
    late = [batch for batch in fetched(rows, (1,)) if batch[0][0] > 700]
    assert {len(batch) for batch in late[:-1]} == {20}
    assert {len(batch) for batch in list(split_rows(rows, 400, (1,)))[1:-1]} == {20}


def test_a_row_beyond_the_bound_is_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_module, "MAX_ELEMENTS", 10)
    rows = [(number, None if number == 5 else [0.5] * 100) for number in range(300)]
    assert {len(batch) for batch in fetched(rows, (1,))[1:]} == {1}
    assert [len(batch) for batch in split_rows(rows[:3], 400, (1,))] == [1, 1, 1]


@pytest.mark.parametrize("kind", first_of(["parquet", "sqlite"]))
def test_engines_read_views_with_vectors_in_small_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(column_module, "MAX_ELEMENTS", 20_000)
    select = "SELECT i AS id, [i / 2.0 FOR d IN range(100)] AS e FROM range(2000) t (i)"
    source: dict[str, Any] = {"uri": "rows", "files": "rows.parquet"}
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{tmp_path / 'rows.parquet'}'")
    if kind == "sqlite":
        rows = [(number, str([number / 2] * 100)) for number in range(2000)]
        sqlite_table(tmp_path / "s.db", "t", "id INTEGER, e TEXT", rows)
        columns = [{"name": "id", "type": "INT64"}, {"name": "e", "type": "DOUBLE", "mode": "REPEATED"}]
        source = {"uri": "rows", "database": "s.db", "table": "t", "columns": columns}
    declared = catalog(tmp_path, {"warehouseSource": {"uri": "rows", "entityIdColumns": ["id"]}}, sources=[source])
    plan = build_plan(declared.view(NAME), declared, cutoff=NOW)
    with closing(EngineCache(Options())) as cache, open_engine_of(plan, cache) as engine:
        made = list(engine.latest(plan.statement))
    assert sum(map(len, made)) == 2000
    assert max(map(len, made)) <= 200


NUMBER, TEXT = Column("user_id", "INT64"), Column("region", "STRING")


@each_of(
    [
        (["7"], (NUMBER,), (7,)),
        ([7], (NUMBER,), (7,)),
        (["-9223372036854775808"], (NUMBER,), (-(2**63),)),
        (["007"], (NUMBER,), (7,)),
        ([7], (TEXT,), ("7",)),
        (["007"], (TEXT,), ("007",)),
        ([""], (TEXT,), ("",)),
        (["7", "eu"], (NUMBER, TEXT), (7, "eu")),
    ]
)
def test_parts_become_what_their_columns_are(
    parts: list[object], keys: tuple[Column, ...], id: tuple[int | str, ...]
) -> None:
    assert entity_id_from_parts(parts, keys) == id


@each_of(
    [
        (["7.0"], (NUMBER,), "'7.0' is not an INT64, the type of the entity id column user_id; write a 64-bit integer"),
        (["٧"], (NUMBER,), "'٧' is not an INT64"),
        ([" 7"], (NUMBER,), "' 7' is not an INT64"),
        ([True], (NUMBER,), "True is not an INT64"),
        ([2**63], (NUMBER,), "9223372036854775808 is not an INT64"),
        (["9" * 5000], (NUMBER,), "'999"),
        (["a\ud800"], (TEXT,), "'a\\ud800' has half of a surrogate pair"),
        ([None], (TEXT,), "None is not a STRING, the type of the entity id column region; write text"),
        (["7"], (NUMBER, TEXT), "the entity id has 1 part; write one for each of its columns: user_id, region"),
        ([], (TEXT,), "the entity id has 0 parts"),
    ]
)
def test_parts_that_do_not_fit_are_told(parts: list[object], keys: tuple[Column, ...], message: str) -> None:
    with pytest.raises(InvalidEntityId) as told:
        entity_id_from_parts(parts, keys)
    assert str(told.value).startswith(message)


ROOT = Path(trialrun.__file__).parent
ENGINES = ROOT / "runtime" / "feature_view" / "source"
CONCRETE = re.compile(r"source\.(duckdb_engine|sqlite_reader|spark\w*|iceberg|column_types)\b")
PLACES = {"is_sqlite", "size_of", "files_of", "database_of"}


def imported_names(path: Path) -> set[str]:
    """What a module imports, as dotted names."""
    text = path.read_text()
    if ".source." not in text:
        return set()
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    return {f"{node.module}.{alias.name}" for node in imports for alias in node.names}


def test_nothing_outside_asks_which_engine_it_is() -> None:
    outside = [path for path in ROOT.rglob("*.py") if not path.is_relative_to(ENGINES)]
    assert len(outside) > 400
    asking = {
        path.name: names
        for path in outside
        if (
            names := [
                name
                for name in imported_names(path)
                if CONCRETE.search(name) or ("source.location" in name and name.rpartition(".")[2] in PLACES)
            ]
        )
    }
    assert asking == {}


def test_everything_of_this_machine_is_read_by_one_engine() -> None:
    assert engine_dialect(Options()) == STANDARD


def test_an_address_of_no_engine_is_refused() -> None:
    with pytest.raises(Unreadable, match='there is no engine for addresses that begin with "gopher://"'):
        engine_dialect(Options(engine=EngineAddress("gopher://user:secret@host")))


def test_what_nobody_vouched_for_is_read_on_this_machine() -> None:
    assert engine_dialect(Options(engine=EngineAddress("spark://host:7077"), confined=True)) == STANDARD


def test_a_text_with_the_character_0_does_not_end_a_statement() -> None:
    assert STANDARD.literal("it's\0") == "'it''s\0'"


ROOTS = ("s3a://lake/guests/", "jdbc:postgresql://db/shop?user=reader", "/mnt/lake")


@pytest.mark.parametrize(
    ("place", "url"),
    [
        (TableLocation("t", "/w", "s3a://lake/guests/*.parquet"), "s3a://lake/guests/*.parquet"),
        (TableLocation("t", "/w", "file:///mnt/lake/a.csv"), "file:///mnt/lake/a.csv"),
        (
            TableLocation("t", "/w", database="jdbc:postgresql://DB/shop", table="guests"),
            "jdbc:postgresql://db/shop?user=reader",
        ),
    ],
)
def test_what_is_below_a_root(place: TableLocation, url: str) -> None:
    assert remote_location(place, ROOTS).url == url
    assert assumption_of(place) == "sync-roots"


@each_of(
    [
        (TableLocation("t", "/w", "s3a://lake/guests/t", "ICEBERG"), "read by its metadata on this machine"),
        (
            TableLocation("t", "/w", "s3a://lake/guests/t/metadata/v1.metadata.json"),
            "read by its metadata on this machine",
        ),
        (TableLocation("t", "/w", "s3a://lake/menu/*.parquet"), 'below no root of the engine; add "s3a://lake/menu/"'),
        (TableLocation("t", "/w", "s3a://lake/guests-2/a.csv"), 'add "s3a://lake/guests-2/"'),
        (TableLocation("t", "/w", "s3a://lake/guests/../a.csv"), "contains .. as a folder"),
        (TableLocation("t", "/w", "jdbc:postgresql://db/shop"), "a database is no file"),
        (TableLocation("t", "/w", database="s3a://lake/guests/a.db", table="t"), "named by its jdbc: URL and a table"),
        (TableLocation("t", "/w", database="jdbc:postgresql://db/shop"), "named by its jdbc: URL and a table"),
        (
            TableLocation("t", "/w", database="jdbc:postgresql://db/shop?socketFactory=x", table="t"),
            "only a root of the engine may have them",
        ),
    ]
)
def test_what_is_refused(place: TableLocation, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        remote_location(place, ROOTS)
    assert reason in str(refused.value)


@pytest.mark.parametrize("roots", [(), ROOTS])
def test_what_nobody_vouched_for_is_read_here_alone(tmp_path: Path, roots: tuple[str, ...]) -> None:
    engine = EngineAddress("spark://127.0.0.1:1", roots=roots)
    place = TableLocation("t", str(tmp_path), "s3a://lake/guests/a.parquet")
    for options in (Options(), Options(confined=True), Options(confined=True, engine=engine)):
        with pytest.raises(Unreadable, match="is not on this machine; choose an engine with --engine"):
            open_engine([place], options)
    assert engine_dialect(Options(engine=engine)) is SPARK_DIALECT


@pytest.mark.parametrize("file", ["a.csv", "a.jsonl", "s3a://lake/guests/a.json"])
def test_files_without_types_are_refused_before_spark_is_started(tmp_path: Path, file: str) -> None:
    (tmp_path / os.path.basename(file)).touch()
    place = TableLocation("t", str(tmp_path), file)
    with pytest.raises(Unreadable) as refused:
        open_engine([place], Options(engine=EngineAddress("spark://127.0.0.1:1", roots=ROOTS)))
    reason = f'Spark reads no files of CSV or JSON, such as "{file}"; write them as Parquet, or use no engine'
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (TableLocation("t", "/w", "s3a://lake/a.parquet"), True),
        (TableLocation("t", "/w", "s3a://lake/guests/", "PARQUET"), True),
        (TableLocation("t", "/w", "s3a://lake/a.csv.gz"), False),
        (TableLocation("t", "/w", database="jdbc:postgresql://db/shop", table="t"), True),
    ],
)
def test_whether_columns_elsewhere_have_types(place: TableLocation, expected: bool) -> None:
    assert has_types(place) is expected


SECOND = 1_000_000_000
EVEN = 4_000_000_000 * SECOND
"""A moment in whole seconds, after those at which the files here are made."""


def state(folder: Path, written: int, seconds_later: float, monkeypatch: pytest.MonkeyPatch) -> FileState:
    """The state, some seconds after it was written, of a file that was written at a moment."""
    (folder / "a.csv").write_text("id\n")
    os.utime(folder / "a.csv", ns=(written, written))
    monkeypatch.setattr(time, "time_ns", lambda: written + int(seconds_later * SECOND))
    (found,) = file_states(TableLocation("t", str(folder), "a.csv"))
    return found


@pytest.mark.parametrize(("written", "seconds_later"), [(EVEN, 3), (EVEN + 1, 0.05)])
def test_a_file_that_was_written_before_has_a_state(
    written: int, seconds_later: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = state(tmp_path, written, seconds_later, monkeypatch)
    assert (found[0], found[2:4]) == (str(tmp_path / "a.csv"), (3, written))


@pytest.mark.parametrize(("written", "seconds_later"), [(EVEN, 2.9), (EVEN + 1, 0.04)])
def test_a_file_that_may_change_at_the_same_time_again_has_none(
    written: int, seconds_later: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OSError, match="was written just now"):
        state(tmp_path, written, seconds_later, monkeypatch)
