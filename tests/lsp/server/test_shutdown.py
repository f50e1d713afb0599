"""How a server ends, and what it says to a person."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.lsp.client import LIMIT
from tests.lsp.server.raw_client import wired
from tests.program import Run, own_environment, view


def test_an_end_without_a_shutdown_is_told_by_the_exit_code(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.tell("exit")
        assert wire.process.wait(LIMIT) == 1


@pytest.mark.exhaustive
def test_an_end_after_a_shutdown_is_a_good_one(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        assert wire.end() == 0


def test_a_client_that_is_gone_ends_the_server_and_its_analysis(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.open("view.yaml", view())
        wire.findings("view.yaml")
        processes = children(wire.process.pid)
        assert processes
        assert wire.hang_up() == 1
        assert not any(Path(f"/proc/{process}").exists() for process in processes)


@pytest.mark.exhaustive
def test_half_a_message_ends_the_server_as_none_does(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        assert wire.process.stdin is not None
        wire.process.stdin.write(b'Content-Length: 1000\r\n\r\n{"jsonrpc"')
        assert wire.hang_up() == 1
        assert wire.process.stderr is not None
        assert wire.process.stderr.read() == b""


def test_a_client_that_reads_no_more_ends_the_server(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        assert wire.process.stdout is not None
        wire.process.stdout.close()
        wire.process.stdout = None
        wire.open("view.yaml", view())
        assert wire.hang_up() == 1


@pytest.mark.parametrize("number", first_of([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
def test_a_signal_ends_the_server_and_its_analysis(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(number, signal.default_int_handler)  # one that is ignored, as by nohup, stays so in children
    with wired(tmp_path) as wire:
        signal.signal(number, before)
        wire.begin()
        wire.open("view.yaml", view())
        wire.findings("view.yaml")
        processes = children(wire.process.pid)
        wire.process.send_signal(number)
        assert wire.process.wait(LIMIT) == 128 + number
        assert not any(Path(f"/proc/{process}").exists() for process in processes)
        assert wire.process.stderr is not None
        assert wire.process.stderr.read() == b""


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def test_in_a_terminal_it_says_what_it_is_for_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    terminal, own = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "trialrun", "lsp"],
        cwd=tmp_path,
        env=own_environment(tmp_path),
        stdin=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        assert b"talks to an editor" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 130
    finally:
        process.kill()
        process.communicate()
        for end in (terminal, own):
            os.close(end)


def test_it_tells_its_version_and_its_options(run: Run) -> None:
    assert run("lsp", "--version").out == run("--version").out
    assert "standard input and output" in " ".join(run("lsp", "--help").out.split())
