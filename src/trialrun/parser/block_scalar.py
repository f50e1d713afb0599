"""Source map of literal and folded scalars: the characters of the file for each character of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.nodes import Node

Segment = tuple[str, int, int]
MAX_INDENT_INDICATOR = 9
"""The greatest indentation that the header of a block scalar may give."""

_header = re.compile(r"[|>]([-+]?)([1-9]?)([-+]?)[^\r\n]*").match
_line = re.compile(r"([^\r\n]*)(\r\n|[\n\r]|\Z)").match


@dataclass(frozen=True, slots=True)
class BlockLine:
    """A line of a block scalar: where its text and its line break start."""

    start: int
    text: str
    line_break: Segment

    def content(self, indent: int) -> str:
        """The text after the indentation; a line of nothing but indentation has none."""
        return self.text[indent:] if len(self.text) > indent else self.text.lstrip(" ")


def block_segments(source: str, node: Node) -> list[Segment]:
    """The characters of a block scalar; its indentation is the first that rebuilds the text of the node."""
    header = _header(source, node.start)
    if header is None:
        return []
    chomping = header[1] or header[3]
    lines = list(_lines(source, header.end(), node.end))
    pieces: list[Segment] = []
    for indent in _indents(lines, node.text or "", is_indicated=bool(header[2])):
        pieces = _segments(lines, indent, node.style == "folded", chomping)
        if "".join([piece[0] for piece in pieces]) == node.text:
            break
    return pieces


def _lines(source: str, header_end: int, end: int) -> Iterator[BlockLine]:
    """The lines of the scalar and the empty ones after it; the caller's chomping decides what they are worth."""
    at = _next_break(source, header_end)[2]
    while at < len(source):
        match = _line(source, at)
        if match is None or (at >= end and match[1].strip(" ")):
            return
        yield BlockLine(at, match[1], _next_break(source, match.end(1)))
        at = match.end()


def _next_break(source: str, at: int) -> Segment:
    match = _line(source, at)
    line_break = match[2] if match else ""
    return "\n" if line_break else "", at, at + len(line_break)


def _indents(lines: list[BlockLine], text: str, *, is_indicated: bool) -> Iterator[int]:
    """The indentation of the first line with content, then what an indication leaves of that for the text."""
    first_line = next((line.text for line in lines if line.text.strip(" ")), None)
    if first_line is not None:
        width = len(first_line) - len(first_line.lstrip(" "))
        content = text.lstrip("\n")
        yield width
        if is_indicated:
            yield max(0, width - (len(content) - len(content.lstrip(" "))))
    else:
        first = max((len(line.text) for line in lines), default=0)
        yield from range(first, max(-1, first - MAX_INDENT_INDICATOR - 1), -1)


def _segments(lines: list[BlockLine], indent: int, folded: bool, chomping: str) -> list[Segment]:
    pieces: list[Segment] = []
    pending: Segment | None = None
    blank_lines: list[Segment] = []
    was_indented = False
    for line in lines:
        content = line.content(indent)
        if not content:
            blank_lines.append(line.line_break)
            continue
        is_indented = content[0] in " \t"
        joined = folded and pending is not None and pending[0] == "\n" and not was_indented and not is_indented
        pieces.extend(_line_join(pending, blank_lines, joined=joined, next_start=line.start + indent))
        start = line.start + len(line.text) - len(content)
        pieces.extend((character, start + n, start + n + 1) for n, character in enumerate(content))
        pending, blank_lines, was_indented = line.line_break, [], is_indented
    return [*pieces, *_chomp(pending, blank_lines, chomping)]


def _line_join(
    pending: Segment | None, blank_lines: list[Segment], *, joined: bool, next_start: int
) -> Iterable[Segment]:
    """What is between two lines with content: in a folded scalar one break is a space, more are one fewer."""
    if not joined or pending is None:
        return [*([pending] if pending else []), *blank_lines]
    return blank_lines or [(" ", pending[1], next_start)]


def _chomp(pending: Segment | None, blank_lines: list[Segment], chomping: str) -> Iterator[Segment]:
    if chomping != "-" and pending is not None and pending[0]:
        yield pending
    if chomping == "+":
        yield from (piece for piece in blank_lines if piece[0])
