"""Adds comments that suppress many findings of a file, each where it covers its finding and changes nothing else.

All comments are tried at once, and each half by itself where that fails, so a file is read a few times and not once for
every finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trialrun.diagnostic import Diagnostic, Range, TextEdit
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.suppression.collect import collect_suppressions
from trialrun.lint.suppression.insert_comment import candidate_edits, edits_at_line, values_and_errors
from trialrun.lint.suppression.suppression import Suppression
from trialrun.parser import ParsedFile, parse
from trialrun.parser.encode import encode
from trialrun.parser.line_index import LineIndex
from trialrun.text import Position, Source, Span

MAX_REPARSED_CHARACTERS: Final = 1 << 26
"""Characters of one file that are read again to verify comments: a few seconds; what is left then gets a table."""
CommentText = Callable[[Sequence[str]], str]
"""The comment that suppresses some rules."""


@dataclass(frozen=True, slots=True)
class CommentedFile:
    """A file with comments, and the findings that no comment can suppress."""

    source: Source
    left: tuple[Diagnostic, ...]


def add_ignores(
    tree: ParsedFile,
    diagnostics: Sequence[Diagnostic],
    comment: CommentText,
    *,
    max_reparsed: int = MAX_REPARSED_CHARACTERS,
) -> CommentedFile:
    """Add the comments that suppress the findings of a file; one for all findings of a line.

    A finding inside of a key or item whose comment already names its rule needs none.
    """
    after, left = _insert(tree, list(_groups(tree, diagnostics)), _Attempts(comment, max_reparsed))
    return CommentedFile(after.source, tuple(left))


@dataclass(frozen=True, slots=True)
class _Group:
    """The findings on one line, as they were given and where they are now."""

    given: tuple[Diagnostic, ...]
    line: int

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(diagnostic.rule for diagnostic in self.given))

    @property
    def moved(self) -> Iterator[Diagnostic]:
        """The findings at the line where they are now."""
        for diagnostic in self.given:
            start, end = diagnostic.range.start, diagnostic.range.end
            by = self.line - start.line
            yield replace(
                diagnostic, range=Range(Position(start.line + by, start.column), Position(end.line + by, end.column))
            )


# ---- which findings get a comment


def _groups(tree: ParsedFile, diagnostics: Sequence[Diagnostic]) -> Iterator[_Group]:
    """The findings by line, without those that the comment of an earlier line covers."""
    by_line: dict[int, list[Diagnostic]] = {}
    for diagnostic in sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key):
        by_line.setdefault(diagnostic.range.start.line, []).append(diagnostic)
    lines = _LineSpans(tree)
    covered: dict[str, list[Span]] = {}
    for line, found in sorted(by_line.items()):
        start = tree.source.line_starts[line - 1]
        for rule, spans in covered.items():
            covered[rule] = [span for span in spans if span.end > start]
        rest = tuple(diagnostic for diagnostic in found if not _is_inside(diagnostic, covered, tree.source))
        for rule in {diagnostic.rule for diagnostic in rest}:
            covered.setdefault(rule, []).extend(lines.spans(line))
        if rest:
            yield _Group(rest, line)


def _is_inside(diagnostic: Diagnostic, covered: dict[str, list[Span]], source: Source) -> bool:
    offset = source.offset(diagnostic.range.start)
    return any(span.start <= offset < span.end for span in covered.get(diagnostic.rule, ()))


class _LineSpans:
    """The characters that a comment at a line covers."""

    def __init__(self, tree: ParsedFile) -> None:
        self._tree = tree
        self._by_document: dict[int, LineIndex] = {}

    def spans(self, line: int) -> list[Span]:
        document = self._tree.document_at(self._tree.source.line_starts[line - 1])
        if document is None:
            return []
        index = self._by_document.get(document.index)
        if index is None:
            index = self._by_document[document.index] = LineIndex(document, self._tree.source)
        return [entry.span for entry in index.entries_at(line)]


# ---- where the comments go


@dataclass(slots=True)
class _Attempts:
    """The comments to try, and how many characters may still be read again for them."""

    comment: CommentText
    characters: int


def _insert(tree: ParsedFile, groups: Sequence[_Group], attempts: _Attempts) -> tuple[ParsedFile, list[Diagnostic]]:
    """The file with comments for all groups, in the order of lines, and the findings that no comment covers."""
    if attempts.characters <= 0:
        return tree, [diagnostic for group in groups for diagnostic in group.given]
    if len(groups) < 2:
        return _insert_one(tree, groups[0], attempts) if groups else (tree, [])
    edits = [edits_at_line(tree.source, group.line, attempts.comment(group.rules))[0] for group in groups]
    if (after := _verified(tree, list(zip(groups, edits, strict=True)), attempts)) is not None:
        return after, []
    middle = len(groups) // 2
    half, left = _insert(tree, groups[:middle], attempts)
    whole, more = _insert(half, _shifted(groups[middle:], tree, half), attempts)
    return whole, left + more


def _shifted(groups: Sequence[_Group], before: ParsedFile, after: ParsedFile) -> list[_Group]:
    """Groups below all comments that were added."""
    lines = len(after.source.line_starts) - len(before.source.line_starts)
    return [replace(group, line=group.line + lines) for group in groups]


def _insert_one(tree: ParsedFile, group: _Group, attempts: _Attempts) -> tuple[ParsedFile, list[Diagnostic]]:
    """The file with a comment for one group at the first place that works, or one for each of its findings."""
    first = next(group.moved)
    for edit in candidate_edits(tree, first, attempts.comment(group.rules)):
        if (after := _verified(tree, [(group, edit)], attempts)) is not None:
            return after, []
    if len(group.given) == 1:
        return tree, list(group.given)
    after, left = tree, []
    for diagnostic in group.given:
        (alone,) = _shifted([_Group((diagnostic,), group.line)], tree, after)
        after, refused = _insert_one(after, alone, attempts)
        left += refused
    return after, left


def _verified(tree: ParsedFile, changes: Sequence[tuple[_Group, TextEdit]], attempts: _Attempts) -> ParsedFile | None:
    """The file with the edits, if it has the same values and each comment covers its findings; else None."""
    text = tree.source.text
    attempts.characters -= len(text)
    for _, edit in reversed(changes):
        start, end = tree.source.offset(edit.range.start), tree.source.offset(edit.range.end)
        text = text[:start] + edit.text + text[end:]
    source = replace(tree.source, text=text)
    after = parse(encode(source), source.path)
    if values_and_errors(after) != values_and_errors(tree):
        return None
    by_line: dict[int, list[Suppression]] = {}
    for suppression in collect_suppressions(after):
        by_line.setdefault(suppression.range.start.line, []).append(suppression)
    added = 0
    for group, edit in changes:
        place = Position(edit.range.start.line + added, edit.range.start.column)
        added += _adds_line(edit)
        at = replace(group, line=group.line + added)
        if not _covers_all([one for one in by_line.get(place.line, ()) if one.range.start >= place], at):
            return None
    return after


def _adds_line(edit: TextEdit) -> bool:
    return edit.text.endswith(("\n", "\r"))


def _covers_all(suppressions: Sequence[Suppression], group: _Group) -> bool:
    """Whether new comments cover the findings of a group."""
    return all(
        any(
            suppression.kind == "ignore"
            and suppression.scope.covers(diagnostic)
            and any(reference.rule == diagnostic.rule for reference in suppression.references)
            for suppression in suppressions
        )
        for diagnostic in group.moved
    )
