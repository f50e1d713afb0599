"""The part of a file that has to be read again to prove a fix: one entry of its blocks, or one document."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.fix.target import Target, at_path
from trialrun.fix.text_lines import BLANK_LINES, line_end, line_start, next_line
from trialrun.lazy_dataclass import dataclass
from trialrun.parser import Document, Tree, read
from trialrun.text import Source

_all_markers = re.compile(r"[\r\n](?:---|\.\.\.)(?=[ \t\r\n]|\Z)").finditer
_anchor = re.compile(r"&(?<![^\s\[{,:]&)[^\s,\[\]{}&]").search
_dashes = re.compile(r" *(?:- +)*\Z").match
_blank_lines = re.compile(BLANK_LINES).match


@dataclass(frozen=True, slots=True)
class Part:
    """A text from an offset of the file that reads on its own.

    `above` leads to the value that it holds, which is the root for a whole document; then `document` is its index.
    """

    path: str
    text: str
    offset: int
    document: int = 0
    above: Path = ()

    @property
    def has_anchors(self) -> bool:
        """Whether an anchor stands in it, so that what is far away may change too."""
        return _has_anchors(self.text)

    def read(self, text: str | None = None) -> Tree:
        """The part as it is, or as it would be."""
        return read((self.text if text is None else text).encode("utf-8", "replace"), self.path)

    def held(self, value: Any) -> Any:
        """What the part reads as when it holds a value: an entry is the only one of a mapping or a list."""
        if not self.above:
            return value
        step = self.above[-1]
        return [value] if isinstance(step, int) else {step: value}


@lru_cache(maxsize=2)
def _has_anchors(text: str) -> bool:
    return _anchor(text) is not None


def document_part(source: Source, offset: int, index: int) -> Part:
    """The text of the document with an index, which has a character at an offset, up to its markers."""
    if source.path.lower().endswith(".json"):
        return Part(source.path, source.text, 0, index)
    start, end = _marker_before(source.text, offset), _marker_after(source.text, offset)
    return _part_between(source.path, source.text, start, end)


@lru_cache(maxsize=2)
def _part_between(path: str, text: str, start: int, end: int) -> Part:
    """A document of a text; many fixes ask for the same one."""
    return Part(path, text[start:end], start)


def _marker_before(text: str, offset: int) -> int:
    at = bisect_right(_markers(text), offset)
    return _markers(text)[at - 1] + 1 if at else 0


def _marker_after(text: str, offset: int) -> int:
    at = bisect_left(_markers(text), offset)
    return _markers(text)[at] + 1 if at < len(_markers(text)) else len(text)


@lru_cache(maxsize=2)
def _markers(text: str) -> list[int]:
    """The line ends before all markers of documents; many fixes ask for those of one text."""
    return [found.start() for found in _all_markers(text)]


def entry_part(source: Source, document: Document, paths: Sequence[Path]) -> Part | None:
    """The lines of the smallest block entry around all the paths, and the comments up to the next; None without one.

    What operations on the paths edit stands behind the key or dash of that entry, so what is above cannot take it in,
    and the comments below may not become part of it. What stands between brackets does not read alone.
    """
    above = _above(document, paths)
    if not above:
        return None
    target = Target(source.text, document, above)
    start = target.sign
    if start is None or target.elsewhere or target.child.shared:
        return None
    first = line_start(source.text, start)
    if not _dashes(source.text[first:start]):
        return None
    last = next_line(source.text, line_end(source.text, target.span.end))
    comments = _blank_lines(source.text, last)
    text = " " * (start - first) + source.text[start : comments.end() if comments else last]
    return Part(source.path, text, first, above=above)


def _above(document: Document, paths: Sequence[Path]) -> Path:
    """The common beginning of the paths, as far as it leads through blocks, and above all of them."""
    above = paths[0][:-1]
    for path in paths:
        common = zip(above, path[:-1], strict=False)
        above = above[: next((at for at, (one, other) in enumerate(common) if one != other), len(path) - 1)]
    for depth in range(len(above)):
        if document.style(above[:depth]) != "block":
            return above[:depth]
    return above


def value_in(part: Part, document: Document) -> Any:
    """The value that a part of a document holds."""
    return at_path(document.value, part.above)
