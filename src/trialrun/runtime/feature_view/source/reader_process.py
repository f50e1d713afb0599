"""The process that reads sources for another one, under limits: what a table does to it, it does to nobody else.

It answers requests on standard input by replies on standard output, both pickled behind their length. Only `check`,
`test` and the editor read so; their documents may be a stranger's, and a view of a database is a program.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from trialrun.guarded_path import allow_folder
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.iceberg_table import import_pyiceberg
from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.location import Unreadable

LENGTH = struct.Struct("<Q")
MOST_BYTES = 2**29
"""The longest message."""
FOR_ITSELF = 500_000_000
"""Bytes that the process needs beside the memory that the engine manages."""
MEMORY_EXIT = 86


def serve() -> None:
    """Answer requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    limit = _limit_memory(int(sys.argv[1]) + FOR_ITSELF)
    threading.Thread(target=_watch_memory, args=(limit,), daemon=True).start()
    send(replies, None)
    handler = _RequestHandler(int(sys.argv[2]))
    while (request := receive(requests)) is not None:
        send(replies, handler.reply(*request))


class _RequestHandler:
    """The engines that are open, the rows that they are giving, and the processor time that each took."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._engines: dict[int, Engine] = {}
        self._rows: dict[int, Iterator[Any]] = {}
        self._took: dict[int, float] = {}

    def reply(self, deed: str, number: int, *arguments: Any) -> tuple[str, Any]:
        """Do what is asked of an engine: the word `done` and a value, or `unreadable` and the reason."""
        begin = time.process_time()
        _limit_time(self._seconds - self._took.get(number, 0.0))
        try:
            return "done", getattr(self, f"_{deed}")(number, *arguments)
        except Unreadable as error:
            return "unreadable", str(error)
        except MemoryError:
            return "unreadable", "it takes more memory than the limit; read less, or raise memory-limit"
        finally:
            self._took[number] = self._took.get(number, 0.0) + time.process_time() - begin

    def _open(self, number: int, places: Any, options: Any, allowed: Any) -> Any:
        for folder in allowed:
            allow_folder(folder)
        engine = self._engines[number] = DuckDbEngine(places, options)
        relations = {place.uri: engine.relation(place.uri) for place in places}
        return dict(engine.readings), relations

    def _load_iceberg(self, number: int) -> None:
        import_pyiceberg()

    def _all(self, number: int, text: str) -> Any:
        return self._engines[number].all(text)

    def _size(self, number: int, uri: str) -> int:
        return self._engines[number].size(uri)

    def _latest(self, number: int, query: Any) -> None:
        self._rows[number] = self._engines[number].latest(query)

    def _next(self, number: int) -> Any:
        return next(self._rows[number], None)

    def _close(self, number: int) -> None:
        self._rows.pop(number, None)
        if engine := self._engines.pop(number, None):
            engine.close()


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


def _limit_memory(limit: int) -> int:
    """Have the system refuse memory above a limit, where it can; the limit."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
    return limit


def _watch_memory(limit: int) -> None:
    """End the process when it has more memory, on systems that refuse none."""
    with suppress(ImportError):
        while _peak_memory() < limit:
            time.sleep(0.05)
        os._exit(MEMORY_EXIT)


def _peak_memory() -> int:
    """The most bytes of memory that this process has had.

    Linux counts in ru_maxrss what the process had that started this one, so that a large one could start none.
    """
    with suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _limit_time(seconds: float) -> None:
    """Have the system end the process after so much more processor time, where it can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft = int(time.process_time() + max(seconds, 0)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
