"""How an editor starts the server, what its guard imports, and how both end."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.lsp.client import LIMIT
from tests.lsp.server.raw_client import wired
from tests.program import SOURCE, Run, own_environment, view
from trialrun.cli.lsp import is_plain

SERVES = """
import os, sys

def report():
    with open(os.environ["MODULES"], "w") as file:
        file.write(" ".join(sys.modules))

real_exit, os._exit = os._exit, lambda code: (report(), real_exit(code))
from trialrun.cli import run
sys.argv = ["trialrun", "lsp"]
run()
"""
NEVER = (
    *("attr", "cattrs", "cel_expr_python", "click", "lsprotocol", "pydantic", "pygls", "yaml"),
    *("asyncio", "trialrun.lsp.server", "trialrun.lsp.analysis", "trialrun.parser", "trialrun.workspace"),
)


def test_the_process_that_guards_imports_little(tmp_path: Path) -> None:
    modules = tmp_path / "modules"
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    done = subprocess.run(
        [sys.executable, "-c", SERVES],
        cwd=tmp_path,
        env={**own_environment(tmp_path), "MODULES": str(modules), "PYTHONPATH": SOURCE},
        input=b"Content-Length: %d\r\n\r\n%s" % (len(body), body),
        capture_output=True,
        check=False,
    )
    assert b"hoverProvider" in done.stdout
    imported = modules.read_text().split()
    assert "trialrun.lsp.guard" in imported
    assert [name for name in imported if name.startswith(NEVER)] == []


@pytest.mark.parametrize(
    ("arguments", "is_it"),
    [([], True), (["--stdio"], True), (["--stdio", "--isolated"], False), (["--help"], False), (["x"], False)],
)
def test_only_options_without_effect_are_read_without_click(arguments: list[str], is_it: bool) -> None:
    assert is_plain(arguments) is is_it


def test_a_shell_that_completes_words_is_answered_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TRIALRUN_COMPLETE", "bash_source")
    assert not is_plain([])


@pytest.mark.parametrize("line", first_of(["--no-cache", "--stdio", "--stdio --clientProcessId=1", ""]))
def test_both_ways_of_reading_options_start_the_server(tmp_path: Path, line: str) -> None:
    with wired(tmp_path, *line.split()) as wire:
        wire.begin()
        wire.open("view.yaml", view(cron="0 3 * *"))
        wire.findings("view.yaml", "cron-syntax")
        assert wire.end() == 0


def test_messages_that_all_come_at_once_are_handled_in_order(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        assert wire.process.stdin is not None
        flush, wire.process.stdin.flush = wire.process.stdin.flush, lambda: None  # type: ignore[method-assign]
        first = wire.request("initialize", {"capabilities": {}, "rootUri": tmp_path.as_uri()})
        wire.tell("initialized", {})
        wire.open("view.yaml", view(cron="0 3 * *"))
        wire.request("textDocument/foldingRange", {"textDocument": {"uri": wire.uri("view.yaml")}})
        hover = wire.request("textDocument/hover", {"textDocument": {"uri": wire.uri("view.yaml")}, "position": _START})
        wire.change("view.yaml", 7, {"text": view()})
        wire.process.stdin.flush = flush  # type: ignore[method-assign]
        flush()
        assert "result" in wire.hear(lambda message: message.get("id") == first)
        missing = {hover, 7}
        wire.hear(lambda message: missing.discard(_name(message)) or not missing)
        assert wire.end() == 0


def _name(message: Any) -> Any:
    """The id of a response, or the version of the text that findings are of."""
    return message.get("id") or message.get("params", {}).get("version")


_START = {"line": 0, "character": 0}


def test_an_end_without_a_shutdown_is_told_by_the_exit_code(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.tell("exit")
        assert wire.process.wait(LIMIT) == 1


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
