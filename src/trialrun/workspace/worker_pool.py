"""A pool of forked workers: each takes the next group of tasks when it is free, results come back through pipes.

A worker that crashes, for example in a C library, loses no other work: each task of its group is retried in a separate
process, and a task that crashes that one, too, is reported.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Generic, NoReturn, TypeVar

from trialrun.interrupts import defer_interrupts

Task = TypeVar("Task")
Result = TypeVar("Result")

LENGTH_PREFIX = struct.Struct("<Q")
GROUP_NUMBER = struct.Struct("<H")
"""How a group is written to the queue; all groups together fit into the least capacity of a pipe."""
WORKER_GARBAGE_THRESHOLD = 500_000
"""A worker lives for a second or two and makes hardly any cycles, so that looking for them is time lost."""
TASK_COST = 1000
"""What a task takes besides its bytes, in bytes that take as long."""
GROUPS_PER_WORKER = 100
"""Groups that each worker gets at least, if there are as many tasks, so that all end at about the same time."""
MAX_GROUPS = 2000
MAX_NEIGHBORS = 100
MAX_WORKER_COST = 12_000_000
"""What a worker does before a new one replaces it, so that its memory does not grow with the number of tasks."""
RETIRED = -1
"""In place of the number of a group: the worker ends, although there may be more groups."""
MIN_PARALLEL_BYTES = 400_000
"""Less work than this is done in this process: forking costs more than it saves."""


@dataclass(frozen=True, slots=True)
class WorkerDied(Generic[Task]):
    """A task that crashed its process; `reason` is the signal or exit code."""

    task: Task
    reason: str


@dataclass(frozen=True, slots=True)
class _Group(Generic[Task]):
    """Neighboring tasks that one worker does, and what they take, in bytes that take as long."""

    tasks: Sequence[Task]
    cost: int = 0


def map_parallel(
    tasks: Sequence[Task], work: Callable[[Task], Result], *, size: Callable[[Task], int], jobs: int
) -> Iterator[Result | WorkerDied[Task]]:
    """The results of the tasks, unordered, computed by up to `jobs` processes."""
    sizes = [size(task) for task in tasks]
    jobs = worker_count(sizes, jobs)
    if jobs < 2:
        yield from map(work, tasks)
        return
    waiting = _groups(tasks, sizes, jobs)
    while waiting:
        workers = _Workers(waiting, work)
        yield from workers.results(min(jobs, len(waiting)))
        if not workers.were_started:
            yield from (work(task) for group in waiting for task in group.tasks)
            return
        for task in workers.lost_tasks():
            yield from _retry(task, work, workers.reason)
        waiting = workers.untaken_groups()


def worker_count(sizes: Sequence[int], jobs: int) -> int:
    """How many workers do tasks of these sizes, at most `jobs`; 1 where this process does them itself."""
    jobs = min(jobs, len(sizes))
    return jobs if jobs > 1 and hasattr(os, "fork") and sum(sizes) >= MIN_PARALLEL_BYTES else 1


@contextmanager
def run_beside(work: Callable[[], Result], *, jobs: int) -> Iterator[Callable[[], Result]]:
    """Run something in a process of its own; yields a function that waits for the result.

    With one job, and where no process can be started or it crashes, it is run by that function.
    """
    workers = _Workers([_Group([None])], lambda _: work())
    if jobs > 1 and hasattr(os, "fork"):
        workers.start(1)

    def wait() -> Result:
        for result in workers.receive():
            return result
        return work()

    try:
        yield wait
    finally:
        workers.end()


def _groups(tasks: Sequence[Task], sizes: Sequence[int], jobs: int) -> list[_Group[Task]]:
    """The tasks in groups of neighbors, the largest first: a worker copies the pages of the tasks that it looks at."""
    cost = (sum(sizes) + TASK_COST * len(sizes)) // min(jobs * GROUPS_PER_WORKER, MAX_GROUPS // 2)
    count = max(MAX_NEIGHBORS, 3 * len(tasks) // MAX_GROUPS)
    groups: list[_Group[Task]] = []
    start = total = 0
    for end, size in enumerate(sizes, start=1):
        total += size + TASK_COST
        if total >= cost or end - start == count or end == len(sizes):
            groups.append(_Group(tasks[start:end], total))
            start, total = end, 0
    return sorted(groups, key=lambda group: -group.cost)


def _retry(task: Task, work: Callable[[Task], Result], reason: str) -> Iterator[Result | WorkerDied[Task]]:
    """Do a task, which a crashed worker had taken for that reason, in a process of its own."""
    alone = _Workers([_Group([task])], work)
    yield from alone.results(1)
    if not alone.were_started or alone.lost_tasks():
        yield WorkerDied(task, alone.reason or reason)


class _Workers(Generic[Task, Result]):
    """Processes that do groups of tasks: each takes the next group from a queue until there are no more."""

    def __init__(self, groups: Sequence[_Group[Task]], work: Callable[[Task], Result]) -> None:
        self._groups = groups
        self._work = work
        self._queue = -1
        self._workers: list[_Worker] = []
        self._done: set[int] = set()
        self._untaken: list[int] = []
        self._lost: list[int] = []
        self._has_crashed = False
        self.reason = ""

    def results(self, jobs: int) -> Iterator[Result]:
        """Start so many workers and yield their results as they arrive; ends all workers, whatever happens."""
        try:
            self.start(jobs)
            yield from self.receive()
        finally:
            self.end()

    @property
    def were_started(self) -> bool:
        """Whether the system has started at least one of the processes."""
        return bool(self._workers)

    def lost_tasks(self) -> list[Task]:
        """The tasks of the groups at which workers crashed."""
        return [task for number in self._lost for task in self._groups[number].tasks]

    def untaken_groups(self) -> list[_Group[Task]]:
        """The groups that no worker has taken, since all have crashed."""
        return [self._groups[number] for number in self._untaken]

    def start(self, jobs: int) -> None:
        """Start so many workers; fewer, or none, if there are too many processes or open files."""
        with suppress(OSError):
            self._queue = _open_queue(len(self._groups))
            for _ in range(jobs):
                self._add_worker()

    def _add_worker(self) -> _Worker:
        with defer_interrupts():  # every started process is in the list, so every one is ended
            worker = _Worker(self._do_groups)
            self._workers.append(worker)
            return worker

    def receive(self) -> Iterator[Result]:
        """The results of the workers until all have ended."""
        import select

        poll = select.poll()  # select() takes no file beyond the thousandth
        running: dict[int, _Worker] = {}
        started = list(self._workers)
        while started or running:
            for worker in started:
                running[worker.pipe] = worker
                poll.register(worker.pipe, select.POLLIN)
            started = []
            for pipe, _ in poll.poll():
                messages = running[pipe].receive()
                if messages is None:
                    poll.unregister(pipe)
                    started += self._successors(running.pop(pipe))
                for number, results in messages or ():
                    self._done.add(number)
                    yield from results

    def _successors(self, ended: _Worker) -> list[_Worker]:
        """The worker that goes on in place of one that has retired; none for another, or if it cannot be started."""
        self._end_worker(ended)
        if RETIRED not in self._done:
            return []
        self._done.remove(RETIRED)
        try:
            return [self._add_worker()]
        except OSError:
            return []

    def _end_worker(self, worker: _Worker) -> None:
        with defer_interrupts():
            reason = worker.end()
        self._has_crashed |= bool(reason)
        self.reason = reason or self.reason

    def end(self) -> None:
        """End all processes."""
        with defer_interrupts():
            for worker in self._workers:
                self._end_worker(worker)
            if self._queue < 0:
                return
            self._untaken = list(_taken_numbers(self._queue))
            os.close(self._queue)
            self._queue = -1
        self._lost = sorted({*range(len(self._groups))} - self._done - {*self._untaken})
        if self._has_crashed and self._untaken and not self._lost:  # before any group was taken
            self._lost = [self._untaken.pop(0)]

    def _do_groups(self, stream: BinaryIO, parent: int) -> None:
        """Do groups in a worker; each message has the number of a group and its results."""
        cost = 0
        for number in _taken_numbers(self._queue):
            results = []
            for task in self._groups[number].tasks:
                if os.getppid() != parent:
                    return
                results.append(self._work(task))
            _send(stream, (number, results))
            cost += self._groups[number].cost
            if cost >= MAX_WORKER_COST:
                _send(stream, (RETIRED, []))
                return


def _send(stream: BinaryIO, message: tuple[int, list[Any]]) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH_PREFIX.pack(len(data)) + data)
    stream.flush()


def _open_queue(count: int) -> int:
    """A pipe with the numbers of so many groups, from which each reader takes the next one."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(map(GROUP_NUMBER.pack, range(count))))
    os.close(writing)
    return reading


