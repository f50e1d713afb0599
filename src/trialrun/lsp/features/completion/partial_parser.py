"""Error-tolerant parser for the document that is being typed.

It goes line by line; an open bracket or quote never extends beyond the lines that are indented below it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

MARK = "\ue000"
"""Inserted into the text at the cursor."""

Style = Literal["plain", "single", "double", "block"]


@dataclass(slots=True)
class PartialScalar:
    """A scalar without its quotes. `is_first` means that only dashes are before it on its line.

    `needs_dash` means that it is where a list item without its dash would be. `alias_of` is the node of an alias.
    `has_content_below` means that lines below it belong to its key.
    """

    text: str
    style: Style = "plain"
    is_first: bool = False
    needs_dash: bool = False
    alias_of: PartialNode | None = None
    has_content_below: bool = False

    @property
    def decoded(self) -> str:
        """The text without escapes."""
        if self.style == "single":
            return self.text.replace("''", "'")
        if self.style != "double" or "\\" not in self.text:
            return self.text
        try:
            return str(json.loads(f'"{self.text}"'))
        except ValueError:
            return self.text


@dataclass(slots=True)
class PartialEntry:
    """An entry of a mapping; `is_open` if it has no colon yet, so that only the key is known."""

    key: PartialScalar
    value: PartialNode | None = None
    is_open: bool = False


@dataclass(slots=True)
class PartialMapping:
    """A mapping; `is_flow` if it is in braces."""

    entries: list[PartialEntry] = field(default_factory=list)
    is_flow: bool = False

    def text(self, key: str) -> str | None:
        """The text of the scalar under a key."""
        value = self.get(key)
        return value.text if isinstance(value, PartialScalar) else None

    def get(self, key: str) -> PartialNode | None:
        """The node under a key, also from merge keys."""
        for mapping in (self, *self.merged()):
            for entry in mapping.entries:
                if entry.key.text == key and not entry.is_open:
                    return resolved(entry.value)
        return None

    def merged(self) -> list[PartialMapping]:
        """The mappings that merge keys of this mapping name, not recursively."""
        values = [entry.value for entry in self.entries if entry.key.text == "<<"]
        listed = [item for value in values for item in (value.items if isinstance(value, PartialSequence) else [value])]
        return [
            mapping for mapping in map(resolved, listed) if isinstance(mapping, PartialMapping) and mapping is not self
        ]


@dataclass(slots=True)
class PartialSequence:
    """A list; `is_flow` if it is in brackets."""

    items: list[PartialNode] = field(default_factory=list)
    is_flow: bool = False


PartialNode = PartialScalar | PartialMapping | PartialSequence


def resolved(node: PartialNode | None) -> PartialNode | None:
    """The node itself, or the node of an alias."""
    return node.alias_of if isinstance(node, PartialScalar) and node.alias_of is not None else node


MAX_DEPTH = 64
_MAX_INDENTATION = 500
_PROPERTIES = re.compile(r"(?:[&!][^\s\[\]{},]*(?:[ \t]+|(?=[\r\n])|\Z))*")
_ANCHOR = re.compile(r"&([^\s\[\]{},]+)")
_LINE = re.compile(r"[^\n]*\n?")
_SPACE = re.compile(r"\s*")
_BLANK = re.compile(r"[ \t]*")
_DASH = re.compile(r"-(?=[ \t\r\n]|\Z)")
_KEY = re.compile(
    r"""(?:"((?:\\.|[^"\\\n])*)"|'((?:''|[^'\n])*)'|((?:-(?=\S)|[^\s#"'\[\]{}&*!|>%@,-])[^\n#]*?))"""
    r"[ \t]*:(?=[ \t\r\n]|\Z)"
)
_STRUCTURE = re.compile(r"""-[ \t\r\n]|["']?\w+["']?[ \t]*:(?=[ \t\r\n]|\Z)""")
_PLAIN = re.compile(r"(?:[^\s#]|(?<!\s)#|[ \t]+(?![ \t#\r\n]|\Z))*")
_PLAIN_IN_FLOW = re.compile(r"(?:[^\s#,\[\]{}:]|(?<!\s)#|:(?![\s,\[\]{}]|\Z)|[ \t]+(?![ \t#\r\n,\[\]{}:]|\Z))*")
_QUOTED = {'"': re.compile(r'(?:\\[\s\S]|[^"\\])*'), "'": re.compile(r"(?:''|[^'])*")}


