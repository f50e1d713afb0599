"""A text as its indentation has it, also where it does not parse: mappings, lists and scalars with their characters.

What is being typed is a broken document most of the time. So this reads line by line, and lets nothing that is open, a
bracket or a quote, reach beyond the lines that are indented below it.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from trialrun.lsp.features.completion.sketch import MARK, Entry, Mapping, Node, Scalar, Sequence

DEEPEST = 64
LONGEST_INDENTATION = 500
_KEY = re.compile(
    r"""(?:"((?:\\.|[^"\\\n])*)"|'((?:''|[^'\n])*)'|((?:-(?=\S)|[^\s#"'\[\]{}&*!|>%@,-])[^\n#]*?))"""
    r"[ \t]*:(?=[ \t\r\n]|\Z)"
)
_DASH = re.compile(r"-(?=[ \t\r\n]|\Z)")
_STRUCTURE = re.compile(r"""-[ \t\r\n]|["']?\w+["']?[ \t]*:(?=[ \t\r\n]|\Z)""")
_BLANK = re.compile(r"[ \t]*")
_PROPERTIES = re.compile(r"(?:[&!][^\s\[\]{},]*(?:[ \t]+|(?=[\r\n])))*")
_PLAIN = re.compile(r"(?:[^\s#]|(?<!\s)#|[ \t]+(?![ \t#\r\n]|\Z))*")
_PLAIN_IN_FLOW = re.compile(r"(?:[^\s#,\[\]{}:]|(?<!\s)#|:(?![\s,\[\]{}]|\Z)|[ \t]+(?![ \t#\r\n,\[\]{}:]|\Z))*")
_LINE = re.compile(r"[^\n]*\n?")
_QUOTED = {'"': re.compile(r'(?:\\[\s\S]|[^"\\])*'), "'": re.compile(r"(?:''|[^'])*")}


