"""The process of the office: messages come on standard input and go on what was standard output."""

from __future__ import annotations

import os
import signal
import threading
from typing import BinaryIO

from trialrun.lsp.message import Ask, Begin, FromOffice, Outdated, Refusal
from trialrun.lsp.post import received, send
from trialrun.lsp.tray import Tray


def main() -> None:
    """Work until the server is gone; nothing else reads or writes between the messages, not even git."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us, when it ends itself
    incoming, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    tray = Tray(lambda number: _send(out, Refusal(number, Outdated("the text has changed; ask again"))))
    threading.Thread(target=_receive, args=(incoming, tray), daemon=True).start()
    from trialrun.lsp.office import Office

    begin = tray.take()
    assert isinstance(begin, Begin)
    os.chdir(begin.folder)
    office = Office(begin, lambda message: _send(out, message), tray)
    pause: float | None = 0.0
    while True:
        message = tray.take(pause)
        if message is None:
            pause = office.work()
            continue
        office.take(message)
        if isinstance(message, Ask):
            office.find()  # neither questions nor findings wait for long when there is much of the other
        pause = 0.0


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
