"""The files of stores: where they are, what is not touched, and what is said when they cannot be used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.runtime.feature_view.store.views import VIEW, at, day, load, served
from trialrun.runtime.feature_view.store.interface import DirectWrite, NeverSynced, StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.store.store_folder import StoreFolder

OTHER = VIEW.replace("Views/v", "Views/other")


def test_the_folder_is_made_when_something_is_stored_and_git_ignores_it(tmp_path: Path) -> None:
    store = StoreFolder(tmp_path).store_of(VIEW)
    with pytest.raises(NeverSynced):
        store.fetch(VIEW, [("a",)])
    store.remove(VIEW)
    assert [*tmp_path.iterdir()] == []
    load(store, [("a", None, 1)])
    assert (tmp_path / ".trialrun" / ".gitignore").read_text() == "*\n"


def test_views_of_one_store_share_a_file(tmp_path: Path) -> None:
    folder = StoreFolder(tmp_path)
    load(folder.store_of(VIEW), [("a", None, 1)])
    load(folder.store_of(OTHER), [("a", None, 2)], view=OTHER)
    load(folder.store_of(VIEW.replace("p/", "P/", 1)), [("a", None, 3)])
    assert len([*(tmp_path / ".trialrun").glob("*.db")]) == 2
    assert served(StoreFolder(tmp_path).store_of(OTHER), "a") == [{"likes": 1}]
    assert served(StoreFolder(tmp_path).store_of(OTHER), "a", view=OTHER) == [{"likes": 2}]


@pytest.mark.parametrize("view", ["v", "", "a/b/../../../c", "x" * 5000, 'stores/ü"\0/featureViews/v', "CON"])
def test_a_view_may_have_any_name(tmp_path: Path, view: str) -> None:
    folder = StoreFolder(tmp_path)
    load(folder.store_of(view), [("a", None, 1)], view=view)
    assert served(folder.store_of(view), "a", view=view) == [{"likes": 1}]
    assert folder.indexes(view).is_relative_to(tmp_path / ".trialrun")
    assert [path.name for path in tmp_path.iterdir()] == [".trialrun"]


def test_a_store_is_there_for_the_next_process(tmp_path: Path) -> None:
    load(SqliteStore(str(tmp_path / "a b#?%41.db")), [("a", at(1), 1)])
    again = SqliteStore(str(tmp_path / "a b#?%41.db"))
    again.write(VIEW, [DirectWrite(("a",), "likes", 2, day(2))], now=day(2))
    assert served(SqliteStore(str(tmp_path / "a b#?%41.db")), "a") == [{"likes": 2}]


def test_a_store_in_memory_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = SqliteStore(":memory:")
    load(store, [("a", None, 1)])
    assert len([*tmp_path.iterdir()]) == 1
    del store
    assert [*tmp_path.iterdir()] == []


def test_a_store_in_memory_is_gone_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = SqliteStore(":memory:")
    load(store, [("a", None, 1)])
    assert served(store, "a") == [{"likes": 1}]
    store.close()
    assert [*tmp_path.iterdir()] == []


def test_a_store_that_was_closed_opens_again_when_it_is_used(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "store.db"))
    load(store, [("a", None, 1)])
    store.close()
    assert served(store, "a") == [{"likes": 1}]


def made_by_another_program(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


def of_another_version(file: Path) -> None:
    load(SqliteStore(str(file)), [])
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def no_database(file: Path) -> None:
    file.write_text("these are notes, and much longer than the hundred bytes of a header" * 20)


def broken(file: Path) -> None:
    load(SqliteStore(str(file)), [(str(number), None, number) for number in range(100)])
    file.write_bytes(file.read_bytes()[:100] + b"\xff" * 50_000)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (made_by_another_program, "is a database of another program; move it away"),
        (of_another_version, r"is a store of another version \(99, not 2\); move it away, and sync again"),
        (no_database, "is damaged; move it away, and sync again"),
        (broken, "is damaged; move it away, and sync again"),
        (Path.mkdir, "store.db is a folder, but the store needs a file; move it away"),
    ],
)
def test_a_file_that_is_not_ours_is_reported_and_left_alone(tmp_path: Path, make: object, message: str) -> None:
    file = tmp_path / "store.db"
    make(file)  # type: ignore[operator]
    before = file.read_bytes() if file.is_file() else b""
    for use in (lambda store: load(store, []), lambda store: served(store, "a"), lambda store: store.snapshot(VIEW)):
        with pytest.raises(StoreError, match=message):
            use(SqliteStore(str(file)))
    assert (file.read_bytes() if file.is_file() else b"") == before


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file is a file, but the store needs a folder; move it away"):
        load(SqliteStore(str(tmp_path / "file" / "store.db")), [])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written; make the file and its folder writable"):
        load(SqliteStore(str(tmp_path / "store.db")), [])


FULL = """
import resource, sys
from tests.runtime.feature_view.store.views import load, served
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
load(store, [("a", None, 1)])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
try:
    load(store, ((str(number), None, number) for number in range(1_000_000)))
except StoreError as told:
    print(told)
print(served(store, "a"))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(load(store, [("a", None, 2)]).changed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX has it")
def test_a_disk_that_is_full_is_reported_and_leaves_the_old_snapshot(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    done = subprocess.run([sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        f"{file} cannot grow; free some space",
        "[{'likes': 1}]",
        "1",
    ], done.stderr
