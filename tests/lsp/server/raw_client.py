"""A client that says whatever it likes: messages as they stand on the wire."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lsp.client import LIMIT
from tests.program import own_environment


class Wire:
    """A server, and what is said to it and heard of it."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.process = process
        self.shown: list[str] = []
        self._number = 0

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def begin(self, **capabilities: Any) -> Any:
        """Initialize; what the server can do."""
        params = {"processId": None, "rootUri": self.folder.as_uri(), "capabilities": capabilities}
        answer = self.ask("initialize", params)
        self.tell("initialized", {})
        return answer["result"]["capabilities"]

    def send(self, body: bytes) -> None:
        """Say something that may be no message."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def say(self, message: Any) -> None:
        self.send(json.dumps(message).encode())

    def tell(self, method: str, params: Any = None) -> None:
        """Say something that has no answer."""
        self.say({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any = None) -> int:
        """Ask something; the number that its answer will have."""
        self._number += 1
        self.say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def ask(self, method: str, params: Any = None) -> Any:
        """Ask something; the answer, or the error."""
        number = self.request(method, params)
        return self.hear(lambda message: message.get("id") == number and "method" not in message)

    def hear(self, wanted: Callable[[Any], bool]) -> Any:
        """The first message that is wanted; the others are passed over, those that ask are answered with nothing."""
        while True:
            message = self._message()
            if message.get("method") == "window/showMessage":
                self.shown.append(str(message["params"]["message"]))
            if wanted(message):
                return message
            if "id" in message and "method" in message:
                self.say({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def open(self, name: str, text: str, version: int = 1) -> None:
        item = {"uri": self.uri(name), "languageId": "yaml", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, name: str, version: int, *changes: Any) -> None:
        named = {"uri": self.uri(name), "version": version}
        self.tell("textDocument/didChange", {"textDocument": named, "contentChanges": list(changes)})

    def findings(self, name: str, *rules: str) -> Any:
        """The findings of a file, once they are of these rules."""

        def are_those(message: Any) -> bool:
            told = message.get("params")
            if message.get("method") != "textDocument/publishDiagnostics" or told["uri"] != self.uri(name):
                return False
            return tuple(diagnostic["code"] for diagnostic in told["diagnostics"]) == rules

        return self.hear(are_those)["params"]

    def message(self) -> str:
        """The first text that a person is shown, now or soon."""
        if not self.shown:
            self.hear(lambda message: message.get("method") == "window/showMessage")
        return self.shown[0]

    def end(self) -> int:
        """End as the protocol has it; the exit code."""
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(LIMIT)

    def hang_up(self) -> int:
        """Say nothing more, without an end; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        return self.process.wait(LIMIT)

    def _message(self) -> Any:
        assert self.process.stdout is not None
        size = 0
        while line := self.process.stdout.readline().strip():
            if line.startswith(b"Content-Length:"):
                size = int(line.partition(b":")[2])
        assert size, "the server says nothing more"
        return json.loads(self.process.stdout.read(size))


@contextmanager
def wired(folder: Path, *arguments: str, longest: float = LIMIT, **environment: str) -> Iterator[Wire]:
    """A server that is ended after so many seconds, or in the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "trialrun", "lsp", *arguments],
        cwd=folder,
        env=own_environment(folder) | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    watch = threading.Timer(longest, process.kill)
    watch.start()
    try:
        yield Wire(folder, process)
    finally:
        watch.cancel()
        process.kill()
        process.communicate()
