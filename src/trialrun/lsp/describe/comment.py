"""The comment on a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.parser.comments import Comment
    from trialrun.workspace.open_workspace import Reading


def comment_on(reading: Reading, line: int) -> Comment | None:
    """The comment on a line, from 1, of a text; None where there is none."""
    from trialrun.parser.comments import comments

    text = reading.source.line(line)
    if "#" not in text:
        return None
    found = comments(reading.tree, re.compile(re.escape(text)))  # all others are left alone, however many there are
    return next((one for one in found if reading.source.position(one.span.start).line == line), None)


def remark_on(reading: Reading, line: int) -> str:
    """What a comment behind a value says, without its sign; empty where there is none, or it speaks to the linter."""
    found = comment_on(reading, line)
    if found is None or found.alone:
        return ""
    text = reading.source.text[found.span.start : found.span.end].lstrip("#").strip()
    return "" if text.startswith("trialrun:") else text
