"""The position of the partial parser, and its state."""

from __future__ import annotations

import re
from bisect import bisect_right

from trialrun.lsp.features.completion.partial_tree import MARK, Node

_PROPERTIES = re.compile(r"(?:[&!][^\s\[\]{},]*(?:[ \t]+|(?=[\r\n])|\Z))*")
_ANCHOR = re.compile(r"&([^\s\[\]{},]+)")
_LINE = re.compile(r"[^\n]*\n?")
_SPACE = re.compile(r"\s*")
_BLANK = re.compile(r"[ \t]*")


class Reader:
    """A text and a position in it; `comment` is the offset of the `#` of the comment that contains the mark.

    `anchors` are those before the mark in order, with their nodes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.comment: int | None = None
        self.anchors: dict[str, Node] = {}
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._mark = text.find(MARK)

    @property
    def letter(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.at : self.at + 1]

    def column(self) -> int:
        """The column of the position."""
        return self.at - self._starts[bisect_right(self._starts, self.at) - 1]

    def has_mark(self, start: int, end: int) -> bool:
        """Whether the mark is in a range."""
        return start <= self._mark < end

    def take(self, pattern: re.Pattern[str]) -> str:
        """Consume the match of a pattern at the position, which may be empty."""
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern matches at the position."""
        return pattern.match(self.text, self.at) is not None

    def skip_line(self) -> None:
        """Move to the next line."""
        self.take(_LINE)

    def indentation(self, line: int) -> tuple[int, bool]:
        """The indentation of a line, given its offset, and whether it is blank."""
        match = _BLANK.match(self.text, line)
        assert match is not None
        return match.end() - line, self.text[match.end() : match.end() + 1] in ("\n", "\r", "")

    def peek(self) -> tuple[int, bool]:
        """Move to the next content: its column, -1 at the end, and whether it is on another line."""
        is_new = self.at == 0 or self.text[self.at - 1 : self.at] == "\n"
        while True:
            start = self.at
            self.at = _SPACE.match(self.text, start).end()  # type: ignore[union-attr]
            is_new = is_new or self.text.find("\n", start, self.at) >= 0
            if self.at == len(self.text):
                return -1, True
            if self.text[self.at] != "#" or not (self.at == 0 or self.text[self.at - 1].isspace()):
                return self.column(), is_new
            self._skip_comment()

    def properties(self) -> list[str]:
        """Consume anchors and tags; returns the names of the anchors before the mark."""
        here = self.at
        properties = self.take(_PROPERTIES)
        return _ANCHOR.findall(properties) if properties and (here < self._mark or self._mark < 0) else []

    def properties_end_their_line(self) -> bool:
        """Whether anchors or tags are here, and their node starts on a line below."""
        match = _PROPERTIES.match(self.text, self.at)
        assert match is not None
        return match[0] != "" and self.text[match.end() : match.end() + 1] in ("\r", "\n")

    def _skip_comment(self) -> None:
        start = self.at
        end = self.text.find("\n", start)
        self.at = len(self.text) if end < 0 else end
        if start < self._mark < self.at:
            self.comment = start
