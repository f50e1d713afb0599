"""Where the rows of a source are: kinds of engines, roots that the user gave, and the states of files."""

from __future__ import annotations

import ast
import os
import re
import time
from pathlib import Path

import pytest

import trialrun
from tests.cases import each_of
from trialrun.runtime.feature_view.source.engine import engine_dialect, open_engine
from trialrun.runtime.feature_view.source.interface import SPARK_DIALECT, STANDARD
from trialrun.runtime.feature_view.source.location import (
    FileState,
    TableLocation,
    Unreadable,
    assumption_of,
    file_states,
    has_types,
    remote_location,
)
from trialrun.runtime.options import EngineAddress, Options

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
