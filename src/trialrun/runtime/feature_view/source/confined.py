"""An engine in a process of its own, which is ended where it takes too much: the error is one of the source.

There is one such process for all sources, started when the first is read. It costs as much as starting Python. It
answers requests on standard input by replies on standard output, both pickled behind their length. Only `check`, `test`
and the editor read so; their documents may be a stranger's, and a view of a database is a program.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import IO, Any

from trialrun.guarded_path import allow_folder, allowed_folders
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.iceberg_table import import_pyiceberg
from trialrun.runtime.feature_view.source.interface import STANDARD, Engine, Statement
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, is_iceberg, is_sqlite, need_duckdb
from trialrun.runtime.feature_view.source.resource_limits import MEMORY_EXIT, limit_process_memory, limit_process_time
from trialrun.runtime.options import Options, user_limits
from trialrun.values.amounts import parse_bytes

START_TIMEOUT = 60.0
CPU_SECONDS = 6
"""The processor time that an engine may take from its opening to its end."""
MAX_LOST_SECONDS = 10.0
"""What reading may take on a clock in vain, for all sources of a run together."""
FREE_SECONDS = 1.0
"""Seconds of a request that are always given, and never counted where it succeeds."""
RESET_AFTER_SECONDS = 600.0
"""Seconds after which what was lost is forgotten: an editor stays open for long."""
ROOT = os.path.dirname(os.path.dirname(sys.modules["trialrun"].__file__ or ""))
PROGRAM = (
    f"import sys; sys.path.append({ROOT!r}); from trialrun.runtime.feature_view.source.confined import serve; serve()"
)
LENGTH = struct.Struct("<Q")
MOST_BYTES = 2**29
"""The longest message."""
FOR_ITSELF = 500_000_000
"""Bytes that the process needs beside the memory that the engine manages."""
LOADING = 0
"""The number of no engine, for the time of what they have in common."""
_numbers = count(1)


class TimeBudgetSpent(Unreadable):
    """Other sources took the time that there is; this one was not tried."""


class _TimeBudget:
    """The seconds that went into sources that could not be read, or whose schema took long."""

    def __init__(self) -> None:
        self._seconds, self._since = 0.0, 0.0

    @property
    def left(self) -> float:
        """How many seconds may be lost still."""
        if time.monotonic() - self._since > RESET_AFTER_SECONDS:
            self.forget()
        return MAX_LOST_SECONDS - self._seconds

    def add(self, seconds: float) -> None:
        """Count seconds as lost."""
        self._seconds, self._since = self._seconds + seconds, time.monotonic()

    def forget(self) -> None:
        """Begin anew."""
        self._seconds = 0.0


_time_budget = _TimeBudget()
reset_time_budget = _time_budget.forget


class ConfinedEngine(Engine):
    """An engine whose work is done by the process of readers; as every engine, it raises Unreadable."""

    dialect = STANDARD

    def __init__(self, places: Sequence[TableLocation], options: Options) -> None:
        if not all(map(is_sqlite, places)):
            need_duckdb()
        self._process = _process(os.getpid(), parse_bytes(options.memory_limit) or 0, CPU_SECONDS)
        self._number = next(_numbers)
        opened = self._process.ask("open", self._number, list(places), options, allowed_folders())
        self.readings, self._relations = opened

    def relation(self, uri: str) -> str:
        relation: str = self._relations[uri]
        return relation

    def size(self, uri: str) -> int:
        size: int = self._process.ask("size", self._number, uri)
        return size

    def all(self, text: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._process.ask("all", self._number, text)
        return rows

    def latest(self, statement: Statement) -> Iterator[list[Sequence[Any]]]:
        """The rows of a statement in batches."""
        self._process.ask("latest", self._number, statement)
        while (batch := self._process.ask("next", self._number)) is not None:
            yield batch

    def close(self) -> None:
        self._process.close(self._number)


class _ReaderProcess:
    """The process, started when something is asked of it, and anew when it was ended."""

    def __init__(self, memory: int, seconds: int) -> None:
        self._memory, self._seconds, self._lock = memory, seconds, threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._open: set[int] = set()
        self._was_started = self._has_iceberg = self._had_iceberg = False
        atexit.register(self._end)

    def ask(self, deed: str, number: int, *arguments: Any) -> Any:
        """What the process answers; time without a result, or beyond that of a schema, is lost. Raises Unreadable."""
        with self._lock:
            if deed == "open":
                self._prepare(number, arguments[0])
            elif number not in self._open:
                raise Unreadable("the process that read it was terminated; read it again")
            begin, kind = time.monotonic(), "unreadable"
            try:
                kind, value = self._exchange((deed, number, *arguments))
            finally:
                took = time.monotonic() - begin
                if kind == "unreadable":
                    _time_budget.add(took)
                elif deed == "open" and took > FREE_SECONDS:
                    _time_budget.add(took - FREE_SECONDS)
        if kind == "unreadable":
            raise Unreadable(value)
        return value

    def close(self, number: int) -> None:
        """Close an engine, if it is open still."""
        with self._lock, suppress(Unreadable):  # the process has been ended, and what it had open with it
            if number in self._open:
                self._open.discard(number)
                self._exchange(("close", number))

    def _prepare(self, number: int, places: Sequence[TableLocation]) -> None:
        """Have the process ready for another engine; starting it again after it was ended is time that is lost."""
        if _time_budget.left <= 0:
            raise TimeBudgetSpent(f"unreadable sources took {MAX_LOST_SECONDS:.0f} s of this run; fix these first")
        begin, is_first = time.monotonic(), not self._was_started
        if self._running is None or self._running.poll() is not None:
            self._start()
        if any(map(is_iceberg, places)):
            is_first = self._load_iceberg() or is_first
        if not is_first:
            _time_budget.add(max(0.0, time.monotonic() - begin))
        self._open.add(number)

    def _load_iceberg(self) -> bool:
        """Have the process import pyiceberg, which takes longer than most tables; whether it is the first time."""
        if not self._has_iceberg:
            self._exchange(("load_iceberg", LOADING), START_TIMEOUT)
        is_first, self._has_iceberg, self._had_iceberg = not self._had_iceberg, True, True
        return is_first

    def _start(self) -> None:
        self._end()
        words = [sys.executable, "-P", "-c", PROGRAM, str(self._memory), str(self._seconds)]
        environment = os.environ | {"MALLOC_ARENA_MAX": "2"}  # memory set apart for each thread would count
        self._running = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._was_started, self._has_iceberg = True, False
        self._received(START_TIMEOUT)

    def _exchange(self, message: object, seconds: float | None = None) -> Any:
        process = self._running
        assert process is not None and process.stdin is not None
        answer = None
        with suppress(OSError):
            send(process.stdin, message)
            answer = self._received(seconds or max(FREE_SECONDS, _time_budget.left / 2))  # the others need some, too
        if answer is None:
            raise Unreadable(self._ended(timed_out=False))
        return answer

    def _received(self, seconds: float) -> Any:
        """The next message, for which a process that takes too long is ended."""
        process, timed_out = self._running, threading.Event()
        assert process is not None and process.stdout is not None

        def end() -> None:
            timed_out.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            return receive(process.stdout)
        except EOFError:
            return None
        except BaseException:  # Ctrl-C halfway through an answer: the next one would not begin at its beginning
            process.kill()
            raise
        finally:
            timer.cancel()
            if timed_out.is_set():
                raise Unreadable(self._ended(timed_out=True))

    def _ended(self, *, timed_out: bool) -> str:
        code = None if self._running is None else self._running.wait()
        self._end()
        if timed_out or code == -24:  # SIGXCPU
            return "reading it takes too long; make the table smaller, or declare `columns`"
        if code == MEMORY_EXIT:
            return "reading it takes more memory than the limit; make the table smaller"
        return f"the process that read it was terminated (code {code}); check that the file is not damaged"

    def _end(self) -> None:
        process, self._running = self._running, None
        self._open.clear()
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):  # what was still to be written has no reader
                    if stream is not None:
                        stream.close()


@lru_cache(maxsize=4)
def _process(owner: int, memory: int, seconds: int) -> _ReaderProcess:
    """The process of this process, which a forked one must not share."""
    return _ReaderProcess(memory or user_limits().memory, seconds)


def send(stream: IO[bytes], message: object) -> None:
    """Write a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message; None where the other side has gone. Raises EOFError where it went halfway."""
    begin = stream.read(LENGTH.size)
    if len(begin) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(begin)
    if length > MOST_BYTES:
        raise EOFError("a message is too long")
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("a message is not whole")
    return pickle.loads(data)


def serve() -> None:
    """What the process does: answer requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    limit_process_memory(int(sys.argv[1]) + FOR_ITSELF)
    seconds, took = int(sys.argv[2]), dict[int, float]()
    engines, rows = dict[int, Engine](), dict[int, Iterator[Any]]()
    send(replies, None)
    while (request := receive(requests)) is not None:
        deed, number, *arguments = request
        begin = time.process_time()
        limit_process_time(seconds - took.get(number, 0.0))
        try:
            reply = "done", _reply(engines, rows, deed, number, *arguments)
        except Unreadable as error:
            reply = "unreadable", str(error)
        except MemoryError:
            reply = "unreadable", "it takes more memory than the limit; read less, or raise memory-limit"
        took[number] = took.get(number, 0.0) + time.process_time() - begin
        send(replies, reply)


def _reply(engines: dict[int, Engine], rows: dict[int, Iterator[Any]], deed: str, number: int, *arguments: Any) -> Any:
    """Do what is asked of an engine that is open, or of a new one; `rows` are those that engines are giving."""
    match deed:
        case "load_iceberg":
            import_pyiceberg()
        case "open":
            places, options, allowed = arguments
            for folder in allowed:
                allow_folder(folder)
            engine = engines[number] = DuckDbEngine(places, options)
            return dict(engine.readings), {place.uri: engine.relation(place.uri) for place in places}
        case "latest":
            rows[number] = engines[number].latest(*arguments)
        case "next":
            return next(rows[number], None)
        case "close":
            rows.pop(number, None)
            if number in engines:
                engines.pop(number).close()
        case _:
            return getattr(engines[number], deed)(*arguments)
    return None
