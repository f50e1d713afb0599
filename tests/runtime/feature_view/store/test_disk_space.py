"""A load that fails gives its disk space back, however it fails, and the next one works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.runtime.feature_view.store.views import VIEW, load, served
from trialrun.runtime.feature_view.store import disk_space
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

OTHER = VIEW.replace("Views/v", "Views/other")
SLACK = 3 * 8192
"""What may be more afterwards: the next load has a table of its own before the old one goes."""


def rows(count: int, text: str = "") -> Iterator[Sequence[object]]:
    return ((f"{text}{number}", None, number) for number in range(count))


def size_of_all(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if not path.name.endswith("-shm"))


def raise_error() -> None:
    raise ValueError("the source broke off")


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


def rows_that_break_off(end: object) -> Iterator[Sequence[object]]:
    yield from rows(60_000, "x")
    end()  # type: ignore[operator]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
@pytest.mark.parametrize(("end", "error"), first_of([(press_ctrl_c, KeyboardInterrupt), (raise_error, ValueError)]))
def test_a_load_that_breaks_off_gives_its_space_back(tmp_path: Path, end: object, error: type[BaseException]) -> None:
    store = SqliteStore(str(tmp_path / "store.db"))
    load(store, rows(15_000))
    load(store, rows(15_000))
    before = (tmp_path / "store.db").stat().st_size
    with pytest.raises(error):
        load(store, rows_that_break_off(end))
    assert size_of_all(tmp_path) <= before + SLACK
    assert served(store, "7", "14999", "15000") == [{"likes": 7}, {"likes": 14999}, None]
    load(store, rows(15_000))
    assert (tmp_path / "store.db").stat().st_size <= before + SLACK


@pytest.mark.exhaustive
def test_a_load_that_fails_while_its_index_is_built_gives_its_space_back(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "store.db"))
    load(store, rows(10))
    before = size_of_all(tmp_path)
    with pytest.raises(ValueError, match="broke off"):
        load(store, rows(50_000), before_serving=lambda *_: raise_error())
    assert size_of_all(tmp_path) <= before + SLACK


@pytest.mark.exhaustive
def test_other_views_keep_their_rows(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "store.db"))
    load(store, rows(10))
    before = size_of_all(tmp_path)

    def interleaved() -> Iterator[Sequence[object]]:
        yield from rows(60_000)
        load(SqliteStore(str(tmp_path / "store.db")), rows(50), view=OTHER)
        yield from rows(60_000, "x")
        raise_error()

    with pytest.raises(ValueError, match="broke off"):
        load(store, interleaved())
    assert size_of_all(tmp_path) <= before + 10 * 8192
    assert served(store, "9", "10") == [{"likes": 9}, None]
    assert served(store, "0", "49", "50", view=OTHER) == [{"likes": 0}, {"likes": 49}, None]


KILLED = """
import os, sys
from tests.runtime.feature_view.store.views import load
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
load(store, [("a", None, 1)])
def rows():
    yield from ((str(number), None, number) for number in range(120_000))
    os._exit(9)
load(store, rows())
"""


def test_the_load_after_one_that_was_killed_gives_its_space_back(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    done = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False, timeout=100)
    assert done.returncode == 9
    assert size_of_all(tmp_path) > 1_000_000
    store = SqliteStore(str(file))
    load(store, [("a", None, 2)])
    store.close()
    assert size_of_all(tmp_path) < 300_000
    assert served(store, "a") == [{"likes": 2}]


FULL = """
import os, resource, sys
from tests.runtime.feature_view.store.views import load, served
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
load(store, [("a", None, 1)])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    load(store, ((str(number), None, number) for number in range(300_000)))
except StoreError as error:
    print(error)
print(os.path.getsize(sys.argv[1]))
print(served(store, "a"))
print(load(store, [("a", None, 2)]).changed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX has it")
@pytest.mark.parametrize("size", first_of([3_000_000, 1_000_000, 4_500_000]))
def test_a_small_load_works_on_the_disk_that_a_large_one_filled(tmp_path: Path, size: int) -> None:
    file = tmp_path / "store.db"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(file), str(size)], capture_output=True, text=True, check=False, timeout=100
    )
    message, length, values, changed = done.stdout.splitlines()
    assert message == f"{file} cannot grow; free some space", done.stderr
    assert int(length) < 200_000
    assert (values, changed) == ("[{'likes': 1}]", "1")


def test_readers_do_not_make_a_failed_load_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_space, "SHORT_TIMEOUT", disk_space.SHORT_TIMEOUT / 5)
    store = SqliteStore(str(tmp_path / "store.db"))
    load(store, rows(1_000))
    with closing(store.scan(VIEW, ["likes"])) as scan:  # type: ignore[type-var]
        next(scan)
        begin = time.perf_counter()
        with pytest.raises(ValueError, match="broke off"):
            load(store, rows_that_break_off(raise_error))
        assert time.perf_counter() - begin < 4
        assert len([*scan]) == 999
    load(store, [("a", None, 1)])
    assert served(store, "a", "1") == [{"likes": 1}, None]
