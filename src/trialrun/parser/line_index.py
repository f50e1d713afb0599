"""The entries of mappings and items of lists by the lines on which they begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.document import Document
from trialrun.parser.nodes import Node, NodeRef, Path
from trialrun.text import Source, Span

_before_dash = re.compile(r"(?:[ \t\r\n:\ufeff]|(?<=[ \t\r\n])#[^\r\n]*)*").match
_aliased = re.compile(r"-(?:[ \t\r\n]|(?<=[ \t\r\n])#[^\r\n]*)+\*[^ \t\r\n]+").match


@dataclass(frozen=True, slots=True)
class IndexedEntry:
    """A key with its value, or an item with its dash: the path of the value, and the characters from key to end."""

    path: Path
    span: Span


class LineIndex:
    """The outermost entries of a document by line, found in one walk; several where they share a level."""

    def __init__(self, document: Document, source: Source) -> None:
        self._from: dict[int, list[IndexedEntry]] = {}
        self._to: dict[int, list[IndexedEntry]] = {}
        waiting: list[tuple[Node, Path, int, int]] = [(document.root.node, (), 0, 0)]
        while waiting:
            node, path, above_first, above_last = waiting.pop()
            below: list[tuple[Node, Path, int, int]] = []
            for entry, child in _entries(document, node, path):
                first = source.position(entry.span.start).line
                last = source.position(entry.span.end).line
                if first != above_first:
                    self._from.setdefault(first, []).append(entry)
                if last != above_last and last != first:
                    self._to.setdefault(last, []).append(entry)
                if not child.is_aliased:
                    below.append((child.node, entry.path, first, last))
            waiting += reversed(below)

    def entries_at(self, line: int) -> list[IndexedEntry]:
        """The entries that begin on a line, from 1, else those that end there."""
        return self._from.get(line) or self._to.get(line, [])


def _entries(document: Document, node: Node, path: Path) -> Iterator[tuple[IndexedEntry, NodeRef]]:
    """The children of a node that are in it; a merged key is elsewhere."""
    part = document.source_slice
    for text, child in (node.keys or {}).items():
        if child.key is not None and not child.is_merged:
            end = child.key.end if child.is_aliased else max(child.key.end, child.node.end)
            yield IndexedEntry((*path, text), part.to_span(child.key.start, end)), child
    for index, (child, (start, end)) in enumerate(zip(node.items or (), _item_ranges(part.text, node), strict=True)):
        yield IndexedEntry((*path, index), part.to_span(start, end)), child


def _item_ranges(text: str, node: Node) -> Iterator[tuple[int, int]]:
    """Where the items of a list start and end: in block style from their dash on."""
    at = node.start
    for child in node.items or ():
        blank = _before_dash(text, at)
        dash = blank.end() if blank else at
        if node.style != "block" or not text.startswith("-", dash):
            start, end = (at, at) if child.is_aliased else (child.node.start, child.node.end)
        elif child.is_aliased:
            alias = _aliased(text, dash)
            start, end = dash, alias.end() if alias else dash + 1
        else:
            start, end = dash, max(child.node.end, dash + 1)
        yield start, end
        at = max(at, end)
