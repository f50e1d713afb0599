"""What is wrong in a file, as the parser found it, and the slice of the file that its offsets count in.

Warnings are about keys and values that are valid but should be written in another way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from trialrun.parser.nodes import Node, Path
from trialrun.parser.scalars import ScalarValue, quote, to_unambiguous_text
from trialrun.text import Span

TEMPLATE_LINE = re.compile(r"^[ \t]*(?:- )?(?:\{\{|\{%)", re.MULTILINE)
"""A line that a template engine, such as those of Helm and Jinja, replaces as a whole."""
TEMPLATE = "this line is filled in by a template engine; check the file that it writes"


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


class ParseError(NamedTuple):
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
        return self._replace(span=span, related=related, document=document, unread=unread, replaced=replaced)


MAX_SHOWN_LENGTH = 60
LINE_BREAKS_1_1 = re.compile("[\u0085\u2028\u2029]")
"""Characters of YAML 1.2 that are line breaks of YAML 1.1."""
_unwritable = re.compile(rf"[|>][^\n\r]*#|.*\\{LINE_BREAKS_1_1.pattern}", re.DOTALL).match
"""A header with a comment, which quotes would delete, and what is no escape."""


def shorten(text: str) -> str:
    """The text as a message shows it: on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN_LENGTH else line[: MAX_SHOWN_LENGTH - 1] + "…"


def ambiguous_scalar(node: Node, reading: ScalarValue, path: Path, at_key: bool) -> ParseError:
    """A plain scalar that parsers of YAML 1.1 read as something else."""
    text = node.text or ""
    value = text if at_key else reading.value
    replacement = to_unambiguous_text(text, value)
    kind = "text" if isinstance(value, str) else f"the number {shorten(str(value))}"
    problem, advice = f"{shorten(text)} is {kind} here", f"write {shorten(replacement)}"
    message = f"{problem} and {reading.yaml_1_1} to YAML 1.1 readers; {advice}"
    if text.lower() == "no" and _names_a_language(path) and not at_key:
        message = f"{text} is false to YAML 1.1 readers, not the language Norwegian; write {replacement}"
    return ParseError("ambiguous-scalar", message, node.span, 0, path, at_key, (), replacement, safe=True)


def line_break_in_scalar(node: Node, source: str, path: Path, at_key: bool) -> ParseError:
    """A scalar with a line break of YAML 1.1; its fix has the same value, with the escape and quotes for it."""
    new = _escape_line_breaks(source) if node.style == "double" else quote(node.text or "")
    return line_break(source, node.start, None if node.is_raw or _unwritable(source) else new, path, at_key)


def line_break(
    source: str, start: int, new: str | None = None, path: Path | None = None, at_key: bool = False
) -> ParseError:
    """A line break of YAML 1.1 in a scalar, or in a comment, which has no path; `start` is where the source starts."""
    found = next(LINE_BREAKS_1_1.finditer(source))
    problem = f"U+{ord(found[0]):04X} is a line break to YAML 1.1 readers, which refuse the file or read another text"
    message = f"{problem}; write {_escape_line_breaks(found[0])}{'' if path is None else ' in double quotes'}"
    new = _escape_line_breaks(source) if path is None else new
    span, replaced = Span(start + found.start(), start + found.end()), Span(start, start + len(source))
    return ParseError("ambiguous-scalar", message, span, 0, path, at_key, (), new, True, replaced=replaced)


def cut_text(part: SourceSlice, node: Node, comment: str, path: Path) -> ParseError:
    """A plain text that a comment ends; its fix has both as the text."""
    rest = re.split(r"[ \t]+#", comment)[0].rstrip()
    start = part.text.index("#", node.end)
    whole = quote(f"{node.text}{part.text[node.end : start]}{rest}")
    message = f'{shorten(rest)} is a comment, so the text is "{shorten(node.text or "")}"; quote all of it'
    span, replaced = part.to_span(start, start + len(rest)), part.to_span(node.start, start + len(rest))
    return ParseError("ambiguous-scalar", message, span, 0, path, replacement=whole, replaced=replaced)


def _escape_line_breaks(source: str) -> str:
    return LINE_BREAKS_1_1.sub(lambda match: f"\\u{ord(match[0]):04x}", source)


def _names_a_language(path: Path) -> bool:
    return any(isinstance(step, str) and "language" in step.lower() for step in path[-2:])


def duplicate_key(mapping: Node, key: Node, earlier: Node, path: Path) -> Iterator[ParseError]:
    """A key that appears twice in one mapping, and none behind the one that rather begins another item of a list."""
    advice = "remove one of the two"
    if len(path) > 1 and isinstance(path[-2], int) and mapping.first_key and mapping.repeated_keys:
        if key.text == mapping.first_key.text:
            advice = "begin another item with it, or remove one of the two"
        elif mapping.first_key.text in mapping.repeated_keys:
            return
    message = f'duplicate key "{shorten(key.text or "")}"; {advice}'
    yield ParseError("duplicate-key", message, key.span, 0, path, at_key=True, related=(earlier.span,))


def repeated_merge_key(
    text: str, first: tuple[Node, Span], later: tuple[Node, Span], path: Path, *, is_flow: bool
) -> ParseError:
    """A second merge key of a mapping; one merge key with both values means the same to every reader."""
    (earlier, value), (key, later_value) = first, later
    sources = [text[span.start : span.end] for span in (value, later_value)]
    between = text[value.end : key.start]
    rest = between.rstrip()
    rest = rest.removesuffix(",") if is_flow else rest
    is_alone = "#" not in between if is_flow else not between.rpartition("\n")[2].strip(" ") and "\n" in between
    replacement, advice = None, "<<: [*a, *b]"
    if is_alone and all(source[:1] in tuple("*[{") and "\n" not in source for source in sources):
        merged = ", ".join(source[1:-1].strip(" ,") if source[0] == "[" else source for source in sources)
        replacement, advice = f"[{merged}]{rest}", f"<<: [{shorten(merged)}]"
    message = f"two merge keys in one mapping, of which other readers take one or none; write {advice}"
    replaced = Span(value.start, later_value.end)
    return ParseError(
        "duplicate-key", message, key.span, 0, path, True, (earlier.span,), replacement, replaced=replaced
    )


def tagged_value(text: str, span: Span, replacement: str | None, path: Path | None, at_key: bool) -> ParseError:
    """A scalar with a tag of no meaning here."""
    source = shorten(text[span.start : span.end])
    advice = f"write {shorten(replacement)}" if replacement else "remove the tag, or write out what it stands for"
    message = f"{source} begins with a YAML tag where plain text is expected; {advice}"
    return ParseError("tagged-value", message, span, 0, path, at_key, (), replacement)


def tagged_collection(text: str, start: int, path: Path) -> ParseError:
    """A mapping or a list with a tag of no meaning here."""
    tag = text[start:].split(maxsplit=1)[0]
    message = f"{shorten(tag)} is a YAML tag on a mapping or a list; remove the tag"
    return ParseError("tagged-value", message, Span(start, start + len(tag)), 0, path)


def invalid_merge(source: Node, path: Path) -> ParseError:
    """A merge key whose value holds no keys."""
    message = "a merge key must be a mapping or a list of mappings; name one by its anchor"
    return ParseError("syntax-error", message, source.span, 0, path)
