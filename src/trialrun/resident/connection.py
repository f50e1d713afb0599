"""What the resident process has open: who asks, how much of a question has come, and which process carries it out."""

from __future__ import annotations

import array
import os
import signal
import socket
from contextlib import suppress
from time import monotonic

from trialrun.resident.message import Malformed, decode, missing_bytes
from trialrun.resident.question import DESCRIPTORS

SECONDS_TO_ASK = 5.0
"""How long a question may take to arrive."""
PART_SIZE = 1 << 18
ROOM = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)


class Connection:
    """Somebody who asks: first the question arrives, then a process carries it out."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.descriptors: list[int] = []
        self.process: int | None = None
        self.is_interrupted = False
        self.deadline = monotonic() + SECONDS_TO_ASK
        self._received = bytearray()

    def receive(self) -> list[bytes] | None:
        """Receive what there is; the parts of the message once it is complete. Raises Malformed, OSError."""
        while wanted := missing_bytes(self._received):
            try:
                part, ancillary, flags, _ = self.socket.recvmsg(min(wanted, PART_SIZE), ROOM)
            except BlockingIOError:
                return None
            self._take_descriptors(ancillary)
            if not part or flags & socket.MSG_CTRUNC or len(self.descriptors) > DESCRIPTORS:
                raise Malformed("a question that ends early, or with too many files")
            self._received += part
        return decode(self._received)

    def _take_descriptors(self, ancillary: list[tuple[int, int, bytes]]) -> None:
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                numbers = array.array("i")
                numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
                self.descriptors.extend(numbers)

    def interrupt(self) -> None:
        """Pass a Ctrl-C on, as a terminal does: to all processes of the question."""
        self.is_interrupted = True
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """End all processes of the question."""
        self._signal(signal.SIGKILL)

    def has_ended(self) -> bool:
        """Whether the process of the question has ended; those that it left behind are ended too."""
        if self.process is None:
            return False
        if os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return False
        self.kill()
        os.waitpid(self.process, 0)
        self.process = None
        return True

    def close_descriptors(self) -> None:
        """Close the files of who asks, which the process of the question has."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []

    def close(self) -> None:
        """Close all."""
        self.close_descriptors()
        self.socket.close()

    def _signal(self, number: int) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process, number)
