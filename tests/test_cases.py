"""Which runs of the tests try all generated cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases import asks_for_all_cases

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("markers", "all_cases"),
    [
        ("not exhaustive and not cluster", False),
        ("exhaustive", True),
        ("exhaustive or cluster", True),
        ("cluster", False),
        ("", True),
    ],
)
def test_the_exhaustive_tests_try_all_cases(markers: str, all_cases: bool) -> None:
    assert asks_for_all_cases(markers) == all_cases


def test_the_pipeline_tries_all_cases() -> None:
    (markers,) = re.findall(r"pytest -m '([^']+)'", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert asks_for_all_cases(markers)
