"""`trialrun test --watch` plays again on every change of a document, a scenario or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.program import view, watched

SCENARIO = """\
kind: Scenario
name: Synced at three
clock: 2026-03-02T10:00:00Z
steps:
  - schedule: {view: v, expect: {runs: [2026-03-03T03:00:00Z]}}
"""
Step = Callable[[], str]


@pytest.fixture
def step(tmp_path: Path) -> Iterator[Step]:
    """The output of a watched test up to where it waits for the next change."""
    (tmp_path / "trialrun.toml").touch()
    (tmp_path / "view.yaml").write_text(view())
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    with watched(tmp_path, "test", "--watch", "scenario.yaml") as output:
        yield output


def test_a_changed_view_is_tried_again(step: Step, tmp_path: Path) -> None:
    assert step() == "passed  Synced at three\n\n1 scenario: 1 passed\n"
    (tmp_path / "view.yaml").write_text(view(cron="0 4 * * *"))
    assert "got 2026-03-03T04:00:00Z" in step()
    (tmp_path / "scenario.yaml").write_text(SCENARIO.replace("T03", "T04"))
    assert step() == "passed  Synced at three\n\n1 scenario: 1 passed\n"
