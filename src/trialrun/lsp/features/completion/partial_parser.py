"""Error-tolerant parser for the document that is being typed.

It goes line by line; an open bracket or quote never extends beyond the lines that are indented below it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import field
from typing import Literal

from trialrun.lazy_dataclass import dataclass

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
    start: int
    end: int
    style: Style
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
        self.anchors: dict[str, PartialNode] = {}
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


KEY = re.compile(
    r"""(?:"((?:\\.|[^"\\\n])*)"|'((?:''|[^'\n])*)'|((?:-(?=\S)|[^\s#"'\[\]{}&*!|>%@,-])[^\n#]*?))"""
    r"[ \t]*:(?=[ \t\r\n]|\Z)"
)
STRUCTURE = re.compile(r"""-[ \t\r\n]|["']?\w+["']?[ \t]*:(?=[ \t\r\n]|\Z)""")
_PLAIN = re.compile(r"(?:[^\s#]|(?<!\s)#|[ \t]+(?![ \t#\r\n]|\Z))*")
_QUOTED = {'"': re.compile(r'(?:\\[\s\S]|[^"\\])*'), "'": re.compile(r"(?:''|[^'])*")}
_MAX_INDENTATION = 500


def is_first(reader: Reader, start: int, end: int) -> bool:
    """Whether only dashes are before a scalar on its line; computed only for the scalar with the mark."""
    if not reader.has_mark(start, end):
        return False
    line = max(reader.text.rfind("\n", 0, start) + 1, start - _MAX_INDENTATION)
    return not reader.text[line:start].strip(" \t-")


def read_key(match: re.Match[str]) -> PartialScalar:
    """The key of a match of `KEY`."""
    double, single, plain_text = match.groups()
    if plain_text is not None:
        return PartialScalar(plain_text, match.start(3), match.end(3), "plain", is_first=True)
    if double is not None:
        return PartialScalar(double, match.start(1), match.end(1), "double", is_first=True)
    return PartialScalar(single, match.start(2), match.end(2), "single", is_first=True)


def plain(reader: Reader, above: int) -> PartialScalar:
    """A plain scalar, with its continuation lines, which are indented more than the column `above`."""
    start = reader.at
    reader.take(_PLAIN)
    end = reader.at
    while _continues(reader, above):
        reader.take(_PLAIN)
        end = reader.at
    if end == start:
        reader.skip_line()
    return PartialScalar(reader.text[start:end], start, end, "plain", is_first(reader, start, end))


def _continues(reader: Reader, above: int) -> bool:
    """Whether the next line continues a plain scalar."""
    column, is_new = reader.peek()
    return column > above and is_new and not reader.matches(STRUCTURE)


def block(reader: Reader, above: int) -> PartialScalar:
    """The lines of a block scalar."""
    reader.skip_line()
    start = end = reader.at
    while reader.at < len(reader.text):
        indentation, is_empty = reader.indentation(reader.at)
        if not is_empty and indentation <= above:
            break
        reader.skip_line()
        end = end if is_empty else reader.at
    return PartialScalar(reader.text[start:end], start, end, "block")


def read_quoted(reader: Reader, above: int) -> PartialScalar:
    """A quoted scalar; an unclosed one ends with its line, or before a line that is not indented enough."""
    quote, start = reader.letter, reader.at + 1
    match = _QUOTED[quote].match(reader.text, start)
    assert match is not None
    end = _reach(reader, start, match.end(), above)
    reader.at = end + 1 if reader.text[end : end + 1] == quote else end
    style: Style = "double" if quote == '"' else "single"
    return PartialScalar(reader.text[start:end], start, end, style, is_first(reader, start - 1, end))


def _reach(reader: Reader, start: int, end: int, above: int) -> int:
    """The end of an unclosed scalar: at the latest before a line that is not indented enough."""
    line = reader.text.find("\n", start, end)
    while line >= 0:
        indentation, is_empty = reader.indentation(line + 1)
        if line + 1 < len(reader.text) and not is_empty and indentation <= above:
            return line
        line = reader.text.find("\n", line + 1, end)
    return end


MAX_DEPTH = 64
_REST_OF_LINE = re.compile(r"[^\n]+")
_FLOW_PLAIN = re.compile(r"(?:[^\s#,\[\]{}:]|(?<!\s)#|:(?![\s,\[\]{}]|\Z)|[ \t]+(?![ \t#\r\n,\[\]{}:]|\Z))*")


