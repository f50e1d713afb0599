"""A pool of forked workers: tasks are distributed by size, results come back through pipes.

A worker that crashes, for example in a C library, loses no other work: each of its tasks is retried in a separate
process, and a task that crashes that one, too, is reported.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass

Task = TypeVar("Task")
Result = TypeVar("Result")

LENGTH_PREFIX = struct.Struct("<Q")
WORKER_GARBAGE_THRESHOLD = 500_000
"""A worker lives for a second or two and makes hardly any cycles, so that looking for them is time lost."""
TASK_COST = 1000
"""What a task takes besides its bytes, in bytes that take as long."""
MAX_NEIGHBORS = 100
MIN_GROUPS = 50
"""Groups of tasks that each worker gets, so that all end at about the same time."""
MIN_PARALLEL_BYTES = 400_000
"""Less work than this is done in this process: forking costs more than it saves."""


@dataclass(frozen=True, slots=True)
class WorkerDied(Generic[Task]):
    """A task that crashed its process; `how` is the signal or exit code."""

    task: Task
    reason: str


def available_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_parallel(
    tasks: Sequence[Task], work: Callable[[Task], Result], *, size: Callable[[Task], int], jobs: int
) -> Iterator[Result | WorkerDied[Task]]:
    """The results of the tasks, unordered, computed by up to `jobs` processes."""
    jobs = worker_count([size(task) for task in tasks], jobs)
    if jobs < 2:
        yield from (work(task) for task in tasks)
        return
    workers: list[_Worker[Task, Result]] = []
    yield from _gather_results(workers, _partition(tasks, size, jobs), work)
    if not workers:
        yield from (work(task) for task in tasks)
    for worker in workers:
        yield from _retry(worker, work)


def worker_count(sizes: Sequence[int], jobs: int) -> int:
    """How many workers do tasks of these sizes, at most `jobs`; 1 where this process does them itself."""
    jobs = min(jobs, len(sizes))
    return jobs if jobs > 1 and hasattr(os, "fork") and sum(sizes) >= MIN_PARALLEL_BYTES else 1


@contextmanager
def run_beside(work: Callable[[], Result], *, jobs: int) -> Iterator[Callable[[], Result]]:
    """Run something in a process of its own; yields a function that waits for the result.

    With one job, and where no process can be started or it crashes, it is run by that function.
    """
    workers: list[_Worker[None, Result]] = []
    if jobs > 1 and hasattr(os, "fork"):
        _start_workers(workers, [[None]], lambda _: work())

    def wait() -> Result:
        for worker in workers:
            while (results := worker.receive()) is not None:
                if results:
                    return results[0]
        return work()

    try:
        yield wait
    finally:
        with defer_interrupts():
            for worker in workers:
                worker.end()


def _gather_results(
    workers: list[_Worker[Task, Result]], shares: Sequence[list[Task]], work: Callable[[Task], Result]
) -> Iterator[Result]:
    """Yield results from one worker per share as they arrive; ends all workers, whatever happens.

    `workers` stays empty if the system starts no process.
    """
    import select

    try:
        _start_workers(workers, shares, work)
        running = {worker.pipe: worker for worker in workers}
        while running:
            for pipe in select.select(list(running), [], [])[0]:
                results = running[pipe].receive()
                if results is None:
                    del running[pipe]
                else:
                    yield from results
    finally:
        with defer_interrupts():  # every started process is in the list, so every one is ended
            for worker in workers:
                worker.end()


def _start_workers(
    workers: list[_Worker[Task, Result]], shares: Sequence[list[Task]], work: Callable[[Task], Result]
) -> None:
    """Start the workers; none if there are too many processes or open files."""
    with defer_interrupts():
        try:
            workers.extend(_Worker(share, work) for share in shares)
        except OSError:
            for worker in workers:
                worker.end()
            workers.clear()


def _partition(tasks: Sequence[Task], size: Callable[[Task], int], jobs: int) -> list[list[Task]]:
    """The tasks distributed to the workers: the largest groups first, each to the worker with the least work.

    A group has one task, or neighbors if there are many: a worker copies the pages of the tasks that it looks at.
    """
    count = min(MAX_NEIGHBORS, max(1, len(tasks) // (jobs * MIN_GROUPS)))
    groups = [tasks[start : start + count] for start in range(0, len(tasks), count)]
    costs = [sum(size(task) + TASK_COST for task in group) for group in groups]
    shares: list[list[Task]] = [[] for _ in range(jobs)]
    loads = [0] * jobs
    for index in sorted(range(len(groups)), key=costs.__getitem__, reverse=True):
        least = loads.index(min(loads))
        shares[least].extend(groups[index])
        loads[least] += costs[index]
    return shares


def _retry(worker: _Worker[Task, Result], work: Callable[[Task], Result]) -> Iterator[Result | WorkerDied[Task]]:
    for task in worker.remaining_tasks():
        alone: list[_Worker[Task, Result]] = []
        yield from _gather_results(alone, [[task]], work)
        if not alone or alone[0].remaining_tasks():
            yield WorkerDied(task, alone[0].how if alone else worker.how)


class _Worker(Generic[Task, Result]):
    """A forked process, and the pipe for its results, each prefixed by its length."""

    def __init__(self, tasks: list[Task], work: Callable[[Task], Result]) -> None:
        self._tasks = tasks
        self._done = 0
        self._buffer = bytearray()
        self.how = ""
        self.pipe, writing = os.pipe()
        parent = os.getpid()
        self._pid: int | None = os.fork()
        if self._pid == 0:
            os.close(self.pipe)
            _work_and_exit(tasks, work, writing, parent)
        os.close(writing)

    def receive(self) -> list[Result] | None:
        """The results that have arrived, waiting for at least one; None when the worker has finished or crashed."""
        part = os.read(self.pipe, 1 << 20)
        if not part:
            return None
        self._buffer += part
        results: list[Result] = []
        while len(self._buffer) >= LENGTH_PREFIX.size:
            end = LENGTH_PREFIX.size + LENGTH_PREFIX.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            results.append(pickle.loads(self._buffer[LENGTH_PREFIX.size : end]))
            del self._buffer[:end]
        self._done += len(results)
        return results

    def remaining_tasks(self) -> list[Task]:
        """The tasks without a result."""
        return self._tasks[self._done :]

    def end(self) -> None:
        """End the process if it still runs, and get its exit status."""
        if self._pid is None:
            return
        os.close(self.pipe)
        if self._done < len(self._tasks):
            _kill(self._pid)
        _, status = os.waitpid(self._pid, 0)
        self._pid = None
        code = os.waitstatus_to_exitcode(status)
        self.how = signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return


def _work_and_exit(tasks: Sequence[Task], work: Callable[[Task], Result], writing: int, parent: int) -> None:
    """Run the tasks in the worker process; never returns, so that no code of the parent runs twice."""
    code = 0
    gc.set_threshold(WORKER_GARBAGE_THRESHOLD)
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        with os.fdopen(writing, "wb", buffering=1 << 16) as stream:
            for task in tasks:
                if os.getppid() != parent:
                    break
                result = pickle.dumps(work(task), protocol=pickle.HIGHEST_PROTOCOL)
                stream.write(LENGTH_PREFIX.pack(len(result)) + result)
    except BrokenPipeError:
        code = 0
    except BaseException:  # noqa: BLE001 - the parent tries the rest again and reports what fails there
        code = 70
    finally:
        os._exit(code)
