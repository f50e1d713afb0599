"""Starting the resident process, and asking it how it is or to end."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import stat
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from trialrun.errors import UsageError, os_error_reason
from trialrun.lazy_dataclass import dataclass
from trialrun.resident.address import MAX_SOCKET_PATH, PACKAGE, identity, is_private, socket_folder, socket_path
from trialrun.resident.message import READY, REFUSED, SEPARATOR, encode
from trialrun.resident.own_files import OwnFiles
from trialrun.resident.peer import peer_user
from trialrun.resident.process import BACKLOG, Options, Process, freeze
from trialrun.resident.question import Program

LISTENING = b"ready"
SECONDS_TO_ANSWER = 5.0
LOG = "log"
MAX_LOG = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where the resident process of this installation is, and what it answers to."""

    path: str
    identity: bytes


@dataclass(frozen=True, slots=True)
class Status:
    """What the resident process says of itself."""

    process: int
    started: int
    questions: int
    running: int


def find_place() -> Place:
    """The place of the resident process of this installation. Raises UsageError where there can be none."""
    own = identity()
    if own is None:
        raise UsageError("the daemon cannot be used with a relative folder in PYTHONPATH, or as another user")
    folder = socket_folder()
    if folder is None:
        raise UsageError("this user has no home folder; set XDG_RUNTIME_DIR to a folder of the user")
    path = socket_path(folder, own)
    if len(os.fsencode(path)) > MAX_SOCKET_PATH:
        raise UsageError(f"the path {path} is too long for a socket; set XDG_RUNTIME_DIR to a shorter folder")
    return Place(path, own)


def ask_status(place: Place, command: bytes) -> Status | None:
    """Send a command to the resident process; None if there is none that answers."""
    if not is_private(os.path.dirname(place.path)):
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS_TO_ANSWER)
        try:
            connection.connect(place.path)
            if peer_user(connection) != os.geteuid():
                return None
            if connection.recv(1) != READY:
                return None
            connection.sendall(encode([command, place.identity]))
            answer = connection.recv(1024)
        except OSError:
            return None
    if not answer or answer == REFUSED:
        return None
    return Status(*map(int, answer.split(SEPARATOR)))


def wait_until_ended(place: Place, seconds: float) -> bool:
    """Wait until no resident process is at a place; whether that is so."""
    import time

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open(_lock_file(place.path), "ab") as lock, suppress(OSError):
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.02)
    return False


def start_in_background(place: Place, seconds_idle: float, program: Program, prepare: Callable[[], None]) -> int | None:
    """Start the resident process; its id once it listens, None if another one does. Raises UsageError."""
    make_private_folder(os.path.dirname(place.path))
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    first = os.fork()
    if first == 0:
        os.close(reading)
        _detach(place, writing)
        _run_to_end(place, seconds_idle, program, prepare, writing)
    os.close(writing)
    os.waitpid(first, 0)
    with os.fdopen(reading, "rb") as stream:
        word, _, text = stream.read().partition(b" ")
    if word == LISTENING:
        return int(text)
    if word == b"running":
        return None
    raise UsageError(f"the daemon did not start; see {_log_file(place.path)}")


def make_private_folder(folder: str) -> None:
    """Make the folder of the socket, which only this user may enter. Raises UsageError."""
    try:
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made; {os_error_reason(error)}") from error
    if not is_private(folder):
        raise UsageError(f"{folder} is not a folder of this user alone; remove it, or run chmod 700 {folder}")


def _detach(place: Place, writing: int) -> None:
    """Leave the session of the terminal, its files and its folder; errors are written to a log from here on."""
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.umask(0o077)
    null = os.open(os.devnull, os.O_RDWR)
    log = os.open(_log_file(place.path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    for number, other in enumerate((null, null, log)):
        os.dup2(other, number)
    for number in {null, log} - {0, 1, 2}:
        os.close(number)
    os.closerange(3, writing)
    os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 4096)


def _run_to_end(
    place: Place, seconds_idle: float, program: Program, prepare: Callable[[], None], writing: int
) -> NoReturn:
    code = 1
    try:
        with os.fdopen(writing, "wb", buffering=0) as stream:
            listen(place, seconds_idle, program, prepare, lambda word: _report(stream.fileno(), word))
        code = 0
    except BaseException:  # noqa: BLE001 - nobody else would write it down
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _report(descriptor: int, word: bytes) -> None:
    with suppress(OSError):
        os.write(descriptor, word + b" %d" % os.getpid())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def listen(
    place: Place, seconds_idle: float, program: Program, prepare: Callable[[], None], report: Callable[[bytes], None]
) -> None:
    """Be the resident process until it ends; reports `ready` or `running`."""
    with open(_lock_file(place.path), "ab") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            report(b"running")
            return
        signal.signal(signal.SIGINT, signal.default_int_handler)
        prepare()
        own_files = OwnFiles(_own_folders())
        freeze()
        with socket.socket(socket.AF_UNIX) as listening:
            _bind(listening, place.path)
            process = Process(listening, Options(place.identity, seconds_idle, own_files, program))
            report(LISTENING)
            process.run(lambda: _remove(place.path))


def _bind(listening: socket.socket, path: str) -> None:
    """Listen at a path; who holds the lock may remove a socket that an earlier process left."""
    _remove(path)
    umask = os.umask(0o177)
    try:
        listening.bind(path)
    finally:
        os.umask(umask)
    listening.listen(BACKLOG)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)


def _own_folders() -> list[str]:
    rules = os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "rules")
    return [PACKAGE, rules] if os.path.isdir(rules) else [PACKAGE]


def _lock_file(path: str) -> str:
    return f"{path}.lock"


def _log_file(path: str) -> str:
    return f"{path}.{LOG}"
