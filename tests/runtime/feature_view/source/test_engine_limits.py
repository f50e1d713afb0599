"""The limits of an engine: what it spills, how it is interrupted, and memory where the system tells none."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from tests.runtime.feature_view.catalog_fixture import guests, synced
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source import resource_limits
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import place_of
from trialrun.runtime.feature_view.source.resource_limits import HELD, PREFIX, Spill, clear
from trialrun.runtime.feature_view.source.write_table import make_table
from trialrun.runtime.options import Options

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
