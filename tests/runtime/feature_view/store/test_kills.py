"""A sync that is killed at any moment loses nothing and mixes nothing; `benchmarks.kill_sync` does it more often."""

from __future__ import annotations

import signal

import pytest

from benchmarks import kill_sync
from tests.cases import number_of_cases


@pytest.mark.generated
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_killed_sync_loses_and_mixes_nothing() -> None:
    kills = number_of_cases(16)
    counts = kill_sync.run(kills, 2_000, seed=1, plain=True, longest=0.2)
    assert [counts[what] for what in ("lost snapshots", "lost writes", "mixed")] == [0, 0, 0]
    assert counts["answers"] > kills
