"""The database of the cache stays small, whatever is checked, and loses the oldest rows first."""

from __future__ import annotations

from pathlib import Path

import pytest

from trialrun.workspace import result_cache
from trialrun.workspace.result_cache import LAYOUT, CacheStore


def key(number: int) -> bytes:
    return b"%040d" % number


def size(folder: Path) -> int:
    return (folder / f"verdicts-{LAYOUT}.sqlite").stat().st_size


def write(folder: Path, rows: range, text: str) -> None:
    """Write rows in a run of their own."""
    store = CacheStore(str(folder))
    store.write((key(number), text) for number in rows)
    store.close()


def is_kept(folder: Path, number: int) -> bool:
    store = CacheStore(str(folder))
    try:
        return store.find(key(number)) is not None
    finally:
        store.close()


def test_rows_of_any_length_take_no_more_than_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "MAX_BYTES", 1_000_000)
    for run in range(20):
        write(tmp_path, range(run * 10, run * 10 + 10), "x" * 20_000)
    assert size(tmp_path) < 1_500_000
    assert is_kept(tmp_path, 199)
    assert not is_kept(tmp_path, 0)


def test_more_rows_than_are_allowed_push_out_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "MAX_ROWS", 10)
    write(tmp_path, range(30), "x")
    assert [number for number in range(30) if is_kept(tmp_path, number)] == [*range(20, 30)]


def test_a_database_that_has_grown_far_too_large_is_recreated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, range(10), "x" * 300_000)
    monkeypatch.setattr(result_cache, "MAX_BYTES", 1_000_000)
    assert not is_kept(tmp_path, 9)
    assert size(tmp_path) < 100_000
    write(tmp_path, range(1), "x")
    assert is_kept(tmp_path, 0)


def test_the_databases_of_older_versions_are_deleted(tmp_path: Path) -> None:
    older = [tmp_path / f"verdicts-{layout}.sqlite{end}" for layout in (1, LAYOUT - 1) for end in ("", "-wal")]
    others = [tmp_path / f"verdicts-{LAYOUT + 1}.sqlite", tmp_path / "names.sqlite"]
    for file in older + others:
        file.write_bytes(b"x")
    write(tmp_path, range(3), "x")
    assert [file for file in older if file.exists()] == []
    assert all(file.exists() for file in others)
