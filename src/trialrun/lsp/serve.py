"""A server for one editor, over standard input and output, from its start to its end."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from queue import SimpleQueue
from typing import BinaryIO, Literal

from trialrun.lsp.message import Choices, Findings, Told
from trialrun.lsp.worker import Worker

PAUSE = 0.1
"""Seconds without a change after which a text is linted that is being typed; the first change is linted at once."""


def serve(choices: Choices) -> int:
    """Serve until the editor says that it is enough, or is gone; the exit code that the protocol asks for."""
    heard: SimpleQueue[Findings | Told] = SimpleQueue()
    worker = Worker(
        on_findings=lambda file, version, found: heard.put(Findings(file, version, tuple(found))),
        on_told=lambda severity, message: heard.put(Told(_severity(severity), message)),
    )
    server = None
    try:
        from trialrun.lsp.server import Server  # after the worker has started: this takes as long as it does

        server = Server(worker, heard, replace(choices, pause=PAUSE))
        server.start_io(stdout=_own_output())
    finally:
        worker.stop()
        if server is not None and server.pages is not None:
            server.pages.cleanup()
    return 0 if server.is_shut_down else 1


def _severity(word: str) -> Literal["error", "warning", "note"]:
    return "error" if word == "error" else "warning" if word == "warning" else "note"


def _own_output() -> BinaryIO:
    """What the editor reads; anything that is printed goes to standard error, not between the messages."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
