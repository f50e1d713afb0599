"""Checks that a removal does not delete misread content, content that belongs elsewhere, or comments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from trialrun.diagnostic import Path
from trialrun.fix.target import Target, Unfixable
from trialrun.parser import Document, ParsedFile
from trialrun.parser.comments import comments
from trialrun.text import Edit, Source, Span

HAS_UNREAD_TEXT = Unfixable(
    "a part of the document could not be read, and may belong to what would be removed; fix that first"
)
SEVERAL_LINES = Unfixable("its text spans several lines, some of which may belong elsewhere; remove it by hand")

_may_be_comment = re.compile(r"(?:\A|(?<=[\s\[\]{},\"']))(?:#|//)").search
_comment_sign = re.compile("#|//")


@dataclass(frozen=True, slots=True)
class RemovalErrors:
    """The errors of a document that make removals doubtful.

    `has_unread_text` means that some lines could not be read. `misplaced` are paths of content that may belong
    elsewhere: unknown fields, repeated keys, collections in the wrong place. `refused` are paths of values that the
    model refused, so that two items with them only seem to be equal. Both are indexed by every path above them, see
    `index_by_ancestors`.
    """

    has_unread_text: bool = False
    misplaced: Mapping[Path, Path] = field(default_factory=dict)
    refused: Mapping[Path, Path] = field(default_factory=dict)


def reject_removal(target: Target, errors: RemovalErrors) -> Unfixable | None:
    """The reason why a value must not be removed automatically, or None."""
    if errors.has_unread_text:
        return HAS_UNREAD_TEXT
    if _has_multiline_scalar(target):
        return SEVERAL_LINES
    misplaced = errors.misplaced.get(target.path)
    if misplaced is None and target.key is None and isinstance(target.value, dict):
        misplaced = errors.refused.get(target.path)
    if misplaced is not None:
        return Unfixable(f'"{_display_name(misplaced)}" in it is also wrong and may belong elsewhere; fix that first')
    for path in _neighbors(target):
        if (wrong := errors.misplaced.get(path)) is not None:
            return Unfixable(f'"{_display_name(wrong)}" next to it is wrong and may belong elsewhere; fix that first')
    return None


def index_by_ancestors(paths: Iterable[Path]) -> dict[Path, Path]:
    """For each path and its ancestors, the first of the paths at or below it."""
    first: dict[Path, Path] = {}
    for path in paths:
        for length in range(len(path) + 1):
            first.setdefault(path[:length], path)
    return first


def _has_multiline_scalar(target: Target) -> bool:
    """Whether it contains a plain scalar of several lines, which may have absorbed an entry that lacks its colon."""
    if target.key is None:
        return False
    text = target.document.source_slice.text
    pending = [target.child.node]
    while pending:
        node = pending.pop()
        if node.style == "plain" and not {"\n", "\r"}.isdisjoint(text[node.start : node.end]):
            return True
        pending += (child.node for child in (*(node.keys or {}).values(), *(node.items or ())))
    return False


def _neighbors(target: Target) -> Iterator[Path]:
    """The entries or items directly before and after."""
    parent, step, parent_path = target.parent, target.path[-1], target.path[:-1]
    if isinstance(step, int):
        yield from ((*parent_path, index) for index in (step - 1, step + 1) if 0 <= index < len(parent))
        return
    keys = list(parent)
    position = keys.index(step)
    yield from ((*parent_path, keys[index]) for index in (position - 1, position + 1) if 0 <= index < len(keys))


def _display_name(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "the item")


def deletes_comment(edits: Sequence[Edit], source: Source, document: Document) -> bool:
    """Whether edits delete a comment without writing it again."""
    if source.path.lower().endswith(".json"):
        return False
    for edit in edits:
        if not _may_be_comment(source.text, edit.span.start, edit.span.end):
            continue
        for span in _overlapping(_comments(source, document), edit.span):
            if source.text[span.start : span.end].rstrip() not in edit.text:
                return True
    return False


def _overlapping(spans: Sequence[Span], span: Span) -> Sequence[Span]:
    """The comments that overlap with a span; they are sorted and do not overlap each other."""
    first = bisect_left(spans, span.start, key=lambda comment: comment.end)
    last = bisect_left(spans, span.end, key=lambda comment: comment.start)
    return spans[first:last]


@lru_cache(maxsize=2)
def _comments(source: Source, document: Document) -> list[Span]:
    """The comments of a document; cached since many fixes need them."""
    return [comment.span for comment in comments(ParsedFile(source, [document], []), _comment_sign)]


__all__ = ["RemovalErrors", "deletes_comment", "index_by_ancestors", "reject_removal"]


MAX_REPARSED_CHARS: Final = 2**21
"""Characters parsed again for the fixes of one file: about a second."""
BUDGET_SPENT = Unfixable("verifying this fix as well would take too long; apply the others first")


@dataclass(slots=True)
class FixBudget:
    """The remaining budget of a file. A fix that is refused for lack of it is offered once others have been applied."""

    remaining: int = MAX_REPARSED_CHARS

    def spend(self, characters: int) -> Unfixable | None:
        """Deduct characters; returns a refusal if too few are left. The first fix is never refused."""
        if self.remaining < characters and self.remaining < MAX_REPARSED_CHARS:
            return BUDGET_SPENT
        self.remaining -= characters
        return None
