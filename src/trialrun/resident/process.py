"""The resident process: it listens, and forks a process for each question; it carries out none itself.

It starts no thread, since a process that is forked beside one may wait for ever for a lock of it.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, time

from trialrun.lazy_dataclass import dataclass
from trialrun.resident.connection import Connection
from trialrun.resident.message import CHECK, READY, REFUSED, SEPARATOR, STATUS, STOP, Malformed
from trialrun.resident.own_files import OwnFiles
from trialrun.resident.peer import peer_user
from trialrun.resident.question import DESCRIPTORS, Program, carry_out, parse_question

MAX_CONNECTIONS = 256
BACKLOG = 128
SECONDS_TO_END = 10.0
"""How long checks may go on after the resident process was told to end."""
SECONDS_BETWEEN_LOOKS = 60.0
"""How often it looks at its files while nobody asks."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the resident process is started with."""

    identity: bytes
    seconds_idle: float
    own_files: OwnFiles
    program: Program


class Process:
    """The loop of the resident process."""

    def __init__(self, listening: socket.socket, options: Options) -> None:
        self._listening, self._options = listening, options
        self._connections: dict[int, Connection] = {}
        self._poll = select.poll()
        self._started, self._questions = time(), 0
        self._last_question = self._last_look = monotonic()
        self._end_by: float | None = None
        self._wakeup, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else _pipe()

    def run(self, before_end: Callable[[], None]) -> None:
        """Answer until it is idle, told to end, or out of date; calls the function as soon as it takes no more."""
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _note_signal)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, frame: self._stop())
        self._listening.setblocking(False)
        self._poll.register(self._listening.fileno(), select.POLLIN)
        self._poll.register(self._wakeup, select.POLLIN)
        is_listening = True
        while is_listening or self._connections:
            if self._end_by is not None and is_listening:
                before_end()
                self._poll.unregister(self._listening.fileno())
                self._listening.close()
                is_listening = False
                continue
            self._turn()
        signal.set_wakeup_fd(-1)

    def _turn(self) -> None:
        for descriptor, event in self._poll.poll(self._milliseconds()):
            if descriptor == self._wakeup:
                _empty(self._wakeup)
                self._reap()
            elif connection := self._connections.get(descriptor):
                self._hear(connection, event)
            elif self._end_by is None and descriptor == self._listening.fileno():
                self._accept()
        self._look_at_clock()

    def _milliseconds(self) -> float:
        if self._end_by is not None:
            return max(0.0, self._end_by - monotonic()) * 1000 + 1
        if any(connection.process is None for connection in self._connections.values()):
            return 100
        return max(0.1, min(self._options.seconds_idle, SECONDS_BETWEEN_LOOKS)) * 1000

    def _look_at_clock(self) -> None:
        now = monotonic()
        for connection in list(self._connections.values()):
            if connection.process is None and now > connection.deadline:
                self._close(connection)
        if self._end_by is not None and now > self._end_by:
            for connection in self._connections.values():
                connection.kill()
        if not self._connections and now - self._last_question >= self._options.seconds_idle:
            self._stop()
        if now - self._last_look >= SECONDS_BETWEEN_LOOKS:
            self._last_look = now
            if self._options.own_files.differ():
                self._stop()

    def _stop(self) -> None:
        if self._end_by is None:
            self._end_by = monotonic() + SECONDS_TO_END

    def _accept(self) -> None:
        try:
            connected, _ = self._listening.accept()
        except OSError:  # who asked has gone, or there are too many open files
            return
        if peer_user(connected) != os.geteuid() or len(self._connections) >= MAX_CONNECTIONS or not _greet(connected):
            connected.close()
            return
        self._connections[connected.fileno()] = Connection(connected)
        self._poll.register(connected.fileno(), select.POLLIN)

    def _hear(self, connection: Connection, event: int) -> None:
        if connection.process is None:
            self._hear_question(connection)
        elif event & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
            connection.kill()
            self._poll.unregister(connection.socket.fileno())
        elif not connection.is_interrupted:
            connection.interrupt()
            self._poll.modify(connection.socket.fileno(), 0)

    def _hear_question(self, connection: Connection) -> None:
        try:
            parts = connection.receive()
            if parts is None:
                return
            if parts[0] == CHECK:
                self._answer(connection, parts)
                return
            self._command(connection, parts)
        except (Malformed, OSError):
            pass
        self._close(connection)

    def _answer(self, connection: Connection, parts: list[bytes]) -> None:
        """Fork the process that carries out a check. Raises Malformed, OSError."""
        question = parse_question(parts)
        if len(connection.descriptors) != DESCRIPTORS or len(question.streams) != DESCRIPTORS - 1:
            raise Malformed("a question without its files")
        self._last_question = monotonic()
        if question.identity != self._options.identity or self._is_ending():
            connection.socket.send(REFUSED)
            self._close(connection)
            return
        self._questions += 1
        process = os.fork()
        if process == 0:
            self._leave(connection)
            carry_out(question, connection.descriptors, connection.socket, self._options.program)
        with suppress(OSError):  # it has ended already
            os.setpgid(process, process)
        connection.process = process
        connection.close_descriptors()

    def _is_ending(self) -> bool:
        if self._end_by is None and self._options.own_files.have_changed():
            self._stop()
        return self._end_by is not None

    def _leave(self, own: Connection) -> None:
        """In the forked process: close what is of the resident process and of other questions."""
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        self._listening.close()
        self._options.own_files.close()
        os.close(self._wakeup)
        os.close(self._woken)
        for connection in self._connections.values():
            if connection is not own:
                connection.close()

    def _command(self, connection: Connection, parts: list[bytes]) -> None:
        """Answer a command other than a check, and be told to end by one."""
        if len(parts) < 2 or parts[1] != self._options.identity:
            connection.socket.send(REFUSED)
        elif parts[0] in (STATUS, STOP):
            if parts[0] == STOP:
                self._stop()
            running = sum(other.process is not None for other in self._connections.values())
            facts = (os.getpid(), int(self._started), self._questions, running)
            connection.socket.send(SEPARATOR.join(b"%d" % fact for fact in facts))

    def _reap(self) -> None:
        for connection in list(self._connections.values()):
            if connection.has_ended():
                self._close(connection)

    def _close(self, connection: Connection) -> None:
        number = connection.socket.fileno()
        with suppress(KeyError):
            self._poll.unregister(number)
        self._connections.pop(number, None)
        connection.close()


def freeze() -> None:
    """Leave what is imported out of garbage collections, which would copy its memory into each forked process."""
    gc.collect()
    gc.freeze()


def _greet(connected: socket.socket) -> bool:
    """Say that this process listens; whether somebody is there."""
    connected.setblocking(False)
    try:
        return connected.send(READY) > 0
    except OSError:
        return False


def _note_signal(number: int, frame: object) -> None:
    """A child has ended; the wakeup descriptor says so."""


def _pipe() -> tuple[int, int]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    return reading, writing


def _empty(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while os.read(descriptor, 4096):
            pass