def flow(reader: Reader, above: int, depth: int) -> PartialMapping | PartialSequence:
    """A flow collection that belongs to the node at the column `above`."""
    is_mapping = reader.letter == "{"
    mapping, sequence = PartialMapping(is_flow=True), PartialSequence(is_flow=True)
    reader.at += 1
    while _flow_continues(reader, above):
        if reader.letter in (",", ":"):
            reader.at += 1
        elif is_mapping:
            mapping.entries.append(_flow_entry(reader, above, depth))
        else:
            sequence.items.append(_flow_node(reader, above, depth))
    if reader.letter in ("]", "}"):
        reader.at += 1
    return mapping if is_mapping else sequence


def _flow_continues(reader: Reader, above: int) -> bool:
    column, is_new = reader.peek()
    return column >= 0 and reader.letter not in ("]", "}") and not (is_new and column <= above)


def _flow_entry(reader: Reader, above: int, depth: int) -> PartialEntry:
    key = _flow_node(reader, above, depth)
    named = key if isinstance(key, PartialScalar) else PartialScalar("", reader.at, reader.at, "plain")
    column, is_new = reader.peek()
    if column < 0 or reader.letter != ":" or (is_new and named.style == "plain"):
        return PartialEntry(named, is_open=True)
    reader.at += 1
    column, is_new = reader.peek()
    if column < 0 or (is_new and column <= above) or reader.letter in ",]}":
        return PartialEntry(named)
    return PartialEntry(named, _flow_node(reader, above, depth))


def _flow_node(reader: Reader, above: int, depth: int) -> PartialNode:
    names = reader.properties()
    made = _flow_bare(reader, above, depth)
    reader.anchors.update(dict.fromkeys(names, made))
    return made


def _flow_bare(reader: Reader, above: int, depth: int) -> PartialNode:
    if reader.letter in ("[", "{"):
        return flow(reader, above, depth + 1) if depth < MAX_DEPTH else _too_deep(reader)
    if reader.letter in ('"', "'"):
        return read_quoted(reader, above)
    match = _FLOW_PLAIN.match(reader.text, reader.at)
    assert match is not None
    start, end = reader.at, match.end()
    reader.at = min(max(end, start + 1), len(reader.text))
    return aliased(reader, PartialScalar(match[0], start, end, "plain", is_first(reader, start, end)))


def _too_deep(reader: Reader) -> PartialScalar:
    """The rest of a line that is nested too deeply to parse."""
    start = reader.at
    text = reader.take(_REST_OF_LINE)
    return PartialScalar(text, start, reader.at, "plain")


def aliased(reader: Reader, scalar: PartialScalar) -> PartialScalar:
    """A plain scalar; if it is an alias, with the node it refers to."""
    if scalar.text.startswith("*"):
        scalar.alias_of = reader.anchors.get(scalar.text[1:])
    return scalar


