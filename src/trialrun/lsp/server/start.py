"""Start and stop of a server for one editor, over standard input and output."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import BinaryIO

from trialrun.lsp.ipc.messages import Options
from trialrun.lsp.ipc.start_process import Process
from trialrun.lsp.server.client import DEFAULT_DEBOUNCE
from trialrun.lsp.server.workspace_folders import WorkspaceFolders

TERMINAL_HINT = (
    "trialrun lsp talks to an editor over standard input and output, but this is a terminal; "
    "docs/editors.md describes how editors start it; Ctrl-C ends it"
)


def serve(options: Options, analysis: Process) -> int:
    """Serve until the editor exits or is gone; the exit code that the protocol requires.

    `analysis` is the first analysis process, which was started before anything of this was imported.
    """
    with ExitStack() as exit_stack:
        folders = WorkspaceFolders(replace(options, debounce=DEFAULT_DEBOUNCE), analysis)
        exit_stack.callback(folders.stop)
        _exit_on_signals(exit_stack.close)
        if sys.stdin.isatty():
            sys.stderr.write(f"{TERMINAL_HINT}\n")
            sys.stderr.flush()
        from trialrun.lsp.server.language_server import Server  # imported once signals end both processes

        server = Server(folders)
        exit_stack.callback(server.session.rule_docs.remove)
        server.serve(_reserve_stdout())
    return 0 if server.session.is_shut_down else 1


def _exit_on_signals(stop: Callable[[], None]) -> None:
    """Exit at once on a signal: a blocking read of standard input would not return by itself."""

    def end(number: int, _: object) -> None:
        stop()
        os._exit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has each
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)


def _reserve_stdout() -> BinaryIO:
    """The stream that the editor reads; prints go to standard error from now on, not between the messages."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
