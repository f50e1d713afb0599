"""The process that an editor starts: it passes messages between the editor and the server, and guards the server.

Nothing in Python or a C library can be interrupted halfway. So the server tells what it works on, and is killed when
that takes too long. A new one is told again what the editor has said, but for the text at fault, which counts as a file
that cannot be read. The guard itself works on nothing and imports little, so that it starts fast.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO, Final

import trialrun
from trialrun.lsp.conversation import PULLS, Conversation, Document, Message, notification
from trialrun.lsp.frames import frame, messages

STALE_TIMEOUT = 5.0
"""Seconds for which the server may work on an outdated text before it is restarted."""
TIMEOUT = 30.0
"""Seconds for which it may work on one text."""
EDITOR_INTERVAL = 10.0
"""Seconds between two looks at whether the editor's process is there."""
MAX_RESTARTS = 5
"""Servers that may end by themselves in a row, without diagnostics in between."""
CONTENT_MODIFIED: Final = -32801
ENDED = "the analysis process ended before it responded; ask again"
TERMINAL_HINT = (
    "trialrun lsp talks to an editor over standard input and output, but this is a terminal; "
    "docs/editors.md describes how editors start it; Ctrl-C ends it"
)
RESPONSE = re.compile(rb'\{"id": ("(?:[^"\\]|\\.)*"|-?\d+), ')
METHOD = re.compile(rb'\{"jsonrpc": "2\.0", "method": "([^"]+)"')
"""How messages of our server begin."""


class ServerProcess:
    """A server that starts at once; what is sent waits in a queue, so that nobody waits for a busy server."""

    def __init__(self, options: str) -> None:
        package_parent = os.path.dirname(os.path.dirname(os.path.abspath(trialrun.__file__)))
        program = (
            f"import sys; sys.path.append({package_parent!r}); from trialrun.lsp.server.language_server import main; "
        )
        command = [sys.executable, "-P", "-c", f"{program}main(sys.argv[1])", options]
        # in the folder of our package: nothing may be imported from the workspace
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=package_parent)
        self._sent = 0
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=self._write, args=(self.process.stdin,), daemon=True).start()

    def send(self, body: bytes) -> int:
        """Queue a message; its number."""
        self._sent += 1
        self._queue.put(frame(body))
        return self._sent

    def close(self) -> None:
        """Send nothing more."""
        self._queue.put(None)

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()

    def _write(self, stream: BinaryIO) -> None:
        with suppress(OSError), stream:  # the process may be gone; who reads from it notices
            while (data := self._queue.get()) is not None:
                stream.write(data)
                stream.flush()


