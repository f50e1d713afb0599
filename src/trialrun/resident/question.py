"""One question: what a `trialrun check` was started with, and the forked process that carries it out in its place."""

from __future__ import annotations

import gc
import io
import locale
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from trialrun.lazy_dataclass import dataclass
from trialrun.resident.message import CODE, STARTED, WRITES, Malformed
from trialrun.resident.peer import peer_process

DESCRIPTORS = 4
"""Standard input, output, error output, and the working directory."""
LOST_EXIT, INTERRUPTED_EXIT = 3, 130
SECONDS_OF_CPU = 3600
"""No check takes longer, whatever the repository contains."""
LIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "STACK")
"""The limits that a question has from who asks, as any program that is started has."""

Program = Callable[[Sequence[str], Callable[[], None]], int]
"""Carries out a command line and gives the exit code; calls the function before it writes for the first time."""


@dataclass(frozen=True, slots=True)
class Stream:
    """How a standard stream is to be opened."""

    encoding: str
    errors: str
    line_buffering: bool
    write_through: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What a process was started with, apart from its open files."""

    identity: bytes
    umask: int
    streams: tuple[Stream, ...]
    arguments: tuple[str, ...]
    environment: dict[bytes, bytes]


def parse_question(parts: list[bytes]) -> Question:
    """The question of a message. Raises Malformed."""
    try:
        identity, umask, *described = parts[1:6]
        count = int(parts[6])
        words, variables = parts[7 : 7 + count], parts[7 + count :]
        pairs = (variable.partition(b"=") for variable in variables)
        environment = {name: value for name, _, value in pairs}
        streams = tuple(_parse_stream(text) for text in described)
        return Question(identity, int(umask) & 0o777, streams, tuple(map(os.fsdecode, words)), environment)
    except (ValueError, IndexError) as error:
        raise Malformed("a question that no client of ours asks") from error


def _parse_stream(text: bytes) -> Stream:
    encoding, errors, lines, through = text.decode("ascii").split(" ")
    return Stream(encoding, errors, lines == "1", through == "1")


def carry_out(question: Question, descriptors: Sequence[int], connection: socket.socket, program: Program) -> NoReturn:
    """Become the process that was started with the question, carry it out, say the exit code and end."""
    code = LOST_EXIT
    try:
        connection.setblocking(True)
        _become(question, descriptors, connection)
        connection.sendall(STARTED)
        gc.enable()
        code = _run(question, connection, program)
        _flush()
        connection.sendall(CODE + bytes([code]))
    except KeyboardInterrupt:
        with suppress(OSError):
            connection.sendall(CODE + bytes([INTERRUPTED_EXIT]))
    except OSError:  # whoever asked has gone, and does without
        pass
    finally:
        os._exit(code)


def _run(question: Question, connection: socket.socket, program: Program) -> int:
    def before_writing() -> None:
        with suppress(OSError):
            connection.sendall(WRITES)

    try:
        return program(question.arguments, before_writing)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)


def _become(question: Question, descriptors: Sequence[int], connection: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _take_limits(peer_process(connection))
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    os.fchdir(descriptors[3])
    for descriptor in descriptors:
        os.close(descriptor)
    os.umask(question.umask)
    _set_environment(question.environment)
    _open_streams(question.streams)


def _take_limits(asking: int | None) -> None:
    """Take the limits, the priority and the cores of the process that asks, and a bound of the time. Raises OSError."""
    if asking is not None and sys.platform == "linux":
        for name in LIMITS:
            number = getattr(resource, f"RLIMIT_{name}")
            _take_limit(number, *resource.prlimit(asking, number))
        os.setpriority(os.PRIO_PROCESS, 0, max(os.getpriority(os.PRIO_PROCESS, asking), 0))
        os.sched_setaffinity(0, os.sched_getaffinity(asking))
    _lower_limit(resource.RLIMIT_CPU, SECONDS_OF_CPU, SECONDS_OF_CPU)


def _take_limit(number: int, soft: int, hard: int) -> None:
    """Raises OSError where the resident process was started with less than who asks has."""
    _, most = resource.getrlimit(number)
    if _lower(soft, most) != soft:
        raise OSError("a lower limit")
    _lower_limit(number, soft, hard)


def _lower_limit(number: int, soft: int, hard: int) -> None:
    _, most = resource.getrlimit(number)
    hard = _lower(hard, most)
    with suppress(OSError, ValueError):
        resource.setrlimit(number, (_lower(soft, hard), hard))


def _lower(first: int, second: int) -> int:
    limits = [limit for limit in (first, second) if limit != resource.RLIM_INFINITY]
    return min(limits, default=resource.RLIM_INFINITY)


def _set_environment(wanted: dict[bytes, bytes]) -> None:
    for name in os.environb.keys() - wanted.keys():
        del os.environb[name]
    for name, value in wanted.items():
        if os.environb.get(name) != value:
            os.environb[name] = value
    time.tzset()
    with suppress(locale.Error):
        locale.setlocale(locale.LC_CTYPE, "")


def _open_streams(streams: Sequence[Stream]) -> None:
    opened = [_open_stream(number, stream) for number, stream in enumerate(streams)]
    sys.stdin, sys.stdout, sys.stderr = opened
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = opened  # type: ignore[assignment, misc]


def _open_stream(number: int, stream: Stream) -> TextIO:
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    buffer: Any = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
    return io.TextIOWrapper(
        buffer,
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # its reader has gone, or it was closed
            continue
