"""What no scenario exercises, as text."""

from __future__ import annotations

from trialrun.report.test_report import CoverageAspect, UncoveredItem, format_coverage
from trialrun.report.text_finding import TextOutput


def test_a_name_that_is_too_long_goes_on_in_further_lines() -> None:
    name = "a long enough name of my view which is too long"
    aspect = CoverageAspect("views", "views synced", 2, [UncoveredItem(name, "a.yaml", 3)])
    page = TextOutput(lambda path: None, 20, lambda text, style: text)
    assert list(format_coverage([aspect], page)) == [
        "",
        "1 of 2 views synced",
        "  a long enough name",
        "    of my view which",
        "    is too long",
        "    a.yaml:3",
    ]