class Guard:
    """Passes messages on in both directions, and restarts a server that takes too long, or ends by itself.

    A text that the server times out on, or that it crashes on twice, is excluded until it changes.
    """

    def __init__(self, options: str, out: BinaryIO) -> None:
        self._options = options
        self._out = out
        self._lock = threading.Condition()
        self._conversation = Conversation()
        self._requests: dict[str | int, tuple[str, bytes]] = {}
        self._repeated: set[str | int] = set()
        self._exclusions: list[tuple[Message, str, int | None]] = []
        self._work: Message | None = None
        self._work_since = 0.0
        self._last_crashed: object = None
        self._restarts = 0
        self._shown: set[bytes] = set()
        self._bars: dict[str, None] = {}
        self._is_shut_down = False
        self._is_stopped = False
        self._server = self._start()
        threading.Thread(target=self._watch, daemon=True).start()

    def run(self) -> int:
        """Pass messages on until the editor exits or is gone; the exit code that the protocol requires."""
        for body in messages(lambda size: os.read(0, size)):
            if self.take(body):
                break
        self.stop(STALE_TIMEOUT)
        return 0 if self._is_shut_down else 1

    @property
    def process_id(self) -> int:
        """The id of the current server."""
        return self._server.process.pid

    @property
    def work(self) -> Message | None:
        """What the server works on."""
        return self._work

    def stop(self, grace: float) -> None:
        """End the server, which has some seconds to end by itself."""
        self._is_stopped = True
        self._server.close()
        with suppress(subprocess.TimeoutExpired):
            self._server.process.wait(grace)
        self._server.kill()
        self._receiver.join(grace)

    def _start(self) -> ServerProcess:
        server = ServerProcess(self._options)
        self._receiver = threading.Thread(target=self._receive, args=(server,), daemon=True)
        self._receiver.start()
        return server

    # ---- from the editor

    def take(self, body: bytes) -> bool:
        """Remember a message of the editor and pass it on; whether it is the last one."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):  # the server says what is wrong with it
            message = None
        method = message.get("method") if isinstance(message, dict) else None
        with self._lock:
            document = self._remember(message, body) if isinstance(message, dict) else None
            if self._is_stopped:
                self._reject_all()
            else:
                number = self._server.send(body)
                if document is not None:
                    document.number = number
            self._lock.notify_all()  # the current work may be outdated now, or block a request
        return method == "exit"

    def _remember(self, message: Message, body: bytes) -> Document | None:
        method, request_id = message.get("method"), message.get("id")
        if isinstance(method, str) and isinstance(request_id, str | int):
            self._requests[request_id] = method, body
            editor = _process_of_editor(message.get("params")) if method == "initialize" else None
            if editor and self._conversation.initialize is None:
                threading.Thread(target=self._watch_editor, args=(editor,), daemon=True).start()
        with suppress(AttributeError, LookupError, TypeError):  # the server refuses what is not as the protocol has it
            return self._conversation.remember(message)
        return None

    # ---- from the server

    def _receive(self, server: ServerProcess) -> None:
        stream = server.process.stdout
        assert stream is not None
        with stream:
            for body in messages(lambda size: os.read(stream.fileno(), size)):
                with self._lock:
                    if server is self._server:
                        self._pass_on(body)
        server.close()
        server.kill()
        with self._lock:
            if server is self._server:
                self._handle_exit()

    def _pass_on(self, body: bytes) -> None:
        """Pass a message on to the editor, but for those between the server and its guard."""
        response, named = RESPONSE.match(body), METHOD.match(body)
        if response:
            request_id = json.loads(response[1])
            if request_id in self._repeated:
                self._repeated.discard(request_id)
                return
            method, _ = self._requests.pop(request_id, ("", b""))
            if method in PULLS:
                self._restarts = 0
            is_done = b'"result": ' in body[: response.end() + 40]
            self._conversation.is_begun |= method == "initialize" and is_done
            self._is_shut_down |= method == "shutdown" and is_done
        elif named:
            match named[1].decode():
                case "trialrun/work":
                    self._work, self._work_since = json.loads(body)["params"], time.monotonic()
                    self._lock.notify_all()
                    return
                case "textDocument/publishDiagnostics":
                    self._restarts = 0
                case "$/progress":
                    params = json.loads(body)["params"]
                    self._bars |= {params["token"]: None}
                    if params["value"]["kind"] == "end":
                        del self._bars[params["token"]]
        self._write(body)

    def _write(self, body: bytes) -> None:
        try:
            self._out.write(frame(body))
            self._out.flush()
        except OSError:  # the editor has gone
            self._server.kill()
            os._exit(1)

    def _reject_all(self) -> None:
        """Answer all requests that wait; those for diagnostics are asked of a new server, if there is one."""
        for request_id, (method, _) in [*self._requests.items()]:
            answer: Message = {"error": {"code": CONTENT_MODIFIED, "message": ENDED}}
            if method == "shutdown":
                answer, self._is_shut_down = {"result": None}, True
            elif not self._is_stopped and method in (*PULLS, "initialize"):
                continue
            del self._requests[request_id]
            self._write(json.dumps({"id": request_id, "jsonrpc": "2.0", **answer}).encode())

    # ---- the life of the server

    def _watch(self) -> None:
        """Restart a server that works on one text for too long."""
        with self._lock:
            while not self._is_stopped:
                remaining = self._remaining_time()
                if remaining is None or remaining > 0:
                    self._lock.wait(remaining)
                    continue
                self._restart("takes too long to check")

    def _watch_editor(self, process_id: int) -> None:
        """End both when the process of the editor is gone: another, such as its terminal, may keep the pipes open.

        Without the lock, which is held while nobody reads what is written.
        """
        while _is_running(process_id):
            time.sleep(EDITOR_INTERVAL)
        if not self._is_stopped:
            self._is_stopped = True  # the end of the server starts no other
            self._server.kill()
            os._exit(1)

    def _remaining_time(self) -> float | None:
        """The seconds that the current work may still take; None when idle."""
        if self._work is None:
            return None
        are_waiting = any(method not in PULLS for method, _ in self._requests.values())
        blocks_requests = are_waiting and self._work["uri"] not in self._conversation.documents
        limit = STALE_TIMEOUT if self._is_outdated() or blocks_requests else TIMEOUT
        return limit - (time.monotonic() - self._work_since)

    def _is_outdated(self) -> bool:
        """Whether the file of the current work was open, and has another text now or is closed."""
        if self._work is None or self._work["uri"] is None:
            return False
        document = self._conversation.documents.get(self._work["uri"])
        return document is None or document.number != self._work["revision"]

    def _handle_exit(self) -> None:
        """Restart after a crash, without the text that caused it."""
        self._restarts += 1
        if self._is_stopped or self._is_shut_down:
            self._is_stopped = True
            self._reject_all()
        elif self._restarts > MAX_RESTARTS:
            self._is_stopped = True
            self._reject_all()
            self._show(1, "the analysis process keeps crashing; restart the server, and report it")
        else:
            # Work is excluded only at its second crash: the process may have been killed from outside.
            crashed = self._work and (self._work["file"], self._work["rule"], self._conversation.age(self._work["uri"]))
            is_second, self._last_crashed = crashed == self._last_crashed, crashed
            self._restart("crashed the analysis process" if is_second or self._work is None else None)

    def _restart(self, reason: str | None) -> None:
        """Start a new server; with a reason, exclude what the old one worked on, unless that is outdated."""
        old = self._server
        if reason is not None and not self._is_outdated():
            self._exclude_culprit(reason)
        self._work = None
        for token in self._bars:
            self._write(notification("$/progress", {"token": token, "value": {"kind": "end"}}))
        self._bars.clear()
        self._server = self._start()
        old.close()
        old.kill()
        self._reject_all()
        begin = self._conversation.initialize
        if begin is not None and begin.get("id") not in self._requests:
            self._repeated.add(begin["id"])
        self._conversation.repeat_begin(self._server.send)
        for work, why, age in self._exclusions:
            if self._conversation.age(work["uri"]) == age:
                self._server.send(notification("trialrun/exclude", {**work, "reason": why}))
        self._conversation.repeat_documents(self._server.send)
        for method, body in self._requests.values():
            if method in PULLS:
                self._server.send(body)

    def _exclude_culprit(self, reason: str) -> None:
        """Exclude the current work, and show why."""
        if self._work is None:
            self._show(2, "the analysis process has ended and was restarted")
            return
        self._restarts = 0
        file, rule = self._work["file"], self._work["rule"]
        if file is None:
            self._show(1, f"the rule {rule} {reason}; it is disabled until the settings change")
        else:
            self._show(1, f"{_display_path(file, self._work['folder'])} {reason}; it is not checked until it changes")
        why = f"this file {reason}; it is not checked until it changes"
        self._exclusions.append((self._work, why, self._conversation.age(self._work["uri"])))

    def _show(self, type_: int, text: str) -> None:
        """Show a person a message, the same one only once."""
        body = notification("window/showMessage", {"type": type_, "message": text})
        if body not in self._shown:
            self._shown.add(body)
            self._write(body)


def _process_of_editor(params: object) -> int | None:
    """The process id of the editor; None where it is not seen from here, as from a container."""
    process_id = params.get("processId") if isinstance(params, dict) else None
    is_seen = os.name == "posix" and type(process_id) is int and process_id > 0 and _is_running(process_id)
    return process_id if is_seen else None


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it is another user's
        return True
    return True


def _display_path(file: str, folder: str) -> str:
    try:
        return os.path.relpath(file, folder).replace(os.sep, "/")
    except ValueError:  # another drive
        return file.replace(os.sep, "/")


def serve(options: str) -> int:
    """Serve an editor over standard input and output; the exit code. The options are those of the server, as JSON."""
    guard = Guard(options, sys.stdout.buffer)

    def end(number: int, _: object) -> None:
        """Exit at once on a signal: a blocking read of standard input would not return by itself."""
        guard.stop(1.0)
        os._exit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has each
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    if sys.stdin.isatty():
        sys.stderr.write(f"{TERMINAL_HINT}\n")
        sys.stderr.flush()
    return guard.run()
