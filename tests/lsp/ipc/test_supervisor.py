"""The office in its process: findings and answers come, whatever a text does to it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from trialrun.lsp.ipc.messages import Choices, Fault, Gone
from trialrun.lsp.ipc.supervisor import Worker

LIMIT = 90
"""Seconds that something is waited for: it comes in well under one, save on a machine that is very busy."""
VIEW = b"kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 6 * * *}\n"
BROKEN_VIEW = VIEW.replace(b"0 6", b"0 66")
SLOW = b"kind: Brand\nname: north\nstores:\n" + b"".join(
    b"  - {name: s%d, timeZone: Europe/Nowhere%d}\n" % (number, number) for number in range(100_000)
)
"""A text that takes far longer to lint than the tests let it."""
Started = Callable[..., Worker]


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
    """Start a worker in the test's folder."""
    workers: list[Worker] = []

    def start(**limits: float) -> Worker:
        worker = Worker(
            on_findings=lambda file, version, found: findings.put(
                (Path(file).name, version, [one.rule for one in found])
            ),
            on_told=lambda _, text: told.put(text),
            on_left=left.put,
            **limits,
        )
        workers.append(worker)
        worker.begin(str(tmp_path), Choices(cache=False))
        return worker

    yield start
    for worker in workers:
        worker.stop()


def test_an_open_file_has_its_findings(started: Started, tmp_path: Path, findings: Queue[Any]) -> None:
    started().open(str(tmp_path / "view.yaml"), BROKEN_VIEW, 7)
    name, version, rules = findings.get(timeout=LIMIT)
    assert (name, version) == ("view.yaml", 7)
    assert "cron-syntax" in rules


def test_a_change_has_other_findings(started: Started, tmp_path: Path, findings: Queue[Any]) -> None:
    worker = started()
    worker.open(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    findings.get(timeout=LIMIT)
    worker.change(str(tmp_path / "view.yaml"), VIEW, 2)
    _, version, rules = findings.get(timeout=LIMIT)
    assert version == 2
    assert "cron-syntax" not in rules


def test_a_change_of_the_settings_has_other_findings(started: Started, tmp_path: Path, findings: Queue[Any]) -> None:
    worker = started()
    worker.open(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    findings.get(timeout=LIMIT)
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n')
    worker.watched([str(tmp_path / "trialrun.toml")])
    assert "cron-syntax" not in findings.get(timeout=LIMIT)[2]


def test_wrong_settings_are_told_and_those_in_force_stay(
    started: Started, tmp_path: Path, findings: Queue[Any], told: Queue[str]
) -> None:
    worker = started()
    worker.open(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    findings.get(timeout=LIMIT)
    (tmp_path / "trialrun.toml").write_text("ignores = []\n")
    worker.saved(str(tmp_path / "trialrun.toml"))
    assert "ignores" in told.get(timeout=LIMIT)
    worker.change(str(tmp_path / "view.yaml"), BROKEN_VIEW + b"\n", 2)
    assert "cron-syntax" in findings.get(timeout=LIMIT)[2]


def test_how_much_is_left_is_told_until_all_is_done(started: Started, tmp_path: Path, left: Queue[int]) -> None:
    for number in range(30):
        (tmp_path / f"{number}.yaml").write_bytes(VIEW.replace(b"prices", b"prices%d" % number))
    worker = started()
    counts = list(iter(lambda: left.get(timeout=LIMIT), 0))
    assert 0 < counts[0] <= 30
    assert counts == sorted(counts, reverse=True)
    worker.watched([str(tmp_path / "3.yaml")])
    assert 0 in iter(lambda: left.get(timeout=LIMIT), None)


def test_a_feature_answers_about_the_newest_text(started: Started, tmp_path: Path) -> None:
    worker = started()
    worker.open(str(tmp_path / "view.yaml"), VIEW, 1)
    worker.change(str(tmp_path / "view.yaml"), VIEW.replace(b"prices", b"costs"), 2)
    (symbol,) = worker.ask("symbols", str(tmp_path / "view.yaml")).result(LIMIT)
    assert symbol.name == "costs"


def test_a_question_that_there_is_not_is_a_fault_and_told(started: Started, tmp_path: Path, told: Queue[str]) -> None:
    worker = started()
    with pytest.raises(Fault):
        worker.ask("horoscope", str(tmp_path / "view.yaml")).result(LIMIT)
    assert "horoscope" in told.get(timeout=LIMIT)


def test_a_cancelled_question_has_no_answer_and_others_do(started: Started, tmp_path: Path) -> None:
    worker = started()
    worker.open(str(tmp_path / "view.yaml"), VIEW, 1)
    cancelled = worker.ask("symbols", str(tmp_path / "view.yaml"))
    cancelled.cancel()
    assert worker.ask("symbols", str(tmp_path / "view.yaml")).result(LIMIT)
    with pytest.raises(CancelledError):
        cancelled.result(0)


def test_a_text_that_takes_too_long_is_left_out(
    started: Started, tmp_path: Path, findings: Queue[Any], told: Queue[str]
) -> None:
    worker = started(longest=2)
    worker.open(str(tmp_path / "slow.yaml"), SLOW, 1)
    worker.open(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    assert "slow.yaml takes too long" in told.get(timeout=LIMIT)
    assert findings.get(timeout=LIMIT) == ("slow.yaml", 1, ["internal-error"])
    assert findings.get(timeout=LIMIT)[0] == "view.yaml"


def test_work_on_an_old_text_ends_for_a_newer_one(
    started: Started, tmp_path: Path, findings: Queue[Any], told: Queue[str]
) -> None:
    worker = started(patience=1)
    worker.open(str(tmp_path / "brand.yaml"), VIEW, 1)
    findings.get(timeout=LIMIT)
    worker.change(str(tmp_path / "brand.yaml"), SLOW, 2)
    asked = worker.ask("symbols", str(tmp_path / "brand.yaml"))
    worker.change(str(tmp_path / "brand.yaml"), BROKEN_VIEW, 3)
    with pytest.raises(Gone):
        asked.result(LIMIT)
    assert findings.get(timeout=LIMIT)[1] == 3
    assert told.empty()


def test_a_process_that_is_killed_is_followed_by_another(
    started: Started, tmp_path: Path, findings: Queue[Any]
) -> None:
    worker = started()
    worker.open(str(tmp_path / "view.yaml"), BROKEN_VIEW, 1)
    first = findings.get(timeout=LIMIT)
    killed = worker.process_id
    os.kill(killed, signal.SIGKILL)
    assert findings.get(timeout=LIMIT) == first
    assert worker.process_id != killed
