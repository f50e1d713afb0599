"""Comments at the end of a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.parser.comments import Comment
    from trialrun.workspace.open_workspace import WorkspaceFile


def comment_on(file: WorkspaceFile, line: int) -> Comment | None:
    """The comment on a line, counted from 1; None if there is none."""
    from trialrun.parser.comments import comments

    text = file.source.line(line)
    if "#" not in text:
        return None
    comments_of_line = comments(
        file.parsed, re.compile(re.escape(text))
    )  # only this line is parsed, however many comments there are
    return next(
        (comment for comment in comments_of_line if file.source.position(comment.span.start).line == line), None
    )


def trailing_comment(file: WorkspaceFile, line: int) -> str:
    """The text of the comment after a value; empty if there is none, or it is a suppression."""
    comment = comment_on(file, line)
    if comment is None or comment.is_own_line:
        return ""
    text = file.source.text[comment.span.start : comment.span.end].lstrip("#").strip()
    return "" if text.startswith("trialrun:") else text
