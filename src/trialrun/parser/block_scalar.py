"""Literal and folded scalars: which character of the file stands for which character of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.nodes import Node

Piece = tuple[str, int, int]
LARGEST_INDICATED = 9
"""The greatest indentation that a block scalar says in its header."""

_header = re.compile(r"[|>]([-+]?)([1-9]?)([-+]?)[^\r\n]*").match
_line = re.compile(r"([^\r\n]*)(\r\n|[\n\r]|\Z)").match


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block scalar: where its text and its line break start."""

    start: int
    text: str
    line_break: Piece

    def content(self, indent: int) -> str:
        """The text after the indentation; a line of nothing but indentation has none."""
        return self.text[indent:] if len(self.text) > indent else self.text.lstrip(" ")


def block_pieces(source: str, node: Node) -> list[Piece]:
    """The characters of a block scalar; its indentation is the first that rebuilds the text of the node."""
    header = _header(source, node.start)
    if header is None:
        return []
    chomping = header[1] or header[3]
    lines = list(_lines(source, header.end(), node.end))
    pieces: list[Piece] = []
    for indent in _indents(lines, node.text or "", is_indicated=bool(header[2])):
        pieces = _pieces(lines, indent, node.style == "folded", chomping)
        if "".join([piece[0] for piece in pieces]) == node.text:
            break
    return pieces


def _lines(source: str, header_end: int, end: int) -> Iterator[Line]:
    """The lines of the scalar and the blank ones after it; the caller's chomping decides what they are worth."""
    at = _break_after(source, header_end)[2]
    while at < len(source):
        match = _line(source, at)
        if match is None or (at >= end and match[1].strip(" ")):
            return
        yield Line(at, match[1], _break_after(source, match.end(1)))
        at = match.end()


def _break_after(source: str, at: int) -> Piece:
    match = _line(source, at)
    found = match[2] if match else ""
    return "\n" if found else "", at, at + len(found)


def _indents(lines: list[Line], text: str, *, is_indicated: bool) -> Iterator[int]:
    """The indentation of the first line with content, then what an indication leaves of that for the text."""
    first_line = next((line.text for line in lines if line.text.strip(" ")), None)
    if first_line is not None:
        width = len(first_line) - len(first_line.lstrip(" "))
        kept = text.lstrip("\n")
        yield width
        if is_indicated:
            yield max(0, width - (len(kept) - len(kept.lstrip(" "))))
    else:
        first = max((len(line.text) for line in lines), default=0)
        yield from range(first, max(-1, first - LARGEST_INDICATED - 1), -1)


def _pieces(lines: list[Line], indent: int, folded: bool, chomping: str) -> list[Piece]:
    pieces: list[Piece] = []
    pending: Piece | None = None
    blank_lines: list[Piece] = []
    was_indented = False
    for line in lines:
        content = line.content(indent)
        if not content:
            blank_lines.append(line.line_break)
            continue
        is_indented = content[0] in " \t"
        joined = folded and pending is not None and pending[0] == "\n" and not was_indented and not is_indented
        pieces.extend(_between(pending, blank_lines, joined=joined, next_start=line.start + indent))
        start = line.start + len(line.text) - len(content)
        pieces.extend((character, start + n, start + n + 1) for n, character in enumerate(content))
        pending, blank_lines, was_indented = line.line_break, [], is_indented
    return [*pieces, *_ending(pending, blank_lines, chomping)]


def _between(pending: Piece | None, blank_lines: list[Piece], *, joined: bool, next_start: int) -> Iterable[Piece]:
    """What stands between two lines with content: in a folded scalar one break is a space, more are one fewer."""
    if not joined or pending is None:
        return [*([pending] if pending else []), *blank_lines]
    return blank_lines or [(" ", pending[1], next_start)]


def _ending(pending: Piece | None, blank_lines: list[Piece], chomping: str) -> Iterator[Piece]:
    if chomping != "-" and pending is not None and pending[0]:
        yield pending
    if chomping == "+":
        yield from (piece for piece in blank_lines if piece[0])
