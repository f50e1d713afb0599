"""A comment that silences a finding, written where it covers the finding and changes nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from trialrun.diagnostic import Diagnostic, Path, Range, TextEdit
from trialrun.lint.suppression.collect import suppressions
from trialrun.lint.suppression.directive import REASON_TO_WRITE
from trialrun.lint.suppression.suppressor import NEVER
from trialrun.parser import Document, Tree, read
from trialrun.parser.encode import encode
from trialrun.text import LINE_BREAK, Position, Source

LONGEST_LINE: Final = 120
"""A comment that would end behind this column goes above its line, where it can."""
MOST_TRIED: Final = 8
"""Places that are tried for a comment: two at the finding's own line, and at those of the keys around it."""
_NOT_ANSWERED: Final = NEVER | {"unexplained-suppression"}
"""What cannot be silenced, and the missing reason, which a comment that gives none would only repeat."""
_indent = re.compile(r"[ \t]*")


def ignoring(tree: Tree, found: Diagnostic) -> TextEdit | None:
    """The edit that silences a finding of a text by a comment; its reason is still to be written.

    None where no comment can: in JSON, and for what cannot be silenced. Every edit was made and read again: the text
    says the same as before, and the comment covers the finding.
    """
    if found.rule in _NOT_ANSWERED or tree.source.path.lower().endswith(".json"):
        return None
    proof = _Proof(tree, found)
    tried = islice(_edits(tree, found), MOST_TRIED)
    return next((edit for edit in tried if proof.holds(edit)), None)


def _edits(tree: Tree, found: Diagnostic) -> Iterator[TextEdit]:
    """The comment at the line of the finding, then at those of the keys around it, from the nearest on."""
    source, comment = tree.source, f"# trialrun: ignore[{found.rule}] {REASON_TO_WRITE}"
    lines = [found.range.start.line, *_lines_around(tree, found)]
    for line in dict.fromkeys(lines):
        behind, above = _behind(source, line, comment), _above(source, line, comment)
        is_long = behind.range.start.column + len(behind.text) - 1 > LONGEST_LINE
        yield from (above, behind) if is_long else (behind, above)


def _behind(source: Source, line: int, comment: str) -> TextEdit:
    text = source.line(line)
    end = len(text.rstrip(" \t"))
    return TextEdit(Range(Position(line, end + 1), Position(line, len(text) + 1)), ("  " if end else "") + comment)


def _above(source: Source, line: int, comment: str) -> TextEdit:
    indent = _indent.match(source.line(line))
    line_break = LINE_BREAK.search(source.text, source.line_starts[line - 1]) or LINE_BREAK.search(source.text)
    text = (indent[0] if indent else "") + comment + (line_break[0] if line_break else "\n")
    return TextEdit(Range(Position(line, 1), Position(line, 1)), text)


def _lines_around(tree: Tree, found: Diagnostic) -> Iterator[int]:
    """The lines of the keys and items that the finding is in, the innermost first."""
    document = next((one for one in tree.documents if one.index == found.document), None)
    if document is None:
        return
    path = _path(document, found.pointer)
    for length in range(len(path), 0, -1):
        span = document.key_span(path[:length]) or document.span(path[:length])
        yield tree.source.position(span.start).line


def _path(document: Document, pointer: str) -> Path:
    """The way that a JSON Pointer names, as far as it exists."""
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


class _Proof:
    """What an edit is held against: the text as it is, and what silences the finding already."""

    def __init__(self, tree: Tree, found: Diagnostic) -> None:
        self._tree = tree
        self._found = found
        self._covering = _covering(tree, found)

    def holds(self, edit: TextEdit) -> bool:
        """Whether the text with the edit reads as before, and one more comment covers the finding."""
        before = self._tree.source
        start, end = before.offset(edit.range.start), before.offset(edit.range.end)
        source = replace(before, text=before.text[:start] + edit.text + before.text[end:])
        after = read(encode(source), source.path)
        return _says(after) == _says(self._tree) and _covering(after, _moved(self._found, edit)) > self._covering


def _covering(tree: Tree, found: Diagnostic) -> int:
    """How many comments of a text silence a finding."""
    ours = (one for one in suppressions(tree) if one.sort == "ignore" and one.scope.covers(found))
    return sum(any(each.rule == found.rule for each in one.mentions) for one in ours)


def _says(tree: Tree) -> tuple[list[Any], Counter[str]]:
    """The values of a text, and how often it is wrong in which way."""
    return [one.value for one in tree.documents], Counter(one.rule for one in tree.troubles)


def _moved(found: Diagnostic, edit: TextEdit) -> Diagnostic:
    """The finding where it stands after the edit, which ends no line or is a line of its own above one."""
    start, end = found.range.start, found.range.end
    if edit.range.end.column > 1 or edit.range.start.line > start.line or not LINE_BREAK.search(edit.text):
        return found
    there = Range(replace(start, line=start.line + 1), replace(end, line=end.line + 1))
    return replace(found, range=there)
