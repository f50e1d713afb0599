"""Collects the suppressions of a file, each with the nodes that it covers: the entries on its line, or below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from trialrun.diagnostic import Range, json_pointer
from trialrun.lint.positions import find_value, range_of, stable_path
from trialrun.lint.suppression.suppression import (
    MENTION,
    Directive,
    RuleReference,
    Scope,
    Suppression,
    parse_directives,
)
from trialrun.parser import Document, ParsedFile
from trialrun.parser.comments import Comment, comments
from trialrun.parser.nodes import Node, NodeRef, Path
from trialrun.terraform import has_unknown, is_terraform_path
from trialrun.text import Source, Span

_before_dash = re.compile(r"(?:[ \t\r\n:\ufeff]|(?<=[ \t\r\n])#[^\r\n]*)*").match
_aliased = re.compile(r"-(?:[ \t\r\n]|(?<=[ \t\r\n])#[^\r\n]*)+\*[^ \t\r\n]+").match


IndexedEntry = tuple[Path, Span]
"""A key with its value, or an item with its dash: the path of the value, and the characters from key to end."""


class LineIndex:
    """The outermost entries of a document by line, found in one walk; several where they share a level."""

    def __init__(self, document: Document, source: Source) -> None:
        self._from: dict[int, list[IndexedEntry]] = {}
        self._to: dict[int, list[IndexedEntry]] = {}
        waiting: list[tuple[Node, Path, int, int]] = [(document.root.node, (), 0, 0)]
        while waiting:
            node, path, above_first, above_last = waiting.pop()
            below: list[tuple[Node, Path, int, int]] = []
            for entry, child in _entries(document, node, path):
                first = source.position(entry[1].start).line
                last = source.position(entry[1].end).line
                if first != above_first:
                    self._from.setdefault(first, []).append(entry)
                if last != above_last and last != first:
                    self._to.setdefault(last, []).append(entry)
                if not child.is_aliased:
                    below.append((child.node, entry[0], first, last))
            waiting += reversed(below)

    def entries_at(self, line: int) -> list[IndexedEntry]:
        """The entries that begin on a line, from 1, else those that end there."""
        return self._from.get(line) or self._to.get(line, [])


def _entries(document: Document, node: Node, path: Path) -> Iterator[tuple[IndexedEntry, NodeRef]]:
    """The children of a node that are in it; a merged key is elsewhere."""
    part = document.source_slice
    for text, child in (node.keys or {}).items():
        if child.key is not None and not child.is_merged:
            end = child.key.end if child.is_aliased else max(child.key.end, child.node.end)
            yield ((*path, text), part.to_span(child.key.start, end)), child
    for index, (child, (start, end)) in enumerate(zip(node.items or (), _item_ranges(part.text, node), strict=True)):
        yield ((*path, index), part.to_span(start, end)), child


def _item_ranges(text: str, node: Node) -> Iterator[tuple[int, int]]:
    """Where the items of a list start and end: in block style from their dash on."""
    at = node.start
    for child in node.items or ():
        blank = _before_dash(text, at)
        dash = blank.end() if blank else at
        if node.style != "block" or not text.startswith("-", dash):
            start, end = (at, at) if child.is_aliased else (child.node.start, child.node.end)
        elif child.is_aliased:
            alias = _aliased(text, dash)
            start, end = dash, alias.end() if alias else dash + 1
        else:
            start, end = dash, max(child.node.end, dash + 1)
        yield start, end
        at = max(at, end)


INCOMPLETE_READ_RULES: Final = ("syntax-error", "resource-limit")
"""Parse errors after which parts of a document are not checked."""
_no_content = re.compile(r"[ \t]*(?:#|\Z)|%(?:YAML|TAG)[ \t]").match
_no_hcl_content = re.compile(r"[ \t]*(?:#|//|\Z)").match
_marker = re.compile(r"---(?=[ \t]|\Z)").match
_keeps_blank_lines: Final = re.compile(r"[|>][1-9]?\+").search


def collect_suppressions(parsed: ParsedFile) -> list[Suppression]:
    """The suppressions of a file in order; none in JSON, which has no comments."""
    reading = _FileReader(parsed)
    found = [
        (comment, list(parse_directives(reading.text_of(comment), comment.span.start))) for comment in reading.comments
    ]
    reading.find_targets([comment for comment, said in found if said])
    return [reading.suppression(comment, directive, len(said)) for comment, said in found for directive in said]


class _FileReader:
    """A file with what is asked about its lines."""

    def __init__(self, parsed: ParsedFile) -> None:
        self.parsed = parsed
        self.source: Source = parsed.source
        self.comments = comments(parsed, MENTION)
        self.keeps_blank_lines = _keeps_blank_lines(parsed.source.text) is not None
        self.is_terraform = is_terraform_path(parsed.source.path)
        self.has_no_content = _no_hcl_content if self.is_terraform else _no_content
        self.entries: dict[int, LineIndex] = {}
        self.targets: dict[int, int] = {}
        self.broken = {error.document for error in parsed.errors if error.rule in INCOMPLETE_READ_RULES}
        self.first_content = self._content_from(1, is_content=lambda line: not _marker(line))

    def text_of(self, comment: Comment) -> str:
        return self.source.text[comment.span.start : comment.span.end]

    # ---- the line that a comment is about

    def find_targets(self, comments: list[Comment]) -> None:
        """Find the line of each comment, from the last to the first so that no line is scanned twice."""
        for comment in reversed(comments):
            line = self.source.position(comment.span.start).line
            self.targets[line] = self._content_from(line + 1) if comment.is_own_line else line

    def _content_from(self, line: int, is_content: Callable[[str], object] = bool) -> int:
        """The first line with content from a line on; 0 if there is none."""
        while line <= len(self.source.line_starts):
            if line in self.targets:
                return self.targets[line]
            text = self.source.line(line)
            if not self.has_no_content(text) and is_content(text):
                return line
            line += 1
        return 0

    # ---- what it covers

    def suppression(self, comment: Comment, directive: Directive, parts: int) -> Suppression:
        """One directive of a comment that contains `parts` of them."""
        scope, document, path = self._scope(comment, directive)
        whole = self._removal_span(comment) if parts == 1 and directive.removal == comment.span else directive.removal
        return Suppression(
            path=self.source.path,
            range=self._range(directive.span),
            removal=self._range(whole),
            kind=directive.kind,
            keyword=directive.keyword.text,
            keyword_range=self._range(directive.keyword.span),
            references=tuple(
                RuleReference(name.text, self._range(name.span), self._range(name.removal)) for name in directive.names
            ),
            reason=directive.reason,
            owner=directive.owner,
            until=directive.until.text if directive.until else None,
            until_range=self._range(directive.until.span if directive.until else directive.span),
            scope=scope,
            is_fully_read=self._is_fully_read(scope, path),
            fingerprint=stable_path(document.value if document else None, path),
            resource=_resource(document, path),
        )

    def _scope(self, comment: Comment, directive: Directive) -> tuple[Scope, Document | None, Path]:
        """The scope of a directive, and the document and path of its first node."""
        line = self.source.position(comment.span.start).line
        if directive.kind == "ignore-file":
            is_at_top = not self.first_content or line < self.first_content
            return Scope(whole_file=is_at_top), None, ()
        target = self.targets[line]
        document = self.parsed.document_at(self.source.line_starts[target - 1]) if target else None
        if document is None:
            return Scope(document=-1, line=target), None, ()
        start = self.source.position(document.full_span.start).line
        if _marker(self.source.line(target)) or (self.is_terraform and start == target):
            return Scope(document=document.index, ranges=(self._range(document.full_span),), line=target), document, ()
        entries = self._entries(document).entries_at(target)
        pointers = tuple(json_pointer(path) for path, _ in entries)
        ranges = tuple(self._range(span) for _, span in entries)
        return Scope(False, document.index, pointers, ranges, target), document, entries[0][0] if entries else ()

    def _is_fully_read(self, scope: Scope, path: Path) -> bool:
        """Whether everything in a scope could be parsed, and nothing in it is known to Terraform alone."""
        is_whole = scope.whole_file or not scope.line
        if self.broken if is_whole else scope.document < 0 or scope.document in self.broken:
            return False
        documents = [document for document in self.parsed.documents if is_whole or document.index == scope.document]
        return not (self.is_terraform and any(has_unknown(find_value(one.value, path)) for one in documents))

    def _entries(self, document: Document) -> LineIndex:
        if document.index not in self.entries:
            self.entries[document.index] = LineIndex(document, self.source)
        return self.entries[document.index]

    # ---- how it is removed

    def _removal_span(self, comment: Comment) -> Span:
        """A comment with its line if it has one to itself, otherwise with the spaces before it.

        A comment may terminate a block scalar that keeps its trailing lines; there, its `#` stays.
        """
        text, span = self.source.text, comment.span
        line = self.source.position(span.start).line
        if not comment.is_own_line:
            before = text[self.source.line_starts[line - 1] : span.start].rstrip(" \t")
            return Span(self.source.line_starts[line - 1] + len(before), span.end)
        if self.keeps_blank_lines:
            return Span(span.start + 1, span.end)
        starts = self.source.line_starts
        return Span(starts[line - 1], starts[line] if line < len(starts) else len(text))

    def _range(self, span: Span) -> Range:
        return range_of(self.source, span)


def _resource(document: Document | None, path: Path) -> str:
    """The name of the resource around a path: the document, or its item if it is a list."""
    if document and document.address:
        return document.address
    value = document.value if document else None
    if isinstance(value, list) and path and isinstance(path[0], int) and path[0] < len(value):
        value = value[path[0]]
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""
