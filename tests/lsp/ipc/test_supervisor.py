"""The analysis process behind its supervisor: findings and answers come, whatever a text does to it."""

from __future__ import annotations

import os
import signal
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from tests.lsp.client import LIMIT
from tests.lsp.ipc.conftest import Start
from trialrun.lsp.ipc.messages import InternalError, ServerCancelled

VIEW = b"kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 6 * * *}\n"
BROKEN_VIEW = VIEW.replace(b"0 6", b"0 66")
SLOW = b"kind: Brand\nname: north\nstores:\n" + b"".join(
    b"  - {name: s%d, timeZone: Europe/Nowhere%d}\n" % (number, number) for number in range(100_000)
)
"""A text that takes far longer to lint than the tests let it."""


def test_wrong_settings_are_told_and_those_in_force_stay(watched: Start, tmp_path: Path) -> None:
    one = watched().begin()
    one.open("view.yaml", BROKEN_VIEW, 1)
    one.findings.get(timeout=LIMIT)
    (tmp_path / "trialrun.toml").write_text("ignores = []\n")
    one.supervisor.files_changed([str(tmp_path / "trialrun.toml")])
    assert "ignores" in one.told.get(timeout=LIMIT)
    one.change("view.yaml", BROKEN_VIEW + b"\n", 2)
    assert "cron-syntax" in one.findings.get(timeout=LIMIT)[2]


def test_how_much_is_left_is_told_until_all_is_done(watched: Start, tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.yaml").write_bytes(VIEW.replace(b"prices", b"prices%d" % number))
    one = watched().begin()
    counts = list(iter(lambda: one.left.get(timeout=LIMIT), 0))
    assert 0 < counts[0] <= 30
    assert counts == sorted(counts, reverse=True)
    one.supervisor.files_changed([str(tmp_path / "3.yaml")])
    assert 0 in iter(lambda: one.left.get(timeout=LIMIT), None)


def test_a_feature_answers_about_the_newest_text(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", VIEW, 1)
    one.change("view.yaml", VIEW.replace(b"prices", b"costs"), 2)
    (symbol,) = one.request("document_symbols", "view.yaml").result(LIMIT)
    assert symbol["name"] == "costs"


def test_a_question_that_there_is_not_is_a_fault_and_told(watched: Start) -> None:
    one = watched().begin()
    with pytest.raises(InternalError):
        one.request("horoscope", "view.yaml").result(LIMIT)
    assert "horoscope" in one.told.get(timeout=LIMIT)


def test_a_cancelled_question_has_no_answer_and_others_do(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", VIEW, 1)
    cancelled = one.request("document_symbols", "view.yaml")
    cancelled.cancel()
    assert one.request("document_symbols", "view.yaml").result(LIMIT)
    with pytest.raises(CancelledError):
        cancelled.result(0)


def test_a_text_that_takes_too_long_is_left_out(watched: Start) -> None:
    one = watched(timeout=0.5).begin()
    one.open("slow.yaml", SLOW, 1)
    one.open("view.yaml", BROKEN_VIEW, 1)
    assert "slow.yaml takes too long" in one.told.get(timeout=LIMIT)
    assert one.findings.get(timeout=LIMIT) == ("slow.yaml", 1, ["internal-error"])
    assert one.findings.get(timeout=LIMIT)[0] == "view.yaml"


def test_work_on_an_old_text_ends_for_a_newer_one(watched: Start) -> None:
    one = watched(stale_timeout=1).begin()
    one.open("brand.yaml", VIEW, 1)
    one.findings.get(timeout=LIMIT)
    one.change("brand.yaml", SLOW, 2)
    asked = one.request("document_symbols", "brand.yaml")
    one.change("brand.yaml", BROKEN_VIEW, 3)
    with pytest.raises(ServerCancelled):
        asked.result(LIMIT)
    assert one.findings.get(timeout=LIMIT)[1] == 3
    assert one.told.empty()


def test_a_process_that_is_killed_is_followed_by_another(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", BROKEN_VIEW, 1)
    first = one.findings.get(timeout=LIMIT)
    killed = one.supervisor.process_id
    os.kill(killed, signal.SIGKILL)
    assert one.findings.get(timeout=LIMIT) == first
    assert one.supervisor.process_id != killed