class Outline:
    """One pass over a document from its first character to its last; `root` is what it holds, `comment` where the mark
    stands in one, from its `#`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.at = 0
        self.comment: int | None = None
        self.root = self._block(-1, 0)
        while self.root is None and self.at < len(text):
            self._skip_line()
            self.root = self._block(-1, 0)

    def _column(self, offset: int) -> int:
        return offset - self._starts[bisect_right(self._starts, offset) - 1]

    def _skip_line(self) -> None:
        match = _LINE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def _peek(self) -> tuple[int, bool]:
        """Go on to the next content: its column, -1 at the end, and whether it is on another line."""
        is_new = self.at == 0 or self.text[self.at - 1 : self.at] == "\n"
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == "#" and (self.at == 0 or self.text[self.at - 1].isspace()):
                self._comment()
            elif letter.isspace():
                is_new = is_new or letter == "\n"
                self.at += 1
            else:
                return self._column(self.at), is_new
        return -1, True

    def _below_properties(self, column: int) -> tuple[int, bool]:
        """Go on below an anchor or a tag with which a line ends; where nothing of that is, stay at the column."""
        match = _PROPERTIES.match(self.text, self.at)
        if match and match[0] and self.text[match.end() : match.end() + 1] in ("\r", "\n"):
            self.at = match.end()
            return self._peek()
        return column, False

    def _comment(self) -> None:
        start = self.at
        end = self.text.find("\n", start)
        self.at = len(self.text) if end < 0 else end
        if MARK in self.text[start : self.at]:
            self.comment = start

    def _block(self, above: int, depth: int) -> Node | None:
        """What stands further right than the column `above`."""
        column, _ = self._below_properties(self._peek()[0])
        if column <= above:
            return None
        if depth > DEEPEST:
            return self._plain(above)
        if _DASH.match(self.text, self.at):
            return self._sequence(column, depth)
        if _KEY.match(self.text, self.at) or self._opens_a_mapping(column):
            return self._mapping(column, depth)
        return self._inline(above, depth)

    def _opens_a_mapping(self, column: int) -> bool:
        """Whether a word without a colon is followed by a key below it."""
        if self.text[self.at] in "[{\"'|>&*!":
            return False
        here, comment = self.at, self.comment
        self._skip_line()
        below, _ = self._peek()
        found = below == column and _KEY.match(self.text, self.at) is not None
        self.at, self.comment = here, comment
        return found

    def _mapping(self, column: int, depth: int) -> Mapping:
        made = Mapping()
        while True:
            here, _ = self._peek()
            if here < column:
                return made
            match = _KEY.match(self.text, self.at)
            if here > column or (match is None and _DASH.match(self.text, self.at)):
                self._stray(made, column, depth)
            elif match is None:
                made.entries.append(Entry(self._plain(column), is_open=True))
            else:
                made.entries.append(self._entry(match, column, depth))

    def _stray(self, made: Mapping, column: int, depth: int) -> None:
        """What stands where nothing can; it may be what the entry above was meant to have."""
        before = self.at
        found = self._block(column - 1, depth + 1)
        if found is not None and made.entries and made.entries[-1].value is None:
            made.entries[-1].value = found
        if self.at == before:
            self._skip_line()

    def _entry(self, match: re.Match[str], column: int, depth: int) -> Entry:
        key = _key(match)
        self.at = match.end()
        here, is_new = self._peek()
        if not is_new:
            here, is_new = self._below_properties(here)
        if not is_new:
            return Entry(key, self._inline(column, depth))
        if here == column and _DASH.match(self.text, self.at):
            return Entry(key, self._sequence(column, depth + 1, is_level=True))
        return Entry(key, self._block(column, depth + 1))

    def _sequence(self, column: int, depth: int, *, is_level: bool = False) -> Sequence:
        """A list whose dashes stand in a column, `is_level` when its key stands there as well."""
        made = Sequence()
        while True:
            here, _ = self._peek()
            if here < column or (here == column and _KEY.match(self.text, self.at)):
                return made
            if here == column and _DASH.match(self.text, self.at):
                self.at += 1
                made.items.append(self._block(column, depth + 1) or Mapping())
            elif is_level and here == column:
                return made
            else:
                made.items.append(self._misplaced(column, depth))

    def _misplaced(self, column: int, depth: int) -> Node:
        before = self.at
        found = self._block(column - 1, depth + 1) or Mapping()
        if isinstance(found, Scalar):
            found.needs_dash = True
        if self.at == before:
            self._skip_line()
        return found

    def _inline(self, above: int, depth: int) -> Node:
        """A value that begins here, and goes on over lines further right than the column `above`."""
        match = _PROPERTIES.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        letter = self.text[self.at : self.at + 1]
        if letter in ("|", ">") and letter:
            return self._block_scalar(above)
        if letter in ('"', "'") and letter:
            return self._quoted(above)
        if letter in ("[", "{") and letter:
            return self._flow(above, depth)
        return self._plain(above)

    def _is_first(self) -> bool:
        column = min(self._column(self.at), LONGEST_INDENTATION)
        return not self.text[self.at - column : self.at].strip(" \t-")

    def _plain(self, above: int) -> Scalar:
        """A plain scalar, with the lines below it that are further right."""
        start, is_first = self.at, self._is_first()
        match = _PLAIN.match(self.text, start)
        assert match is not None
        end = self.at = match.end()
        while self._goes_on(above):
            match = _PLAIN.match(self.text, self.at)
            assert match is not None
            end = self.at = match.end()
        if end == start:
            self._skip_line()
        return Scalar(self.text[start:end], start, end, "plain", is_first)

    def _goes_on(self, above: int) -> bool:
        """Whether the next line is one more of a plain scalar."""
        column, is_new = self._peek()
        return column > above and is_new and _STRUCTURE.match(self.text, self.at) is None

    def _block_scalar(self, above: int) -> Scalar:
        self._skip_line()
        start = end = self.at
        while self.at < len(self.text):
            match = _BLANK.match(self.text, self.at)
            assert match is not None
            is_empty = self.text[match.end() : match.end() + 1] in ("\n", "\r", "")
            if not is_empty and match.end() - self.at <= above:
                break
            self._skip_line()
            end = end if is_empty else self.at
        return Scalar(self.text[start:end], start, end, "block")

    def _quoted(self, above: int) -> Scalar:
        is_first = self._is_first()
        quote = self.text[self.at]
        start = self.at + 1
        match = _QUOTED[quote].match(self.text, start)
        assert match is not None
        end = self._reach(start, match.end(), above)
        self.at = end + 1 if self.text[end : end + 1] == quote else end
        return Scalar(self.text[start:end], start, end, "double" if quote == '"' else "single", is_first)

    def _reach(self, start: int, end: int, above: int) -> int:
        """Where what is open ends: at the latest before a line that is not further right."""
        line = self.text.find("\n", start, end)
        while line >= 0:
            match = _BLANK.match(self.text, line + 1)
            assert match is not None
            is_empty = self.text[match.end() : match.end() + 1] in ("\n", "\r")
            if not is_empty and match.end() - line - 1 <= above:
                return line
            line = self.text.find("\n", line + 1, end)
        return end

    def _flow(self, above: int, depth: int) -> Mapping | Sequence:
        """A collection in brackets; it ends at the latest before a line that is not further right."""
        is_mapping = self.text[self.at] == "{"
        mapping, sequence = Mapping(is_flow=True), Sequence(is_flow=True)
        made: Mapping | Sequence = mapping if is_mapping else sequence
        self.at += 1
        while True:
            column, is_new = self._peek()
            letter = self.text[self.at : self.at + 1]
            if column < 0 or (is_new and column <= above and letter not in ("]", "}")):
                return made
            if letter in ("]", "}"):
                self.at += 1
                return made
            if letter in (",", ":"):
                self.at += 1
            elif is_mapping:
                mapping.entries.append(self._flow_entry(above, depth))
            else:
                sequence.items.append(self._flow_node(above, depth))

    def _flow_entry(self, above: int, depth: int) -> Entry:
        key = self._flow_node(above, depth)
        named = key if isinstance(key, Scalar) else Scalar("", self.at, self.at, "plain")
        column, is_new = self._peek()
        if column < 0 or is_new or self.text[self.at] != ":":
            return Entry(named, is_open=True)
        self.at += 1
        column, is_new = self._peek()
        if column < 0 or (is_new and column <= above) or self.text[self.at] in ",]}":
            return Entry(named)
        return Entry(named, self._flow_node(above, depth))

    def _flow_node(self, above: int, depth: int) -> Node:
        letter = self.text[self.at]
        if letter in "[{" and depth < DEEPEST:
            return self._flow(above, depth + 1)
        if letter in "\"'":
            return self._quoted(above)
        match = _PLAIN_IN_FLOW.match(self.text, self.at)
        assert match is not None
        start, is_first = self.at, self._is_first()
        self.at = max(match.end(), start + 1)
        return Scalar(self.text[start : match.end()], start, match.end(), "plain", is_first)


def _key(match: re.Match[str]) -> Scalar:
    double, single, plain = match.groups()
    if plain is not None:
        return Scalar(plain, match.start(3), match.end(3), "plain", is_first=True)
    if double is not None:
        return Scalar(double, match.start(1), match.end(1), "double", is_first=True)
    return Scalar(single, match.start(2), match.end(2), "single", is_first=True)
