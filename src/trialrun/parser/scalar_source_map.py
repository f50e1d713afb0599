"""Source map of a scalar: from offsets of its text to offsets of the file, through escapes, folding and indentation."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from trialrun.parser.nodes import Node
from trialrun.text import Span

Segment = tuple[str, int, int]
"""One character of a scalar's text, and its start and end in the file."""

MAX_INDENT_INDICATOR = 9
"""The greatest indentation that the header of a block scalar may give."""

_header = re.compile(r"[|>]([-+]?)([1-9]?)([-+]?)[^\r\n]*").match
_line = re.compile(r"([^\r\n]*)(\r\n|[\n\r]|\Z)").match


BlockLine = tuple[int, str, Segment]
"""A line of a block scalar: where it starts, its text, and its line break."""


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
        yield at, match[1], _next_break(source, match.end(1))
        at = match.end()


def _next_break(source: str, at: int) -> Segment:
    match = _line(source, at)
    line_break = match[2] if match else ""
    return "\n" if line_break else "", at, at + len(line_break)


def _indents(lines: list[BlockLine], scalar: str, *, is_indicated: bool) -> Iterator[int]:
    """The indentation of the first line with content, then what an indication leaves of that for the text."""
    first_line = next((text for _, text, _ in lines if text.strip(" ")), None)
    if first_line is not None:
        width = len(first_line) - len(first_line.lstrip(" "))
        content = scalar.lstrip("\n")
        yield width
        if is_indicated:
            yield max(0, width - (len(content) - len(content.lstrip(" "))))
    else:
        first = max((len(text) for _, text, _ in lines), default=0)
        yield from range(first, max(-1, first - MAX_INDENT_INDICATOR - 1), -1)


def _segments(lines: list[BlockLine], indent: int, folded: bool, chomping: str) -> list[Segment]:
    pieces: list[Segment] = []
    pending: Segment | None = None
    blank_lines: list[Segment] = []
    was_indented = False
    for at, text, line_break in lines:
        content = text[indent:] if len(text) > indent else text.lstrip(" ")  # nothing but indentation has none
        if not content:
            blank_lines.append(line_break)
            continue
        is_indented = content[0] in " \t"
        joined = folded and pending is not None and pending[0] == "\n" and not was_indented and not is_indented
        pieces.extend(_line_join(pending, blank_lines, joined=joined, next_start=at + indent))
        start = at + len(text) - len(content)
        pieces.extend((character, start + n, start + n + 1) for n, character in enumerate(content))
        pending, blank_lines, was_indented = line_break, [], is_indented
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


BREAK_PATTERN: Final = "\r\n|[\n\r]"

MAX_LENGTH: Final = 1_000_000
"""Characters of a scalar that is mapped; of a longer one the whole is the span."""

_break = re.compile(BREAK_PATTERN)
_fold = re.compile(f"[ \t]*(?:{BREAK_PATTERN})(?:[ \t]*(?:{BREAK_PATTERN}))*[ \t]*").match
_escaped_fold = re.compile(rf"\\(?:{BREAK_PATTERN})(?:[ \t]*(?:{BREAK_PATTERN}))*[ \t]*").match
_surrogate_pair = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}").match
_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_ESCAPES: Final = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


def scalar_span(source: str, node: Node, start: int, end: int) -> Span:
    """The span of the characters `start` to `end` of the text of a scalar, in the text its offsets count in.

    The span of the whole scalar where its text cannot be rebuilt from the file, and for a collection.
    """
    return scalar_spans(source, node, [(start, end)])[0]


def scalar_spans(source: str, node: Node, ranges: Sequence[tuple[int, int]]) -> list[Span]:
    """The spans of several ranges of characters; the text is scanned once for all of them."""
    if node.text is None or node.end - node.start > MAX_LENGTH:
        return [node.span] * len(ranges)
    span_of = _source_map(source, node.start, node.end, node.style, node.text, node.is_raw)
    if span_of is None:
        return [node.span] * len(ranges)
    if not node.text:
        return [Span(_content_start(node), _content_start(node))] * len(ranges)
    return [span_of(*_clamp(start, end, len(node.text))) for start, end in ranges]


SpanOf = Callable[[int, int], Span]
"""The span in the file of some characters of a text."""


