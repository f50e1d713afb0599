"""Several processes give what one gives, and a process that dies takes nothing with it."""

from __future__ import annotations

import faulthandler
import os
import signal
from pathlib import Path

import pytest

from tests.program import Run, view
from trialrun.workspace.worker_pool import MIN_PARALLEL_BYTES, WorkerDied, available_cores, map_parallel

PARENT = os.getpid()


def size(task: int) -> int:
    return MIN_PARALLEL_BYTES


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert available_cores() == 16


def test_every_task_has_its_result() -> None:
    assert sorted(map_parallel(range(50), lambda task: task * 2, size=size, jobs=3)) == [task * 2 for task in range(50)]


def test_the_work_is_done_by_other_processes() -> None:
    workers = set(map_parallel(range(6), lambda task: os.getpid(), size=size, jobs=2))
    assert len(workers) == 2
    assert PARENT not in workers


def test_little_work_is_done_by_this_process() -> None:
    assert set(map_parallel(range(6), lambda task: os.getpid(), size=lambda task: 1, jobs=2)) == {PARENT}


def test_large_results_of_one_worker_do_not_hold_up_the_others() -> None:
    results = list(map_parallel(range(8), lambda task: bytes(1_000_000), size=size, jobs=2))
    assert [len(result) for result in results if isinstance(result, bytes)] == [1_000_000] * 8


def killed_by_three(task: int) -> int:
    if task == 3 and os.getpid() != PARENT:
        faulthandler.disable()  # pytest's, which would print a page about a fault that is meant
        os.kill(os.getpid(), signal.SIGSEGV)
    return task


def test_a_worker_that_dies_loses_only_the_task_that_killed_it() -> None:
    results = list(map_parallel(range(10), killed_by_three, size=size, jobs=2))
    assert sorted(result for result in results if isinstance(result, int)) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert [result for result in results if isinstance(result, WorkerDied)] == [WorkerDied(3, "SIGSEGV")]


def test_without_more_processes_the_work_is_done_by_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = iter([os.fork])

    def fork() -> int:
        for real in forks:
            return real()
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    assert set(map_parallel(range(6), lambda task: os.getpid(), size=size, jobs=3)) == {PARENT}


def test_workers_end_with_their_parent() -> None:
    reading, writing = os.pipe()

    def ends_the_parent(task: int) -> None:
        os.write(writing, b"%d " % task if task % 2 == 0 else b"")
        while task == 0 and os.getppid() == parent:
            os.kill(parent, signal.SIGKILL)

    if os.fork() == 0:
        parent = os.getpid()
        list(map_parallel(range(100), ends_the_parent, size=size, jobs=2))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read() == b"0 "
    os.wait()


@pytest.mark.parametrize("jobs", ["2", "3", "5"])
def test_the_output_is_the_same_for_any_number_of_jobs(run: Run, tmp_path: Path, jobs: str) -> None:
    for number in range(60):
        cron = "0 25 * * *" if number % 7 == 0 else "0 3 * * *"
        comment = "# " + "x" * 20_000 + "\n"
        (tmp_path / f"v{number:02}.yaml").write_text(comment + view(f"v{number % 50}", cron))
    formats = ("--no-cache", "--output-format", "json")
    alone = run("check", *formats, "--jobs", "1")
    assert alone.code == 1
    assert run("check", *formats, "--jobs", jobs).out == alone.out
