"""A redis-server of our own for a measurement: on loopback, on a free port, ended by its process."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 10.0


def has_redis() -> bool:
    """Whether redis-server is on this machine."""
    return shutil.which("redis-server") is not None


@contextmanager
def redis_process(folder: Path) -> Iterator[tuple[int, int]]:
    """The port and the process id of a server that keeps nothing on the disk, while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    words = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_until_open(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def _wait_until_open(port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
