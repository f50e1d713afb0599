"""The limits of an engine and of a repository: what is spilled, how it is interrupted, and who may raise them."""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from tests.cli.example_workspace import NOON, copied
from tests.program import Run
from tests.runtime.feature_view.catalog_fixture import guests, synced
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source import resource_limits
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import place_of
from trialrun.runtime.feature_view.source.resource_limits import HELD, PREFIX, Spill, clear
from trialrun.runtime.feature_view.source.write_table import make_table
from trialrun.runtime.options import Limits, Options, cap_options, set_user_limits
from trialrun.values.amounts import parse_bytes

LONG_AGO = (0, 0)


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def left(folder: Path) -> Path:
    """A folder as a process that was killed leaves it."""
    made = folder / f"{PREFIX}killed"
    made.mkdir()
    (made / HELD).touch()
    (made / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
    return made


def test_what_a_killed_process_left_goes_with_the_next_engine(tmp_path: Path) -> None:
    os.utime(left(tmp_path), LONG_AGO)
    with closing(Spill()):
        assert not (tmp_path / f"{PREFIX}killed").exists()
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_use_stays(tmp_path: Path) -> None:
    with closing(Spill()) as spill:
        os.utime(spill.folder, LONG_AGO)
        clear()
        assert Path(spill.folder).is_dir()


def test_a_folder_that_may_not_be_locked_yet_stays(tmp_path: Path) -> None:
    young = left(tmp_path)
    clear()
    assert young.is_dir()


def test_a_statement_is_interrupted_as_everything_else_is() -> None:
    engine = DuckDbEngine([], Options(threads=1))
    Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        engine.all("SELECT SUM(hash(i)) FROM range(1000000000000) AS t(i)")
    engine.close()


def test_rows_that_are_put_into_a_table_are_interrupted_too(tmp_path: Path) -> None:
    def rows() -> Iterator[list[object]]:
        import duckdb

        yield ["a"]
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    with pytest.raises(KeyboardInterrupt):
        make_table(str(tmp_path / "made.duckdb"), "rows", [Column("id", "STRING", False, "STRING", False)], rows())


ROW = {"id": "ana", "visits": 3, "feature_timestamp": "2026-11-20T00:00:00Z"}
OPTIONS = Options(bounded=True, memory_limit="512MB")


@pytest.fixture(params=["no /proc", "no limits"])
def other_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system without /proc, or one without limits of processes as well, such as Windows."""
    pytest.importorskip("duckdb")
    monkeypatch.setattr(resource_limits, "STATM", str(tmp_path / "none"))
    if request.param == "no limits":
        monkeypatch.setitem(sys.modules, "resource", None)


@pytest.mark.usefixtures("other_system")
def test_a_sync_works(tmp_path: Path) -> None:
    _, rows = synced(guests(tmp_path, ROW), options=OPTIONS)
    assert rows == {("ana",): {"visits": 3}}


@pytest.mark.usefixtures("other_system")
def test_the_limit_of_the_engine_holds(tmp_path: Path) -> None:
    (source,) = guests(tmp_path, ROW).sources
    engine = open_engine([place_of(source)], OPTIONS)
    ((limit,),) = engine.all("SELECT current_setting('memory_limit')")
    engine.close()
    assert limit == "488.2 MiB"


@pytest.fixture(autouse=True)
def default_limits() -> Iterator[None]:
    yield
    set_user_limits({})


LIMITS = Limits(2_000_000_000, 4)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (Options(memory_limit="1GB", threads=2), ("1GB", 2)),
        (Options(memory_limit="4GB", threads=0), ("2GB", 4)),
        (Options(memory_limit="2000MB", threads=100), ("2000MB", 4)),
    ],
)
def test_a_repository_only_lowers_limits(asked: Options, given: tuple[str, int]) -> None:
    found = cap_options(asked, LIMITS)
    assert (found.memory_limit, found.threads) == given


@pytest.mark.parametrize(
    ("text", "size"), [("4GB", 4 * 10**9), ("1.5 GiB", 3 * 2**29), ("64mb", 64 * 10**6), ("7", None), ("GB", None)]
)
def test_amounts_of_memory(text: str, size: int | None) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("command", [("check",), ("test", "scenarios/dayparts.yaml")], ids=" ".join)
def test_a_higher_limit_is_noted_and_not_used(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    copied(tmp_path)
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "9TB"\nthreads = 1000\n')
    ran = run(*command, "--output-format", "json")
    assert ran.code in (0, 1), ran.err
    json.loads(ran.out)
    assert (
        'memory-limit "9TB" is above the limit of this user, 2GB, which applies to checks; only sync may use more'
        in ran.err
    )
    assert "threads 1000 is above the limit of this user" in ran.err
    assert "threads 1000 is above the limit of this user" in run("settings").err


def test_a_sync_takes_no_more_than_the_machine_has(run: Run, tmp_path: Path) -> None:
    copied(tmp_path)
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "9TB"\n')
    ran = run("sync", "menu_search_exact", *NOON)
    assert ran.code == 2
    assert 'runtime: memory-limit "9TB" is above three quarters of the memory of this machine' in ran.err


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ('memory-limit = "10TB"\nthreads = 1024\n', []),
        ('memory-limit = "1GB"\nthreads = 2\n', ["limit of this user, 1GB", "limit of this user, 2,"]),
    ],
)
def test_the_settings_of_the_user_say_what_a_repository_may_take(
    run: Run,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    limits: str,
    said: list[str],
) -> None:
    copied(tmp_path)
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "9TB"\nthreads = 1000\n')
    own = tmp_path_factory.mktemp("user") / "own.toml"
    own.write_text(f"[limits]\n{limits}")
    monkeypatch.setenv("TRIALRUN_USER_SETTINGS", str(own))
    ran = run("check")
    assert [text for text in ("limit of this user, 1GB", "limit of this user, 2,") if text in ran.err] == said
    assert ("is above" in ran.err) == bool(said)
