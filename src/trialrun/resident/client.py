"""Asks the resident process to carry out a check; it imports little, since its start is all that a check costs then."""

from __future__ import annotations

import _socket
import os
import sys

from trialrun.resident.message import CHECK, CODE, MAX_BYTES, READY, REFUSED, STARTED, WRITES, encode
from trialrun.resident.peer import peer_user

TYPE_CHECKING = False  # as type checkers read it, without the import of typing
if TYPE_CHECKING:
    from typing import TextIO

SECONDS_TO_START = 2.0
"""How long the resident process may take until a question is begun; then it is answered without it."""
LOST = "error: the daemon ended during the check; run the command again, or set TRIALRUN_NO_DAEMON=1\n"
LOST_EXIT, INTERRUPTED_EXIT = 3, 130


def ask(path: str, identity: bytes, arguments: list[str]) -> int | None:
    """The exit code of a check that the resident process carried out; None if this process has to carry it out."""
    message = _question(identity, arguments)
    if message is None:
        return None
    socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        return Answer(socket, "-" in arguments).wait() if _send(socket, path, message) else None
    finally:
        socket.close()


def _question(identity: bytes, arguments: list[str]) -> bytes | None:
    streams = [_describe(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)]
    if None in streams:
        return None
    umask = os.umask(0o077)
    os.umask(umask)
    words = [os.fsencode(argument) for argument in arguments]
    variables = [name + b"=" + value for name, value in os.environb.items()]
    described = [text.encode() for text in streams if text]
    message = encode([CHECK, identity, b"%d" % umask, *described, b"%d" % len(words), *words, *variables])
    return message if len(message) <= MAX_BYTES else None


def _describe(stream: TextIO | None) -> str | None:
    """How Python opened a standard stream; None for one that is closed, or that a program has replaced."""
    encoding, errors = getattr(stream, "encoding", None), getattr(stream, "errors", None)
    if not encoding or not errors:
        return None
    lines, through = getattr(stream, "line_buffering", False), getattr(stream, "write_through", False)
    return f"{encoding} {errors} {lines:d} {through:d}"


def _send(socket: _socket.socket, path: str, message: bytes) -> bool:
    """Send a question with the standard streams and the working directory, if the socket is one of this user."""
    try:
        folder = os.open(".", getattr(os, "O_PATH", os.O_RDONLY))
    except OSError:
        return False
    numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2, folder))
    try:
        socket.settimeout(SECONDS_TO_START)
        socket.connect(path)
        if peer_user(socket) != os.geteuid():
            return False
        if socket.recv(1) != READY:
            return False
        sent = socket.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
        if sent < len(message):  # to send nothing fails where the answer has come and the other end is closed
            socket.sendall(message[sent:])
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


class Answer:
    """What the resident process says about a question: that it is begun, that it writes, its exit code."""

    def __init__(self, socket: _socket.socket, reads_input: bool) -> None:
        self._socket = socket
        self._said = b""
        self._once = STARTED if reads_input else WRITES
        self._is_interrupted = False

    def wait(self) -> int | None:
        """The exit code; None if this process has to carry out the check, since nobody has begun to.

        A Ctrl-C is passed on, and the process that checks says what the exit code is; a second one ends this process.
        """
        while True:
            try:
                if not self._receive():
                    return self._without_code()
            except KeyboardInterrupt:
                if self._is_interrupted:
                    raise
                self._is_interrupted = True
                self._shut(_socket.SHUT_WR)
            head, code, tail = self._said.partition(CODE)
            if code and tail:
                return tail[0]
            if head == REFUSED:
                return None

    def _receive(self) -> bool:
        """Receive what is said next; whether something was."""
        try:
            part = self._receive_in_time()
        except OSError:
            return False
        if not self._said and part:
            self._socket.settimeout(None)
        self._said += part
        return bool(part)

    def _receive_in_time(self) -> bytes:
        try:
            return self._socket.recv(16)
        except TimeoutError:
            # Once this side is shut down, nobody can say any more that a question is begun, and so nobody begins.
            self._shut(_socket.SHUT_RD)
            return self._socket.recv(16)

    def _shut(self, side: int) -> None:
        try:
            self._socket.shutdown(side)
        except OSError:  # the other end has gone, which the next read says
            return

    def _without_code(self) -> int | None:
        if self._is_interrupted:
            return INTERRUPTED_EXIT
        if self._once not in self._said:
            return None
        sys.stderr.write(LOST)
        return LOST_EXIT