def _taken_numbers(queue: int) -> Iterator[int]:
    """The numbers of groups, each taken from the queue when it is asked for."""
    while data := os.read(queue, GROUP_NUMBER.size):
        yield GROUP_NUMBER.unpack(data)[0]


class _Worker:
    """A forked process, and the pipe for its messages, each prefixed by its length."""

    def __init__(self, work: Callable[[BinaryIO, int], None]) -> None:
        self._buffer = bytearray()
        self._has_ended = False
        self.pipe, writing = os.pipe()
        parent = os.getpid()
        try:
            self._pid: int | None = os.fork()
        except OSError:
            os.close(self.pipe)
            os.close(writing)
            raise
        if self._pid == 0:
            os.close(self.pipe)
            _work_and_exit(work, writing, parent)
        os.close(writing)

    def receive(self) -> list[Any] | None:
        """The messages that have arrived, waiting for some bytes; None when the worker has finished or crashed."""
        part = os.read(self.pipe, 1 << 20)
        if not part:
            self._has_ended = True
            return None
        self._buffer += part
        messages: list[Any] = []
        while len(self._buffer) >= LENGTH_PREFIX.size:
            end = LENGTH_PREFIX.size + LENGTH_PREFIX.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            messages.append(pickle.loads(memoryview(self._buffer)[LENGTH_PREFIX.size : end]))
            del self._buffer[:end]
        return messages

    def end(self) -> str:
        """End the process if it still runs; the signal or exit code with which it crashed, if it did."""
        if self._pid is None:
            return ""
        os.close(self.pipe)
        if not self._has_ended:
            _kill(self._pid)
        _, status = os.waitpid(self._pid, 0)
        self._pid = None
        code = os.waitstatus_to_exitcode(status)
        return signal.Signals(-code).name if code < 0 else f"exit code {code}" if code else ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return


def _work_and_exit(work: Callable[[BinaryIO, int], None], writing: int, parent: int) -> NoReturn:
    """Work in the worker process; never returns, so that no code of the parent runs twice."""
    code = 0
    gc.freeze()  # what the parent has is not looked at, which would copy its pages
    gc.set_threshold(WORKER_GARBAGE_THRESHOLD)
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        with os.fdopen(writing, "wb", buffering=1 << 16) as stream:
            work(stream, parent)
    except BrokenPipeError:
        code = 0
    except BaseException:  # noqa: BLE001 - the parent tries the rest again and reports what fails there
        code = 70
    finally:
        os._exit(code)
