"""Changes that no scenario noticed, as text."""

from __future__ import annotations

import pytest

from trialrun.report.test_report.interface import UnnoticedChange
from trialrun.report.test_report.mutation_text import format_change
from trialrun.report.text_finding import TextOutput


@pytest.mark.parametrize(("before", "shown"), [("a" * 48, "a" * 48), ("a" * 49, "a" * 48 + "…")], ids=["whole", "cut"])
def test_a_long_value_is_cut(before: str, shown: str) -> None:
    change = UnnoticedChange("a.yaml", 3, "tone.name", "/tone/name", before, None, is_removed=True)
    page = TextOutput(lambda path: None, 100, lambda text, style: text)
    assert list(format_change(change, page)) == ["  a.yaml:3", f"    tone.name: {shown} → removed"]
