"""The note about time zones whose rules have changed: until a year after the change, at schedules alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Run, view


def notes(run: Run, folder: Path, text: str, at: str) -> list[str]:
    (folder / "view.yaml").write_text(text)
    lines = run("check", "--at", at, "--output-format", "concise", cwd=folder).out.splitlines()
    return [line for line in lines if "changed-time-zone" in line]


@pytest.mark.parametrize(
    ("zone", "at", "count"),
    [
        ("America/Vancouver", "2026-11-20T12:00:00Z", 1),
        ("Canada/Pacific", "2026-11-20T12:00:00Z", 1),
        ("America/Edmonton", "2026-01-20T12:00:00Z", 1),
        ("America/Winnipeg", "2027-10-20T12:00:00Z", 1),
        ("Africa/Casablanca", "2026-11-20T12:00:00Z", 1),
        ("America/Vancouver", "2027-11-20T12:00:00Z", 0),
        ("America/Los_Angeles", "2026-11-20T12:00:00Z", 0),
        ("America/Nowhere", "2026-11-20T12:00:00Z", 0),
    ],
)
def test_a_zone_with_new_rules_is_noted_for_a_year(run: Run, tmp_path: Path, zone: str, at: str, count: int) -> None:
    assert len(notes(run, tmp_path, view(cron=f"CRON_TZ={zone} 0 3 * * *"), at)) == count


def test_the_note_says_since_when_and_by_which_release(run: Run, tmp_path: Path) -> None:
    (note,) = notes(run, tmp_path, view(cron="TZ=America/Vancouver 0 3 * * *"), "2026-11-20T12:00:00Z")
    assert "the rules of America/Vancouver have changed from 2026-11-01 on (tzdata 2026f)" in note
    assert "the service may still have the old ones" in note
