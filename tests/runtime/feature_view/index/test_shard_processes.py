"""Shards that processes build and search; a process that ends is noticed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.feature_view.index.index_fixture import config
from tests.runtime.feature_view.index.sharded_fixture import (
    one_index,
    random_fields,
    random_query,
    random_rows,
    sharded,
)
from trialrun.runtime.feature_view.index import shard_build, shard_workers
from trialrun.runtime.feature_view.index import sharded as index_of_shards
from trialrun.runtime.feature_view.index.interface import NotSearchable, Query, StringFilter, Vectors
from trialrun.runtime.feature_view.index.parameters import index_parameters
from trialrun.runtime.feature_view.index.shard import Sharding
from trialrun.runtime.feature_view.index.shard_workers import ProcessSearcher
from trialrun.runtime.feature_view.index.sharded import LocalSearcher, ShardedIndex, load_any_index
from trialrun.runtime.feature_view.store.interface import StoreError

PROCESSES = Sharding(5, 2, in_processes=True)
ROWS = [((id,), [float(id), 1.0]) for id in range(200)]
LARGE = index_of_shards.MIN_BYTES_FOR_PROCESSES
QUERY = Query([3.2, 1.0], 5)

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills by POSIX signals")


@pytest.fixture(autouse=True)
def _processes_for_few_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_of_shards, "MIN_BYTES_FOR_PROCESSES", 0)


def index_of_processes(folder: Path) -> ShardedIndex:
    return sharded(folder, ROWS, PROCESSES, [])


def processes_of(index: ShardedIndex) -> ProcessSearcher:
    searcher = index._searcher
    assert isinstance(searcher, ProcessSearcher)
    return searcher


def test_they_answer_as_one_index_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_build, "MIN_ROWS_FOR_PROCESSES", 0)
    dice = random.Random(4)
    rows, fields = random_rows(dice), random_fields(dice)
    one, several = one_index(rows, **fields), sharded(tmp_path / "1", rows, PROCESSES, **fields)
    for _ in range(20):
        query = random_query(dice, rows, one.dimension)
        try:
            expected = one.search(query)
        except NotSearchable as error:
            with pytest.raises(NotSearchable) as raised:
                several.search(query)
            assert (str(raised.value), raised.value.steps) == (str(error), error.steps)
        else:
            assert several.search(query) == expected
    assert [several.vector(row[0]) for row in rows] == [one.vector(row[0]) for row in rows]  # type: ignore[arg-type]
    several.close()


@pytest.mark.parametrize(
    ("tree", "vectors", "is_large"),
    [(False, 100_000, False), (False, 200_000, True), (True, 1_000_000, False), (True, 30_000_000, True)],
)
def test_only_for_a_large_index_they_are_faster(tree: bool, vectors: int, is_large: bool) -> None:
    shape = index_parameters(config(**({"treeAhConfig": {}} if tree else {})))
    assert (index_of_shards.scanned_bytes(shape, vectors, 128) >= LARGE) is is_large


def test_few_vectors_are_searched_without_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_of_shards, "MIN_BYTES_FOR_PROCESSES", LARGE)
    assert isinstance(index_of_processes(tmp_path / "1")._searcher, LocalSearcher)


def test_there_are_no_more_than_allowed_and_none_is_left(tmp_path: Path) -> None:
    index = index_of_processes(tmp_path / "1")
    pids = processes_of(index).pids
    assert len(pids) == 2
    index.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.exhaustive
def test_they_end_with_the_index(tmp_path: Path) -> None:
    index = index_of_processes(tmp_path / "1")
    pids = processes_of(index).pids
    del index
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_killed_process_is_started_again(tmp_path: Path) -> None:
    index = index_of_processes(tmp_path / "1")
    expected = index.search(QUERY)
    for _ in range(3):
        os.kill(processes_of(index).pids[0], signal.SIGKILL)
        assert index.search(QUERY) == expected
    index.close()


@pytest.mark.exhaustive
def test_one_that_cannot_be_started_again_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of_processes(tmp_path / "1")
    os.kill(processes_of(index).pids[0], signal.SIGKILL)
    monkeypatch.setattr(shard_workers, "PROGRAM", "import sys; sys.exit(3)")
    message = r"the process that searches 3 of 5 shards of the index ended with code 3, twice; search again"
    with pytest.raises(StoreError, match=message):
        index.search(QUERY)
    monkeypatch.undo()
    assert len(index.search(QUERY)) == 5
    index.close()


def test_one_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of_processes(tmp_path / "1")
    monkeypatch.setattr(shard_workers, "SEARCH_TIMEOUT", 0.3)
    os.kill(processes_of(index).pids[1], signal.SIGSTOP)
    assert len(index.search(QUERY)) == 5
    index.close()


def test_an_error_leaves_no_answer_to_be_read(tmp_path: Path) -> None:
    index = index_of_processes(tmp_path / "1")
    with pytest.raises(NotSearchable):
        index.search(Query([1.0, 1.0], 1, strings=(StringFilter("x", ("a",)),)))
    assert len(index.search(QUERY)) == 5
    index.close()


@pytest.mark.exhaustive
def test_a_shard_that_was_damaged_since_is_an_error(tmp_path: Path) -> None:
    index = index_of_processes(tmp_path / "1")
    (tmp_path / "1" / "shard-0" / "vectors.npy").write_bytes(b"")
    os.kill(processes_of(index).pids[0], signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(NotSearchable, match=r"is damaged .*; sync the view again"):
            index.search(QUERY)
    index.close()


def build(folder: Path, sharding: Sharding) -> None:
    shape = index_parameters(config())
    shard_build.build_sharded_index(Vectors((), ROWS), shape, folder, sharding=sharding)


def test_a_builder_that_is_killed_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "1", Sharding(3))
    monkeypatch.setattr(shard_build, "MIN_ROWS_FOR_PROCESSES", 0)
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    monkeypatch.setattr(shard_workers, "PROGRAM", program)
    with pytest.raises(
        StoreError, match=r"the process that builds shard \d of the index ended by signal 9; sync again"
    ):
        build(tmp_path / "1", Sharding(3, 2))
    index = load_any_index(tmp_path / "1", sharding=Sharding())
    assert len(index.search(QUERY)) == 5


def test_builders_know_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []

    class Started(Exception):
        pass

    def popen(*words: object, env: dict[str, str], **further: Any) -> None:
        seen.append(env)
        raise Started

    monkeypatch.setenv("TRIALRUN_STORE_PASSWORD", "secret")
    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(Started):
        shard_workers.ShardProcess()
    assert not [name for name in seen[0] if name.startswith("TRIALRUN_")]
