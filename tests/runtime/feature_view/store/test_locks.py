"""One sync of a view at a time, whoever runs it; others go on, and a kill loses nothing and mixes nothing."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import kill_sync
from tests.cases import number_of_cases
from tests.runtime.feature_view.conftest import CLUSTER, new_redis_store, shorten_freshness
from tests.runtime.feature_view.store.views import DAY, VIEW, at, day, load, served
from trialrun.runtime.feature_view.store import sqlite, view_file
from trialrun.runtime.feature_view.store.interface import DirectWrite, OnlineStore, SyncRunning
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.trial_run import open_store

HOLD = """
import sys
from tests.runtime.feature_view.store.test_locks import store_at
from tests.runtime.feature_view.store.views import at, day, load
def rows():
    print("running", flush=True)
    sys.stdin.read()
    yield ("a", at(1), 2)
load(store_at(sys.argv[1]), rows(), synced=day(5))
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "store.db")


@pytest.fixture(params=["sqlite", "redis", CLUSTER])
def place(request: pytest.FixtureRequest, file: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder, or the address of a store in Redis."""
    if request.param == "sqlite":
        return file
    nodes = request.getfixturevalue("redis_server" if request.param == "redis" else "redis_cluster")
    shorten_freshness(monkeypatch)
    return str(new_redis_store((nodes[0] if isinstance(nodes, list) else nodes).port).address)


def store_at(place: str) -> OnlineStore:
    return open_store(place) if "://" in place else SqliteStore(place)


@pytest.fixture
def other(place: str) -> Iterator[subprocess.Popen[str]]:
    """Another process in the middle of a sync, which ends with its input."""
    load(store_at(place), [("a", at(1), 1)])
    with subprocess.Popen([sys.executable, "-c", HOLD, place], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout and process.stdout.readline() == "running\n"
        yield process


def test_a_sync_beside_another_processs_sync_is_refused(place: str, other: subprocess.Popen[str]) -> None:
    store = store_at(place)
    scan = store.scan(VIEW, ["likes"])
    told = rf'a sync of ".*/v" is running since 2026-11-05 00:00:00 UTC, by process {other.pid}; wait until it ends'
    for use in (lambda: load(store, []), lambda: store.remove(VIEW)):
        with pytest.raises(SyncRunning, match=told):
            use()
    assert served(store, "a") == [{"likes": 1}]
    other.communicate()
    assert served(store, "a") == [{"likes": 2}]
    assert [*scan] == [(("a",), 1)]
    assert load(store, [("a", at(1), 3)]).changed == 1


def test_the_lock_ends_with_the_process_that_holds_it(place: str, other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    store = store_at(place)
    assert load(store, [("a", at(1), 3)]).changed == 1
    if isinstance(store, SqliteStore):
        store.close()
        assert sorted(path.suffix for path in Path(place).iterdir()) == [".db", ".lock"], "leftovers are cleared"


def test_a_sync_within_a_sync_is_refused_unless_it_is_of_another_view(place: str) -> None:
    store = store_at(place)

    def rows() -> Iterator[tuple[object, ...]]:
        yield ("a", None, 1)
        with pytest.raises(SyncRunning, match=f"by process {os.getpid()}"):
            load(store, [])
        load(store, [("b", None, 2)], view="other")

    assert load(store, rows()).read == 1
    assert (served(store, "a"), served(store, "b", view="other")) == ([{"likes": 1}], [{"likes": 2}])


@pytest.mark.generated
def test_readers_see_whole_snapshots_while_they_switch(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value of a snapshot is the number of its sync; entities come and go with each of them."""
    monkeypatch.undo()  # with the freshness that users have
    store, over = store_at(place), threading.Event()
    ids, always = ([(str(number),) for number in range(*some)] for some in ((100,), (100, 110)))
    mixed: list[object] = []

    def rows(number: int) -> list[tuple[object, ...]]:
        return [(str(id), None, number) for id in [*range(number % 2, 100, 2), *range(100, 110)]]

    def read(reader: OnlineStore) -> None:
        last = 0
        while not over.is_set():
            fetched = {entity.values["likes"] for entity in reader.fetch(VIEW, ids) if entity}
            scanned = {likes for _, likes in reader.scan(VIEW, ["likes"])}
            stays = {entity and entity.values["likes"] for entity in reader.fetch(VIEW, always)}
            mixed.extend(found for found in (fetched, scanned, stays) if len(found) != 1 or None in found)
            mixed.extend([stays] * (max(stays) < last))  # type: ignore[type-var]
            last = max(stays)  # type: ignore[assignment, type-var]

    load(store, rows(0))
    threads = [threading.Thread(target=read, args=(store_at(place),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(1, 1 + (number_of_cases(24) if "://" in place else number_of_cases(40, share=2))):
        load(store, rows(number), synced=day(1))
        assert {entity and entity.values["likes"] for entity in store_at(place).fetch(VIEW, always)} == {number}
    over.set()
    for thread in threads:
        thread.join()
    assert mixed == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_store_works_in_a_process_that_was_forked_off(place: str) -> None:
    store = store_at(place)
    load(store, [("a", None, 1)])
    served(store, "a")
    if (child := os.fork()) == 0:
        os._exit(0 if served(store, "a") == [{"likes": 1}] and load(store, [("a", None, 2)]).changed == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert served(store, "a") == [{"likes": 2}]


def test_a_write_after_another_store_has_loaded_goes_into_what_is_served(place: str) -> None:
    store, other = store_at(place), store_at(place)
    load(store, [("a", at(1), 1)])
    served(store, "a")
    load(other, [("a", at(1), 2)])
    assert store.write(VIEW, [DirectWrite(("a",), "likes", 7, day(2))], now=day(30)) == [True]
    assert served(other, "a") == [{"likes": 7}]


def test_a_retired_file_that_cannot_be_removed_is_not_read(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(file)
    load(store, [("a", None, 1)])
    assert served(store, "a") == [{"likes": 1}]
    monkeypatch.setattr(view_file, "remove_file", lambda file: None)
    load(store, [("a", None, 2)])
    assert len([*Path(file).glob("*.db")]) == 2
    assert served(store, "a") == served(SqliteStore(file), "a") == [{"likes": 2}]
    monkeypatch.undo()
    load(store, [("a", None, 3)])
    assert len([*Path(file).glob("*.db")]) == 1


def test_a_file_that_is_in_place_is_not_served_before_the_one_before_it_is_retired(file: str) -> None:
    """As a kill between the two leaves it."""
    store = SqliteStore(file)
    load(store, [("a", None, 1)])
    store.close()
    (first,) = Path(file).glob("*.db")
    shutil.copy(first, Path(file) / "copy")
    load(store, [("a", None, 2)])
    store.close()
    (Path(file) / "copy").rename(first)
    assert served(store, "a") == [{"likes": 1}]
    assert store.write(VIEW, [DirectWrite(("a",), "likes", 7, day(30))], now=day(30)) == [True]
    assert served(SqliteStore(file), "a") == [{"likes": 7}]
    assert load(store, [("a", None, 3)], synced=day(30) + DAY).changed == 1
    assert served(store, "a") == [{"likes": 3}]
    snapshot = store.snapshot(VIEW)
    assert snapshot and snapshot.number == 2


def test_open_files_are_bounded(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MAX_IDLE_FILES", 3)
    store = SqliteStore(file)
    for number in range(8):
        load(store, [("a", None, number)], view=f"view {number}")
    for _ in range(2):
        assert [served(store, "a", view=f"view {number}") for number in range(8)] == [[{"likes": n}] for n in range(8)]
    assert sum(map(len, store._idle.values())) <= 3


@pytest.mark.generated
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_killed_sync_loses_and_mixes_nothing() -> None:
    kills = number_of_cases(16)
    counts = kill_sync.run(kills, 2_000, seed=1, longest=0.2)
    assert [counts[what] for what in ("lost snapshots", "lost writes", "mixed")] == [0, 0, 0]
    assert counts["answers"] > kills
