"""A composed document, from the fast path or from libyaml, and how it becomes a `Document`."""

from __future__ import annotations

from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.document import Document
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.warnings import LINE_BREAKS_1_1


@dataclass(frozen=True, slots=True)
class ComposedDocument:
    """A document's value, where it starts and ends in the text, and whether its places need a second look."""

    value: Any
    start: int
    end: int
    needs_second_look: bool


def add_document(
    composed: ComposedDocument, part: SourceSlice, documents: list[Document], errors: list[ParseError], *, index: int
) -> None:
    """Add a document that was composed from a slice, and what there is to remark in it."""
    start = _line_start(part.text, composed.start)
    end = composed.end if composed.end > start else len(part.text)
    overrides = {at - start: text for at, text in part.overrides.items() if start <= at < end}
    own = SourceSlice(part.text[start:end], part.offset + start, overrides)
    root = None
    if composed.needs_second_look or (not own.text.isascii() and LINE_BREAKS_1_1.search(own.text)):
        from trialrun.parser.spans import index_yaml

        places = index_yaml(own, index)
        root = places.root
        errors.extend(places.errors)
    documents.append(Document(index, composed.value, own, root))


def _line_start(text: str, offset: int) -> int:
    """Where the line of an offset starts: an indented first key counts from there."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
