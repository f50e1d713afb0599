"""How an editor starts the server: what it imports until the first findings, and that options are read as elsewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.lsp.server.raw_client import wired
from tests.program import SOURCE, own_environment, view
from trialrun.cli.run_lsp import is_plain

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
NEVER = ("attr", "cattrs", "cel_expr_python", "click", "lsprotocol", "pydantic", "pydantic_core", "pygls", "yaml")


def test_the_process_that_speaks_imports_no_library(tmp_path: Path) -> None:
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
    assert "trialrun.lsp.server.requests" in imported
    assert [name for name in NEVER if name in imported] == []


@pytest.mark.parametrize(
    ("arguments", "is_it"),
    [([], True), (["--stdio"], True), (["--stdio", "--isolated"], False), (["--help"], False), (["x"], False)],
)
def test_only_options_without_effect_are_read_without_click(arguments: list[str], is_it: bool) -> None:
    assert is_plain(arguments) is is_it


def test_a_shell_that_completes_words_is_answered_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TRIALRUN_COMPLETE", "bash_source")
    assert not is_plain([])


@pytest.mark.parametrize("line", first_of(["--no-cache", "--stdio", ""]))
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
