"""Reading a source that a stranger wrote is bounded in memory and time, and what goes wrong is said of the source."""

import os
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.cases import first_of
from tests.program import own_environment
from trialrun.runtime.feature_view.source import confined
from trialrun.runtime.feature_view.source.columns import columns_of
from trialrun.runtime.feature_view.source.confined import ConfinedEngine
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.text_files import refuse_broken_csv
from trialrun.runtime.options import Options

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n"
CONSTANT = "SELECT i AS id FROM range(9223372036854775807) numbers (i)"
"""A view without end that takes no more memory the longer it is read, and one thread, so that only time ends it."""
LARGE = "SELECT string_agg(repeat('x', 5000000), '') AS id FROM range(800)"
NESTED = "SELECT list_transform(range(100000000), lambda x: repeat('xyz', 10)) AS id"
CONFINED = Options(confined=True, threads=2, memory_limit="500MB")
LIMITED = pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse no memory")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(confined, "CPU_SECONDS", 1)
    confined.reset_time_budget()
    yield
    confined._process.cache_clear()
    confined.reset_time_budget()


def duckdb_view(folder: Path, text: str) -> TableLocation:
    with closing(duckdb.connect(str(folder / "d.duckdb"))) as connection:
        connection.execute(f"CREATE MACRO hostile() AS TABLE {text}")
        connection.execute("CREATE VIEW v AS SELECT * FROM hostile()")
        connection.execute("CREATE TABLE sound AS SELECT 7 AS id")
    return TableLocation("u", str(folder), database="d.duckdb", table="v")


def sqlite_view(folder: Path, text: str) -> TableLocation:
    with closing(sqlite3.connect(folder / "d.db", isolation_level=None)) as connection:
        connection.execute(f"CREATE VIEW v AS {text}")
    return TableLocation("u", str(folder), database="d.db", table="v")


def read(place: TableLocation) -> list[tuple[object, ...]]:
    with closing(ConfinedEngine([place], CONFINED)) as engine:
        return engine.all(f"SELECT count(*) FROM {engine.relation('u')}")


@pytest.mark.parametrize("make", first_of([sqlite_view, duckdb_view]))
def test_a_view_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: object) -> None:
    monkeypatch.setattr(confined, "CPU_SECONDS", 0)  # the second that the process may take at least
    begin = time.perf_counter()
    with pytest.raises(Unreadable, match=r"takes too long|has no end|memory"):
        read(make(tmp_path, ENDLESS))  # type: ignore[operator]
    assert time.perf_counter() - begin < 20


@LIMITED
@pytest.mark.parametrize("text", first_of([NESTED, LARGE]))
def test_a_view_that_takes_all_memory_is_ended(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unreadable), closing(ConfinedEngine([duckdb_view(tmp_path, text)], CONFINED)) as engine:
        engine.all(f"SELECT * FROM {engine.relation('u')}")


def test_a_process_that_was_ended_says_so_and_the_next_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confined, "CPU_SECONDS", 1000)
    hostile = duckdb_view(tmp_path, CONSTANT)
    place = TableLocation("u", str(tmp_path), database="d.duckdb", table="sound")
    with closing(ConfinedEngine([place], CONFINED)) as engine:
        with monkeypatch.context() as patch, pytest.raises(Unreadable, match="takes too long"):
            patch.setattr(confined, "MAX_LOST_SECONDS", 2.0)
            read(hostile)
        with pytest.raises(Unreadable, match="was terminated"):
            engine.all("SELECT id FROM u")
    confined.reset_time_budget()
    assert read(place) == [(1,)]


def refusal(place: TableLocation) -> str:
    with pytest.raises(Unreadable) as error:
        read(place)
    return str(error.value)


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [CONSTANT, ENDLESS], ids=["constant", "growing"])
def test_sources_without_end_take_a_bounded_time_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(confined, "MAX_LOST_SECONDS", 3.0)
    spent = "unreadable sources took 3 s of this run; fix these first"
    place = duckdb_view(tmp_path, text)
    begin = time.perf_counter()
    reasons = [refusal(place)]
    while reasons[-1] != spent and time.perf_counter() - begin < 15:  # how many are read depends on the machine
        reasons.append(refusal(place))
    assert reasons[0] != spent
    assert reasons[-1] == spent
    begin = time.perf_counter()
    assert {refusal(place) for _ in range(12)} == {spent}
    assert time.perf_counter() - begin < 1
    confined.reset_time_budget()
    assert read(TableLocation("u", str(tmp_path), database="d.duckdb", table="sound")) == [(1,)]


