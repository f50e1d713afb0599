"""Selection ranges: the text at a position, its key with its value, and each enclosing collection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trialrun.text import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.diagnostic import Range
    from trialrun.parser import Document
    from trialrun.parser.nodes import NodeRef
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

MAX_CURSORS: Final = 500
"""Places of one question that are looked for; around each further one is the whole text alone."""


def selection_range(workspace: OpenWorkspace, path: str, offsets: Sequence[int]) -> tuple[tuple[Range, ...], ...]:
    """For each offset the ranges around it, each of them within the next; the last is the whole text."""
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    whole = Span(0, len(file.source.text))
    ranges = [_growing(file, offset) for offset in offsets[:MAX_CURSORS]]
    ranges += [[whole]] * (len(offsets) - len(ranges))
    return tuple(tuple(map(file.range, spans)) for spans in ranges)


def _growing(file: WorkspaceFile, offset: int) -> list[Span]:
    spans = [Span(0, len(file.source.text))]
    for document in file.parsed.documents:
        for span in _inwards(file, document, offset):
            if _has(span, offset) and span != spans[-1] and span in spans[-1]:
                spans.append(span)
    return spans[::-1]


def _inwards(file: WorkspaceFile, document: Document, offset: int) -> Iterator[Span]:
    """The spans that may be around an offset, from the whole document on; what is at an anchor is left out."""
    child: NodeRef | None = document.root
    while child is not None:
        yield _span_of(document, child)
        for node in [child.key, None if child.is_aliased else child.node]:
            if node is not None:
                span = document.source_slice.to_span(node.start, node.end)
                yield span
                yield _without_quotes(file, span)
        child = _child_at(document, child, offset)


def _child_at(document: Document, child: NodeRef, offset: int) -> NodeRef | None:
    if child.is_aliased:
        return None
    inner = [*(child.node.keys or {}).values(), *(item for item in child.node.items or () if not item.is_aliased)]
    return next(
        (node_ref for node_ref in inner if not node_ref.is_merged and _has(_span_of(document, node_ref), offset)), None
    )


def _span_of(document: Document, child: NodeRef) -> Span:
    """A value with its key; the key alone where the value is elsewhere."""
    key, node = child.key or child.node, child.node
    return document.source_slice.to_span(key.start, key.end if child.is_aliased else max(key.end, node.end))


def _without_quotes(file: WorkspaceFile, span: Span) -> Span:
    text = file.source.text[span.start : span.end]
    is_quoted = len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]
    return Span(span.start + 1, span.end - 1) if is_quoted else span


def _has(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end
