"""Checks of all tests, carried out by the resident process first and then without: the same bytes, codes and files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.program import Ran, run_here
from tests.resident.resident_process import daemon, program

VARIABLE = "TRIALRUN_TESTS_BOTH_WAYS"
"""Set by the test that runs others: it has their checks done both ways."""
IGNORED = {".git"}
counted = [0]


@contextmanager
def daemon_for_tests(state: Path) -> Iterator[None]:
    """A resident process for the checks of this process, which must have been asked for each."""
    os.environ["TRIALRUN_NO_DAEMON"] = "1"  # for programs that tests start by themselves, with changes
    started = daemon(state, "start")
    assert started.code == 0, started
    yield
    told = daemon(state, "status").out
    daemon(state, "stop")
    assert f", {counted[0]} check" in told, (counted, told)


def run_both_ways(
    arguments: tuple[str, ...], folder: Path, cwd: Path, environment: dict[str, str], stdin: bytes | None
) -> Ran:
    """What a run in this process gives, after the resident process gave the same and left the same files."""
    with TemporaryDirectory() as temporary:
        before = Path(temporary, "before")
        copy(folder, before)
        cache = Path(temporary, "cache")
        if (known := Path(environment["TRIALRUN_CACHE_DIR"])).is_dir():
            copy(known, cache)
        answered = ask_resident(arguments, cwd, environment | {"TRIALRUN_CACHE_DIR": str(cache)}, stdin)
        left = files_below(folder)
        restore(folder, before)
        expected = run_here(arguments, cwd, environment, stdin)
        assert (answered, left) == (expected, files_below(folder))
    return expected


def ask_resident(arguments: tuple[str, ...], cwd: Path, environment: dict[str, str], stdin: bytes | None) -> Ran:
    counted[0] += 1
    variables = {name: value for name, value in environment.items() if name != "TRIALRUN_NO_DAEMON"}
    done = subprocess.run(
        program(*arguments), cwd=cwd, env=variables, input=stdin or b"", capture_output=True, check=False, timeout=120
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def files_below(folder: Path) -> dict[str, bytes]:
    """The bytes of all files, those of git apart."""
    found = {}
    for parent, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name not in IGNORED]
        for path in (Path(parent, name) for name in names):
            if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK):
                found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def restore(folder: Path, before: Path) -> None:
    """Put a folder back to what it was; the folder itself stays the same."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    copy(before, folder)


def copy(folder: Path, other: Path) -> None:
    """Copy what is in a folder as it is, pipes and links too."""
    other.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", f"{folder}/.", str(other)], check=True)


def wants_both_ways(arguments: tuple[str, ...], fixtures: list[str]) -> bool:
    """Whether a run is one that the resident process answers, in a test that changes nothing in this process."""
    is_check = arguments[:1] == ("check",) and "--watch" not in arguments
    return VARIABLE in os.environ and is_check and not {"monkeypatch", "mocker"} & set(fixtures)
