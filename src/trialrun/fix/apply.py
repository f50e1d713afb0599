"""Fixes made: the text of a file after all those that do not get in each other's way."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trialrun.diagnostic import TextFix
from trialrun.fix.lines import spliced, touch
from trialrun.text import Edit, Source, Span
from trialrun.tree import read


def applied(source: Source, fixes: Iterable[TextFix]) -> str:
    """The text with the fixes made; of two that touch one place only the first is made.

    Each fix is true on its own. Where two together are not, as when each of them removes one of the last two keys of
    a mapping, the later one is left for another round.
    """
    apart = list(_apart([_edits(fix, source) for fix in fixes]))
    text = _made(source, apart)
    if len(apart) < 2 or text == source.text:
        return text
    faults = _faults(source.text, source.path)
    if not _faults(text, source.path) - faults:
        return text
    return _made(source, _harmless(source, apart, faults, []))


def _edits(fix: TextFix, source: Source) -> list[Edit]:
    return [Edit(Span(source.offset(one.range.start), source.offset(one.range.end)), one.text) for one in fix.edits]


def _apart(fixes: Iterable[Sequence[Edit]]) -> Iterator[Sequence[Edit]]:
    """The fixes that touch none of those before them; a fix is made whole or not at all."""
    taken: list[Edit] = []
    for edits in fixes:
        if not any(touch(edit, near) for edit in edits for near in _near(edit, taken)):
            yield edits
            for edit in edits:
                taken.insert(bisect_left(taken, edit.span, key=lambda one: one.span), edit)


def _near(edit: Edit, taken: list[Edit]) -> list[Edit]:
    """The edits that may touch it: those made do not overlap, so the one before and those that begin within."""
    first = bisect_left(taken, Span(edit.span.start, -1), key=lambda one: one.span)
    last = bisect_left(taken, Span(max(edit.span.end, edit.span.start + 1), -1), key=lambda one: one.span)
    return taken[max(0, first - 1) : last]


def _made(source: Source, fixes: Iterable[Sequence[Edit]]) -> str:
    return spliced(source.text, sorted((edit for edits in fixes for edit in edits), key=lambda edit: edit.span))


def _harmless(
    source: Source, fixes: list[Sequence[Edit]], faults: Counter[str], kept: list[Sequence[Edit]]
) -> list[Sequence[Edit]]:
    """Those kept, and those of `fixes` that bring no fault along: halved until the culprits are found."""
    if not _faults(_made(source, [*kept, *fixes]), source.path) - faults:
        return [*kept, *fixes]
    if len(fixes) == 1:
        return kept
    half = len(fixes) // 2
    return _harmless(source, fixes[half:], faults, _harmless(source, fixes[:half], faults, kept))


def _faults(text: str, path: str) -> Counter[str]:
    """What is wrong with the reading of a text, by rule, and which keys have a null."""
    tree = read(text.encode("utf-8", "replace"), path)
    faults = Counter(trouble.rule for trouble in tree.troubles)
    for document in tree.documents:
        faults.update(_nulls(document.value))
    return faults


def _nulls(value: Any) -> Iterator[str]:
    """The key of every null, with a mark that no rule has; that of the list for an item."""
    waiting = [("", value)]
    while waiting:
        key, node = waiting.pop()
        if node is None:
            yield f"null at {key}"
        elif isinstance(node, dict):
            waiting.extend(node.items())
        elif isinstance(node, list):
            waiting.extend((key, item) for item in node)
