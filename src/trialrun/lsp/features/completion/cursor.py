"""Where the cursor stands in a text: the way to it, and the scalar, the key or the comment that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.diagnostic import Range
from trialrun.lsp.features.completion.outline import Outline
from trialrun.lsp.features.completion.sketch import MARK, Mapping, Node, Scalar, Sequence
from trialrun.record import dataclass
from trialrun.text import Source, Span

LONGEST = 400_000
"""Code points of a document beyond which nothing is completed: reading it would take longer than a person waits."""
_BOUND = re.compile(r"^(?:---|\.\.\.)(?=\s|\Z)", re.MULTILINE)

Step = tuple[Mapping, str] | tuple[Sequence, int]


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a text. `steps` lead to it from the root of its document; the last is what the cursor is in itself.

    `is_key` says that it is in a key, or where one may begin. `before` and `after` are the characters of the scalar on
    both sides of it, without quotes.
    """

    source: Source
    offset: int
    steps: tuple[Step, ...]
    scalar: Scalar
    is_key: bool
    has_colon: bool = False

    @property
    def before(self) -> str:
        """The characters of the scalar before the cursor."""
        return self.scalar.text.partition(MARK)[0]

    @property
    def after(self) -> str:
        """The characters of the scalar behind the cursor."""
        return self.scalar.text.partition(MARK)[2]

    def range(self, before: int | None = None, after: int | None = None) -> Range:
        """So many characters on both sides of the cursor; all that the scalar has on its line when not said."""
        left = len(self.before) if before is None else before
        right = len(self.after) if after is None else after
        return range_of(self.source, Span(self.offset - left, self.offset + right))

    @property
    def container(self) -> Mapping | Sequence | None:
        """What the cursor is in; None for the root itself."""
        return self.steps[-1][0] if self.steps else None

    @property
    def is_in_brackets(self) -> bool:
        """Whether it stands in a collection in brackets."""
        return self.container is not None and self.container.is_flow


@dataclass(frozen=True, slots=True)
class InComment:
    """The cursor is in a comment; `text` is what stands before it, from the `#`."""

    source: Source
    offset: int
    text: str


def range_of(source: Source, span: Span) -> Range:
    """The lines and columns of characters."""
    return Range(source.position(span.start), source.position(span.end))


def cursor_at(source: Source, offset: int) -> Cursor | InComment | None:
    """Where an offset stands; None where nothing can be told."""
    start, end = _document(source.text, offset)
    if end - start > LONGEST:
        return None
    text = source.text[start:end].replace(MARK, "\ufffd")
    at = offset - start
    outline = Outline(text[:at] + MARK + text[at:])
    if outline.comment is not None:
        return InComment(source, offset, text[outline.comment : at])
    found = _found(outline.root, ()) if outline.root is not None else None
    if found is None:
        return None
    steps, scalar, is_key, has_colon = found
    return Cursor(source, offset, steps, scalar, is_key, has_colon)


def _document(text: str, offset: int) -> tuple[int, int]:
    """The characters of the document around an offset."""
    start, end = 0, len(text)
    for match in _BOUND.finditer(text):
        if match.end() <= offset:
            start = match.end()
        elif match.start() >= offset:
            return start, match.start()
    return start, end


_Found = tuple[tuple[Step, ...], Scalar, bool, bool]


def _found(node: Node, steps: tuple[Step, ...]) -> _Found | None:
    """The scalar that has the mark in it, with the way to it."""
    if isinstance(node, Scalar):
        return (steps, node, False, False) if MARK in node.text else None
    found = _in_mapping(node, steps) if isinstance(node, Mapping) else _in_sequence(node, steps)
    return next(found, None)


def _in_mapping(node: Mapping, steps: tuple[Step, ...]) -> Iterator[_Found]:
    for entry in node.entries:
        here: tuple[Step, ...] = (*steps, (node, entry.key.text))
        if MARK in entry.key.text:
            yield here, entry.key, True, not entry.is_open
        elif entry.value is not None and (found := _found(entry.value, here)):
            yield found


def _in_sequence(node: Sequence, steps: tuple[Step, ...]) -> Iterator[_Found]:
    for index, item in enumerate(node.items):
        if found := _found(item, (*steps, (node, index))):
            yield found
