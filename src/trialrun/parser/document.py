"""What reading a file gives: its documents as plain values, their places, and what was wrong in the reading."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.nodes import Child, Node, Path, find, stands_alone
from trialrun.text import Source, Span


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of a text that one document was read from: `text` starts at `offset` of the file.

    `overrides` gives, by offset in `text`, the text of the scalars that only a repair made readable; `length` is that
    of the part in the file where a repair has added to it.
    """

    text: str
    offset: int = 0
    overrides: dict[int, str] = field(default_factory=dict)
    is_json: bool = False
    length: int | None = None

    def placed(self, start: int, end: int) -> Span:
        """Offsets of the slice as a span of the file."""
        last = len(self.text) if self.length is None else self.length
        return Span(min(start, last) + self.offset, min(end, last) + self.offset)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something wrong in the reading itself.

    `rule` is one of syntax-error, encoding-error, duplicate-key, resource-limit, ambiguous-scalar and tagged-value;
    `replacement` is the text to put at `span` where quoting or rewriting cures it, `safe` when it keeps the value;
    `guessed` says that the document was read on as if the text at `span` had been a value, which is a guess; `unread`
    is all that was left out, where that is more than stands at `span`.
    """

    rule: str
    message: str
    span: Span
    document: int
    path: Path | None
    at_key: bool = False
    related: tuple[Span, ...] = ()
    replacement: str | None = None
    safe: bool = False
    guessed: bool = False
    unread: Span | None = None

    def placed(self, part: Slice, document: int) -> Trouble:
        """The same for a document of a file, when the spans count in a slice of it."""
        related = tuple(part.placed(span.start, span.end) for span in self.related)
        span = part.placed(self.span.start, self.span.end)
        unread = self.unread and part.placed(self.unread.start, self.unread.end)
        return replace(self, span=span, related=related, document=document, unread=unread)


class Document:
    """One document of a file: `value` is plain data; every place in it is worked out on demand.

    Mapping keys are always their text. Of a key that stands twice the last value counts, as for most readers. Asked
    for a path that does not exist, a place is that of the deepest part that does.
    """

    __slots__ = ("_root", "_slice", "index", "value")

    def __init__(self, index: int, value: Any, part: Slice, root: Child | None = None) -> None:
        self.index = index
        self.value = value
        self._slice = part
        self._root = root

    def __repr__(self) -> str:
        return f"Document(index={self.index}, value={self.value!r})"

    @property
    def part(self) -> Slice:
        """The part of the file that the document was read from."""
        return self._slice

    @property
    def extent(self) -> Span:
        """The characters of the file that the document was read from, in whole lines but for the last."""
        return self._slice.placed(0, len(self._slice.text))

    def path_exists(self, path: Path) -> bool:
        """Whether the document has a value at the path."""
        return find(self.root, path).complete

    def span(self, path: Path) -> Span:
        """The characters of the value: a block collection ends at its last child, a scalar includes its quotes."""
        return self._placed(find(self.root, path).child.node)

    def key_span(self, path: Path) -> Span | None:
        """The characters of the key; None for an item of a list and for the root."""
        key = find(self.root, path).child.key
        return None if key is None else self._placed(key)

    def first_key_span(self, path: Path) -> Span:
        """The first key of the mapping at the path.

        Where there is no key, the span of the value itself; for an empty document its first character.
        """
        node = find(self.root, path).child.node
        if node.first_key is not None:
            return self._placed(node.first_key)
        if not path and node.start == node.end:
            return self._first_character()
        return self._placed(node)

    def inside(self, path: Path, start: int, end: int) -> Span:
        """The file's characters behind the characters `start` to `end` of a scalar's text, in every style."""
        return self._inside(find(self.root, path).child.node, start, end)

    def inside_each(self, path: Path, ranges: Sequence[tuple[int, int]]) -> list[Span]:
        """The same for several ranges of characters of one scalar, in one go."""
        from trialrun.parser.scalar_source_map import inside_each

        spans = inside_each(self._slice.text, find(self.root, path).child.node, ranges)
        return [self._slice.placed(span.start, span.end) for span in spans]

    def key_inside(self, path: Path, start: int, end: int) -> Span:
        """The same inside the text of a key; an item of a list has none and answers for its value."""
        child = find(self.root, path).child
        return self._inside(child.key or child.node, start, end)

    def style(self, path: Path) -> str:
        """One of plain, single, double, literal, folded for scalars, flow and block for collections; json for all."""
        return find(self.root, path).child.node.style

    def shared(self, path: Path) -> bool:
        """Whether the value stands elsewhere, at an anchor that an alias or a merge key on the path names."""
        return find(self.root, path).shared

    def stands_alone(self, path: Path) -> bool:
        """Whether no alias and no merge key has to do with the value, its key and what holds them."""
        return stands_alone(self.root, path)

    def keys(self, path: Path) -> Iterator[tuple[str, Span]]:
        """The keys of the mapping at the path with their places; nothing for another value."""
        for text, child in (find(self.root, path).child.node.keys or {}).items():
            yield text, self._placed(child.key or child.node)

    @property
    def root(self) -> Child:
        """The nodes of the document, read again from its text when first asked for; offsets count in its slice."""
        if self._root is None:
            self._root = _nodes_of(self._slice)
        return self._root

    def _placed(self, node: Node) -> Span:
        return self._slice.placed(node.start, node.end)

    def _inside(self, node: Node, start: int, end: int) -> Span:
        from trialrun.parser.scalar_source_map import inside

        span = inside(self._slice.text, node, start, end)
        return self._slice.placed(span.start, span.end)

    def _first_character(self) -> Span:
        return self._slice.placed(0, 1)


@dataclass(frozen=True, slots=True)
class Tree:
    """A file that was read: `troubles` are sorted by place; a document that could not be read is left out."""

    source: Source
    documents: list[Document]
    troubles: list[Trouble]

    def document_at(self, offset: int) -> Document | None:
        """The document that was read from a place of the file; None between documents, and where none could be read."""
        before = bisect_right(self.documents, offset, key=lambda one: one.extent.start)
        found = self.documents[before - 1] if before else None
        return found if found and offset < found.extent.end else None


def _nodes_of(part: Slice) -> Child:
    if part.is_json:
        from trialrun.parser.json_spans import places_of_json

        return places_of_json(part).root
    from trialrun.parser.spans import places_of_yaml

    return places_of_yaml(part).root
