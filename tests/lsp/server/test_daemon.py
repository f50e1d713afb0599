"""The daemon that an editor wants: it runs as long as the server, and one that ran before stays."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.server.raw_client import Wire, wired
from tests.resident.resident_process import daemon, place
from trialrun.lsp.server import daemon as editor_daemon
from trialrun.resident.address import HAS_FORK
from trialrun.resident.message import STATUS
from trialrun.resident.start import ask_status

pytestmark = pytest.mark.skipif(not HAS_FORK, reason="this system has no fork")
LIMIT = 60.0
WANTED = {"daemon": True}


@pytest.fixture
def state() -> Iterator[Path]:
    """A state folder whose path is short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="tr-"))
    os.chmod(folder, 0o700)
    yield folder
    daemon(folder, "stop")
    shutil.rmtree(folder, ignore_errors=True)


def _begin(wire: Wire, options: object) -> None:
    wire.ask("initialize", {"capabilities": {}, "rootUri": None, "initializationOptions": options})


def _becomes(state: Path, *, running: bool) -> bool:
    end, own = time.monotonic() + LIMIT, place(state)
    while (ask_status(own, STATUS) is not None) is not running:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_the_daemon_runs_as_long_as_the_server(tmp_path: Path, state: Path) -> None:
    with wired(tmp_path, TRIALRUN_STATE_DIR=str(state), TRIALRUN_CACHE_DIR=str(state / "cache")) as wire:
        _begin(wire, WANTED)
        assert _becomes(state, running=True)
        assert wire.end() == 0
    assert _becomes(state, running=False)


@pytest.mark.exhaustive
def test_the_daemon_ends_when_it_is_no_longer_wanted(tmp_path: Path, state: Path) -> None:
    with wired(tmp_path, TRIALRUN_STATE_DIR=str(state), TRIALRUN_CACHE_DIR=str(state / "cache")) as wire:
        _begin(wire, WANTED)
        assert _becomes(state, running=True)
        wire.tell("workspace/didChangeConfiguration", {"settings": {"trialrun": {"daemon": False}}})
        assert _becomes(state, running=False)
        assert wire.end() == 0


@pytest.mark.exhaustive
def test_a_daemon_that_was_there_stays(tmp_path: Path, state: Path) -> None:
    assert daemon(state, "start").code == 0
    with wired(tmp_path, TRIALRUN_STATE_DIR=str(state), TRIALRUN_CACHE_DIR=str(state / "cache")) as wire:
        _begin(wire, WANTED)
        wire.open("a.yaml", "kind: Brand\nname: b\n")
        time.sleep(1)
        assert wire.end() == 0
    assert daemon(state, "status").code == 0


class Commands:
    """What the server has `trialrun daemon` do, which only says something."""

    def __init__(self, says: bytes) -> None:
        self.returncode, self.run = 0, list[str]()
        self._says = says

    def __call__(self, *arguments: str) -> Commands:
        self.run.append(arguments[0])
        return self

    def communicate(self) -> tuple[bytes, bytes]:
        return self._says, b""


@pytest.mark.parametrize(
    ("says", "run"), [(b"started (process 7)\n", ["start", "stop"]), (b"already running", ["start"])]
)
def test_only_a_daemon_of_its_own_is_ended(monkeypatch: pytest.MonkeyPatch, says: bytes, run: list[str]) -> None:
    commands = Commands(says)
    monkeypatch.setattr(editor_daemon, "_run_daemon", commands)
    monkeypatch.setattr(editor_daemon.threading.Thread, "start", lambda thread: thread.run())
    wanted = editor_daemon.Daemon(pytest.fail)
    wanted.start()
    wanted.stop()
    wanted.stop()
    assert commands.run == run


def test_no_daemon_is_started_unasked(tmp_path: Path, state: Path) -> None:
    with wired(tmp_path, TRIALRUN_STATE_DIR=str(state)) as wire:
        _begin(wire, {})
        assert wire.end() == 0
    assert not (state / "daemon").exists()


def test_why_a_daemon_does_not_start_is_shown(tmp_path: Path, state: Path) -> None:
    (state / "daemon").write_text("no folder")
    with wired(tmp_path, TRIALRUN_STATE_DIR=str(state)) as wire:
        _begin(wire, WANTED)
        assert str(state / "daemon") in wire.message()
        assert wire.end() == 0
