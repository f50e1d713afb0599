"""The files of stores: where they are, what is not touched, what is said of them, and the space that they take."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.runtime.feature_view.store.views import VIEW, at, day, load, served
from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.interface import DirectWrite, NeverSynced
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.trial_run import StoreFolder

OTHER = VIEW.replace("Views/v", "Views/other")
Rows = Iterator[Sequence[object]]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path)


def test_the_folder_is_made_when_something_is_stored_and_git_ignores_it(tmp_path: Path) -> None:
    store = StoreFolder(tmp_path).store_of(VIEW)
    with pytest.raises(NeverSynced):
        store.fetch(VIEW, [("a",)])
    store.remove(VIEW)
    assert [*tmp_path.iterdir()] == []
    load(store, [("a", None, 1)])
    assert (tmp_path / ".trialrun" / ".gitignore").read_text() == "*\n"


def test_each_view_has_a_file(tmp_path: Path) -> None:
    folder = StoreFolder(tmp_path)
    load(folder.store_of(VIEW), [("a", None, 1)])
    load(folder.store_of(OTHER), [("a", None, 2)], view=OTHER)
    load(folder.store_of(VIEW.replace("p/", "P/", 1)), [("a", None, 3)], view=VIEW.replace("p/", "P/", 1))
    assert len([*(tmp_path / ".trialrun").glob("*.db")]) == 3
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


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_store_in_memory_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_closed: bool) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = SqliteStore(":memory:")
    load(store, [("a", None, 1)])
    assert (len([*tmp_path.iterdir()]), served(store, "a")) == (1, [{"likes": 1}])
    if is_closed:
        store.close()
    else:
        del store
    assert [*tmp_path.iterdir()] == []


def test_a_store_that_was_closed_opens_again_when_it_is_used(store: SqliteStore) -> None:
    load(store, [("a", None, 1)])
    store.close()
    assert served(store, "a") == [{"likes": 1}]


def made_by_another_program(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


def of_another_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def no_database(file: Path) -> None:
    file.write_text("these are notes, and much longer than the hundred bytes of a header" * 20)


def broken(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100] + b"\xff" * 50_000)


def broken_name(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"TABLE syncs", b"\xe4ABLE syncs"))


def of_another_view(file: Path) -> None:
    load(SqliteStore(file.parent), [("a", None, 9)], view=OTHER)
    (other,) = file.parent.glob("other*.db")
    other.rename(file)


def folder_in_its_place(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (made_by_another_program, "is a database of another program; move it away"),
        (of_another_version, r"is a store of another version \(99, not 3\); move it away, and sync again"),
        (no_database, "is damaged; move it away, and sync again"),
        (broken, "is damaged; move it away, and sync again"),
        (broken_name, "is damaged; move it away, and sync again"),
        (of_another_view, "is damaged; move it away, and sync again"),
        (folder_in_its_place, "1.db is a folder, but the store needs a file; move it away"),
    ],
)
def test_a_file_that_is_not_ours_is_reported_and_left_alone(tmp_path: Path, change: object, message: str) -> None:
    load(SqliteStore(tmp_path), [(str(number), None, number) for number in range(100)])
    (file,) = tmp_path.glob("*.db")
    change(file)  # type: ignore[operator]
    before = file.read_bytes() if file.is_file() else b""
    for use in (lambda store: load(store, []), lambda store: served(store, "a"), lambda store: store.snapshot(VIEW)):
        with pytest.raises(StoreError, match=message):
            use(SqliteStore(tmp_path))
    assert (file.read_bytes() if file.is_file() else b"") == before


def test_a_store_of_the_version_before_is_refused_by_its_name(tmp_path: Path) -> None:
    """It had one file for all views of a FeatureOnlineStore."""
    store = StoreFolder(tmp_path).store_of(VIEW)
    load(store, [("a", None, 1)])
    former = tmp_path / ".trialrun" / "s-b0e37965d814.db"
    with closing(sqlite3.connect(former)) as connection:
        connection.execute(f"PRAGMA application_id = {0x7472_6961}")
        connection.execute("PRAGMA user_version = 2")
    assert served(store, "a") == [{"likes": 1}]
    for use in (lambda: load(store, [], view=OTHER), lambda: served(store, "a", view=OTHER)):
        with pytest.raises(
            StoreError, match=rf"{former.name} is a store of another version \(2, not 3\); move it away"
        ):
            use()
    former.unlink()
    assert load(store, [("a", None, 1)], view=OTHER).new == 1


@pytest.mark.parametrize("folder", ["file", "file/store.db"])
def test_a_file_has_the_place_of_a_folder(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    for use in (lambda store: load(store, []), lambda store: served(store, "a")):
        with pytest.raises(StoreError, match="file is a file, but the store needs a folder; move it away"):
            use(SqliteStore(tmp_path / folder))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written; make the file and its folder writable"):
        load(SqliteStore(tmp_path / "store"), [])


def rows(count: int, text: str = "") -> Rows:
    return ((f"{text}{number}", None, number) for number in range(count))


def size_of_all(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if not path.name.endswith("-shm"))


def raise_error() -> None:
    raise ValueError("the source broke off")


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


def rows_that_break_off(end: object) -> Rows:
    yield from rows(60_000, "x")
    end()  # type: ignore[operator]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
@pytest.mark.parametrize(("end", "error"), first_of([(press_ctrl_c, KeyboardInterrupt), (raise_error, ValueError)]))
def test_a_load_that_breaks_off_gives_its_space_back(tmp_path: Path, end: object, error: type[BaseException]) -> None:
    store = SqliteStore(tmp_path)
    load(store, rows(15_000))
    before = size_of_all(tmp_path)
    with pytest.raises(error):
        load(store, rows_that_break_off(end))
    assert size_of_all(tmp_path) <= before
    assert served(store, "7", "14999", "15000") == [{"likes": 7}, {"likes": 14999}, None]
    load(store, rows(15_000))
    assert size_of_all(tmp_path) <= before


@pytest.mark.exhaustive
def test_a_load_that_fails_while_its_index_is_built_gives_its_space_back(tmp_path: Path, store: SqliteStore) -> None:
    load(store, rows(10))
    before = size_of_all(tmp_path)
    with pytest.raises(ValueError, match="broke off"):
        load(store, rows(50_000), before_serving=lambda *_: raise_error())
    assert size_of_all(tmp_path) <= before


def test_many_loads_take_the_space_of_one(tmp_path: Path, store: SqliteStore) -> None:
    load(store, rows(5_000))
    before = size_of_all(tmp_path)
    for number in range(5):
        load(store, rows(5_000, f"{number} "))
        served(store, "7")
        load(store, rows(10), incremental=True)
    load(store, rows(5_000))
    store.close()
    assert size_of_all(tmp_path) <= before
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".db", ".lock"]


def test_a_file_that_cannot_be_retired_gives_its_space_back(
    tmp_path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(store, rows(10))
    publish = database.publish

    def fail(*arguments: object, **further: object) -> None:
        publish(*arguments, **further)  # type: ignore[arg-type]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(database, "publish", fail)
    with pytest.raises(StoreError, match=r"the disk of .* is full; free some space"):
        load(store, rows(50))
    monkeypatch.undo()
    assert [path.name.split(".")[1] for path in tmp_path.glob("*.db")] == ["1"]
    assert served(store, "9", "10") == [{"likes": 9}, None]
    assert load(store, rows(50)).new == 40


def test_a_file_that_would_be_served_next_and_cannot_be_removed_is_told(tmp_path: Path, store: SqliteStore) -> None:
    load(store, [("a", None, 1)])
    (file,) = tmp_path.glob("*.1.db")
    left = file.with_name(file.name.replace(".1.db", ".2.db"))
    left.mkdir()
    with pytest.raises(StoreError, match=f"{left.name} cannot be removed; move it away, and sync again"):
        load(store, [("a", None, 2)])
    assert served(store, "a") == [{"likes": 1}]
    left.rmdir()
    assert load(store, [("a", None, 2)]).changed == 1
    assert served(store, "a") == [{"likes": 2}]


def test_a_file_that_is_renamed_while_the_folder_is_listed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(SqliteStore(tmp_path), [("a", None, 1)])
    monkeypatch.setattr(os, "listdir", lambda folder: monkeypatch.undo() or [])
    assert served(SqliteStore(tmp_path), "a") == [{"likes": 1}]


def test_git_is_not_asked_for_each_of_many_views(tmp_path: Path) -> None:
    asked: list[Path] = []
    folder = StoreFolder(tmp_path, is_tracked=lambda path: bool(asked.append(path)))
    views = [f"{VIEW}{number}" for number in range(80)]
    load(folder.store_of(views[0]), [("a", None, 1)], view=views[0])
    for view in views:
        assert (folder.store_of(view).snapshot(view) is None) == (view != views[0])
    assert len(asked) < 10


def test_a_view_that_was_removed_is_not_served_and_one_that_came_again_is(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    load(store, [("a", None, 1)])
    store.remove(VIEW)
    for ids in ["a"], ["a", "b"]:
        assert store.snapshot(VIEW) is None
        with pytest.raises(NeverSynced):
            served(store, *ids)
    assert store.snapshot(VIEW) is None
    load(SqliteStore(tmp_path), [("a", None, 2)])
    assert served(store, "a") == [{"likes": 2}]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="lists the open files as Linux does")
def test_what_is_refused_leaves_no_file_open(store: SqliteStore) -> None:
    load(store, [("a", None, 1)])
    store.remove(VIEW)
    before, errors = len(os.listdir("/proc/self/fd")), []
    for _ in range(3):
        with pytest.raises(NeverSynced) as error:
            store.scan(VIEW, ["likes"])
        errors.append(error.value)  # which would keep what it refers to
    assert len(os.listdir("/proc/self/fd")) == before


FULL = """
import os, resource, sys
from tests.runtime.feature_view.store.views import load, served
from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
load(store, [("a", None, 1)])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    load(store, ((str(number), None, number) for number in range(300_000)))
except StoreError as error:
    print(error)
print(sum(entry.stat().st_size for entry in os.scandir(sys.argv[1])))
print(served(store, "a"))
print(load(store, [("a", None, 2)]).changed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX has it")
@pytest.mark.parametrize("size", first_of([3_000_000, 1_000_000, 4_500_000]))
def test_a_small_load_works_on_the_disk_that_a_large_one_filled(tmp_path: Path, size: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), str(size)], capture_output=True, text=True, check=False, timeout=100
    )
    message, length, values, changed = done.stdout.splitlines()
    assert re.fullmatch(r".*/v-[0-9a-f]{12}\.1\.db cannot grow; free some space", message), done.stderr
    assert int(length) < 200_000
    assert (values, changed) == ("[{'likes': 1}]", "1")


def test_readers_do_not_make_a_failed_load_wait(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
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
