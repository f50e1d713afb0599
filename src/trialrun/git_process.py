"""The process of git: which program it is, what its environment says, and its bounds of time and of bytes.

Nothing here knows of repositories, so that finding one may ask git for the `safe.directory` of the user.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import IO

TIMEOUT = 6.0
"""What a call may take: a configuration may make git wait for a pipe that nobody writes to."""
MAX_TIME_LOST = 7.5
"""What all calls that do not end may take together, however many repositories a command looks at."""
FORGET_HUNG_AFTER = 600.0
"""Seconds after which a repository whose git did not end is asked again: an editor stays open for long."""
MAX_OUTPUT = 64 * 2**20
"""Bytes that a call may write to each of its pipes: an index of some megabytes may have names of many gigabytes."""
PART_SIZE = 2**16
SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "protocol.allow=never",
    "log.showSignature=false",
    "diff.ignoreSubmodules=all",
    "blame.ignoreRevsFile=",
    "mailmap.file=",
    "mailmap.blob=",
)
SWITCHES = ("--no-pager", "--no-optional-locks", *(word for setting in SETTINGS for word in ("-c", setting)))
OWN_ENVIRONMENT = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": ""}
"""The environment of git, which also makes it write English messages."""
FILTER_VALUES = {"clean": "", "smudge": "", "process": "", "required": "false"}


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command of git ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """git was not run, or did not end in time; the reason is a clause for a message."""

    reason: str


def environment() -> dict[str, str]:
    """Our environment without what git would obey of it: the repository and its switches are named to it."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return others | OWN_ENVIRONMENT | {f"TRIALRUN_{key.upper()}": value for key, value in FILTER_VALUES.items()}


def safe_directories() -> list[str]:
    """The values of `safe.directory` in the configuration of the user and of the system; that of no repository."""
    program = git_program(os.sep)
    if program is None:
        return []
    of_user = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG")}
    command = [program, "config", "-z", "--type=path", "--get-all", "safe.directory"]
    answer = run_process(
        command, os.path.abspath(os.sep), environment() | of_user | {"GIT_DIR": os.devnull}, b"", asked=""
    )
    return [os.fsdecode(value) for value in answer.out.split(b"\0")[:-1]] if isinstance(answer, Answer) else []


def is_opened_by_git(top: str) -> bool:
    """Whether git itself opens the repository of a work tree, by its own check of the owner."""
    program = git_program(top)
    if program is None:
        return False
    answer = run_process(
        [program, *SWITCHES, "-C", top, "rev-parse", "--absolute-git-dir"], top, environment(), b"", asked=top
    )
    return isinstance(answer, Answer) and answer.code == 0


def git_program(top: str) -> str | None:
    """The program, from the absolute folders of PATH that are not in the work tree; None if there is none.

    The system would look in the working directory as well (Windows), or in what `.` and an empty entry of PATH mean.
    """
    return _find_program(os.environ.get("PATH", os.defpath), os.path.realpath(top))


@cache
def _find_program(path: str, top: str) -> str | None:
    name = "git.exe" if os.name == "nt" else "git"
    inside = os.path.join(top, "")
    for folder in path.split(os.pathsep):
        file = os.path.join(folder, name)
        outside = inside == os.path.join(os.sep, "") or not os.path.realpath(file).startswith(inside)
        if os.path.isabs(folder) and outside and os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    return None


class _HungRepositories:
    """The repositories whose git did not end, and the seconds that waiting for them has taken."""

    def __init__(self) -> None:
        self._since = 0.0
        self._lost = 0.0
        self._repositories: set[str] = set()

    def seconds(self, asked: str) -> float:
        """What a call may take: nothing in a repository that hung, and less and less in others after one that did."""
        if self._repositories and time.monotonic() - self._since > FORGET_HUNG_AFTER:
            self.forget()
        if asked in self._repositories:
            return 0.0
        left = MAX_TIME_LOST - self._lost
        return min(TIMEOUT, left / 2 if self._lost else left)

    def add(self, asked: str, seconds: float) -> None:
        """Remember a repository, and what was waited for it."""
        self._since = time.monotonic()
        self._lost += seconds
        self._repositories.add(asked)

    def forget(self) -> None:
        """Ask every repository again."""
        self._lost = 0.0
        self._repositories.clear()


_hung = _HungRepositories()
forget_hung = _hung.forget


def run_process(
    command: Sequence[str], folder: str, environment: Mapping[str, str], given: bytes, *, asked: str
) -> Answer | NoAnswer:
    """Run git; `asked` says which repository, so that one that hangs is not asked again."""
    seconds = _hung.seconds(asked)
    if seconds <= 0.0:
        return NoAnswer("git did not answer in time")
    try:
        process = _start_process(command, folder, environment)
    except (OSError, ValueError) as error:
        return NoAnswer(f"git cannot be started: {error}")
    with process:
        try:
            out, err = _communicate(process, given, seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            _hung.add(asked, seconds)
            return NoAnswer(f"git did not answer within {seconds:.2g} seconds")
        except _OutputTooLarge:
            return NoAnswer(f"git wrote more than {MAX_OUTPUT // 2**20} MB")
        except BaseException:
            _end(process)
            raise
    return Answer(process.returncode, out, err)


def _start_process(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """git with unbuffered pipes, which can be closed while a thread waits for them."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        start_new_session=True,
    )


class _OutputTooLarge(Exception):
    """git wrote more than it may, and was ended."""


class _Reader(threading.Thread):
    """Reads one pipe of a process, which is ended when it writes more than it may."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.parts: list[bytes] = []
        self.is_over = False
        self._process = process
        self._pipe = pipe

    def run(self) -> None:
        """Read until the pipe is closed, or too much was read."""
        left = MAX_OUTPUT
        with suppress(OSError, ValueError):  # the pipe is closed when the time is up
            while part := self._pipe.read(PART_SIZE):
                left -= len(part)
                if left < 0:
                    self.is_over = True
                    _end(self._process)
                    return
                self.parts.append(part)


def _communicate(process: subprocess.Popen[bytes], given: bytes, seconds: float) -> tuple[bytes, bytes]:
    """Write to git and read what it writes, in bounded memory. Raises TimeoutExpired, _OutputTooLarge."""
    assert process.stdin and process.stdout and process.stderr
    deadline = time.monotonic() + seconds
    readers = [_Reader(process, pipe) for pipe in (process.stdout, process.stderr)]
    writer = threading.Thread(target=_write, args=(process.stdin, given), daemon=True)
    for thread in (*readers, writer):
        thread.start()
    for thread in (*readers, writer):
        thread.join(max(0.0, deadline - time.monotonic()))
    if any(reader.is_over for reader in readers):
        raise _OutputTooLarge
    if any(thread.is_alive() for thread in (*readers, writer)):
        raise subprocess.TimeoutExpired(process.args, seconds)
    process.wait(max(0.0, deadline - time.monotonic()))
    out, err = (b"".join(reader.parts) for reader in readers)
    return out, err


def _write(pipe: IO[bytes], given: bytes) -> None:
    """Write to git and close the pipe; git may end before it has read everything."""
    with suppress(OSError, ValueError):
        rest = memoryview(given)
        while rest:
            rest = rest[pipe.write(rest) or 0 :]
    with suppress(OSError):
        pipe.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git with all that it started, which would hold our pipes open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
