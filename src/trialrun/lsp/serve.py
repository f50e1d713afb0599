"""A server for one editor, over standard input and output, from its start to its end."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from typing import BinaryIO

from trialrun.lsp.folders import Folders
from trialrun.lsp.message import Choices
from trialrun.lsp.wishes import PAUSE

ALONE = (
    "trialrun lsp speaks with an editor over standard input and output, and this is a terminal; "
    "docs/editors.md says how an editor starts it, and Ctrl-C ends it"
)


def serve(choices: Choices) -> int:
    """Serve until the editor says that it is enough, or is gone; the exit code that the protocol asks for."""
    folders = Folders(replace(choices, pause=PAUSE))
    if sys.stdin.isatty():
        _greet(folders)
    server = None
    try:
        from trialrun.lsp.server import Server  # after an office has started: this takes as long as that

        server = Server(folders)
        server.start_io(stdout=_own_output())
    finally:
        folders.stop()
        if server is not None:
            server.pages.clear()
    return 0 if server.is_shut_down else 1


def _greet(folders: Folders) -> None:
    """Say what this is to a person, who can end it: what waits for a line of theirs would not hear Ctrl-C."""

    def end(*_: object) -> None:
        folders.stop()
        os._exit(130)

    signal.signal(signal.SIGINT, end)
    sys.stderr.write(f"{ALONE}\n")
    sys.stderr.flush()


def _own_output() -> BinaryIO:
    """What the editor reads; anything that is printed goes to standard error, not between the messages."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
