"""Adds suppressions: comments to YAML, and tables to settings, which also work for files without comments.

All comments of a file are tried at once, and each half by itself where that fails, so a file is read a few times and
not once for every finding. Each covers its finding and changes nothing else.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from trialrun.diagnostic import Diagnostic, Path, Range, TextEdit, pointer_steps
from trialrun.lint.settings import Profiles
from trialrun.lint.suppression.collect import LineIndex, collect_suppressions
from trialrun.lint.suppression.suppression import REASON_PLACEHOLDER, Suppression, ignore_comment
from trialrun.lint.suppression.suppressors import NOT_SUPPRESSIBLE
from trialrun.parser import Document, ParsedFile, parse
from trialrun.parser.decode import encode, is_json_path
from trialrun.terraform import is_terraform_path
from trialrun.text import LINE_BREAK, Position, Source, Span
from trialrun.working_folder import relative_path

MAX_REPARSED_CHARACTERS: Final = 1 << 26
"""Characters of one file that are read again to verify comments: a few seconds; what is left then gets a table."""
CommentText = Callable[[Sequence[str]], str]
"""The comment that suppresses some rules."""


def add_ignores(
    parsed: ParsedFile,
    diagnostics: Sequence[Diagnostic],
    comment: CommentText,
    *,
    max_reparsed: int = MAX_REPARSED_CHARACTERS,
) -> tuple[Source, list[Diagnostic]]:
    """Add the comments that suppress the findings of a file, one for all findings of a line.

    Returns the text, and the findings that no comment can suppress. A finding inside of a key or item
    whose comment already names its rule needs none.
    """
    after, left = _insert(parsed, list(_groups(parsed, diagnostics)), _Attempts(comment, max_reparsed))
    return after.source, left


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
            yield diagnostic._replace(
                range=Range(Position(start.line + by, start.column), Position(end.line + by, end.column))
            )


# ---- which findings get a comment


def _groups(parsed: ParsedFile, diagnostics: Sequence[Diagnostic]) -> Iterator[_Group]:
    """The findings by line, without those that the comment of an earlier line covers."""
    by_line: dict[int, list[Diagnostic]] = {}
    for diagnostic in sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key):
        by_line.setdefault(diagnostic.range.start.line, []).append(diagnostic)
    indexes: dict[int, LineIndex] = {}
    covered: dict[str, list[Span]] = {}
    for line, found in sorted(by_line.items()):
        start = parsed.source.line_starts[line - 1]
        for rule, spans in covered.items():
            covered[rule] = [span for span in spans if span.end > start]
        rest = tuple(diagnostic for diagnostic in found if not _is_inside(diagnostic, covered, parsed.source))
        for rule in {diagnostic.rule for diagnostic in rest}:
            covered.setdefault(rule, []).extend(_spans_at(parsed, line, indexes))
        if rest:
            yield _Group(rest, line)


def _is_inside(diagnostic: Diagnostic, covered: dict[str, list[Span]], source: Source) -> bool:
    offset = source.offset(diagnostic.range.start)
    return any(span.start <= offset < span.end for span in covered.get(diagnostic.rule, ()))


def _spans_at(parsed: ParsedFile, line: int, indexes: dict[int, LineIndex]) -> list[Span]:
    """The characters that a comment at a line covers; `indexes` has those of the documents that were asked for."""
    document = parsed.document_at(parsed.source.line_starts[line - 1])
    if document is None:
        return []
    if document.index not in indexes:
        indexes[document.index] = LineIndex(document, parsed.source)
    return [span for _, span in indexes[document.index].entries_at(line)]


# ---- where the comments go


@dataclass(slots=True)
class _Attempts:
    """The comments to try, and how many characters may still be read again for them."""

    comment: CommentText
    characters: int


def _insert(parsed: ParsedFile, groups: Sequence[_Group], attempts: _Attempts) -> tuple[ParsedFile, list[Diagnostic]]:
    """The file with comments for all groups, in the order of lines, and the findings that no comment covers."""
    if attempts.characters <= 0:
        return parsed, [diagnostic for group in groups for diagnostic in group.given]
    if len(groups) < 2:
        return _insert_one(parsed, groups[0], attempts) if groups else (parsed, [])
    edits = [edits_at_line(parsed.source, group.line, attempts.comment(group.rules))[0] for group in groups]
    if (after := _verified(parsed, list(zip(groups, edits, strict=True)), attempts)) is not None:
        return after, []
    middle = len(groups) // 2
    half, left = _insert(parsed, groups[:middle], attempts)
    whole, more = _insert(half, _shifted(groups[middle:], parsed, half), attempts)
    return whole, left + more


def _shifted(groups: Sequence[_Group], before: ParsedFile, after: ParsedFile) -> list[_Group]:
    """Groups below all comments that were added."""
    lines = len(after.source.line_starts) - len(before.source.line_starts)
    return [replace(group, line=group.line + lines) for group in groups]


def _insert_one(parsed: ParsedFile, group: _Group, attempts: _Attempts) -> tuple[ParsedFile, list[Diagnostic]]:
    """The file with a comment for one group at the first place that works, or one for each of its findings."""
    first = next(group.moved)
    for edit in candidate_edits(parsed, first, attempts.comment(group.rules)):
        if (after := _verified(parsed, [(group, edit)], attempts)) is not None:
            return after, []
    if len(group.given) == 1:
        return parsed, list(group.given)
    after, left = parsed, []
    for diagnostic in group.given:
        (alone,) = _shifted([_Group((diagnostic,), group.line)], parsed, after)
        after, refused = _insert_one(after, alone, attempts)
        left += refused
    return after, left


def _verified(parsed: ParsedFile, changes: Sequence[tuple[_Group, TextEdit]], attempts: _Attempts) -> ParsedFile | None:
    """The file with the edits, if it has the same values and each comment covers its findings; else None."""
    text = parsed.source.text
    attempts.characters -= len(text)
    for _, edit in reversed(changes):
        start, end = parsed.source.offset(edit.range.start), parsed.source.offset(edit.range.end)
        text = text[:start] + edit.text + text[end:]
    source = replace(parsed.source, text=text)
    after = parse(encode(source), source.path)
    if values_and_errors(after) != values_and_errors(parsed):
        return None
    by_line: dict[int, list[Suppression]] = {}
    for suppression in collect_suppressions(after):
        by_line.setdefault(suppression.range.start.line, []).append(suppression)
    added = 0
    for group, edit in changes:
        place = Position(edit.range.start.line + added, edit.range.start.column)
        added += edit.text.endswith(("\n", "\r"))
        at = replace(group, line=group.line + added)
        if not _covers_all([one for one in by_line.get(place.line, ()) if one.range.start >= place], at):
            return None
    return after


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


MAX_LINE_LENGTH: Final = 120
"""A comment that would end beyond this column is put above its line, if possible."""
MAX_CANDIDATES: Final = 8
"""Places tried for a comment: two at the line of the finding and at each key around it."""
NOT_OFFERED: Final = NOT_SUPPRESSIBLE | {"unexplained-suppression"}
"""Rules that cannot be suppressed, and the missing reason, which a comment without one would only repeat."""
_indent = re.compile(r"[ \t]*")


def add_ignore(parsed: ParsedFile, diagnostic: Diagnostic) -> TextEdit | None:
    """The edit that suppresses a finding by a comment; the user still has to write the reason.

    None if no comment can: in JSON, or for rules that cannot be suppressed. Each edit is verified by parsing the text
    again: its value is unchanged, and the comment covers the finding.
    """
    if diagnostic.rule in NOT_OFFERED or is_json_path(parsed.source.path):
        return None
    group = _Group((diagnostic,), diagnostic.range.start.line)
    attempts = _Attempts(lambda rules: ignore_comment(rules, REASON_PLACEHOLDER), MAX_REPARSED_CHARACTERS)
    tried = candidate_edits(parsed, diagnostic, attempts.comment(group.rules))
    return next((edit for edit in tried if _verified(parsed, [(group, edit)], attempts) is not None), None)


def candidate_edits(parsed: ParsedFile, diagnostic: Diagnostic, comment: str) -> Iterator[TextEdit]:
    """The comment at the line of the finding, then at those of the keys around it, nearest first; not verified."""
    lines = [diagnostic.range.start.line, *_enclosing_lines(parsed, diagnostic)]
    edits = (edit for line in dict.fromkeys(lines) for edit in edits_at_line(parsed.source, line, comment))
    return islice(edits, MAX_CANDIDATES)


def edits_at_line(source: Source, line: int, comment: str) -> tuple[TextEdit, TextEdit]:
    """The comment at the end of a line and above it; above it first if the line would get too long."""
    behind, above = _comment_at_end(source, line, comment), _comment_above(source, line, comment)
    is_long = behind.range.start.column + len(behind.text) - 1 > MAX_LINE_LENGTH
    return (above, behind) if is_long else (behind, above)


def _comment_at_end(source: Source, line: int, comment: str) -> TextEdit:
    text = source.line(line)
    end = len(text.rstrip(" \t"))
    blanks = " " if is_terraform_path(source.path) else "  "  # as terraform fmt has it
    return TextEdit(Range(Position(line, end + 1), Position(line, len(text) + 1)), (blanks if end else "") + comment)


def _comment_above(source: Source, line: int, comment: str) -> TextEdit:
    indent = _indent.match(source.line(line))
    line_break = LINE_BREAK.search(source.text, source.line_starts[line - 1]) or LINE_BREAK.search(source.text)
    text = (indent[0] if indent else "") + comment + (line_break[0] if line_break else "\n")
    return TextEdit(Range(Position(line, 1), Position(line, 1)), text)


def _enclosing_lines(parsed: ParsedFile, diagnostic: Diagnostic) -> Iterator[int]:
    """The lines of the keys and items around the finding, innermost first."""
    document = next((document for document in parsed.documents if document.index == diagnostic.document), None)
    if document is None:
        return
    path = _existing_path(document, diagnostic.pointer)
    for length in range(len(path), 0, -1):
        span = document.key_span(path[:length]) or document.span(path[:length])
        yield parsed.source.position(span.start).line


def _existing_path(document: Document, pointer: str) -> Path:
    """The path that a JSON Pointer names, as far as it exists."""
    path: Path = ()
    value = document.value
    for name in pointer_steps(pointer):
        try:
            key: str | int = int(name) if isinstance(value, list) else name
            value = value[key]
        except (LookupError, TypeError, ValueError):
            break
        path = (*path, key)
    return path


def values_and_errors(parsed: ParsedFile) -> tuple[list[Any], Counter[str]]:
    """The values of a text, and the number of its parse errors by rule."""
    return [document.value for document in parsed.documents], Counter(error.rule for error in parsed.errors)


SETTINGS: Final = "trialrun.toml"
_no_glob = re.compile(r"[*?\[\]{}!\\\ud800-\udfff]")


def table_place(path: str, profiles: Profiles, root: str) -> tuple[str, str] | None:
    """Where a table for a displayed path of the workspace at a root belongs: the settings file, which may have to be
    created, and the glob of the file; None if no glob means that file alone.

    The name of a file may be bytes that are not UTF-8, which settings cannot hold.
    """
    file = profiles.settings.file
    place = relative_path(path, root).replace(os.sep, "/") if file is None else profiles.path_of_settings(path)
    if place.startswith("../") or _no_glob.search(place):
        return None
    return file or os.path.join(root, SETTINGS), place if "/" in place else f"/{place}"


def suppress_table(
    before: str, place: tuple[str, str], pointer: str, rules: Sequence[str], reason: str, until: str | None = None
) -> str | None:
    """The text to add to that of the settings at a `table_place`, None if it could not be read with the table."""
    file, glob = place
    name = "tool.trialrun.suppress" if os.path.basename(file) == "pyproject.toml" else "suppress"
    line_break = "\r\n" if "\r\n" in before else "\n"
    apart = "" if not before.strip() else line_break if before.endswith(("\n", "\r")) else 2 * line_break
    rule = _text(rules[0]) if len(rules) == 1 else f"[{', '.join(map(_text, rules))}]"
    lines = [
        f"[[{name}]]",
        f"path = {_text(glob)}",
        *([f"pointer = {_text(pointer)}"] if pointer else []),
        f"rule = {rule}",
        f"reason = {_text(reason)}",
        *([f"until = {until}"] if until else []),
    ]
    added = apart + "".join(line + line_break for line in lines)
    return added if _can_be_read(before, added, name) else None


def _text(text: str) -> str:
    """A text of TOML, whose escapes are those of JSON; it has no delete character unchanged."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _can_be_read(before: str, added: str, name: str) -> bool:
    """Whether the settings can be read with the table, and have one table more."""
    try:
        return len(_tables(before + added, name)) == len(_tables(before, name)) + 1
    except tomllib.TOMLDecodeError:
        return False


def _tables(text: str, name: str) -> list[Any]:
    value: Any = tomllib.loads(text)
    for step in name.split("."):
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
