"""What git leaves in a file whose conflicts nobody has resolved."""

from __future__ import annotations

import re
from typing import Final

from trialrun.tree.document import Slice
from trialrun.tree.lines import Lines
from trialrun.tree.repairs import Fault, Slip, told

_conflict = re.compile(
    r"^(?P<marker><{7}[^\r\n]*)(?P<ours>[\r\n].*?)^(?P<rest>(?:\|{7}|={7}\s).*?^>{7}[^\r\n]*)", re.MULTILINE | re.DOTALL
).search

_MARKER: Final = "<" * 7


def merge_conflict(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """What git leaves of a merge conflict: the first side is read, the markers and the other side are not."""
    match = _conflict(part.text) if _MARKER in part.text else None
    if match is None:
        return None
    trouble = told("a merge conflict that nobody has resolved; keep one side", match.start(), match.end("marker"))
    return Slip(match.start(), _blank(match["marker"]) + match["ours"] + _blank(match["rest"]), trouble)


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)
