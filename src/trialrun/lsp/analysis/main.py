"""The process of the office: messages come on standard input and go on what was standard output."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import BinaryIO

from trialrun.lsp.ipc.coalescing_queue import Tray
from trialrun.lsp.ipc.framing import received, send
from trialrun.lsp.ipc.messages import Ask, Astray, Begin, FromOffice, Outdated, Refusal, Told


def main() -> None:
    """Work until the server is gone; nothing else reads or writes between the messages, not even git."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us, when it ends itself
    incoming, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    tray = Tray(lambda number: _send(out, Refusal(number, Outdated("the text has changed; ask again"))))
    threading.Thread(target=_receive, args=(incoming, tray), daemon=True).start()
    from trialrun.lsp.analysis.analysis_server import Office

    begin = tray.take()
    assert isinstance(begin, Begin)
    os.chdir(begin.folder)
    is_astray = _moves(os.getcwd())
    office = Office(begin, lambda one: None if isinstance(one, Told) and is_astray() else _send(out, one), tray)
    pause: float | None = 0.0
    while True:
        message = tray.take(pause)
        if is_astray():
            _send(out, Astray())
            return
        if message is None:
            pause = office.work()
            continue
        office.take(message)
        if isinstance(message, Ask):
            office.find()  # neither questions nor findings wait for long when there is much of the other
        pause = 0.0


def _moves(folder: str) -> Callable[[], bool]:
    """Whether we are not in a folder any more: it was removed or renamed, and paths from it lead nowhere."""

    def is_astray() -> bool:
        try:
            return os.getcwd() != folder
        except OSError:
            return True

    return is_astray


def _receive(stream: BinaryIO, tray: Tray) -> None:
    """Take messages from the pipe as they come; without the server there is nothing to go on for."""
    while (message := received(stream)) is not None:
        tray.put(message)  # type: ignore[arg-type]
    os._exit(0)


def _send(out: BinaryIO, message: FromOffice) -> None:
    try:
        send(out, message)
    except OSError:
        os._exit(0)


if __name__ == "__main__":
    main()
