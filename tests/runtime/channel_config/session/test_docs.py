"""What `docs/session.md` says of reasons and of the state is what sessions have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS
from trialrun.runtime.channel_config.session.turn import SkipReasonCode

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "session.md").read_text(encoding="utf-8")


def test_every_reason_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", PAGE.partition("### Why")[2].partition("### The state")[0], re.MULTILINE)
    assert sorted(rows) == sorted(get_args(SkipReasonCode))


def test_every_field_that_the_session_keeps_is_told() -> None:
    told = PAGE.partition("### The state")[2]
    assert {field for session_field in SESSION_FIELDS.values() for field in session_field} <= set(
        re.findall(r"\w+", told)
    )


def test_every_row_of_the_assumptions_that_is_cited_is_there() -> None:
    cited = set(re.findall(r"\((session-[a-z-]+)\)", PAGE))
    rows = set(re.findall(r"^\| (session-[a-z-]+) \|", (ROOT / "docs/assumptions.md").read_text("utf-8"), re.MULTILINE))
    assert cited <= rows
    assert len(cited) > 10
