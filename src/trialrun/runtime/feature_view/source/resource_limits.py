"""What reading a source may take of this machine: a folder for spilling, memory, and processor time."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.options import Options
from trialrun.values.amounts import parse_bytes

PREFIX = "trialrun-spill-"
HELD = "held"
"""The file in each folder that is locked while it is in use: by SQLite's lock, which ends with its process."""
YOUNG = 60.0
"""Seconds in which a folder may not have been locked yet."""


class Spill:
    """A folder of its own for spilling, until it is closed; those of processes that were ended go first."""

    def __init__(self) -> None:
        clear()
        self.folder = tempfile.mkdtemp(prefix=PREFIX)
        self._lock = sqlite3.connect(
            os.path.join(self.folder, HELD), timeout=0, isolation_level=None, check_same_thread=False
        )
        self._lock.execute("BEGIN EXCLUSIVE")

    def close(self) -> None:
        """Take the folder away with all that is in it."""
        self._lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def clear() -> None:
    """Take away the folders of processes that were ended before they could."""
    with os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            try:
                if entry.name.startswith(PREFIX) and time.time() - entry.stat().st_mtime > YOUNG:
                    file = os.path.join(entry.path, HELD)
                    if not os.access(file, os.W_OK):
                        continue
                    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
                        connection.execute("BEGIN EXCLUSIVE")
                    shutil.rmtree(entry.path, ignore_errors=True)
            except (OSError, sqlite3.Error):  # another process has just taken it away, or has it in use
                continue


STATM = "/proc/self/statm"
MEMORY_MARGIN = 1_500_000_000
"""Bytes for batches of rows, threads and files beside the memory that an engine manages."""
OUT_OF_MEMORY = "it takes more memory than memory-limit; make the table smaller, or raise memory-limit"


def most_data(options: Options) -> int | None:
    """The bytes of data that this process may have while it reads; None without a limit.

    A view of a database is a program: what an engine takes beside the memory that it manages, such as one large value,
    ends in an error, and not with the machine. Where the system has no such limit, as beside Linux, the engine bounds
    only the memory that it manages itself.
    """
    if not options.bounded or options.confined:
        return None
    try:
        with open(STATM, encoding="ascii") as stream:
            data = int(stream.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
    return data + (parse_bytes(options.memory_limit) or 0) + MEMORY_MARGIN


@contextmanager
def data_limit(most: int | None) -> Iterator[None]:
    """Have the system refuse this process more bytes of data meanwhile. Raises Unreadable where it does."""
    if most is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    least = min([most, *(limit for limit in before if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (least, before[1]))
    try:
        yield
    except MemoryError as error:
        raise Unreadable(OUT_OF_MEMORY) from error
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


MEMORY_EXIT = 86
"""The exit code of a process that had more memory than its limit."""


def limit_process_memory(limit: int) -> None:
    """Have the system refuse this process memory above a limit for good, and where it cannot, end the process."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))

    def watch() -> None:
        with suppress(ImportError):
            while _peak_memory() < limit:
                time.sleep(0.05)
            os._exit(MEMORY_EXIT)

    threading.Thread(target=watch, daemon=True).start()


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


def limit_process_time(seconds: float) -> None:
    """Have the system end the process after so much more processor time, where it can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft = int(time.process_time() + max(seconds, 0)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
