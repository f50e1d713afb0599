"""Processes that build and search shards side by side, and what happens when one of them ends: it is noticed.

A process that ends during a search is started again, and asked again, once. If it ends again the search is an error: an
answer is of all shards or none. One that ends while it builds leaves the old index in place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from trialrun.runtime.feature_view.index.interface import NotSearchable, Query
from trialrun.runtime.feature_view.index.shard import BuiltShard, ShardTask
from trialrun.runtime.feature_view.index.shard_files import ShardFiles
from trialrun.runtime.feature_view.index.shard_search import ShardHit
from trialrun.runtime.feature_view.source.reader_process import receive, send
from trialrun.runtime.feature_view.store.interface import EntityId, StoreError

SEARCH_TIMEOUT = 120.0
"""The seconds that a process may take for an answer, before it is taken for lost and ended."""
ROOT = os.path.dirname(os.path.dirname(sys.modules["trialrun"].__file__ or ""))
PROGRAM = (
    f"import sys; sys.path.append({ROOT!r}); "
    "from trialrun.runtime.feature_view.index.shard_process import serve; serve()"
)
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
OWN_PREFIX = "TRIALRUN_"
"""What the names of our own variables begin with, some of which are secrets that these processes have no need of."""


class ProcessLost(Exception):
    """A process ended, or took too long and was ended; the message says how."""


class ShardProcess:
    """A process that builds or searches shards, started at once."""

    def __init__(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(OWN_PREFIX)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | ONE_THREAD,
        )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def send(self, *message: object) -> None:
        """Ask something, whose reply must be received before anything else is asked. Raises ProcessLost."""
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, message)
        except (OSError, ValueError) as error:
            raise ProcessLost(self._describe_end()) from error

    def receive(self, seconds: float | None = None) -> Any:
        """The value of the reply. Raises ProcessLost, NotSearchable, and StoreError for what failed there."""
        stream = self._process.stdout
        assert stream is not None
        try:
            if seconds is not None and not _is_readable(stream, seconds):
                self.end()
                raise ProcessLost(f"gave no answer in {seconds:g} s")
            reply = receive(stream)
        except (EOFError, OSError, ValueError):  # gone halfway, or closed
            reply = None
        if reply is None:
            raise ProcessLost(self._describe_end())
        return _value_of(*reply)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:  # what was still to be written has no reader
                continue

    def _describe_end(self) -> str:
        self._process.wait()
        code = self._process.returncode
        self.end()
        return f"ended by signal {-code}" if code < 0 else f"ended with code {code}"


def _value_of(kind: str, value: Any) -> Any:
    if kind == "not-searchable":
        message, steps = value
        raise NotSearchable(message, steps=steps)
    if kind == "failed":
        raise StoreError(f"a shard of the index failed: {value}; sync the view again")
    return value


def _is_readable(stream: Any, seconds: float) -> bool:
    """Whether there is something to read in time; without waiting on systems that cannot tell for pipes."""
    if sys.platform == "win32":
        return True
    import select

    poll = select.poll()  # select() takes no file beyond the thousandth
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class ProcessSearcher:
    """Searches shards by processes that stay, and are started again when they end; as a ShardSearcher."""

    def __init__(self, shards: Sequence[ShardFiles], workers: int) -> None:
        self._total, self._workers = len(shards), workers
        self._groups = [list(shards[worker::workers]) for worker in range(workers)]
        self._lock = threading.Lock()
        self._processes: dict[int, ShardProcess] = {}
        self._opening: set[int] = set()
        self._owner = os.getpid()
        weakref.finalize(self, _end_all, self._processes, self._owner)
        self._ask(range(workers), "check")

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that run."""
        return [process.pid for process in self._processes.values()]

    def search(self, query: Query, *, exactly: bool) -> list[list[ShardHit]]:
        """The answers of all shards. Raises NotSearchable, and StoreError where a process ends again and again."""
        answers: list[list[ShardHit]] = self._ask(range(self._workers), "search", query, exactly)
        return answers

    def vector(self, shard: int, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity in a shard, None for one that is not there."""
        [vector] = self._ask([shard % self._workers], "vector", shard // self._workers, id)
        return vector  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            _end_all(self._processes, self._owner)

    def _ask(self, workers: Sequence[int], *message: object) -> list[Any]:
        """What processes answer; a process that is lost is started again, once."""
        with self._lock:
            self._leave_to_owner()
            is_whole = False
            try:
                answers = self._answers(workers, message)
                is_whole = True
            finally:
                if not is_whole:  # an answer may be left to be read, which would be taken for the next one
                    _end_all(self._processes, self._owner)
            problem = next((answer for answer in answers if isinstance(answer, NotSearchable | StoreError)), None)
            if problem is not None:
                raise problem
            return answers

    def _answers(self, workers: Sequence[int], message: tuple[object, ...]) -> list[Any]:
        """The answer of each worker, or why it has none."""
        for worker in workers:
            self._send(worker, message)
        return [self._answer(worker, message) for worker in workers]

    def _send(self, worker: int, message: tuple[object, ...]) -> None:
        """Send a message to a process, or have one started where there is none. By its answer a loss is noticed."""
        with suppress(ProcessLost):
            if worker not in self._processes:
                self._processes[worker] = ShardProcess()
                self._opening.add(worker)
                self._processes[worker].send("open", self._groups[worker], self._workers)
            else:
                self._processes[worker].send(*message)

    def _answer(self, worker: int, message: tuple[object, ...]) -> Any:
        try:
            try:
                return self._receive(worker, message)
            except ProcessLost:
                self._send(worker, message)
                return self._receive(worker, message)
        except ProcessLost as error:
            shards = f"{len(self._groups[worker])} of {self._total} shards"
            return StoreError(f"the process that searches {shards} of the index {error}, twice; search again")
        except (NotSearchable, StoreError) as error:
            return error

    def _receive(self, worker: int, message: tuple[object, ...]) -> Any:
        """The answer of a process; one that is lost, or cannot open its shards, is let go."""
        process, is_opening = self._processes[worker], worker in self._opening
        self._opening.discard(worker)
        try:
            if is_opening:
                process.receive()
                is_opening = False
                process.send(*message)
            return process.receive(SEARCH_TIMEOUT)
        except ProcessLost:
            del self._processes[worker]
            raise
        except (NotSearchable, StoreError):
            if is_opening:
                self._processes.pop(worker).end()
            raise

    def _leave_to_owner(self) -> None:
        """Use no process of the one that this was forked from."""
        if self._owner != os.getpid():
            self._owner, self._processes, self._opening = os.getpid(), {}, set()
            weakref.finalize(self, _end_all, self._processes, self._owner)


def _end_all(processes: dict[int, ShardProcess], owner: int) -> None:
    if owner != os.getpid():
        return
    while processes:
        processes.popitem()[1].end()


def build_in_processes(tasks: Sequence[ShardTask], files: Sequence[str], workers: int) -> list[BuiltShard]:
    """The shards of tasks, built by so many processes from the rows of files. Raises NotSearchable and StoreError."""
    processes = [ShardProcess() for _ in range(workers)]
    idle: SimpleQueue[ShardProcess] = SimpleQueue()
    for process in processes:
        idle.put(process)

    def build(task: ShardTask, file: str) -> BuiltShard:
        process = idle.get()
        try:
            process.send("build", task, file)
            built: BuiltShard = process.receive()
        except ProcessLost as error:
            raise StoreError(f"the process that builds shard {task.number} of the index {error}; sync again") from error
        finally:
            idle.put(process)
        return built

    pool = ThreadPoolExecutor(workers, "shard-build")
    try:
        return list(pool.map(build, tasks, files))
    finally:
        for process in processes:
            process.end()
        pool.shutdown(cancel_futures=True)
