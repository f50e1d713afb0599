"""A running analysis process: sending never blocks, messages from it are received in a thread."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

import trialrun
from trialrun.lsp.ipc.coalescing_queue import CoalescingQueue
from trialrun.lsp.ipc.framing import receive, send
from trialrun.lsp.ipc.messages import ToAnalysis

logger = logging.getLogger("trialrun")


class AnalysisProcess:
    """A process that starts at once. `on_message` gets each message, `on_exit` is called after the last one.

    `reject` gets the ids of requests that are dropped because their text is out of date.
    """

    def __init__(
        self,
        on_message: Callable[[AnalysisProcess, object], None],
        on_exit: Callable[[AnalysisProcess], None],
        reject: Callable[[int], None],
    ) -> None:
        self._on_message = on_message
        self._on_exit = on_exit
        self._queue = CoalescingQueue(reject)
        self._process = _start_process()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for target, stream in ((self._send, self._process.stdin), (self._receive, self._process.stdout)):
            threading.Thread(target=target, args=(stream,), daemon=True).start()

    @property
    def process_id(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, message: ToAnalysis) -> None:
        """Queue a message for sending."""
        self._queue.put(message)

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()

    def _send(self, stream: BinaryIO) -> None:
        """Write queued messages; only this thread waits when a busy process leaves the pipe full."""
        with suppress(OSError), stream:  # the process may be gone; the receiving thread reports that
            while (message := self._queue.get()) is not None:
                send(stream, message)

    def _receive(self, stream: BinaryIO) -> None:
        try:
            with stream:
                while (message := receive(stream)) is not None:
                    self._on_message(self, message)
        except Exception:  # a process that sends unreadable messages is replaced
            logger.exception("unreadable message of the analysis process; restart the server if trialrun was updated")
        self._queue.close()
        self.end()
        self._on_exit(self)


def _start_process() -> subprocess.Popen[bytes]:
    """Start the process in the folder of our package: nothing may be imported from the workspace."""
    package_parent = os.path.dirname(os.path.dirname(os.path.abspath(trialrun.__file__)))
    program = f"import sys; sys.path.append({package_parent!r}); from trialrun.lsp.analysis.main import main; main()"
    command = [sys.executable, "-P", "-c", program]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=package_parent)
