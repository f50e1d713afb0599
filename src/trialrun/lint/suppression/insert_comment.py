"""Inserts a comment that suppresses a finding, where it covers the finding and changes nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from trialrun.diagnostic import Diagnostic, Path, Range, TextEdit
from trialrun.lint.suppression.collect import collect_suppressions
from trialrun.lint.suppression.directive import REASON_PLACEHOLDER, ignore_comment
from trialrun.lint.suppression.suppressor import NOT_SUPPRESSIBLE
from trialrun.parser import Document, ParsedFile, parse
from trialrun.parser.decode import is_json_path
from trialrun.parser.encode import encode
from trialrun.text import LINE_BREAK, Position, Source

MAX_LINE_LENGTH: Final = 120
"""A comment that would end beyond this column is put above its line, if possible."""
MAX_CANDIDATES: Final = 8
"""Places tried for a comment: two at the line of the finding and at each key around it."""
NOT_OFFERED: Final = NOT_SUPPRESSIBLE | {"unexplained-suppression"}
"""Rules that cannot be suppressed, and the missing reason, which a comment without one would only repeat."""
_indent = re.compile(r"[ \t]*")


def add_ignore(tree: ParsedFile, diagnostic: Diagnostic) -> TextEdit | None:
    """The edit that suppresses a finding by a comment; the user still has to write the reason.

    None if no comment can: in JSON, or for rules that cannot be suppressed. Each edit is verified by parsing the text
    again: its value is unchanged, and the comment covers the finding.
    """
    if diagnostic.rule in NOT_OFFERED or is_json_path(tree.source.path):
        return None
    proof = _EditVerifier(tree, diagnostic)
    tried = candidate_edits(tree, diagnostic, ignore_comment([diagnostic.rule], REASON_PLACEHOLDER))
    return next((edit for edit in tried if proof.accepts(edit)), None)


def candidate_edits(tree: ParsedFile, diagnostic: Diagnostic, comment: str) -> Iterator[TextEdit]:
    """The comment at the line of the finding, then at those of the keys around it, nearest first; not verified."""
    lines = [diagnostic.range.start.line, *_enclosing_lines(tree, diagnostic)]
    edits = (edit for line in dict.fromkeys(lines) for edit in edits_at_line(tree.source, line, comment))
    return islice(edits, MAX_CANDIDATES)


def edits_at_line(source: Source, line: int, comment: str) -> tuple[TextEdit, TextEdit]:
    """The comment at the end of a line and above it; above it first if the line would get too long."""
    behind, above = _comment_at_end(source, line, comment), _comment_above(source, line, comment)
    is_long = behind.range.start.column + len(behind.text) - 1 > MAX_LINE_LENGTH
    return (above, behind) if is_long else (behind, above)


def _comment_at_end(source: Source, line: int, comment: str) -> TextEdit:
    text = source.line(line)
    end = len(text.rstrip(" \t"))
    return TextEdit(Range(Position(line, end + 1), Position(line, len(text) + 1)), ("  " if end else "") + comment)


def _comment_above(source: Source, line: int, comment: str) -> TextEdit:
    indent = _indent.match(source.line(line))
    line_break = LINE_BREAK.search(source.text, source.line_starts[line - 1]) or LINE_BREAK.search(source.text)
    text = (indent[0] if indent else "") + comment + (line_break[0] if line_break else "\n")
    return TextEdit(Range(Position(line, 1), Position(line, 1)), text)


def _enclosing_lines(tree: ParsedFile, diagnostic: Diagnostic) -> Iterator[int]:
    """The lines of the keys and items around the finding, innermost first."""
    document = next((document for document in tree.documents if document.index == diagnostic.document), None)
    if document is None:
        return
    path = _existing_path(document, diagnostic.pointer)
    for length in range(len(path), 0, -1):
        span = document.key_span(path[:length]) or document.span(path[:length])
        yield tree.source.position(span.start).line


def _existing_path(document: Document, pointer: str) -> Path:
    """The path that a JSON Pointer names, as far as it exists."""
    path: Path = ()
    value = document.value
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        try:
            key: str | int = int(name) if isinstance(value, list) else name
            value = value[key]
        except (LookupError, TypeError, ValueError):
            break
        path = (*path, key)
    return path


class _EditVerifier:
    """Verifies an edit against the original text and the suppressions that it has already."""

    def __init__(self, tree: ParsedFile, diagnostic: Diagnostic) -> None:
        self._tree = tree
        self._found = diagnostic
        self._covering = _count_covering(tree, diagnostic)

    def accepts(self, edit: TextEdit) -> bool:
        """Whether the edited text has the same values, and one more comment covers the finding."""
        before = self._tree.source
        start, end = before.offset(edit.range.start), before.offset(edit.range.end)
        source = replace(before, text=before.text[:start] + edit.text + before.text[end:])
        after = parse(encode(source), source.path)
        return (
            values_and_errors(after) == values_and_errors(self._tree)
            and _count_covering(after, _shift(self._found, edit)) > self._covering
        )


def _count_covering(tree: ParsedFile, diagnostic: Diagnostic) -> int:
    """The number of comments that suppress a finding."""
    ours = (
        suppression
        for suppression in collect_suppressions(tree)
        if suppression.kind == "ignore" and suppression.scope.covers(diagnostic)
    )
    return sum(any(reference.rule == diagnostic.rule for reference in our.references) for our in ours)


def values_and_errors(tree: ParsedFile) -> tuple[list[Any], Counter[str]]:
    """The values of a text, and the number of its parse errors by rule."""
    return [document.value for document in tree.documents], Counter(error.rule for error in tree.errors)


def _shift(diagnostic: Diagnostic, edit: TextEdit) -> Diagnostic:
    """The finding at its position after the edit."""
    start, end = diagnostic.range.start, diagnostic.range.end
    if edit.range.end.column > 1 or edit.range.start.line > start.line or not LINE_BREAK.search(edit.text):
        return diagnostic
    there = Range(replace(start, line=start.line + 1), replace(end, line=end.line + 1))
    return replace(diagnostic, range=there)
