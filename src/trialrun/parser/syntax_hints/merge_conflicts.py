"""What git leaves in a file whose conflicts nobody has resolved."""

from __future__ import annotations

import re
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.line_scanner import LineScanner
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, syntax_error

_conflict = re.compile(
    r"^(?P<marker><{7}[^\r\n]*)(?P<ours>[\r\n].*?)^(?P<rest>(?:\|{7}|={7}\s).*?^>{7}[^\r\n]*)", re.MULTILINE | re.DOTALL
).search

_MARKER: Final = "<" * 7
MESSAGE: Final = "unresolved merge conflict; keep one side"


def merge_conflict(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """What git leaves of a merge conflict: the first side is read, the markers and the other side are not."""
    conflict = next_conflict(part.text)
    if conflict is None:
        return None
    return Repair(conflict.start, conflict.first_side, syntax_error(MESSAGE, *conflict.marker))


@dataclass(frozen=True, slots=True)
class Conflict:
    """A merge conflict from `start` on: where its first marker is, and its first side with spaces for the rest."""

    start: int
    marker: tuple[int, int]
    first_side: str


def next_conflict(text: str) -> Conflict | None:
    """The first merge conflict of a text."""
    match = _conflict(text) if _MARKER in text else None
    if match is None:
        return None
    first_side = _blank_text(match["marker"]) + match["ours"] + _blank_text(match["rest"])
    return Conflict(match.start(), match.span("marker"), first_side)


def _blank_text(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)