class PartialDocument:
    """A document that is parsed; `comment` is the offset of the `#` of the comment that contains the mark.

    `anchors` are those before the mark in order, with their nodes; `has_rest` means that more follows at the left
    margin. In JSON a string ends with its line.
    """

    def __init__(self, text: str, *, is_json: bool = False) -> None:
        self.comment: int | None = None
        self.anchors: dict[str, PartialNode] = {}
        self._text = text
        self._is_json = is_json
        self._at = 0
        self._mark = text.find(MARK)
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.root = self._block(-1, 0)
        while self.root is None and self._at < len(text):
            self._take(_LINE)
            self.root = self._block(-1, 0)
        self.has_rest = self.root is not None and self._peek()[0] >= 0

    @property
    def _letter(self) -> str:
        """The next character, empty at the end."""
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        """Consume the match of a pattern at the position, which may be empty."""
        match = pattern.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return match[0]

    def _matches(self, pattern: re.Pattern[str]) -> bool:
        return pattern.match(self._text, self._at) is not None

    def _indentation(self, line: int) -> tuple[int, bool]:
        """The indentation of a line, given its offset, and whether it is blank."""
        match = _BLANK.match(self._text, line)
        assert match is not None
        return match.end() - line, self._text[match.end() : match.end() + 1] in ("\n", "\r", "")

    def _peek(self) -> tuple[int, bool]:
        """Move to the next content: its column, -1 at the end, and whether it is on another line."""
        text, is_new = self._text, self._at == 0 or self._text[self._at - 1] == "\n"
        while True:
            start = self._at
            self._take(_SPACE)
            is_new = is_new or text.find("\n", start, self._at) >= 0
            if self._at == len(text):
                return -1, True
            if text[self._at] != "#" or not (self._at == 0 or text[self._at - 1].isspace()):
                return self._at - self._starts[bisect_right(self._starts, self._at) - 1], is_new
            start = self._at
            end = text.find("\n", start)
            self._at = len(text) if end < 0 else end
            if start < self._mark < self._at:
                self.comment = start

    def _properties(self) -> list[str]:
        """Consume anchors and tags; returns the names of the anchors before the mark."""
        here = self._at
        properties = self._take(_PROPERTIES)
        return _ANCHOR.findall(properties) if here < self._mark or self._mark < 0 else []

    def _properties_above(self) -> list[str]:
        """Consume anchors and tags whose node starts on a line below; returns the names of the anchors."""
        match = _PROPERTIES.match(self._text, self._at)
        assert match is not None
        is_above = match[0] and self._text[match.end() : match.end() + 1] in ("\r", "\n")
        return self._properties() if is_above else []

    def _anchored(self, names: list[str], node: PartialNode | None) -> None:
        if node is not None:
            self.anchors.update(dict.fromkeys(names, node))

    def _scalar(self, start: int, end: int, style: Style, opens: int) -> PartialScalar:
        """A scalar that opens at an offset; whether it is the first on its line is computed only with the mark."""
        is_first = False
        if opens <= self._mark < end:
            line = max(self._text.rfind("\n", 0, opens) + 1, opens - _MAX_INDENTATION)
            is_first = not self._text[line:opens].strip(" \t-")
        scalar = PartialScalar(self._text[start:end], style, is_first)
        if style == "plain" and scalar.text.startswith("*"):
            scalar.alias_of = self.anchors.get(scalar.text[1:])
        return scalar

    def _block(self, above: int, depth: int) -> PartialNode | None:
        """The node that is indented more than the column `above`."""
        self._peek()
        names = self._properties_above()
        column, _ = self._peek()
        if column <= above:
            return None
        node: PartialNode
        if depth > MAX_DEPTH:
            node = self._plain(above)
        elif self._matches(_DASH):
            node = self._sequence(column, depth)
        elif self._key() or self._opens_mapping(column):
            node = self._mapping(column, depth)
        else:
            node = self._inline(above, depth)
        self._anchored(names, node)
        return node

    def _key(self) -> re.Match[str] | None:
        """The key at the current position, after its anchor or tag."""
        here = self._at
        if self._letter in ("&", "!"):
            self._take(_PROPERTIES)
        match = _KEY.match(self._text, self._at)
        self._at = here
        return match

    def _opens_mapping(self, column: int) -> bool:
        """Whether a word without a colon is followed by a key below it."""
        if self._letter in "[{\"'|>&*!":
            return False
        here, comment = self._at, self.comment
        self._take(_LINE)
        below, _ = self._peek()
        is_mapping = below == column and self._key() is not None
        self._at, self.comment = here, comment
        return is_mapping

    def _mapping(self, column: int, depth: int) -> PartialMapping:
        mapping = PartialMapping()
        while True:
            here, _ = self._peek()
            if here < column:
                return mapping
            match = self._key()
            if here > column or (match is None and self._matches(_DASH)):
                self._stray(mapping, column, depth)
            elif match is None:
                key = self._quoted(column) if self._letter in _QUOTED else self._plain(column)
                mapping.entries.append(PartialEntry(key, is_open=True))
            else:
                styles: tuple[Style, ...] = ("double", "single", "plain")
                text, style = next(
                    (text, style) for text, style in zip(match.groups(), styles, strict=True) if text is not None
                )
                self._at = match.end()
                mapping.entries.append(
                    PartialEntry(PartialScalar(text, style, is_first=True), self._value(column, depth))
                )

    def _stray(self, mapping: PartialMapping, column: int, depth: int) -> None:
        """Content at an invalid position, which may be the value of the entry above."""
        before = self._at
        block = self._block(column - 1, depth + 1)
        above = mapping.entries[-1] if mapping.entries else None
        if block is not None and above is not None and above.value is None:
            above.value = block
        elif above is not None and isinstance(above.value, PartialScalar) and MARK in above.value.text:
            above.value.has_content_below = True
        if self._at == before:
            self._take(_LINE)

    def _value(self, column: int, depth: int) -> PartialNode | None:
        """The value after or below a key of the column."""
        names: list[str] = []
        here, is_new = self._peek()
        if not is_new:
            names = self._properties_above()
            here, is_new = self._peek()
        if not is_new:
            node: PartialNode | None = self._inline(column, depth)
        elif here == column and self._matches(_DASH):
            node = self._sequence(column, depth + 1, is_level=True)
        else:
            node = self._block(column, depth + 1)
        self._anchored(names, node)
        return node

    def _sequence(self, column: int, depth: int, *, is_level: bool = False) -> PartialSequence:
        """A list whose dashes are in a column; `is_level` if its key is in the same column."""
        sequence = PartialSequence()
        while True:
            here, _ = self._peek()
            if here < column or (here == column and self._key()):
                return sequence
            if here == column and self._matches(_DASH):
                self._at += 1
                sequence.items.append(self._block(column, depth + 1) or PartialMapping())
            elif is_level and here == column:
                return sequence
            else:
                sequence.items.append(self._misplaced(column, depth, is_level=here == column))

    def _misplaced(self, column: int, depth: int, *, is_level: bool) -> PartialNode:
        """Content between the items of a list that lacks its dash, in the same column or not."""
        before = self._at
        block = self._block(column - 1, depth + 1) or PartialMapping()
        if isinstance(block, PartialScalar):
            block.needs_dash, block.has_content_below = is_level, not is_level
        if self._at == before:
            self._take(_LINE)
        return block

    def _inline(self, above: int, depth: int) -> PartialNode:
        """A value that starts here, and continues on lines indented more than the column `above`."""
        names = self._properties()
        node: PartialNode
        match self._letter:
            case "|" | ">":
                node = self._block_scalar(above)
            case '"' | "'":
                node = self._quoted(above)
            case "[" | "{":
                node = self._flow(above, depth)
            case _:
                node = self._plain(above)
        self._anchored(names, node)
        return node

    def _plain(self, above: int) -> PartialScalar:
        """A plain scalar, with its continuation lines, which are indented more than the column `above`."""
        start = self._at
        while True:
            self._take(_PLAIN)
            end = self._at
            column, is_new = self._peek()
            if column <= above or not is_new or self._matches(_STRUCTURE):
                break
        if end == start:
            self._take(_LINE)
        return self._scalar(start, end, "plain", start)

    def _block_scalar(self, above: int) -> PartialScalar:
        self._take(_LINE)
        start = end = self._at
        while self._at < len(self._text):
            indentation, is_empty = self._indentation(self._at)
            if not is_empty and indentation <= above:
                break
            self._take(_LINE)
            end = end if is_empty else self._at
        return PartialScalar(self._text[start:end], "block")

    def _quoted(self, above: int) -> PartialScalar:
        """A quoted scalar; an unclosed one ends with its line, or before a line that is not indented enough."""
        quote, start = self._letter, self._at + 1
        match = _QUOTED[quote].match(self._text, start)
        assert match is not None
        end = match.end()
        line = self._text.find("\n", start, end)
        while line >= 0:
            indentation, is_empty = self._indentation(line + 1)
            if self._is_json or (line + 1 < len(self._text) and not is_empty and indentation <= above):
                end = line
                break
            line = self._text.find("\n", line + 1, end)
        if self._text[end : end + 1] == quote:
            self._at = end + 1
        else:
            end = self._at = start + len(self._text[start:end].rstrip())
        return self._scalar(start, end, "double" if quote == '"' else "single", start - 1)

    def _flow(self, above: int, depth: int) -> PartialMapping | PartialSequence:
        """A flow collection of the column `above`; an open one ends before a line that is not indented below it."""
        is_mapping = self._letter == "{"
        mapping, sequence = PartialMapping(is_flow=True), PartialSequence(is_flow=True)
        self._at += 1
        while True:
            column, is_new = self._peek()
            if column < 0 or self._letter in ("]", "}") or (is_new and column <= above):
                break
            if self._letter in (",", ":"):
                self._at += 1
            elif is_mapping:
                mapping.entries.append(self._flow_entry(above, depth))
            else:
                sequence.items.append(self._flow_node(above, depth))
        if self._letter in ("]", "}"):
            self._at += 1
        return mapping if is_mapping else sequence

    def _flow_entry(self, above: int, depth: int) -> PartialEntry:
        key = self._flow_node(above, depth)
        named = key if isinstance(key, PartialScalar) else PartialScalar("")
        column, is_new = self._peek()
        if column < 0 or self._letter != ":" or (is_new and named.style == "plain"):
            return PartialEntry(named, is_open=True)
        self._at += 1
        column, is_new = self._peek()
        if column < 0 or (is_new and column <= above) or self._letter in ",]}":
            return PartialEntry(named)
        return PartialEntry(named, self._flow_node(above, depth))

    def _flow_node(self, above: int, depth: int) -> PartialNode:
        names = self._properties()
        node: PartialNode
        start = self._at
        if self._letter in ("[", "{") and depth >= MAX_DEPTH:
            node = PartialScalar(self._take(_LINE).removesuffix("\n"))
        elif self._letter in ("[", "{"):
            node = self._flow(above, depth + 1)
        elif self._letter in ('"', "'"):
            node = self._quoted(above)
        else:
            self._take(_PLAIN_IN_FLOW)
            node = self._scalar(start, self._at, "plain", start)
            self._at = min(max(self._at, start + 1), len(self._text))
        self._anchored(names, node)
        return node
