"""Entry point of the analysis process: messages arrive on standard input and leave on the original standard output."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import BinaryIO

from trialrun.lsp.ipc.messages import (
    TEXT_CHANGED,
    AnalysisRequest,
    CoalescingQueue,
    FolderGone,
    FromAnalysis,
    Initialize,
    Response,
    ServerCancelled,
    ShowMessage,
    receive,
    send,
)
from trialrun.working_folder import enter_folder


def main() -> None:
    """Run until the server is gone; nothing else may read or write these streams, not even git."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server stops this process when it stops itself
    incoming, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    queue = CoalescingQueue(lambda number: _send(out, Response(number, error=ServerCancelled(TEXT_CHANGED))))
    threading.Thread(target=_receive, args=(incoming, queue), daemon=True).start()
    from trialrun.lsp.analysis.analysis_server import AnalysisServer

    begin = queue.get()
    assert isinstance(begin, Initialize)
    folder_is_gone = _folder_check(enter_folder(begin.folder))
    server = AnalysisServer(
        begin,
        lambda message: None if isinstance(message, ShowMessage) and folder_is_gone() else _send(out, message),
        queue,
    )
    delay: float | None = 0.0
    while True:
        message = queue.get(delay)
        if folder_is_gone():
            _send(out, FolderGone())
            return
        if message is None:
            delay = server.run_next_task()
            continue
        server.handle(message)
        if isinstance(message, AnalysisRequest):
            server.publish_next()  # neither requests nor diagnostics may starve the other
        delay = 0.0


def _folder_check(folder: str) -> Callable[[], bool]:
    """A check whether the working folder was removed or renamed, so that relative paths no longer work."""

    def folder_is_gone() -> bool:
        try:
            return os.getcwd() != folder
        except OSError:
            return True

    return folder_is_gone


def _receive(stream: BinaryIO, queue: CoalescingQueue) -> None:
    """Queue messages as they arrive; exit when the server is gone."""
    while (message := receive(stream)) is not None:
        queue.put(message)  # type: ignore[arg-type]
    os._exit(0)


def _send(out: BinaryIO, message: FromAnalysis) -> None:
    try:
        send(out, message)
    except OSError:
        os._exit(0)


if __name__ == "__main__":
    main()