_DASH = re.compile(r"-(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, slots=True)
class PartialDocument:
    """The content of a document; `comment` is the offset of the `#` of the comment that contains the mark.

    `anchors` are those before the mark with their nodes; `has_rest` means that more follows at the left margin.
    """

    root: PartialNode | None
    comment: int | None
    anchors: dict[str, PartialNode]
    has_rest: bool


def parse_partial(text: str) -> PartialDocument:
    """Parse a document completely."""
    reader = Reader(text)
    root = _block(reader, -1, 0)
    while root is None and reader.at < len(text):
        reader.skip_line()
        root = _block(reader, -1, 0)
    has_rest = root is not None and reader.peek()[0] >= 0
    return PartialDocument(root, reader.comment, reader.anchors, has_rest)


def _block(reader: Reader, above: int, depth: int) -> PartialNode | None:
    """The node that is indented more than the column `above`."""
    names = []
    column, _ = reader.peek()
    if reader.properties_end_their_line():
        names = reader.properties()
        column, _ = reader.peek()
    if column <= above:
        return None
    made = _content(reader, column, above, depth)
    reader.anchors.update(dict.fromkeys(names, made))
    return made


def _content(reader: Reader, column: int, above: int, depth: int) -> PartialNode:
    if depth > MAX_DEPTH:
        return plain(reader, above)
    if reader.matches(_DASH):
        return _sequence(reader, column, depth)
    if _key(reader) or _opens_a_mapping(reader, column):
        return _mapping(reader, column, depth)
    return _inline(reader, above, depth)


def _key(reader: Reader) -> re.Match[str] | None:
    """The key at the current position, after its anchor or tag."""
    here = reader.at
    if reader.letter in ("&", "!"):
        reader.properties()
    match = KEY.match(reader.text, reader.at)
    reader.at = here
    return match


def _opens_a_mapping(reader: Reader, column: int) -> bool:
    """Whether a word without a colon is followed by a key below it."""
    if reader.letter in "[{\"'|>&*!":
        return False
    here, comment = reader.at, reader.comment
    reader.skip_line()
    below, _ = reader.peek()
    is_mapping = below == column and _key(reader) is not None
    reader.at, reader.comment = here, comment
    return is_mapping


def _mapping(reader: Reader, column: int, depth: int) -> PartialMapping:
    made = PartialMapping()
    while True:
        here, _ = reader.peek()
        if here < column:
            return made
        match = _key(reader)
        if here > column or (match is None and reader.matches(_DASH)):
            _stray(reader, made, column, depth)
        elif match is None:
            made.entries.append(PartialEntry(plain(reader, column), is_open=True))
        else:
            made.entries.append(_block_entry(reader, match, column, depth))


def _stray(reader: Reader, made: PartialMapping, column: int, depth: int) -> None:
    """Content at an invalid position, which may be the value of the entry above."""
    before = reader.at
    block = _block(reader, column - 1, depth + 1)
    above = made.entries[-1] if made.entries else None
    if block is not None and above is not None and above.value is None:
        above.value = block
    elif above is not None and isinstance(above.value, PartialScalar) and MARK in above.value.text:
        above.value.has_content_below = True
    if reader.at == before:
        reader.skip_line()


def _block_entry(reader: Reader, match: re.Match[str], column: int, depth: int) -> PartialEntry:
    key = read_key(match)
    reader.at = match.end()
    here, is_new = reader.peek()
    names = []
    if not is_new and reader.properties_end_their_line():
        names = reader.properties()
        here, is_new = reader.peek()
    made = _value(reader, column, depth, here, is_new=is_new)
    if made is not None:
        reader.anchors.update(dict.fromkeys(names, made))
    return PartialEntry(key, made)


def _value(reader: Reader, column: int, depth: int, here: int, *, is_new: bool) -> PartialNode | None:
    """The value after or below a key of the column."""
    if not is_new:
        return _inline(reader, column, depth)
    if here == column and reader.matches(_DASH):
        return _sequence(reader, column, depth + 1, is_level=True)
    return _block(reader, column, depth + 1)


def _sequence(reader: Reader, column: int, depth: int, *, is_level: bool = False) -> PartialSequence:
    """A list whose dashes are in a column; `is_level` if its key is in the same column."""
    made = PartialSequence()
    while True:
        here, _ = reader.peek()
        if here < column or (here == column and _key(reader)):
            return made
        if here == column and reader.matches(_DASH):
            reader.at += 1
            made.items.append(_block(reader, column, depth + 1) or PartialMapping())
        elif is_level and here == column:
            return made
        else:
            made.items.append(_misplaced(reader, column, depth, is_level=here == column))


def _misplaced(reader: Reader, column: int, depth: int, *, is_level: bool) -> PartialNode:
    """Content between the items of a list that lacks its dash, in the same column or not."""
    before = reader.at
    block = _block(reader, column - 1, depth + 1) or PartialMapping()
    if isinstance(block, PartialScalar):
        block.needs_dash, block.has_content_below = is_level, not is_level
    if reader.at == before:
        reader.skip_line()
    return block


def _inline(reader: Reader, above: int, depth: int) -> PartialNode:
    """A value that starts here, and continues on lines indented more than the column `above`."""
    names = reader.properties()
    made = _block_bare(reader, above, depth)
    reader.anchors.update(dict.fromkeys(names, made))
    return made


def _block_bare(reader: Reader, above: int, depth: int) -> PartialNode:
    match reader.letter:
        case "|" | ">":
            return block(reader, above)
        case '"' | "'":
            return read_quoted(reader, above)
        case "[" | "{":
            return flow(reader, above, depth)
        case _:
            return aliased(reader, plain(reader, above))
