"""A client of a language server that says what a test tells it to, and waits for what the server says."""

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

Message = dict[str, Any]
LIMIT = 180
"""Seconds to wait for a message, after which a server counts as dead."""


class Wire:
    """Messages to a server and from it, which gets these settings, by section, when it asks for them."""

    def __init__(self, process: subprocess.Popen[bytes], settings: Message) -> None:
        assert process.stdin and process.stdout
        self.settings = settings
        self.into, self.out = process.stdin, process.stdout
        self.heard: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self.numbers = count(1)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        while header := self.out.readline():
            assert header.lower().startswith(b"content-length:"), header
            while self.out.readline().strip():
                pass
            message = json.loads(self.out.read(int(header.split(b":")[1])))
            if "id" in message and "method" in message:
                self.say({"id": message["id"], "result": self.answer(message)})
            self.heard.put(message)
        self.heard.put(None)

    def answer(self, asked: Message) -> object:
        if asked["method"] != "workspace/configuration":
            return None
        return [self.settings.get(item["section"]) for item in asked["params"]["items"]]

    def say(self, message: Message) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.into.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.into.flush()

    def tell(self, method: str, **params: object) -> None:
        self.say({"method": method, "params": params})

    def ask(self, method: str, **params: object) -> Any:
        number = next(self.numbers)
        self.say({"id": number, "method": method, "params": params})
        return self.wait(lambda message: message.get("id") == number and "method" not in message)["result"]

    def wait(self, until: Callable[[Message], bool]) -> Message:
        """The next message that is so; those before it are dropped."""
        passed: list[object] = []
        while True:
            try:
                message = self.heard.get(timeout=LIMIT)
            except queue.Empty:
                raise AssertionError(f"nothing for {LIMIT} s, and before that {passed}") from None
            if message is None:
                raise AssertionError(f"the server has ended, after {passed}")
            if until(message):
                return message
            passed.append(message.get("method", message.get("error")))


@contextmanager
def talking(*command: str, folder: Path, capabilities: Message, settings: Message) -> Iterator[Wire]:
    """A server that was started in a folder and has been told of it; it ends with the block."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            wire = Wire(process, settings)
            root = folder.as_uri()
            wire.ask("initialize", processId=None, rootUri=root, capabilities=capabilities, workspaceFolders=None)
            wire.tell("initialized")
            yield wire
            wire.ask("shutdown")
            wire.tell("exit")
            process.wait(LIMIT)
        finally:
            process.kill()
