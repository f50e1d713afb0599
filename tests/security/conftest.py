"""What hostile repositories need: a canary that their configurations name, and text outside that nobody may print."""

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from trialrun import guarded_path
from trialrun.cli.main import main
from trialrun.git_process import forget_hung

SECRET = "the-secret-outside"
IDENTITY = ("-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "protocol.file.allow=always")


@dataclass(frozen=True)
class Canary:
    """A script that a hostile configuration names, and the mark that it leaves when somebody runs it."""

    script: Path
    mark: Path

    @property
    def was_run(self) -> bool:
        return self.mark.exists()


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Canary]:
    """A canary that must not have been run when the test ends."""
    script, mark = tmp_path / "canary.sh", tmp_path / "mark"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\nexit 0\n")
    script.chmod(0o755)
    canary = Canary(script, mark)
    yield canary
    assert not canary.was_run, "a command of the repository was run"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside of the repository, with a file of each sort whose text is a secret."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("secret.txt", "secret.csv", "secret.yaml", "secret.json", "secret.toml"):
        (folder / name).write_text(f"{SECRET}: [\n")
    return folder


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed."""

    code: int
    text: str


Trialrun = Callable[..., Ran]


@pytest.fixture
def trialrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Trialrun]:
    """Run a command in this process, in a folder; a fault of ours fails the test, and so does the secret in print."""
    for name in ("CACHE_DIR", "STATE_DIR"):
        monkeypatch.setenv(f"TRIALRUN_{name}", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def ran(*words: str, folder: Path) -> Ran:
        guarded_path.forget_allowed()
        forget_hung()
        monkeypatch.chdir(folder)
        code = main(list(words))
        printed = capfd.readouterr()
        text = printed.out + printed.err
        assert SECRET not in text
        assert code in (0, 1, 2), text
        return Ran(code, text)

    yield ran
    guarded_path.forget_allowed()


def git(folder: Path, *words: str) -> None:
    """Run git as the author of a hostile repository would."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", "-C", str(folder), *IDENTITY, *words], check=True, capture_output=True, env=clean)
