"""Every call of git: in a repository that is named, under switches by which nothing of its configuration is run.

A hostile repository may name commands in many places of its configuration. Each is switched off: the monitor of files,
hooks, signatures, textconv and external diffs by name, the filter drivers one by one (they are looked up first, where a
command reads files of the work tree), transports by a list of allowed ones that is empty (a partial clone would fetch).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

from trialrun.record import dataclass
from trialrun.repository import Repository

SECONDS = 6.0
"""What a call may take: a configuration may make git wait for a pipe that nobody writes to."""
SECONDS_LOST = 7.5
"""What all calls that do not end may take together, however many repositories a command looks at."""
FORGOTTEN_AFTER = 600.0
"""Seconds after which a repository whose git did not end is asked again: an editor stays open for long."""
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
OWN = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": ""}
"""What git is told by its environment; what it writes, it writes in English."""
FILTER_VALUES = {"clean": "", "smudge": "", "process": "", "required": "false"}
MOST_FILTERS = 100


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


def run_git(
    repository: Repository, *words: str, folder: str | None = None, given: bytes = b"", switches: Sequence[str] = ()
) -> Answer | NoAnswer:
    """Run a command of git that reads no file of the work tree, or with the switches of `filters_off`.

    It runs in a folder of the work tree, its top where none is named.
    """
    program = git_program(repository.top)
    if program is None:
        return NoAnswer("git is not installed")
    where = (f"--git-dir={repository.git_dir}", f"--work-tree={repository.top}")
    command = [program, *where, *SWITCHES, *switches, *words]
    return _run(command, folder or repository.top, environment(), given, asked=repository.git_dir)


def filters_off(repository: Repository) -> tuple[str, ...] | NoAnswer:
    """The switches that turn off each filter driver which the configuration names."""
    answer = run_git(repository, "config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    if isinstance(answer, NoAnswer):
        return answer
    if answer.code not in (0, 1):  # 1: there is none
        return NoAnswer("git does not read the configuration of the repository")
    keys = {os.fsdecode(key) for key in answer.out.split(b"\0") if key.count(b".") > 1}
    names = sorted({key[len("filter.") : key.rindex(".")] for key in keys})
    if len(names) > MOST_FILTERS:
        return NoAnswer(f"the configuration of the repository names more than {MOST_FILTERS} filters")
    return tuple(word for name in names for key, value in FILTER_VALUES.items() for word in _off(name, key, value))


def _off(name: str, key: str, value: str) -> tuple[str, ...]:
    """The switch for one setting of a driver; of a name with `=` in it, `-c` would set something else."""
    if "=" in name:
        return (f"--config-env=filter.{name}.{key}=TRIALRUN_{key.upper()}",)
    return ("-c", f"filter.{name}.{key}={value}")


def environment() -> dict[str, str]:
    """Our environment without what git would obey of it: the repository and its switches are named to it."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return others | OWN | {f"TRIALRUN_{key.upper()}": value for key, value in FILTER_VALUES.items()}


def safe_directories() -> list[str]:
    """The values of `safe.directory` in the configuration of the user and of the system; that of no repository."""
    program = git_program(os.sep)
    if program is None:
        return []
    of_user = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG")}
    command = [program, "config", "-z", "--type=path", "--get-all", "safe.directory"]
    answer = _run(command, os.path.abspath(os.sep), environment() | of_user | {"GIT_DIR": os.devnull}, b"", asked="")
    return [os.fsdecode(value) for value in answer.out.split(b"\0")[:-1]] if isinstance(answer, Answer) else []


def is_opened(top: str) -> bool:
    """Whether git itself opens the repository of a work tree, by its own check of the owner."""
    program = git_program(top)
    if program is None:
        return False
    answer = _run(
        [program, *SWITCHES, "-C", top, "rev-parse", "--absolute-git-dir"], top, environment(), b"", asked=top
    )
    return isinstance(answer, Answer) and answer.code == 0


def git_program(top: str) -> str | None:
    """The program, from the absolute folders of PATH that are not in the work tree; None where there is none.

    The system would look in the working directory as well (Windows), or in what `.` and an empty entry of PATH mean.
    """
    return _program(os.environ.get("PATH", os.defpath), os.path.realpath(top))


@cache
def _program(path: str, top: str) -> str | None:
    name = "git.exe" if os.name == "nt" else "git"
    inside = os.path.join(top, "")
    for folder in path.split(os.pathsep):
        file = os.path.join(folder, name)
        outside = inside == os.path.join(os.sep, "") or not os.path.realpath(file).startswith(inside)
        if os.path.isabs(folder) and outside and os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    return None


class _Hung:
    """The repositories whose git did not end, and the seconds that waiting for them has taken."""

    def __init__(self) -> None:
        self._since = 0.0
        self._lost = 0.0
        self._repositories: set[str] = set()

    def seconds(self, asked: str) -> float:
        """What a call may take: nothing in a repository that hung, and less and less in others after one that did."""
        if self._repositories and time.monotonic() - self._since > FORGOTTEN_AFTER:
            self.forget()
        if asked in self._repositories:
            return 0.0
        left = SECONDS_LOST - self._lost
        return min(SECONDS, left / 2 if self._lost else left)

    def add(self, asked: str, seconds: float) -> None:
        """Remember a repository, and what was waited for it."""
        self._since = time.monotonic()
        self._lost += seconds
        self._repositories.add(asked)

    def forget(self) -> None:
        """Ask every repository again."""
        self._lost = 0.0
        self._repositories.clear()


_hung = _Hung()
forget_hung = _hung.forget


def _run(
    command: Sequence[str], folder: str, environment: Mapping[str, str], given: bytes, *, asked: str
) -> Answer | NoAnswer:
    """Run git; `asked` says which repository, so that one that hangs is asked no more."""
    seconds = _hung.seconds(asked)
    if seconds <= 0.0:
        return NoAnswer("git did not answer in time")
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except (OSError, ValueError) as error:
        return NoAnswer(f"git does not start: {error}")
    with process:
        try:
            out, err = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            _hung.add(asked, seconds)
            return NoAnswer(f"git does not answer within {seconds:.2g} seconds")
        except BaseException:
            _end(process)
            raise
    return Answer(process.returncode, out, err)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git with all that it started, which would hold our pipes open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