@pytest.mark.exhaustive
def test_a_request_ends_by_the_clock_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "CPU_SECONDS", 1000)
    monkeypatch.setattr(confined, "MAX_LOST_SECONDS", 2.0)
    begin = time.perf_counter()
    with pytest.raises(Unreadable, match="takes too long"):
        read(duckdb_view(tmp_path, CONSTANT))
    assert time.perf_counter() - begin < 15


def test_columns_that_were_not_tried_are_read_another_time(tmp_path: Path) -> None:
    duckdb_view(tmp_path, ENDLESS)
    source = {"database": "d.duckdb", "table": "sound"}
    confined._time_budget.add(100)
    assert columns_of(source, str(tmp_path)) == "unreadable sources took 10 s of this run; fix these first"
    confined.reset_time_budget()
    assert [column.name for column in columns_of(source, str(tmp_path)) if not isinstance(column, str)] == ["id"]


def test_one_process_reads_many_sources(tmp_path: Path) -> None:
    duckdb_view(tmp_path, ENDLESS)
    place = TableLocation("u", str(tmp_path), database="d.duckdb", table="sound")
    with closing(ConfinedEngine([place], CONFINED)) as one, closing(ConfinedEngine([place], CONFINED)) as other:
        assert one._process is other._process
        assert one.all("SELECT id FROM u") == other.all("SELECT id FROM u") == [(7,)]


