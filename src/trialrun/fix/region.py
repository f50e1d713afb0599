"""The part of a file that is parsed again to verify a fix: one block entry, or one document."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from trialrun.diagnostic import Path, Remove
from trialrun.fix.expected_value import apply_to_value, are_equal, is_trivially_safe
from trialrun.fix.removal_safety import FixBudget
from trialrun.fix.target import (
    BLANK_LINES,
    PendingOperation,
    Target,
    Unfixable,
    line_end,
    line_start,
    next_line,
    splice,
    value_at_path,
)
from trialrun.parser import Document, ParsedFile, parse
from trialrun.parser.decode import is_json_path
from trialrun.terraform import ModuleFile, Siblings, is_terraform_path
from trialrun.text import Edit, Source

_all_markers = re.compile(r"[\r\n](?:---|\.\.\.)(?=[ \t\r\n]|\Z)").finditer
_anchor = re.compile(r"&(?<![^\s\[{,:]&)[^\s,\[\]{}&]").search
_dashes = re.compile(r" *(?:- +)*\Z").match
_blank_lines = re.compile(BLANK_LINES).match


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file that can be parsed on its own.

    `parent_path` is the path to the value that it contains, empty for a whole document; then `document` is its index.
    """

    path: str
    text: str
    offset: int
    document: int = 0
    parent_path: Path = ()
    siblings: Siblings = ()

    @property
    def has_anchors(self) -> bool:
        """Whether the part contains an anchor, so that distant values may change, too."""
        return _has_anchors(self.text)

    def parse(self, text: str | None = None) -> ParsedFile:
        """Parse the part, or another text in its place."""
        data = (self.text if text is None else text).encode("utf-8", "replace")
        return parse(ModuleFile.of(data, self.siblings), self.path)

    def wrap_value(self, value: Any) -> Any:
        """The parsed value of the part if it contains `value`: an entry is the only one of a mapping or list."""
        if not self.parent_path:
            return value
        step = self.parent_path[-1]
        return [value] if isinstance(step, int) else {step: value}


@lru_cache(maxsize=2)
def _has_anchors(text: str) -> bool:
    return _anchor(text) is not None


def document_region(source: Source, offset: int, index: int) -> Region:
    """The text of a document, up to its markers; the document has an index, and contains an offset."""
    if is_json_path(source.path) or is_terraform_path(source.path):
        return Region(source.path, source.text, 0, index, siblings=source.siblings)
    markers = _markers(source.text)
    before, after = bisect_right(markers, offset), bisect_left(markers, offset)
    start = markers[before - 1] + 1 if before else 0
    end = markers[after] + 1 if after < len(markers) else len(source.text)
    return _region_between(source.path, source.text, start, end)


@lru_cache(maxsize=2)
def _region_between(path: str, text: str, start: int, end: int) -> Region:
    """A document of a text; cached since many fixes need the same one."""
    return Region(path, text[start:end], start)


@lru_cache(maxsize=2)
def _markers(text: str) -> list[int]:
    """The ends of the lines before document markers; cached since many fixes need them."""
    return [match.start() for match in _all_markers(text)]


def entry_region(source: Source, document: Document, paths: Sequence[Path]) -> Region | None:
    """The lines of the smallest block entry around all paths, with the comments up to the next entry; None if there is
    none.

    Edits at these paths are behind the key or dash of the entry, so the lines above cannot absorb them, and comments
    below cannot become part of the entry. Parts of a flow collection cannot be parsed on their own.
    """
    parent_path = _common_parent(document, paths)
    if not parent_path:
        return None
    target = Target(source.text, document, parent_path)
    start = target.entry_start
    if start is None or target.is_aliased or target.child.is_aliased:
        return None
    first = line_start(source.text, start)
    if not _dashes(source.text[first:start]):
        return None
    last = next_line(source.text, line_end(source.text, target.span.end))
    comments = _blank_lines(source.text, last)
    text = " " * (start - first) + source.text[start : comments.end() if comments else last]
    return Region(source.path, text, first, parent_path=parent_path)


def _common_parent(document: Document, paths: Sequence[Path]) -> Path:
    """The common prefix of the paths, as far as it leads through blocks, and strictly above all of them."""
    parent = paths[0][:-1]
    for path in paths:
        common = zip(parent, path[:-1], strict=False)
        parent = parent[
            : next((index for index, (step, other_step) in enumerate(common) if step != other_step), len(path) - 1)
        ]
    for depth in range(len(parent)):
        if document.style(parent[:depth]) != "block":
            return parent[:depth]
    return parent


NEW_PARSE_ERRORS = Unfixable("the rest of the file would change")
UNINTENDED_CHANGE = Unfixable("more would change than intended")
CHANGES_ALIASES = Unfixable("other places would change with it, through an alias")


def verify_edits(
    operations: Sequence[PendingOperation], edits: Sequence[Edit], source: Source, document: Document, budget: FixBudget
) -> Unfixable | None:
    """Why the edits do not do what the operations mean; None when they do."""
    document_text = document_region(source, document.span(()).start, document.index)
    removes_several = len(operations) > 1 and any(isinstance(step.operation, Remove) for step in operations)
    is_apart = not document_text.has_anchors or all(document.is_alias_free(step.path) for step in operations)
    if is_apart and not removes_several and all(is_trivially_safe(step, source.text) for step in operations):
        return None
    if document_text.has_anchors:
        unfixable = _verify_in(document_text, operations, edits, document, budget)
        return CHANGES_ALIASES if unfixable is UNINTENDED_CHANGE else unfixable
    entry_text = entry_region(source, document, [step.path for step in operations])
    if entry_text is not None and _verify_in(entry_text, operations, edits, document, budget) is None:
        return None
    return _verify_in(document_text, operations, edits, document, budget)


def _verify_in(
    region: Region, operations: Sequence[PendingOperation], edits: Sequence[Edit], document: Document, budget: FixBudget
) -> Unfixable | None:
    """The same, of the part that is read again."""
    if unfixable := budget.spend(len(region.text)):
        return unfixable
    after = region.parse(splice(region.text, edits, region.offset))
    depth = len(region.parent_path)
    expected = apply_to_value(
        value_at_path(document.value, region.parent_path), [(step.operation, step.path[depth:]) for step in operations]
    )
    values = [document.value for document in after.documents]
    expected_values = [None] * len(values)
    if after.errors or len(values) != 1:
        before = region.parse()
        if count_errors(after) - count_errors(before):
            return NEW_PARSE_ERRORS
        expected_values = [document.value for document in before.documents]
    if region.document >= len(expected_values):
        return NEW_PARSE_ERRORS
    expected_values[region.document] = region.wrap_value(expected)
    return None if are_equal(values, expected_values) else UNINTENDED_CHANGE


def count_errors(parsed: ParsedFile) -> Counter[str]:
    """The number of parse errors of a text by rule."""
    return Counter(error.rule for error in parsed.errors)
