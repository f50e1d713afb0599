"""What engines spill goes with them, or with a later engine where their process was ended."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from trialrun.runtime.feature_view.source.spill import HELD, PREFIX, Spill, clear

LONG_AGO = (0, 0)


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def left(folder: Path) -> Path:
    """A folder as a process that was killed leaves it."""
    made = folder / f"{PREFIX}killed"
    made.mkdir()
    (made / HELD).touch()
    (made / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
    return made


def test_what_a_killed_process_left_goes_with_the_next_engine(tmp_path: Path) -> None:
    os.utime(left(tmp_path), LONG_AGO)
    with closing(Spill()):
        assert not (tmp_path / f"{PREFIX}killed").exists()
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_use_stays(tmp_path: Path) -> None:
    with closing(Spill()) as spill:
        os.utime(spill.folder, LONG_AGO)
        clear()
        assert Path(spill.folder).is_dir()


def test_a_folder_that_may_not_be_locked_yet_stays(tmp_path: Path) -> None:
    young = left(tmp_path)
    clear()
    assert young.is_dir()
