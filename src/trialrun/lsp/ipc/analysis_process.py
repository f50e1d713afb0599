"""A running analysis process: sending never blocks, messages from it are received in a thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from trialrun.lsp.ipc.coalescing_queue import CoalescingQueue
from trialrun.lsp.ipc.framing import receive, send
from trialrun.lsp.ipc.messages import ToAnalysis
from trialrun.lsp.ipc.start_process import Process, start_process

logger = logging.getLogger("trialrun")


class AnalysisProcess:
    """A process that starts at once, if it is not `started` already.

    `on_message` gets each message, `on_exit` is called after the last one.
    `reject` gets the ids of requests that are dropped because their text is out of date.
    """

    def __init__(
        self,
        on_message: Callable[[AnalysisProcess, object], None],
        on_exit: Callable[[AnalysisProcess], None],
        reject: Callable[[int], None],
        started: Process | None = None,
    ) -> None:
        self._on_message = on_message
        self._on_exit = on_exit
        self._queue = CoalescingQueue(reject)
        self._process = started or start_process()
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
