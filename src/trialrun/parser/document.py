"""A parsed file: its documents as plain values with their source spans, and its parse errors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trialrun.parser.nodes import Node, NodeRef, Path, is_alias_free, nodes_on_path
from trialrun.parser.parse_error import LINE_BREAKS_1_1, ParseError, SourceSlice
from trialrun.text import Position, Source, Span


class Document:
    """One document of a file: `value` is plain data; source spans are computed on demand.

    Mapping keys are always their text. Of a repeated key the last value counts, as in most parsers. Asked
    for a path that does not exist, the span is that of the deepest part that does.
    """

    __slots__ = ("_root", "_slice", "index", "value")
    unknown: Sequence[str] = ()
    """What of it only another program knows."""

    def __init__(self, index: int, value: Any, part: SourceSlice, root: NodeRef | None = None) -> None:
        self.index = index
        self.value = value
        self._slice = part
        self._root = root

    def __repr__(self) -> str:
        return f"Document(index={self.index}, value={self.value!r})"

    @property
    def address(self) -> str:
        """The address of the resource that the document was made of; empty for a document that is written as one."""
        return ""

    @property
    def condition(self) -> str:
        """The expression that says whether the resource is made at all; empty where it is, or nothing says."""
        return ""

    def origin_at(self, position: Position) -> str:
        """What says the value at a place of the file, such as the default of a variable; empty if the place does."""
        return ""

    @property
    def source_slice(self) -> SourceSlice:
        """The part of the file that the document was read from."""
        return self._slice

    @property
    def full_span(self) -> Span:
        """The characters of the file that the document was read from, in whole lines except for the last."""
        return self._slice.to_span(0, len(self._slice.text))

    def path_exists(self, path: Path) -> bool:
        """Whether the document has a value at the path."""
        return len(nodes_on_path(self.root, path)) > len(path)

    def span(self, path: Path) -> Span:
        """The characters of the value: a block collection ends at its last child, a scalar includes its quotes."""
        return self._span(self._deepest(path).node)

    def key_span(self, path: Path) -> Span | None:
        """The characters of the key; None for an item of a list and for the root."""
        key = self._deepest(path).key
        return None if key is None else self._span(key)

    def first_key_span(self, path: Path) -> Span:
        """The first key of the mapping at the path.

        Where there is no key, the span of the value itself; for an empty document its first character.
        """
        node = self._deepest(path).node
        if node.first_key is not None:
            return self._span(node.first_key)
        if not path and node.start == node.end:
            return self._slice.to_span(0, 1)
        return self._span(node)

    def scalar_span(self, path: Path, start: int, end: int) -> Span:
        """The file's characters behind the characters `start` to `end` of a scalar's text, in every style."""
        return self._scalar_span(self._deepest(path).node, start, end)

    def scalar_spans(self, path: Path, ranges: Sequence[tuple[int, int]]) -> list[Span]:
        """The same for several ranges of characters of one scalar, in one go."""
        from trialrun.parser.scalar_source_map import scalar_spans

        spans = scalar_spans(self._slice.text, self._deepest(path).node, ranges)
        return [self._slice.to_span(span.start, span.end) for span in spans]

    def key_text_span(self, path: Path, start: int, end: int) -> Span:
        """The same inside the text of a key; an item of a list has none and answers for its value."""
        child = self._deepest(path)
        return self._scalar_span(child.key or child.node, start, end)

    def style(self, path: Path) -> str:
        """One of plain, single, double, literal, folded for scalars, flow and block for collections; json for all."""
        return self._deepest(path).node.style

    def scalar_text(self, path: Path) -> str | None:
        """The characters of a scalar before they are read as a number or a word; None for a collection."""
        return self._deepest(path).node.text

    def is_aliased(self, path: Path) -> bool:
        """Whether the value is elsewhere, at an anchor that an alias or a merge key on the path names."""
        return any(child.is_aliased for child in nodes_on_path(self.root, path))

    def is_alias_free(self, path: Path) -> bool:
        """Whether no alias and no merge key has to do with the value, its key and what holds them."""
        return is_alias_free(self.root, path)

    def key_spans(self, path: Path) -> Iterator[tuple[str, Span]]:
        """The keys of the mapping at the path with their spans; nothing for another value."""
        for text, child in (self._deepest(path).node.keys or {}).items():
            yield text, self._span(child.key or child.node)

    @property
    def root(self) -> NodeRef:
        """The nodes of the document, read again from its text when first asked for; offsets count in its slice."""
        if self._root is None:
            self._root = _build_nodes(self._slice)
        return self._root

    def _deepest(self, path: Path) -> NodeRef:
        """The deepest node on a path that exists."""
        return nodes_on_path(self.root, path)[-1]

    def _span(self, node: Node) -> Span:
        return self._slice.to_span(node.start, node.end)

    def _scalar_span(self, node: Node, start: int, end: int) -> Span:
        from trialrun.parser.scalar_source_map import scalar_span

        span = scalar_span(self._slice.text, node, start, end)
        return self._slice.to_span(span.start, span.end)


class ParsedFile(NamedTuple):
    """A parsed file: `errors` are sorted by span; a document that could not be read is left out."""

    source: Source
    documents: list[Document]
    errors: list[ParseError]

    def document_at(self, offset: int) -> Document | None:
        """The document at an offset of the file; None between documents, and where none could be read."""
        before = bisect_right(self.documents, offset, key=lambda item: item.full_span.start)
        document = self.documents[before - 1] if before else None
        return document if document and offset < document.full_span.end else None


def _build_nodes(part: SourceSlice) -> NodeRef:
    if part.is_json:
        from trialrun.parser.json_decode import index_json

        return index_json(part)[0]
    from trialrun.parser.spans import index_yaml

    return index_yaml(part)[0]


class ComposedDocument(NamedTuple):
    """A document's value, where it starts and ends in the text, and whether its places need a second look."""

    value: Any
    start: int
    end: int
    needs_second_look: bool


def add_document(
    composed: ComposedDocument, part: SourceSlice, documents: list[Document], errors: list[ParseError], *, index: int
) -> None:
    """Add a document that was composed from a slice, and what there is to remark in it."""
    # an indented first key counts from the start of its line
    start = max(part.text.rfind("\n", 0, composed.start), part.text.rfind("\r", 0, composed.start)) + 1
    end = composed.end if composed.end > start else len(part.text)
    overrides = {at - start: text for at, text in part.overrides.items() if start <= at < end}
    own = SourceSlice(part.text[start:end], part.offset + start, overrides)
    root = None
    if composed.needs_second_look or (not own.text.isascii() and LINE_BREAKS_1_1.search(own.text)):
        from trialrun.parser.spans import index_yaml

        root, own_errors = index_yaml(own, index)
        errors.extend(own_errors)
    documents.append(Document(index, composed.value, own, root))
