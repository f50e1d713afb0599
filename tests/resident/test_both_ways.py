"""Every check of the tests of the command line, with the resident process and without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.resident.both_ways import VARIABLE
from trialrun.resident.address import HAS_FORK

ROOT = Path(__file__).parent.parent.parent
FOLDERS = (
    "tests/cli/test_check.py",
    "tests/cli/test_report_file.py",
    "tests/cli/test_streams.py",
    "tests/fix",
    "tests/report",
    "tests/test_program.py",
)
"""Those whose checks differ in what they read, print and end with; all others take a quarter of an hour."""


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not HAS_FORK, reason="this system has no fork")
@pytest.mark.parametrize("folder", FOLDERS)
def test_checks_are_the_same_with_the_daemon(folder: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", folder],
        cwd=ROOT,
        env={**os.environ, VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:]
