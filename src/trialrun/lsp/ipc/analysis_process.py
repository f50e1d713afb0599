"""One process of the office, as the server sees it: what is sent never waits, what it tells is heard in a thread."""

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
from trialrun.lsp.ipc.coalescing_queue import Tray
from trialrun.lsp.ipc.framing import received, send
from trialrun.lsp.ipc.messages import ToOffice

logger = logging.getLogger("trialrun")


class Child:
    """A process that works from now on. `heard` gets each message, `ended` is called once there will be no more.

    `refuse` gets the numbers of questions that are not sent, since their text is out of date.
    """

    def __init__(
        self, heard: Callable[[Child, object], None], ended: Callable[[Child], None], refuse: Callable[[int], None]
    ) -> None:
        self._heard = heard
        self._ended = ended
        self._outbox = Tray(refuse)
        self._process = _started()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for target, stream in ((self._send, self._process.stdin), (self._hear, self._process.stdout)):
            threading.Thread(target=target, args=(stream,), daemon=True).start()

    @property
    def process_id(self) -> int:
        """The number that the system knows it by."""
        return self._process.pid

    def send(self, message: ToOffice) -> None:
        """Send a message after those before it."""
        self._outbox.put(message)

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()

    def _send(self, stream: BinaryIO) -> None:
        """Write what waits; a busy process may let a pipe stand full, which is for this thread alone to wait for."""
        with suppress(OSError), stream:  # it may be gone, which the other thread tells
            while (message := self._outbox.take()) is not None:
                send(stream, message)

    def _hear(self, stream: BinaryIO) -> None:
        try:
            with stream:
                while (message := received(stream)) is not None:
                    self._heard(self, message)
        except Exception:  # a process that cannot be understood is as good as none
            logger.exception("the process that lints is not understood; was another version installed meanwhile?")
        self._outbox.close()
        self.end()
        self._ended(self)


def _started() -> subprocess.Popen[bytes]:
    """The process, in the folder our package is in: the folder of the workspace is no place to import from."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(trialrun.__file__)))
    program = f"import sys; sys.path.append({home!r}); from trialrun.lsp.analysis.main import main; main()"
    command = [sys.executable, "-P", "-c", program]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=home)