@lru_cache(maxsize=2)
def _source_map(source: str, start: int, end: int, style: str, text: str, raw: bool) -> SpanOf | None:
    """The map of a scalar, None if its text cannot be rebuilt; it is often asked for several times."""
    if raw:
        return _shifted(start)
    if style not in ("literal", "folded"):
        quotes = 0 if style == "plain" or (style in ("json", "hcl") and source[start : start + 1] != '"') else 1
        if source[start + quotes : end - quotes] == text:
            return _shifted(start + quotes)
    pieces = segments(source, Node(start, end, style, text))
    if "".join([piece[0] for piece in pieces]) != text:
        return None
    starts, ends = array("L", [piece[1] for piece in pieces]), array("L", [piece[2] for piece in pieces])

    def span(first: int, last: int) -> Span:
        at = starts[first] if first < len(starts) else ends[-1]
        return Span(at, ends[last - 1] if last > first else at)

    return span


def _shifted(offset: int) -> SpanOf:
    """The map of a text that is in the file unchanged, from an offset on."""
    return lambda start, end: Span(offset + start, offset + end)


def segments(source: str, node: Node) -> list[Segment]:
    """Every character of the scalar's text with its offsets; the caller compares them with the text."""
    if node.is_raw:
        return [(character, at, at + 1) for at, character in enumerate(node.text or "", node.start)]
    if node.style in ("literal", "folded"):
        return block_segments(source, node)
    if node.style == "hcl":
        from trialrun.parser.hcl_expressions import segments_at

        return segments_at(source, node.start)
    if node.style == "json" and source[node.start : node.start + 1] != '"':
        return [(source[at], at, at + 1) for at in range(node.start, node.end)]
    return list(_flow_segments(source, node))


def _clamp(start: int, end: int, length: int) -> tuple[int, int]:
    start = min(max(start, 0), length)
    return start, min(max(end, start), length)


def _content_start(node: Node) -> int:
    """Where the first character would be in an empty scalar."""
    quoted = node.style in ("single", "double", "json", "hcl") and node.end - node.start >= 2
    return node.start + 1 if quoted else node.start


def _flow_segments(source: str, node: Node) -> Iterator[Segment]:
    quotes = 0 if node.style == "plain" else 1
    at, end = node.start + quotes, node.end - quotes
    folds = node.style != "json"
    while at < end:
        pieces = _escape(source, at) if node.style in ("double", "json") else []
        if node.style == "single" and source.startswith("''", at):
            pieces = [("'", at, at + 2)]
        if not pieces and folds and (match := _fold(source, at, end)):
            yield from _fold_segments(source, match.start(), match.end())
            at = match.end()
        elif not pieces:
            yield source[at], at, at + 1
            at += 1
        else:
            yield from (piece for piece in pieces if piece[0])
            at = pieces[-1][2]


def _escape(source: str, at: int) -> list[Segment]:
    """The characters of one escape sequence; an empty character is a line break that vanishes."""
    if source[at] != "\\":
        return []
    if match := _escaped_fold(source, at):
        breaks = list(_break.finditer(source, at, match.end()))[1:]
        return [*(("\n", *line_break.span()) for line_break in breaks), ("", at, match.end())]
    if match := _surrogate_pair(source, at):
        high, low = int(source[at + 2 : at + 6], 16), int(source[at + 8 : at + 12], 16)
        return [(chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00), at, at + 12)]
    letter = source[at + 1 : at + 2]
    digits = source[at + 2 : at + 2 + _DIGITS.get(letter, 0)]
    if digits and re.fullmatch("[0-9a-fA-F]+", digits) and int(digits, 16) < 0x110000:
        return [(chr(int(digits, 16)), at, at + 2 + len(digits))]
    if letter in _ESCAPES:
        return [(_ESCAPES[letter], at, at + 2)]
    return [("\\", at, at + 1), (letter, at + 1, at + 2)]


def _fold_segments(source: str, start: int, end: int) -> Iterator[Segment]:
    """One line break is a space, more are one fewer; the spaces around them belong to none of the characters."""
    rest = list(_break.finditer(source, start, end))[1:]
    if not rest:
        yield " ", start, end
    for line_break in rest:
        yield "\n", *line_break.span()
