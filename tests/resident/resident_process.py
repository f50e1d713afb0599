"""A resident process for tests, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.program import LEFT_OUT, SOURCE, Ran, changed_program
from trialrun.resident.message import STATUS
from trialrun.resident.start import Place, ask_status


@dataclass(frozen=True)
class Resident:
    """A resident process that runs, and how programs find it."""

    state: Path
    process: int

    @property
    def socket(self) -> Path:
        """The socket it listens at."""
        return next(path for path in (self.state / "daemon").iterdir() if not path.suffix)

    def environment(self, **further: str) -> dict[str, str]:
        """The environment of a program that asks it."""
        return environment(self.state, **further)

    def questions(self) -> int:
        """How many checks it was asked for."""
        status = ask_status(self._place, STATUS)
        assert status is not None
        return status.questions

    @cached_property
    def _place(self) -> Place:
        """Its place, as a program that asks it finds it: this process has another environment."""
        return place(self.state)


def environment(state: Path, **further: str) -> dict[str, str]:
    """The environment of a program that would ask a resident process with this state folder."""
    kept = {key: value for key, value in os.environ.items() if key not in LEFT_OUT and key != "TRIALRUN_NO_DAEMON"}
    own = {"PYTHONPATH": SOURCE, "TRIALRUN_STATE_DIR": str(state), "TRIALRUN_CACHE_DIR": str(state / "cache")}
    return kept | own | further


def place(state: Path) -> Place:
    """The place at which programs with this state folder look for a resident process."""
    code = (
        "from trialrun.resident.address import *; import os, sys\n"
        "os.makedirs(socket_folder(), mode=0o700, exist_ok=True); own = identity()\n"
        "sys.stdout.buffer.write(os.fsencode(socket_path(socket_folder(), own)) + b'\\0' + own)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(state), capture_output=True, check=True)
    path, _, identity = done.stdout.partition(b"\0")
    return Place(os.fsdecode(path), identity)


def program(*arguments: str | Path) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "trialrun", *map(str, arguments)]


def daemon(state: Path, *arguments: str, change: str = "", **further: str) -> Ran:
    """Run `trialrun daemon`, or the program with a change."""
    words = ("daemon", *arguments)
    done = subprocess.run(
        changed_program(change, *words) if change else program(*words),
        env=environment(state, **further),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@contextmanager
def state_folder() -> Iterator[Path]:
    """A folder with a name that is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="tr-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def resident(*options: str, change: str = "", **further: str) -> Iterator[Resident]:
    """A resident process, of the program or of one with a change; ended at the end."""
    with state_folder() as state:
        started = daemon(state, "start", *options, change=change, **further)
        assert started.code == 0, started
        process = int(started.out.split()[-1].rstrip(")"))
        try:
            yield Resident(state, process)
        finally:
            daemon(state, "stop", **further)
            end_process(process)


def end_process(process: int) -> None:
    """End a resident process that has not ended by itself."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
