"""The part of a file that has to be read again to prove a fix: one document, not the whole stream."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trialrun.text import Source
from trialrun.tree import Tree, read

_MARKERS = ("\n---", "\n...", "\r---", "\r...")
_marker = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, slots=True)
class Part:
    """The text around an offset up to the next document markers; `document` is the index of the document in it."""

    path: str
    text: str
    offset: int
    document: int

    def read(self, text: str | None = None) -> Tree:
        """The part as it is, or as it would be."""
        return read((self.text if text is None else text).encode("utf-8", "replace"), self.path)


def part_at(source: Source, offset: int, index: int) -> Part:
    """The part of a file that holds the document with an index, which has a character at an offset."""
    if source.path.lower().endswith(".json"):
        return Part(source.path, source.text, 0, index)
    start = _marker_before(source.text, offset)
    after = _marker.search(source.text, offset + 3 if offset == start else offset)
    return Part(source.path, source.text[start : after.start() if after else None], start, 0)


def _marker_before(text: str, offset: int) -> int:
    at = offset + 3
    while (found := max(text.rfind(marker, 0, at) for marker in _MARKERS)) >= 0:
        if _marker.match(text, found + 1):
            return found + 1
        at = found + 3
    return 0
