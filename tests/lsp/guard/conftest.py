"""A guard with its server, and what they say to an editor."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from queue import Queue
from typing import Any, BinaryIO, cast

import pytest

from tests.lsp.client import LIMIT
from trialrun.lsp import guard

WATCHES = {"window": {"workDoneProgress": True}}


class Watched:
    """A guard with what its server says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.findings: Queue[tuple[str, int, list[str]]] = Queue()
        self.told: Queue[str] = Queue()
        self.heard: list[str] = []
        self._answers: dict[int, Future[Any]] = {}
        self._opened: set[str] = set()
        self.guard = guard.Guard(json.dumps({"cache": False}), cast(BinaryIO, self))

    def begin(self, **params: Any) -> Watched:
        self.ask("initialize", {"rootUri": self.folder.as_uri(), "capabilities": {}, **params})
        self.tell("initialized", {})
        return self

    def tell(self, method: str, params: Any, **more: Any) -> None:
        self.guard.take(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode())

    def ask(self, method: str, params: Any) -> Future[Any]:
        """The future answer to a request."""
        answer = self._answers[len(self._answers)] = Future()
        self.tell(method, params, id=len(self._answers) - 1)
        return answer

    def open(self, name: str, data: bytes, version: int = 1) -> None:
        """Open a file, or give an open one another text."""
        item = {"uri": (self.folder / name).as_uri(), "version": version}
        if name in self._opened:
            changes = [{"text": data.decode()}]
            self.tell("textDocument/didChange", {"textDocument": item, "contentChanges": changes})
        else:
            self._opened.add(name)
            item |= {"languageId": "yaml", "text": data.decode()}
            self.tell("textDocument/didOpen", {"textDocument": item})

    def insert(self, name: str, line: int, text: str, version: int) -> None:
        """Write a text at the start of a line."""
        place = {"line": line, "character": 0}
        item = {"uri": (self.folder / name).as_uri(), "version": version}
        changes = [{"range": {"start": place, "end": place}, "text": text}]
        self.tell("textDocument/didChange", {"textDocument": item, "contentChanges": changes})

    def close(self, name: str) -> None:
        self._opened.discard(name)
        self.tell("textDocument/didClose", {"textDocument": {"uri": (self.folder / name).as_uri()}})

    def changed(self, name: str) -> None:
        """A file changed on disk."""
        changes = [{"uri": (self.folder / name).as_uri(), "type": 2}]
        self.tell("workspace/didChangeWatchedFiles", {"changes": changes})

    def symbols(self, name: str) -> Future[Any]:
        return self.ask("textDocument/documentSymbol", {"textDocument": {"uri": (self.folder / name).as_uri()}})

    def end_while_it_works_on(self, name: str, reason: signal.Signals) -> None:
        """End the server that has a file before it."""
        self.until_it_works_on(name)
        process = self.guard.process_id
        os.kill(process, reason)
        until(lambda: self.guard.process_id != process)

    def until_it_works_on(self, name: str) -> None:
        """Wait until the server lints a file, which takes long."""
        until(lambda: all(self._works_on(name) for _ in range(20)))  # it takes a text in first, and then lints it

    def _works_on(self, name: str) -> bool:
        time.sleep(0.01)
        return (self.guard.work or {}).get("file") == str(self.folder / name)

    def found(self, name: str, version: int) -> list[str]:
        """The rules of the first findings of a version of a file."""
        while True:
            one, of, rules = self.findings.get(timeout=LIMIT)
            if (one, of) == (name, version):
                return rules

    def write(self, data: bytes) -> None:
        """Take what the editor is sent."""
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        params = message.get("params")
        self.heard.append(message.get("method", ""))
        match message.get("method"):
            case None:
                self._answers[message["id"]].set_result(message.get("result", message.get("error")))
            case "textDocument/publishDiagnostics" if "version" in params:
                rules = [diagnostic["code"] for diagnostic in params["diagnostics"]]
                self.findings.put((Path(params["uri"]).name, params["version"], rules))
            case "window/showMessage":
                self.told.put(params["message"])

    def flush(self) -> None:
        pass


Start = Callable[..., Watched]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    started: list[Watched] = []

    def start(folder: Path = tmp_path, **limits: float) -> Watched:
        for name, seconds in limits.items():
            monkeypatch.setattr(guard, name.upper(), seconds)
        started.append(Watched(folder))
        return started[-1]

    yield start
    for one in started:
        one.guard.stop(0.0)


def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
