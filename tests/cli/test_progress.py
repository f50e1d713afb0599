"""What is said of long work where standard error is no terminal: a line every ten seconds."""

import json
import queue
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.changes.git_workspace import commit, write_burgers
from tests.cli.example_workspace import NOON, copied
from tests.program import Run
from trialrun.cli import progress
from trialrun.cli.progress import LINE_INTERVAL, Progress

Hasty = Callable[..., tuple[str, list[str]]]


@pytest.fixture(autouse=True)
def every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval of the program; other tests have none."""
    monkeypatch.setattr(progress, "LINE_INTERVAL", LINE_INTERVAL)


class Seconds(threading.Event):
    """The event that ends the work, whose time passes when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[float | None] = []
        self._passed: queue.Queue[bool] = queue.Queue()
        self._reached: queue.Queue[None] = queue.Queue()

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.append(timeout)
        self._reached.put(None)
        return self._passed.get()

    def set(self) -> None:
        self._passed.put(True)

    def let_pass(self) -> None:
        """Let an interval pass, and wait until what it brings is written."""
        self._reached.get()
        self._passed.put(False)
        self._reached.get()
        self._reached.put(None)


def test_a_line_for_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    time = Seconds()
    with Progress("menu", ended=time) as shown:
        shown.set_activity("reading the sources")
        time.let_pass()
        shown(1000)
        shown(12_000)
        time.let_pass()
        shown(6_000, 12_000)
        time.let_pass()
        time.let_pass()
    assert capsys.readouterr() == (
        "",
        "menu  reading the sources …\nmenu  12,000 entities\n"
        + "menu  [############            ]  50%  6,000 of 12,000\n" * 2,
    )
    assert set(time.waited) == {LINE_INTERVAL} == {10}


def test_nothing_where_the_work_is_short_or_done(capsys: pytest.CaptureFixture[str]) -> None:
    time = Seconds()
    with Progress("menu", ended=time) as shown:
        shown(1, 2)
        shown.clear()
        time.let_pass()
        shown.set_title("drinks")
        shown(2, 2)
    assert capsys.readouterr() == ("", "")


def test_a_title_of_a_document_controls_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    time = Seconds()
    with Progress("menu\x1b[31m\n::error::", ended=time) as shown:
        shown(1, 2)
        time.let_pass()
    (line,) = capsys.readouterr().err.splitlines()
    assert line == r"menu\x1b[31m\n::error::  [############            ]  50%  1 of 2"


@pytest.fixture
def hasty(run: Run, monkeypatch: pytest.MonkeyPatch) -> Hasty:
    """What a command prints, and the lines of its progress with an interval of milliseconds."""

    def ran(*words: str) -> tuple[str, list[str]]:
        with monkeypatch.context() as patch:
            patch.setattr(progress, "LINE_INTERVAL", 0.002)
            done = run(*words)
        assert done.code in (0, 1)
        return done.out, done.err.splitlines()

    return ran


@pytest.mark.parametrize("form", first_of(["json", "text"]))
def test_sessions_of_a_store(run: Run, hasty: Hasty, tmp_path: Path, form: str) -> None:
    write_burgers(tmp_path)
    words = ("explore", "--all-stores", "--sessions", "100", "--output-format", form, *NOON)
    out, lines = hasty(*words)
    assert out == run(*words).out
    assert any(re.fullmatch(r".+  \d+ of 100", line) for line in lines)


def test_sessions_of_a_plan(run: Run, hasty: Hasty, tmp_path: Path) -> None:
    write_burgers(tmp_path)
    commit(tmp_path)
    write_burgers(tmp_path, maxUpsellOffers=1)
    words = ("plan", "HEAD", "--sessions", "200", "--output-format", "json", *NOON)
    out, lines = hasty(*words)
    assert out == run(*words).out
    assert any(re.fullmatch(r".+  \d+ of 200", line) for line in lines)


def test_rows_of_a_sync(hasty: Hasty, tmp_path: Path) -> None:
    copied(tmp_path)
    out, lines = hasty("sync", "menu_search", "--output-format", "json", *NOON)
    assert json.loads(out)["entities"] == 335
    assert any(line.endswith("menu_search  reading the sources …") for line in lines)