def test_no_module_of_the_working_directory_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("duckdb", "pickle", "struct", "trialrun"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\n")
    duckdb_view(tmp_path, ENDLESS)
    monkeypatch.chdir(tmp_path)
    assert read(TableLocation("u", str(tmp_path), database="d.duckdb", table="sound")) == [(1,)]
    assert not (tmp_path / "ran").exists()


def test_a_database_reads_no_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("id\nsecret\n")
    place = duckdb_view(tmp_path, f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    with pytest.raises(Unreadable, match="disabled"):
        read(place)


def peak_and_time(folder: Path, *words: str) -> tuple[int, str, float, float]:
    """The exit code, the output, the greatest memory of any process in GB, and the seconds of a run."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'trialrun', *sys.argv[1:]], capture_output=True, text=True)\n"
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20)\n"
        "print(done.stdout, done.stderr)"
    )
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder, env=own_environment(folder), capture_output=True, text=True, check=True, timeout=110,
    )  # fmt: skip
    first, _, out = done.stdout.partition("\n")
    exit_code, memory = first.split()
    return int(exit_code), out, float(memory), time.perf_counter() - begin


SCENARIO = """\
kind: Source
uri: bq://p.d.t
database: d.duckdb
table: v
---
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
warehouseSource: {uri: "bq://p.d.t", entityIdColumns: [id]}
syncConfig: {cron: "0 3 * * *"}
---
kind: Scenario
name: reads it
steps:
  - sync: {view: v}
"""


@LIMITED
@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [f"SELECT id, 1 AS x FROM ({rows})" for rows in (ENDLESS, LARGE)])
def test_a_hostile_source_in_check_and_test(tmp_path: Path, text: str) -> None:
    duckdb_view(tmp_path, text)
    (tmp_path / "all.yaml").write_text(SCENARIO)
    for command in ("check", "test"):
        code, out, memory, seconds = peak_and_time(tmp_path, command)
        assert code in (0, 1), out
        assert "Traceback" not in out
        assert memory < 3
        assert seconds < 60
    assert code == 1
    assert not os.path.exists(tmp_path / ".trialrun")


@LIMITED
@pytest.mark.exhaustive
def test_many_hostile_sources_in_a_workspace(tmp_path: Path) -> None:
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        duckdb_view(folder, f"SELECT id, 1 AS x FROM ({CONSTANT})")
        text = SCENARIO.replace("p.d.t", f"p.d.t{number}").replace("featureViews/v", f"featureViews/v{number}")
        (folder / "all.yaml").write_text(text.replace("view: v}", f"view: v{number}}}").replace("it\n", f"{number}\n"))
    for command in ("check", "test"):
        code, out, memory, seconds = peak_and_time(tmp_path, command)
        assert code in (0, 1), out
        assert memory < 3
        assert seconds < 40
    assert "takes too long" in out
    assert "unreadable sources took 10 s of this run; fix these first" in " ".join(out.split())


ZEROS = f"SELECT CAST(zeroblob(900000000 + id) AS TEXT) AS id FROM ({ENDLESS})"


@LIMITED
@pytest.mark.parametrize(
    ("make", "text"),
    first_of(
        [
            (duckdb_view, f"SELECT id, 1 AS x FROM ({LARGE})"),
            (sqlite_view, f"SELECT id, CAST(1 AS INTEGER) AS x FROM ({ZEROS})"),
        ]
    ),
)
def test_a_sync_of_a_view_that_takes_all_memory_ends_in_an_error(tmp_path: Path, make: object, text: str) -> None:
    place = make(tmp_path, text)  # type: ignore[operator]
    documents = SCENARIO.replace("d.duckdb", place.database).rpartition("---\n")[0]
    columns = "columns: [{name: id, type: STRING}, {name: x, type: INT64}]"
    (tmp_path / "all.yaml").write_text(documents.replace("table: v\n", f"table: v\n{columns}\n"))
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "200MB"\n')
    code, out, memory, seconds = peak_and_time(tmp_path, "sync", "v")
    assert code == 1, out
    assert "cannot-sync" in out
    assert "raise memory-limit" in " ".join(out.split())
    assert memory < 3
    assert seconds < 60


@LIMITED
def test_the_limit_of_memory_holds_only_while_an_engine_works(tmp_path: Path) -> None:
    import resource

    duckdb_view(tmp_path, ENDLESS)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    place = TableLocation("u", str(tmp_path), database="d.duckdb", table="sound")
    with closing(open_engine([place], Options(bounded=True, memory_limit="200MB"))) as bounded:
        assert bounded.all("SELECT id FROM u") == [(7,)]
        assert resource.getrlimit(resource.RLIMIT_DATA) == before
        with pytest.raises(Unreadable):
            bounded.all("SELECT no_such_column FROM u")
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_an_error_about_a_long_line_does_not_show_the_line(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(f"id,x\n1,{'0' * 3_000_000}\n")
    with pytest.raises(Unreadable) as refused:
        open_engine([TableLocation("u", str(tmp_path), files="long.csv")], Options())
    assert "more than 2,000,000 bytes" in str(refused.value)
    assert len(str(refused.value)) < 1000


@LIMITED
@pytest.mark.exhaustive
def test_a_large_process_reads_too(tmp_path: Path) -> None:
    """What the process that starts the reader has, or had, is not memory of the reader."""
    duckdb_view(tmp_path, CONSTANT)
    program = (
        "import sys\n"
        "from trialrun.runtime.feature_view.source.confined import ConfinedEngine\n"
        "from trialrun.runtime.feature_view.source.location import TableLocation\n"
        "from trialrun.runtime.options import Options\n"
        "large = bytearray(b'x') * 1_500_000_000\n"
        "place = TableLocation('u', sys.argv[1], database='d.duckdb', table='sound')\n"
        "engine = ConfinedEngine([place], Options(confined=True, threads=2, memory_limit='500MB'))\n"
        "print(engine.all(f'SELECT * FROM {engine.relation(place.uri)}'))\n"
        "engine.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.stdout == "[(7,)]\n", done.stderr


def test_a_line_without_an_end_is_not_read_whole(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(f"id,x\n1,{'0' * 30_000_000}")
    tracemalloc.start()
    refuse_broken_csv([str(tmp_path / "long.csv")])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15_000_000
