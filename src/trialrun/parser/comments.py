"""The comments of a YAML file: what follows a `#` that is in no scalar, in any of its styles.

The scalars of a parsed document are known. Lines that only a repair made readable, and those of documents that could
not be parsed, are scanned on their own, as well as a single line allows.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from trialrun.parser.decode import is_json_path
from trialrun.parser.document import Document, ParsedFile
from trialrun.parser.nodes import Node, Path, scalars
from trialrun.parser.parse_error import LINE_BREAKS_1_1, ParseError, cut_text, line_break
from trialrun.parser.scalars import parse_plain_scalar
from trialrun.parser.spans import yaml_scalars
from trialrun.terraform import is_terraform_path
from trialrun.text import LINE_BREAK, Source, Span

_CHARACTERS_BEFORE: Final = " \t\"'[]{},"
"""What may be right before a comment: spaces, or the end of anything but a plain text."""
_words = re.compile(
    r"""[ \t]+|[\[{,]|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?P<comment>\#)|(?P<open>["'])|[^ \t]+"""
).finditer


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment up to the end of its line, the `#` included; `is_own_line` where only spaces are before it."""

    span: Span
    is_own_line: bool


def comments(parsed: ParsedFile, pattern: re.Pattern[str]) -> list[Comment]:
    """The comments on the lines that have a match of `pattern`, in their order; none in a JSON file."""
    text = parsed.source.text
    if is_terraform_path(parsed.source.path) and not is_json_path(parsed.source.path):
        return [*_hcl_comments(parsed.source, pattern)]
    if is_json_path(parsed.source.path) or (parsed.documents and parsed.documents[0].source_slice.is_json):
        return []
    regions: dict[int, _Region] = {}
    by_line: dict[int, Comment] = {}
    for match in pattern.finditer(text):
        number = parsed.source.position(match.start()).line
        if number not in by_line:
            start = parsed.source.line_starts[number - 1]
            line = Span(start, start + len(parsed.source.line(number)))
            at = _comment_start(parsed, line, regions)
            if at is not None:
                by_line[number] = Comment(Span(at, line.end), not text[line.start : at].strip(" \t"))
    return list(by_line.values())


def _hcl_comments(source: Source, pattern: re.Pattern[str]) -> Iterator[Comment]:
    """The comments of a Terraform file up to the end of a line, which those between `/*` and `*/` are not."""
    from trialrun.parser.hcl import read_hcl

    for start, end in read_hcl(source.text).comments:
        if source.text.startswith(("#", "//"), start) and pattern.search(source.text, start, end):
            line = source.line_starts[source.position(start).line - 1]
            yield Comment(Span(start, end), not source.text[line:start].strip(" \t"))


def line_break_warnings(parsed: ParsedFile) -> Iterator[ParseError]:
    """The comments with a line break of YAML 1.1, whose rest other readers take for keys and values."""
    for span in (comment.span for comment in comments(parsed, LINE_BREAKS_1_1)):
        source, document = parsed.source.text[span.start : span.end], parsed.document_at(span.start)
        if LINE_BREAKS_1_1.search(source):
            yield line_break(source, span.start)._replace(document=document.index if document else 0)


_number_sign = re.compile(r"^[^#\"\r\n]*[ \t](#[0-9]+(?!\w)[^\r\n]*)", re.MULTILINE).finditer
_name = re.compile(r"(?![A-Z]{4,}\Z)[^\W\d_a-z][^\W_]*(?:[^\w/:*]+[^\W_]+)*[^\w/:*]*").fullmatch
"""Words as in names of dishes: no id, value of an enum, schedule or address, behind which no number sign belongs."""
_MAX_CUT_TEXTS: Final = 50


def cut_text_warnings(parsed: ParsedFile) -> Iterator[ParseError]:
    """The plain texts that a comment ends which is rather a part of them, the first ones of a file."""
    by_end: dict[int, dict[int, tuple[Node, Path]]] = {}
    for match in islice(_number_sign(parsed.source.text), _MAX_CUT_TEXTS):
        document = parsed.document_at(match.start(1))
        if document is None:
            continue
        part, at = document.source_slice, match.start(1) - document.full_span.start
        if document.index not in by_end:
            by_end[document.index] = {node.end: (node, path) for node, path in scalars(document.root)}
        node, path = by_end[document.index].get(len(part.text[:at].rstrip(" \t")), (None, ()))
        if node is None or node.style != "plain" or path[-1:] in ((), ("kind",)) or part.text[at : at + 1] != "#":
            continue
        if _name(node.text or "") and isinstance(parse_plain_scalar(node.text or "").value, str):
            yield cut_text(part, node, match[1], path)._replace(document=document.index)


class _Region:
    """The part of a file that one document was parsed from, with its scalars once they are asked for."""

    def __init__(self, document: Document) -> None:
        self.part = document.source_slice
        self.span = document.full_span

    @cached_property
    def scalars(self) -> list[Span]:
        """The characters of every scalar, keys too; of a block scalar those below its header, which may end so."""
        return [self.part.to_span(*_hidden_range(node, self.part.text)) for node in yaml_scalars(self.part)]

    def hides(self, at: int) -> bool:
        """Whether a character belongs to a scalar."""
        before = bisect_right(self.scalars, at, key=lambda scalar: scalar.start)
        return before > 0 and at < self.scalars[before - 1].end

    def matches(self, text: str, line: Span) -> bool:
        """Whether the line was parsed as it is in the file."""
        start, end = line.start - self.span.start, min(line.end, self.span.end) - self.span.start
        return self.part.text[start:end] == text[line.start : self.span.start + end]


def _hidden_range(node: Node, text: str) -> tuple[int, int]:
    if node.style not in ("literal", "folded"):
        return node.start, node.end
    header = LINE_BREAK.search(text, node.start, node.end)
    return header.start() if header else node.end, node.end


def _comment_start(parsed: ParsedFile, line: Span, regions: dict[int, _Region]) -> int | None:
    text, document = parsed.source.text, parsed.document_at(line.start)
    region = regions.setdefault(document.index, _Region(document)) if document else None
    if region is None or not region.matches(text, line):
        return _comment_start_in_line(text, line)
    at = text.find("#", line.start, line.end)
    while at >= 0:
        if (at == line.start or text[at - 1] in _CHARACTERS_BEFORE) and not region.hides(at):
            return at
        at = text.find("#", at + 1, line.end)
    return None


def _comment_start_in_line(text: str, line: Span) -> int | None:
    """The comment of a line that no document was read from; quotes that do not close hide the rest of it."""
    for word in _words(text, line.start, line.end):
        if word["comment"]:
            return word.start()
        if word["open"]:
            return None
    return None
