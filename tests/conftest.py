"""What many tests need: the program as a person runs it, in a folder of its own, with a cache of its own."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.program import ENCODING, READ_AT_START, Ran, Run, own_environment, run_here, run_process

# A shell that starts the suite in the background lets it ignore Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# In CI the same examples run every time, so that a red run speaks of the change; a machine under load is no failure.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


STATE = tempfile.TemporaryDirectory(prefix="trialrun-tests-state-")
os.environ["TRIALRUN_STATE_DIR"] = STATE.name


def pytest_unconfigure() -> None:
    """Let the summary be the last word: DuckDB would tell of its memory when Python ends, which takes it apart late."""
    atexit.register(os.dup2, os.open(os.devnull, os.O_WRONLY), sys.__stderr__.fileno() if sys.__stderr__ else 2)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `trialrun` with some arguments in the test's own folder, in the process of the test."""

    def ran(*arguments: str, stdin: bytes | None = None, cwd: Path | None = None, **environment: str) -> Ran:
        assert not [name for name in environment if name.startswith(READ_AT_START) and name != ENCODING]
        return run_here(arguments, cwd or tmp_path, own_environment(tmp_path) | environment, stdin)

    return ran


@pytest.fixture
def process(tmp_path: Path) -> Run:
    """Run `trialrun` with some arguments in the test's own folder, in a process of its own."""

    def ran(*arguments: str, stdin: bytes | None = None, cwd: Path | None = None, **environment: str) -> Ran:
        return run_process(arguments, cwd or tmp_path, own_environment(tmp_path) | environment, stdin)

    return ran
