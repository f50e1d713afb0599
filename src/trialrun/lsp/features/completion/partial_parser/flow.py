"""Flow collections; an open one ends before a line that is not indented below it."""

from __future__ import annotations

import re

from trialrun.lsp.features.completion.partial_parser.reader import Reader
from trialrun.lsp.features.completion.partial_parser.scalars import is_first, read_quoted
from trialrun.lsp.features.completion.partial_tree import Mapping, Node, PartialEntry, Scalar, Sequence

MAX_DEPTH = 64
_LINE = re.compile(r"[^\n]+")
_PLAIN = re.compile(r"(?:[^\s#,\[\]{}:]|(?<!\s)#|:(?![\s,\[\]{}]|\Z)|[ \t]+(?![ \t#\r\n,\[\]{}:]|\Z))*")


def flow(reader: Reader, above: int, depth: int) -> Mapping | Sequence:
    """A flow collection that belongs to the node at the column `above`."""
    is_mapping = reader.letter == "{"
    mapping, sequence = Mapping(is_flow=True), Sequence(is_flow=True)
    reader.at += 1
    while _continues(reader, above):
        if reader.letter in (",", ":"):
            reader.at += 1
        elif is_mapping:
            mapping.entries.append(_entry(reader, above, depth))
        else:
            sequence.items.append(_node(reader, above, depth))
    if reader.letter in ("]", "}"):
        reader.at += 1
    return mapping if is_mapping else sequence


def _continues(reader: Reader, above: int) -> bool:
    column, is_new = reader.peek()
    return column >= 0 and reader.letter not in ("]", "}") and not (is_new and column <= above)


def _entry(reader: Reader, above: int, depth: int) -> PartialEntry:
    key = _node(reader, above, depth)
    named = key if isinstance(key, Scalar) else Scalar("", reader.at, reader.at, "plain")
    column, is_new = reader.peek()
    if column < 0 or reader.letter != ":" or (is_new and named.style == "plain"):
        return PartialEntry(named, is_open=True)
    reader.at += 1
    column, is_new = reader.peek()
    if column < 0 or (is_new and column <= above) or reader.letter in ",]}":
        return PartialEntry(named)
    return PartialEntry(named, _node(reader, above, depth))


def _node(reader: Reader, above: int, depth: int) -> Node:
    names = reader.properties()
    made = _bare(reader, above, depth)
    reader.anchors.update(dict.fromkeys(names, made))
    return made


def _bare(reader: Reader, above: int, depth: int) -> Node:
    if reader.letter in ("[", "{"):
        return flow(reader, above, depth + 1) if depth < MAX_DEPTH else _too_deep(reader)
    if reader.letter in ('"', "'"):
        return read_quoted(reader, above)
    match = _PLAIN.match(reader.text, reader.at)
    assert match is not None
    start, end = reader.at, match.end()
    reader.at = min(max(end, start + 1), len(reader.text))
    return aliased(reader, Scalar(match[0], start, end, "plain", is_first(reader, start, end)))


def _too_deep(reader: Reader) -> Scalar:
    """The rest of a line that is nested too deeply to parse."""
    start = reader.at
    text = reader.take(_LINE)
    return Scalar(text, start, reader.at, "plain")


def aliased(reader: Reader, scalar: Scalar) -> Scalar:
    """A plain scalar; if it is an alias, with the node it refers to."""
    if scalar.text.startswith("*"):
        scalar.alias_of = reader.anchors.get(scalar.text[1:])
    return scalar
