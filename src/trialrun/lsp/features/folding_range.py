"""What folds in a text: documents, messages, lists, long texts and runs of comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.results import Fold

if TYPE_CHECKING:
    from trialrun.parser import Document
    from trialrun.text import Span
    from trialrun.workspace.open_workspace import Live, Reading

_full_line = re.compile(r"^[ \t]*#", re.MULTILINE)


def folding(live: Live, path: str) -> tuple[Fold, ...]:
    """The folds of a text, in the order of their first lines; of those that begin on one line, the longest alone."""
    reading = live.reading(path)
    if reading is None:
        return ()
    last: dict[int, int] = {}
    for first, end in _regions(reading):
        if first < end:
            last[first] = max(end, last.get(first, end))
    found = [Fold(first, end) for first, end in last.items()]
    return tuple(sorted([*found, *_comments(reading)], key=lambda fold: (fold.first, fold.last)))


def _regions(reading: Reading) -> Iterator[tuple[int, int]]:
    for document in reading.tree.documents:
        if len(reading.tree.documents) > 1:
            yield _lines(reading, document.span(()))
        yield from _collections(reading, document)


def _collections(reading: Reading, document: Document) -> Iterator[tuple[int, int]]:
    """Every value over several lines, from the line of its key; what stands elsewhere folds there."""
    waiting = [document.root]
    while waiting:
        node = waiting.pop().node
        for child in [*(node.keys or {}).values(), *(node.items or ())]:
            if child.shared or child.merged:
                continue
            start = child.key.start if child.key else child.node.start
            yield _lines(reading, document.part.placed(start, max(start, child.node.end)))
            waiting.append(child)


def _lines(reading: Reading, span: Span) -> tuple[int, int]:
    """The first line of a span, and the last one that it has something on."""
    text = reading.source.text
    end = span.end
    while end > span.start and text[end - 1] in " \t\r\n":
        end -= 1
    return reading.source.position(span.start).line, reading.source.position(end).line


def _comments(reading: Reading) -> Iterator[Fold]:
    """Comments that fill two lines or more, one under the other."""
    from trialrun.parser.comments import comments

    lines = [reading.source.position(one.span.start).line for one in comments(reading.tree, _full_line) if one.alone]
    first = before = 0
    for line in [*lines, 0]:
        if line != before + 1 or not first:
            if first and first < before:
                yield Fold(first, before, "comment")
            first = line
        before = line
