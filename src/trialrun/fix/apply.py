"""Applies fixes: the text of a file after all fixes that do not overlap."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trialrun.diagnostic import ResolvedFix
from trialrun.fix.target import overlap, splice
from trialrun.parser import parse
from trialrun.text import Edit, Source, Span

Change = tuple[int, Sequence[Edit]]
"""The index of a fix in the given order, and its edits."""


def apply_fixes(source: Source, fixes: Iterable[ResolvedFix]) -> tuple[str, list[int]]:
    """The text with the fixes applied, and the indexes of these; of fixes that overlap, only the first.

    Two fixes may each be valid but not together, for example if each removes one of the last two keys of a mapping. The
    later one is left for another round.
    """
    changes = list(_without_overlaps((number, _source_edits(fix, source)) for number, fix in enumerate(fixes)))
    if len(changes) > 1:
        changes = _without_new_errors(source, changes, _count_errors(source.text, source.path), [])
    return _apply_changes(source, changes), [number for number, _ in changes]


def fixed_text(source: Source, fixes: Iterable[ResolvedFix]) -> str:
    """The text after `apply_fixes`."""
    return apply_fixes(source, fixes)[0]


def _source_edits(fix: ResolvedFix, source: Source) -> list[Edit]:
    return [Edit(Span(source.offset(edit.range.start), source.offset(edit.range.end)), edit.text) for edit in fix.edits]


def _without_overlaps(changes: Iterable[Change]) -> Iterator[Change]:
    """The fixes that do not overlap with earlier ones; a fix is applied completely or not at all."""
    taken: list[Edit] = []
    for number, edits in changes:
        if not any(overlap(edit, neighbor) for edit in edits for neighbor in _neighbors(edit, taken)):
            yield number, edits
            for edit in edits:
                taken.insert(bisect_left(taken, edit.span, key=lambda edit: edit.span), edit)


def _neighbors(edit: Edit, taken: list[Edit]) -> list[Edit]:
    """The accepted edits that may overlap with an edit; these are sorted and do not overlap each other."""
    first = bisect_left(taken, Span(edit.span.start, -1), key=lambda edit: edit.span)
    last = bisect_left(taken, Span(max(edit.span.end, edit.span.start + 1), -1), key=lambda edit: edit.span)
    return taken[max(0, first - 1) : last]


def _apply_changes(source: Source, changes: Iterable[Change]) -> str:
    edits = (edit for _, own in changes for edit in own)
    return splice(source.text, sorted(edits, key=lambda edit: edit.span))


def _without_new_errors(
    source: Source, changes: list[Change], known_errors: Counter[str], accepted: list[Change]
) -> list[Change]:
    """The accepted fixes and those of `changes` that cause no new errors, found by bisection."""
    if not _count_errors(_apply_changes(source, [*accepted, *changes]), source.path) - known_errors:
        return [*accepted, *changes]
    if len(changes) == 1:
        return accepted
    half = len(changes) // 2
    return _without_new_errors(
        source, changes[half:], known_errors, _without_new_errors(source, changes[:half], known_errors, accepted)
    )


def _count_errors(text: str, path: str) -> Counter[str]:
    """The number of parse errors by rule, and of nulls by key."""
    parsed = parse(text.encode("utf-8", "replace"), path)
    errors = Counter(error.rule for error in parsed.errors)
    for document in parsed.documents:
        errors.update(_nulls(document.value))
    return errors


def _nulls(value: Any) -> Iterator[str]:
    """The key of every null, with a prefix that no rule id has; for an item the key of its list."""
    waiting = [("", value)]
    while waiting:
        key, node = waiting.pop()
        if node is None:
            yield f"null at {key}"
        elif isinstance(node, dict):
            waiting.extend(node.items())
        elif isinstance(node, list):
            waiting.extend((key, item) for item in node)
