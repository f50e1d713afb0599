"""A server whose output nobody reads answers all the same, and ends when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases import tries_all_cases
from tests.program import own_environment
from tests.server.server_process import connect_client, wait_until_ready, write_workspace
from trialrun.server.monitoring import MAX_LINES, LineWriter

REQUESTS = 20_000 if tries_all_cases() else 200
LONG_PATH = "/v1/" + "a" * 900
"""A path of which a few lines fill a pipe."""


@contextmanager
def server_into(pipe: int, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server that writes all of its output into a pipe, and its address."""
    workspace, ready = write_workspace(folder / "workspace"), folder / "ready.json"
    command = [sys.executable, "-m", "trialrun", "serve", "--ready-file", str(ready)]
    process = subprocess.Popen(
        command, cwd=workspace, env=own_environment(workspace), stdout=pipe, stderr=pipe, text=True
    )
    try:
        yield process, wait_until_ready(process, ready, Path(os.devnull))["http"]
    finally:
        process.kill()
        process.wait(30)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_server_that_nobody_reads_answers_and_ends(tmp_path: Path, number: signal.Signals, code: int) -> None:
    unread, pipe = os.pipe()
    with server_into(pipe, tmp_path) as (process, address), connect_client(address) as client:
        for _ in range(REQUESTS):
            assert client.get(LONG_PATH).status_code == 404
        process.send_signal(number)
        assert process.wait(10) == code
    os.close(pipe)
    os.close(unread)


def test_a_server_starts_where_its_output_is_full(tmp_path: Path) -> None:
    unread, pipe = os.pipe()
    os.set_blocking(pipe, False)
    while True:
        try:
            os.write(pipe, b"x" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(pipe, True)
    with server_into(pipe, tmp_path) as (process, address), connect_client(address) as client:
        assert client.get("/healthz").text == "ok\n"
        process.terminate()
        assert process.wait(10) == 0
    os.close(pipe)
    os.close(unread)


def written(lines: list[str]) -> list[str]:
    """What a writer has written of some lines, which are read once all of them were given to it."""
    read, pipe = os.pipe()
    writer = LineWriter(pipe, "{} lost".format)
    for line in lines:
        writer.write(line)
    with os.fdopen(read) as output, ThreadPoolExecutor() as pool:
        found = pool.submit(output.readlines)
        writer.close(30)
        os.close(pipe)
        return found.result()


def test_lines_that_are_lost_are_counted() -> None:
    lines = written(["a" * 100] * 3 * MAX_LINES)
    losses = [int(line.split()[0]) for line in lines if "lost" in line]
    assert losses
    assert len(lines) - len(losses) + sum(losses) == 3 * MAX_LINES


def test_what_waits_is_written_at_the_end() -> None:
    assert written(["first", "::error::second"]) == ["first\n", "\\x3a:error::second\n"]
