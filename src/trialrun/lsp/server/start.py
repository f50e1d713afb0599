"""A server for one editor, over standard input and output, from its start to its end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import BinaryIO

from trialrun.lsp.ipc.messages import Choices
from trialrun.lsp.server.client_options import PAUSE
from trialrun.lsp.server.workspace_folders import Folders

ALONE = (
    "trialrun lsp speaks with an editor over standard input and output, and this is a terminal; "
    "docs/editors.md says how an editor starts it, and Ctrl-C ends it"
)


def serve(choices: Choices) -> int:
    """Serve until the editor says that it is enough, or is gone; the exit code that the protocol asks for."""
    with ExitStack() as leave:
        folders = Folders(replace(choices, pause=PAUSE))
        leave.callback(folders.stop)
        _end_by_signals(leave.close)
        if sys.stdin.isatty():
            sys.stderr.write(f"{ALONE}\n")
            sys.stderr.flush()
        from trialrun.lsp.server.language_server import (
            Server,  # after an office has started: this takes as long as that
        )

        server = Server(folders)
        leave.callback(server.pages.clear)
        server.start_io(stdout=_own_output())
    return 0 if server.is_shut_down else 1


def _end_by_signals(leave: Callable[[], None]) -> None:
    """End at once when the system or a person says so: what waits for a line of the editor would not end by itself."""

    def end(number: int, _: object) -> None:
        leave()
        os._exit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has each
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)


def _own_output() -> BinaryIO:
    """What the editor reads; anything that is printed goes to standard error, not between the messages."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
