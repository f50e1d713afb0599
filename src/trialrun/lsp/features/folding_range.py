"""Folding ranges: documents, mappings, lists, long texts and runs of comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.results import FoldingRange

if TYPE_CHECKING:
    from trialrun.parser import Document
    from trialrun.text import Span
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

_full_line = re.compile(r"^[ \t]*#", re.MULTILINE)


def folding_range(workspace: OpenWorkspace, path: str) -> tuple[FoldingRange, ...]:
    """The folds of a text, in the order of their first lines; of those that begin on one line, the longest alone."""
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    last: dict[int, int] = {}
    for first, end in _regions(file):
        if first < end:
            last[first] = max(end, last.get(first, end))
    ranges = [FoldingRange(first, end) for first, end in last.items()]
    return tuple(sorted([*ranges, *_comments(file)], key=lambda fold: (fold.first, fold.last)))


def _regions(file: WorkspaceFile) -> Iterator[tuple[int, int]]:
    for document in file.parsed.documents:
        if len(file.parsed.documents) > 1:
            yield _lines(file, document.span(()))
        yield from _collections(file, document)


def _collections(file: WorkspaceFile, document: Document) -> Iterator[tuple[int, int]]:
    """Every value over several lines, from the line of its key; what is elsewhere folds there."""
    waiting = [document.root]
    while waiting:
        node = waiting.pop().node
        for child in [*(node.keys or {}).values(), *(node.items or ())]:
            if child.is_aliased or child.is_merged:
                continue
            start = child.key.start if child.key else child.node.start
            yield _lines(file, document.source_slice.to_span(start, max(start, child.node.end)))
            waiting.append(child)


def _lines(file: WorkspaceFile, span: Span) -> tuple[int, int]:
    """The first line of a span, and the last one that it has something on."""
    text = file.source.text
    end = span.end
    while end > span.start and text[end - 1] in " \t\r\n":
        end -= 1
    return file.source.position(span.start).line, file.source.position(end).line


def _comments(file: WorkspaceFile) -> Iterator[FoldingRange]:
    """Comments that fill two lines or more, one under the other."""
    from trialrun.parser.comments import comments

    lines = [
        file.source.position(comment.span.start).line
        for comment in comments(file.parsed, _full_line)
        if comment.is_own_line
    ]
    first = before = 0
    for line in [*lines, 0]:
        if line != before + 1 or not first:
            if first and first < before:
                yield FoldingRange(first, before, "comment")
            first = line
        before = line
