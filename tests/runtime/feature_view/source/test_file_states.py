"""The state of a file tells two of its versions apart, or there is none yet."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from trialrun.runtime.feature_view.source.location import FileState, TableLocation, file_states

SECOND = 1_000_000_000
EVEN = 4_000_000_000 * SECOND
"""A moment in whole seconds, after those at which the files here are made."""


def state(folder: Path, written: int, seconds_later: float, monkeypatch: pytest.MonkeyPatch) -> FileState:
    """The state, some seconds after it was written, of a file that was written at a moment."""
    (folder / "a.csv").write_text("id\n")
    os.utime(folder / "a.csv", ns=(written, written))
    monkeypatch.setattr(time, "time_ns", lambda: written + int(seconds_later * SECOND))
    (found,) = file_states(TableLocation("t", str(folder), "a.csv"))
    return found


@pytest.mark.parametrize(("written", "seconds_later"), [(EVEN, 3), (EVEN + 1, 0.05)])
def test_a_file_that_was_written_before_has_a_state(
    written: int, seconds_later: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = state(tmp_path, written, seconds_later, monkeypatch)
    assert (found[0], found[2:4]) == (str(tmp_path / "a.csv"), (3, written))


@pytest.mark.parametrize(("written", "seconds_later"), [(EVEN, 2.9), (EVEN + 1, 0.04)])
def test_a_file_that_may_change_at_the_same_time_again_has_none(
    written: int, seconds_later: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OSError, match="was written just now"):
        state(tmp_path, written, seconds_later, monkeypatch)
