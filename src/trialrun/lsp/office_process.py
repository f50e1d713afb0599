"""The process of the office: messages come on standard input and go on what was standard output."""

from __future__ import annotations

import os
import signal
import threading
from queue import Empty, SimpleQueue
from typing import BinaryIO

from trialrun.lsp.message import Ask, Begin, Cancel, FromOffice, Put, ToOffice
from trialrun.lsp.post import received, send


def main() -> None:
    """Work until the server is gone; nothing else reads or writes between the messages, not even git."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us, when it ends itself
    incoming, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    inbox: SimpleQueue[ToOffice] = SimpleQueue()
    threading.Thread(target=_receive, args=(incoming, inbox), daemon=True).start()
    from trialrun.lsp.office import Office

    begin = inbox.get()
    assert isinstance(begin, Begin)
    os.chdir(begin.folder)
    office = Office(begin, lambda message: _send(out, message))
    pause: float | None = 0.0
    while True:
        for message in _waiting(inbox, pause):
            office.take(message)
        pause = office.work()


def _receive(stream: BinaryIO, inbox: SimpleQueue[ToOffice]) -> None:
    """Take messages from the pipe as they come; without the server there is nothing to go on for."""
    while (message := received(stream)) is not None:
        inbox.put(message)  # type: ignore[arg-type]
    os._exit(0)


def _send(out: BinaryIO, message: FromOffice) -> None:
    try:
        send(out, message)
    except OSError:
        os._exit(0)


def _waiting(inbox: SimpleQueue[ToOffice], pause: float | None) -> list[ToOffice]:
    """The messages that wait, without those that others make needless; waiting for one up to a pause."""
    messages: list[ToOffice] = []
    try:
        messages.append(inbox.get(timeout=pause) if pause is None or pause > 0 else inbox.get_nowait())
        while True:
            messages.append(inbox.get_nowait())
    except Empty:
        return _needed(messages)


def _needed(messages: list[ToOffice]) -> list[ToOffice]:
    """Without questions that are cancelled, and texts that a newer one of the same file follows at once."""
    cancelled = {one.number for one in messages if isinstance(one, Cancel)}
    kept: list[ToOffice] = []
    for one in messages:
        if isinstance(one, Cancel) or (isinstance(one, Ask) and one.number in cancelled):
            continue
        if isinstance(one, Put) and kept and isinstance(last := kept[-1], Put) and last.file == one.file:
            kept.pop()
        kept.append(one)
    return kept


if __name__ == "__main__":
    main()
