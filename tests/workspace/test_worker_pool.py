"""Several processes give what one gives, and a process that dies takes nothing with it."""

import faulthandler
import gc
import os
import resource
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from trialrun.workspace import worker_pool
from trialrun.workspace.worker_pool import GROUP_NUMBER, MIN_PARALLEL_BYTES, WorkerDied, _groups, map_parallel

PARENT = os.getpid()


def size(task: int) -> int:
    return MIN_PARALLEL_BYTES


@pytest.fixture
def many_open_files() -> Iterator[None]:
    """More open files than select() takes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip("this process may not open so many files")
    gc.collect()  # files that earlier tests of this process left to it are closed
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, hard))
    opened = [os.open(os.devnull, os.O_RDONLY)]
    while opened[-1] < 1100:
        opened.append(os.open(os.devnull, os.O_RDONLY))
    yield
    for file in opened:
        os.close(file)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_workers_are_heard_beyond_a_thousand_open_files(many_open_files: None) -> None:
    tasks = range(20)
    assert sorted(map_parallel(tasks, str, size=size, jobs=2)) == sorted(map(str, tasks))


def test_every_task_has_its_result() -> None:
    assert sorted(map_parallel(range(50), lambda task: task * 2, size=size, jobs=3)) == [task * 2 for task in range(50)]


def wait_for(file: Path) -> None:
    for _ in range(1000):
        if file.exists():
            return
        time.sleep(0.01)
    raise TimeoutError(file)


def test_the_work_is_done_by_other_processes(tmp_path: Path) -> None:
    def meet(task: int) -> int:
        (tmp_path / str(task)).touch()
        wait_for(tmp_path / str(1 - task))
        return os.getpid()

    workers = set(map_parallel(range(2), meet, size=size, jobs=2))
    assert len(workers) == 2
    assert PARENT not in workers


def test_whoever_is_free_does_the_next_task(tmp_path: Path) -> None:
    def first_waits_for_the_others(task: int) -> int:
        if task == 0:
            for other in range(1, 20):
                wait_for(tmp_path / str(other))
        (tmp_path / str(task)).touch()
        return task

    assert sorted(map_parallel(range(20), first_waits_for_the_others, size=size, jobs=2)) == [*range(20)]


def test_the_largest_groups_come_first() -> None:
    sizes = [1000, 900_000, 2000, 3000, 800_000, 5000]
    assert [list(group.tasks) for group in _groups(range(6), sizes, 2)] == [[0, 1], [2, 3, 4], [5]]


@pytest.mark.parametrize("jobs", [2, 64])
def test_very_many_tasks_are_done_in_groups_that_fit_into_a_pipe(jobs: int) -> None:
    groups = _groups(range(100_000), [size(task) for task in range(100_000)], jobs)
    assert sorted(task for group in groups for task in group.tasks) == [*range(100_000)]
    assert len(groups) * GROUP_NUMBER.size <= 4096


def test_tasks_of_a_kind_are_shared_out_evenly() -> None:
    groups = _groups(range(1000), [7000] * 1000, 2)
    assert {len(group.tasks) for group in groups} == {5}


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


@pytest.mark.parametrize("possible", [0, 1])
def test_the_work_is_done_by_as_many_processes_as_can_be_started(
    monkeypatch: pytest.MonkeyPatch, possible: int
) -> None:
    forks = iter([os.fork] * possible)

    def fork() -> int:
        for real in forks:
            return real()
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    workers = set(map_parallel(range(6), lambda task: os.getpid(), size=size, jobs=3))
    assert len(workers) == 1
    assert (PARENT in workers) is not bool(possible)


def test_a_worker_is_replaced_after_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MAX_WORKER_COST", 5 * MIN_PARALLEL_BYTES)
    results = list(map_parallel(range(20), lambda task: (task, os.getpid()), size=size, jobs=2))
    tasks = Counter(result[1] for result in results if isinstance(result, tuple))
    assert sorted(result[0] for result in results if isinstance(result, tuple)) == [*range(20)]
    assert max(tasks.values()) == 5
    assert PARENT not in tasks


def test_where_no_worker_can_replace_another_this_process_does_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MAX_WORKER_COST", 5 * MIN_PARALLEL_BYTES)
    forks, real = iter(range(3)), os.fork

    def fork() -> int:
        for _ in forks:
            return real()
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    results = list(map_parallel(range(50), lambda task: (task, os.getpid()), size=size, jobs=2))
    assert sorted(result[0] for result in results if isinstance(result, tuple)) == [*range(50)]
    assert Counter(result[1] for result in results if isinstance(result, tuple))[PARENT] == 35


def test_where_all_workers_crash_others_do_the_rest() -> None:
    def crash_first(task: int) -> int:
        if task < 2 and os.getpid() != PARENT:
            os._exit(7)
        return os.getpid()

    results = list(map_parallel(range(100), crash_first, size=size, jobs=2))
    workers = {result for result in results if isinstance(result, int)}
    assert {result for result in results if isinstance(result, WorkerDied)} == {
        WorkerDied(0, "exit code 7"),
        WorkerDied(1, "exit code 7"),
    }
    assert len(results) == 100
    assert len(workers) < 10
    assert PARENT not in workers


def test_where_every_worker_is_killed_before_it_begins_every_task_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fork

    def fork() -> int:
        if (pid := real()) == 0:
            os._exit(9)
        return pid

    monkeypatch.setattr(os, "fork", fork)
    results = list(map_parallel(range(3), lambda task: task, size=size, jobs=2))
    assert results == [WorkerDied(task, "exit code 9") for task in range(3)]


def test_workers_end_with_their_parent() -> None:
    reading, writing = os.pipe()

    def ends_the_parent(task: int) -> None:
        os.write(writing, b"%d " % task if task % 2 == 0 else b"")
        while os.getppid() == parent:
            if task == 0:
                os.kill(parent, signal.SIGKILL)

    if os.fork() == 0:
        parent = os.getpid()
        list(map_parallel(range(100), ends_the_parent, size=size, jobs=2))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read() == b"0 "
    os.wait()
