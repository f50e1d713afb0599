"""Error-tolerant parser for the document that is being typed.

It goes line by line; an open bracket or quote never extends beyond the lines that are indented below it.
"""

from __future__ import annotations

import re

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.features.completion.partial_parser import scalars
from trialrun.lsp.features.completion.partial_parser.flow import MAX_DEPTH, aliased, flow
from trialrun.lsp.features.completion.partial_parser.reader import Reader
from trialrun.lsp.features.completion.partial_tree import MARK, Mapping, Node, PartialEntry, Scalar, Sequence

_DASH = re.compile(r"-(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, slots=True)
class PartialDocument:
    """The content of a document; `comment` is the offset of the `#` of the comment that contains the mark.

    `anchors` are those before the mark with their nodes; `has_rest` means that more follows at the left margin.
    """

    root: Node | None
    comment: int | None
    anchors: dict[str, Node]
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


def _block(reader: Reader, above: int, depth: int) -> Node | None:
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


def _content(reader: Reader, column: int, above: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        return scalars.plain(reader, above)
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
    match = scalars.KEY.match(reader.text, reader.at)
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


def _mapping(reader: Reader, column: int, depth: int) -> Mapping:
    made = Mapping()
    while True:
        here, _ = reader.peek()
        if here < column:
            return made
        match = _key(reader)
        if here > column or (match is None and reader.matches(_DASH)):
            _stray(reader, made, column, depth)
        elif match is None:
            made.entries.append(PartialEntry(scalars.plain(reader, column), is_open=True))
        else:
            made.entries.append(_entry(reader, match, column, depth))


def _stray(reader: Reader, made: Mapping, column: int, depth: int) -> None:
    """Content at an invalid position, which may be the value of the entry above."""
    before = reader.at
    block = _block(reader, column - 1, depth + 1)
    above = made.entries[-1] if made.entries else None
    if block is not None and above is not None and above.value is None:
        above.value = block
    elif above is not None and isinstance(above.value, Scalar) and MARK in above.value.text:
        above.value.has_content_below = True
    if reader.at == before:
        reader.skip_line()


def _entry(reader: Reader, match: re.Match[str], column: int, depth: int) -> PartialEntry:
    key = scalars.key(match)
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


def _value(reader: Reader, column: int, depth: int, here: int, *, is_new: bool) -> Node | None:
    """The value after or below a key of the column."""
    if not is_new:
        return _inline(reader, column, depth)
    if here == column and reader.matches(_DASH):
        return _sequence(reader, column, depth + 1, is_level=True)
    return _block(reader, column, depth + 1)


def _sequence(reader: Reader, column: int, depth: int, *, is_level: bool = False) -> Sequence:
    """A list whose dashes are in a column; `is_level` if its key is in the same column."""
    made = Sequence()
    while True:
        here, _ = reader.peek()
        if here < column or (here == column and _key(reader)):
            return made
        if here == column and reader.matches(_DASH):
            reader.at += 1
            made.items.append(_block(reader, column, depth + 1) or Mapping())
        elif is_level and here == column:
            return made
        else:
            made.items.append(_misplaced(reader, column, depth, is_level=here == column))


def _misplaced(reader: Reader, column: int, depth: int, *, is_level: bool) -> Node:
    """Content between the items of a list that lacks its dash, in the same column or not."""
    before = reader.at
    block = _block(reader, column - 1, depth + 1) or Mapping()
    if isinstance(block, Scalar):
        block.needs_dash, block.has_content_below = is_level, not is_level
    if reader.at == before:
        reader.skip_line()
    return block


def _inline(reader: Reader, above: int, depth: int) -> Node:
    """A value that starts here, and continues on lines indented more than the column `above`."""
    names = reader.properties()
    made = _bare(reader, above, depth)
    reader.anchors.update(dict.fromkeys(names, made))
    return made


def _bare(reader: Reader, above: int, depth: int) -> Node:
    match reader.letter:
        case "|" | ">":
            return scalars.block(reader, above)
        case '"' | "'":
            return scalars.read_quoted(reader, above)
        case "[" | "{":
            return flow(reader, above, depth)
        case _:
            return aliased(reader, scalars.plain(reader, above))
