"""A configuration may make git wait for ever; a command still ends, however many repositories it looks at."""

import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.program import view
from tests.security.conftest import Trialrun, git
from trialrun import git_process as calls
from trialrun.git import NoAnswer, run_git
from trialrun.git_process import MAX_TIME_LOST, TIMEOUT, forget_hung
from trialrun.repository import Repository, find_repository

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name is what git waits for")
SLOWEST = 10.0
TRIALRUN_ALONE = 2.5
"""Seconds of our own work, on a busy machine."""
NAMES = ("a", "b", "c", "d")
COMMANDS = {
    "check since": ("check", "--since", "HEAD", *NAMES),
    "suppressions": ("suppressions", *NAMES),
    "settings": ("settings", "a/v.yaml"),
    "check": ("check",),
    "check of one": ("check", "a"),
    "check of many": ("check", *NAMES),
    "test": ("test", "a"),
    "schedule": ("schedule",),
    "fetch": ("fetch", "v", "1"),
    "rules test": ("rules", "test"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with repositories whose configurations include a pipe that nobody writes to."""
    folder = tmp_path / "many"
    folder.mkdir()
    for name in NAMES:
        repository = folder / name
        repository.mkdir()
        git(repository, "init", "-q")
        (repository / "trialrun.toml").write_text("")
        (repository / "v.yaml").write_text(
            f"# trialrun: ignore-file[cron-syntax] agreed\n{view(name, cron='0 25 * * *')}"
        )
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "one")
        os.mkfifo(repository / ".git" / "pipe")
        with (repository / ".git" / "config").open("a") as config:
            config.write("[include]\n  path = pipe\n")
    return folder


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> float:
    """Calls that are waited for a short time, and how long all may take."""
    monkeypatch.setattr(calls, "TIMEOUT", 0.2)
    monkeypatch.setattr(calls, "MAX_TIME_LOST", 0.3)
    return 0.3


def test_many_repositories_that_hang(folder: Path, trialrun: Trialrun, hasty: float) -> None:
    begin = time.perf_counter()
    ran = trialrun("check", *NAMES, folder=folder)
    assert time.perf_counter() - begin < hasty + TRIALRUN_ALONE
    assert "4 files checked" in ran.text


@pytest.mark.parametrize("name", first_of(COMMANDS, 3))
def test_every_command_ends(folder: Path, trialrun: Trialrun, hasty: float, name: str) -> None:
    begin = time.perf_counter()
    trialrun(*COMMANDS[name], folder=folder)
    assert time.perf_counter() - begin < hasty + TRIALRUN_ALONE


def test_what_is_lost_in_all_is_bounded() -> None:
    assert TIMEOUT < MAX_TIME_LOST <= SLOWEST - TRIALRUN_ALONE


def test_a_repository_that_hangs_is_asked_once(folder: Path, hasty: float, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_hung()
    start, asked = subprocess.Popen, []

    def counted(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        asked.append(options["cwd"])
        return start(command, **options)

    found = [find_repository(str(folder / name)) for name in NAMES]
    repositories = [file for file in found if isinstance(file, Repository)]
    assert len(repositories) == len(NAMES)
    monkeypatch.setattr(subprocess, "Popen", counted)
    answers = [run_git(repository, "rev-parse", "HEAD") for repository in (repositories[0], *repositories)]
    reasons = [answer.reason for answer in answers if isinstance(answer, NoAnswer)]
    assert len(reasons) == len(answers)
    assert asked == [repository.top for repository in repositories]
    assert reasons[1] == "git did not answer in time"
    assert sum(float(seconds) for seconds in re.findall(r"within ([\d.]+) seconds", " ".join(reasons))) < hasty
    forget_hung()


def test_a_sound_repository_is_asked_after_one_that_hangs(
    folder: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "TIMEOUT", 1.0)  # enough for a sound one on a busy machine
    config = folder / "b" / ".git" / "config"
    config.write_text(config.read_text().replace("path = pipe", "path = none"))
    (folder / "b" / ".git" / "info" / "exclude").write_text("ignored.yaml\n")
    (folder / "b" / "ignored.yaml").write_text("a: [")
    assert trialrun("check", "a", "b", folder=folder).code == 0
