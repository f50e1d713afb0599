"""Position of the partial parser in its text, and what it has read so far."""

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
    """A text and how far it is read; `comment` is where the mark is in one, from its `#`.

    `anchors` are those that are before the mark, in their order, with what each names.
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
        """How many characters are before the place on its line."""
        return self.at - self._starts[bisect_right(self._starts, self.at) - 1]

    def has_mark(self, start: int, end: int) -> bool:
        """Whether the mark is among some characters."""
        return start <= self._mark < end

    def take(self, pattern: re.Pattern[str]) -> str:
        """Go on behind what a pattern matches here, which may be nothing."""
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern matches here."""
        return pattern.match(self.text, self.at) is not None

    def skip_line(self) -> None:
        """Go on to the next line."""
        self.take(_LINE)

    def indentation(self, line: int) -> tuple[int, bool]:
        """The spaces at the start of a line, by its offset, and whether nothing else is on it."""
        match = _BLANK.match(self.text, line)
        assert match is not None
        return match.end() - line, self.text[match.end() : match.end() + 1] in ("\n", "\r", "")

    def peek(self) -> tuple[int, bool]:
        """Go on to the next content: its column, -1 at the end, and whether it is on another line."""
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
        """Go on behind anchors and tags; the names of the anchors that are before the mark."""
        here = self.at
        found = self.take(_PROPERTIES)
        return _ANCHOR.findall(found) if found and (here < self._mark or self._mark < 0) else []

    def properties_end_their_line(self) -> bool:
        """Whether there are anchors or tags here, and what they belong to is below."""
        match = _PROPERTIES.match(self.text, self.at)
        assert match is not None
        return match[0] != "" and self.text[match.end() : match.end() + 1] in ("\r", "\n")

    def _skip_comment(self) -> None:
        start = self.at
        end = self.text.find("\n", start)
        self.at = len(self.text) if end < 0 else end
        if start < self._mark < self.at:
            self.comment = start
