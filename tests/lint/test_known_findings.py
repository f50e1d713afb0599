"""Findings of a baseline that an earlier version wrote have the same fingerprints today."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

from tests.program import Run

KNOWN_FINDINGS = Path(__file__).parent / "known_findings"
BASELINE = "trialrun-baseline.json"


def fingerprints(path: Path) -> Counter[tuple[str, str]]:
    return Counter((one["fingerprint"], one["rule"]) for one in json.loads(path.read_text())["findings"])


def test_a_baseline_that_an_earlier_version_wrote_is_valid_today(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "known"
    shutil.copytree(KNOWN_FINDINGS, folder)
    written = fingerprints(folder / BASELINE)
    ran = run("baseline", "write", "today.json", "--isolated", "--no-cache", "--at=2026-11-01", cwd=folder)
    assert ran.code == 0, ran.err
    assert written - fingerprints(folder / "today.json") == Counter()
