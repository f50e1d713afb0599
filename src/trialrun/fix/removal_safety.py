"""What a removal must not take along: what was misread, what a person meant elsewhere, and comments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from trialrun.diagnostic import Path
from trialrun.fix.target import Target
from trialrun.fix.unfixable import Unfixable
from trialrun.lazy_dataclass import dataclass
from trialrun.parser import Document, ParsedFile
from trialrun.parser.comments import comments
from trialrun.text import Edit, Source, Span

HAS_UNREAD_TEXT = Unfixable(
    "a part of the document could not be read, and may belong to what would be removed; fix that first"
)
SEVERAL_LINES = Unfixable("its text spans several lines, some of which may belong elsewhere; remove it by hand")

_may_be_comment = re.compile(r"(?:\A|(?<=[\s\[\]{},\"']))#").search
_hash = re.compile("#")


@dataclass(frozen=True, slots=True)
class RemovalErrors:
    """The errors of a document, as far as they make its removals doubtful.

    `is_repaired` says that lines of it could not be read unchanged. `misplaced` are the places of what may be meant
    elsewhere: fields that the message around them does not have, repeated keys, collections where none belongs.
    `refused` are the places of values that a model sets aside, so that two items with them only seem to be equal. Both
    are known by every path above them, as `by_paths_above` makes them.
    """

    has_unread_text: bool = False
    misplaced: Mapping[Path, Path] = field(default_factory=dict)
    refused: Mapping[Path, Path] = field(default_factory=dict)


def reject_removal(target: Target, errors: RemovalErrors) -> Unfixable | None:
    """Why a value is not to be removed by a machine, as the errors in it and beside it say; None if it may be."""
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
    """The first of the paths at or below each path."""
    first: dict[Path, Path] = {}
    for path in paths:
        for length in range(len(path) + 1):
            first.setdefault(path[:length], path)
    return first


def _has_multiline_scalar(target: Target) -> bool:
    """Whether a plain scalar in it took in lines below, as an entry without its colon is taken in."""
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
    """The entries or items right before and after."""
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
    """Whether edits delete a comment that they do not write again."""
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
    """The comments of which a span has a part; they are in order, and none reaches over another."""
    first = bisect_left(spans, span.start, key=lambda comment: comment.end)
    last = bisect_left(spans, span.end, key=lambda comment: comment.start)
    return spans[first:last]


@lru_cache(maxsize=2)
def _comments(source: Source, document: Document) -> list[Span]:
    """The comments of a document; many fixes ask for those of one."""
    return [comment.span for comment in comments(ParsedFile(source, [document], []), _hash)]


__all__ = ["RemovalErrors", "deletes_comment", "index_by_ancestors", "reject_removal"]
