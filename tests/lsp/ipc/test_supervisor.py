"""The analysis process behind its supervisor: findings and answers come, whatever a text does to it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from trialrun.lsp.ipc.messages import (
    Diagnostics,
    ForClient,
    InternalError,
    Options,
    Progress,
    ServerCancelled,
    ShowMessage,
)
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor

LIMIT = 90
"""Seconds that something is waited for: it comes in well under one, save on a machine that is very busy."""
VIEW = b"kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 6 * * *}\n"
BROKEN_VIEW = VIEW.replace(b"0 6", b"0 66")
SLOW = b"kind: Brand\nname: north\nstores:\n" + b"".join(
    b"  - {name: s%d, timeZone: Europe/Nowhere%d}\n" % (number, number) for number in range(100_000)
)
"""A text that takes far longer to lint than the tests let it."""
Started = Callable[..., AnalysisSupervisor]


@pytest.fixture
def findings() -> Queue[tuple[str, int, list[str]]]:
    return Queue()


@pytest.fixture
def told() -> Queue[str]:
    return Queue()


@pytest.fixture
def left() -> Queue[int]:
    return Queue()


@pytest.fixture
def started(tmp_path: Path, findings: Queue[Any], told: Queue[str], left: Queue[int]) -> Iterator[Started]:
    """Start a supervisor in the test's folder."""
    supervisors: list[AnalysisSupervisor] = []

    def receive(message: ForClient) -> None:
        match message:
            case Diagnostics(file, version, diagnostics):
                findings.put((Path(file).name, version, [diagnostic.rule for diagnostic in diagnostics]))
            case ShowMessage(_, text):
                told.put(text)
            case Progress(remaining_files):
                left.put(remaining_files)

    def start(**limits: float) -> AnalysisSupervisor:
        supervisor = AnalysisSupervisor(receive, **limits)
        supervisors.append(supervisor)
        supervisor.initialize(str(tmp_path), Options(cache=False))
        return supervisor

    yield start
    for supervisor in supervisors:
        supervisor.stop()


def test_an_open_file_has_its_findings(started: Started, tmp_path: Path, findings: Queue[Any]) -> None:
    started().open_text(str(tmp_path / "view.yaml"), BROKEN_VIEW, 7)
    name, version, rules = findings.get(timeout=LIMIT)
    assert (name, version) == ("view.yaml", 7)
    assert "cron-syntax" in rules


def test_a_change_has_other_findings(started: Started, tmp_path: Path, findings: Queue[Any]) -> None:
    supervisor = started()
    supervisor.open_text(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    findings.get(timeout=LIMIT)
    supervisor.change_text(str(tmp_path / "view.yaml"), VIEW, 2)
    _, version, rules = findings.get(timeout=LIMIT)
    assert version == 2
    assert "cron-syntax" not in rules


def test_a_change_of_the_settings_has_other_findings(started: Started, tmp_path: Path, findings: Queue[Any]) -> None:
    supervisor = started()
    supervisor.open_text(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    findings.get(timeout=LIMIT)
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n')
    supervisor.files_changed([str(tmp_path / "trialrun.toml")])
    assert "cron-syntax" not in findings.get(timeout=LIMIT)[2]


def test_wrong_settings_are_told_and_those_in_force_stay(
    started: Started, tmp_path: Path, findings: Queue[Any], told: Queue[str]
) -> None:
    supervisor = started()
    supervisor.open_text(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    findings.get(timeout=LIMIT)
    (tmp_path / "trialrun.toml").write_text("ignores = []\n")
    supervisor.files_changed([str(tmp_path / "trialrun.toml")])
    assert "ignores" in told.get(timeout=LIMIT)
    supervisor.change_text(str(tmp_path / "view.yaml"), BROKEN_VIEW + b"\n", 2)
    assert "cron-syntax" in findings.get(timeout=LIMIT)[2]


def test_how_much_is_left_is_told_until_all_is_done(started: Started, tmp_path: Path, left: Queue[int]) -> None:
    for number in range(30):
        (tmp_path / f"{number}.yaml").write_bytes(VIEW.replace(b"prices", b"prices%d" % number))
    supervisor = started()
    counts = list(iter(lambda: left.get(timeout=LIMIT), 0))
    assert 0 < counts[0] <= 30
    assert counts == sorted(counts, reverse=True)
    supervisor.files_changed([str(tmp_path / "3.yaml")])
    assert 0 in iter(lambda: left.get(timeout=LIMIT), None)


def test_a_feature_answers_about_the_newest_text(started: Started, tmp_path: Path) -> None:
    supervisor = started()
    supervisor.open_text(str(tmp_path / "view.yaml"), VIEW, 1)
    supervisor.change_text(str(tmp_path / "view.yaml"), VIEW.replace(b"prices", b"costs"), 2)
    (symbol,) = supervisor.request("document_symbols", str(tmp_path / "view.yaml")).result(LIMIT)
    assert symbol.name == "costs"


def test_a_question_that_there_is_not_is_a_fault_and_told(started: Started, tmp_path: Path, told: Queue[str]) -> None:
    supervisor = started()
    with pytest.raises(InternalError):
        supervisor.request("horoscope", str(tmp_path / "view.yaml")).result(LIMIT)
    assert "horoscope" in told.get(timeout=LIMIT)


def test_a_cancelled_question_has_no_answer_and_others_do(started: Started, tmp_path: Path) -> None:
    supervisor = started()
    supervisor.open_text(str(tmp_path / "view.yaml"), VIEW, 1)
    cancelled = supervisor.request("document_symbols", str(tmp_path / "view.yaml"))
    cancelled.cancel()
    assert supervisor.request("document_symbols", str(tmp_path / "view.yaml")).result(LIMIT)
    with pytest.raises(CancelledError):
        cancelled.result(0)


def test_a_text_that_takes_too_long_is_left_out(
    started: Started, tmp_path: Path, findings: Queue[Any], told: Queue[str]
) -> None:
    supervisor = started(timeout=0.5)
    supervisor.open_text(str(tmp_path / "slow.yaml"), SLOW, 1)
    supervisor.open_text(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    assert "slow.yaml takes too long" in told.get(timeout=LIMIT)
    assert findings.get(timeout=LIMIT) == ("slow.yaml", 1, ["internal-error"])
    assert findings.get(timeout=LIMIT)[0] == "view.yaml"


def test_work_on_an_old_text_ends_for_a_newer_one(
    started: Started, tmp_path: Path, findings: Queue[Any], told: Queue[str]
) -> None:
    supervisor = started(stale_timeout=1)
    supervisor.open_text(str(tmp_path / "brand.yaml"), VIEW, 1)
    findings.get(timeout=LIMIT)
    supervisor.change_text(str(tmp_path / "brand.yaml"), SLOW, 2)
    asked = supervisor.request("document_symbols", str(tmp_path / "brand.yaml"))
    supervisor.change_text(str(tmp_path / "brand.yaml"), BROKEN_VIEW, 3)
    with pytest.raises(ServerCancelled):
        asked.result(LIMIT)
    assert findings.get(timeout=LIMIT)[1] == 3
    assert told.empty()


def test_a_process_that_is_killed_is_followed_by_another(
    started: Started, tmp_path: Path, findings: Queue[Any]
) -> None:
    supervisor = started()
    supervisor.open_text(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    first = findings.get(timeout=LIMIT)
    killed = supervisor.process_id
    os.kill(killed, signal.SIGKILL)
    assert findings.get(timeout=LIMIT) == first
    assert supervisor.process_id != killed
