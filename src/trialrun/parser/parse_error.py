"""What is wrong in a file, as the parser found it, and the slice of the file that its offsets count in."""

from __future__ import annotations

import re
from dataclasses import field, replace

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.nodes import Path
from trialrun.text import Span

TEMPLATE_LINE = re.compile(r"^[ \t]*(?:- )?(?:\{\{|\{%)", re.MULTILINE)
"""A line that a template engine, such as those of Helm and Jinja, replaces as a whole."""


@dataclass(frozen=True, slots=True)
class SourceSlice:
    """The part of a file that one document was parsed from: `text` starts at `offset` of the file.

    `overrides` gives, by offset in `text`, the text of the scalars that only a repair made readable; `length` is that
    of the part in the file where a repair has added to it.
    """

    text: str
    offset: int = 0
    overrides: dict[int, str] = field(default_factory=dict)
    is_json: bool = False
    length: int | None = None

    def to_span(self, start: int, end: int) -> Span:
        """Offsets of the slice as a span of the file."""
        last = len(self.text) if self.length is None else self.length
        return Span(min(start, last) + self.offset, min(end, last) + self.offset)


@dataclass(frozen=True, slots=True)
class ParseError:
    """An error, or a doubtful scalar, that the parser found.

    `rule` is one of syntax-error, encoding-error, duplicate-key, resource-limit, ambiguous-scalar and tagged-value;
    `replacement` is the text to put at `span`, or at `replaced`, where quoting or rewriting fixes it, `safe` when that
    keeps the value;
    `guessed` says that parsing went on as if the text at `span` were a value, which is a guess; `unread` is all that
    was left out, where that is more than `span`.
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
    replaced: Span | None = None

    def in_file(self, part: SourceSlice, document: int) -> ParseError:
        """The same for a document of a file, when the spans count in a slice of it."""
        related = tuple(part.to_span(span.start, span.end) for span in self.related)
        span = part.to_span(self.span.start, self.span.end)
        unread = self.unread and part.to_span(self.unread.start, self.unread.end)
        replaced = self.replaced and part.to_span(self.replaced.start, self.replaced.end)
        return replace(self, span=span, related=related, document=document, unread=unread, replaced=replaced)
