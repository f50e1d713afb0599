"""Fixes made: the text of a file after all those that do not get in each other's way."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trialrun.diagnostic import TextFix
from trialrun.fix.text_lines import spliced, touch
from trialrun.lazy_dataclass import dataclass
from trialrun.parser import read
from trialrun.text import Edit, Source, Span


@dataclass(frozen=True, slots=True)
class Applied:
    """A text after fixes; `made` are the places, in the order given, of those that it holds."""

    text: str
    made: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """The edits of a fix, whose place in the order given is `number`."""

    number: int
    edits: Sequence[Edit]


def made_together(source: Source, fixes: Iterable[TextFix]) -> Applied:
    """The text with the fixes made; of two that touch one place only the first is made.

    Each fix is true on its own. Where two together are not, as when each of them removes one of the last two keys of
    a mapping, the later one is left for another round.
    """
    apart = list(_apart(_Change(number, _edits(fix, source)) for number, fix in enumerate(fixes)))
    if len(apart) > 1:
        apart = _harmless(source, apart, _faults(source.text, source.path), [])
    return Applied(_made(source, apart), tuple(change.number for change in apart))


def applied(source: Source, fixes: Iterable[TextFix]) -> str:
    """The text that `made_together` gives."""
    return made_together(source, fixes).text


def _edits(fix: TextFix, source: Source) -> list[Edit]:
    return [Edit(Span(source.offset(one.range.start), source.offset(one.range.end)), one.text) for one in fix.edits]


def _apart(changes: Iterable[_Change]) -> Iterator[_Change]:
    """The fixes that touch none of those before them; a fix is made whole or not at all."""
    taken: list[Edit] = []
    for change in changes:
        if not any(touch(edit, near) for edit in change.edits for near in _near(edit, taken)):
            yield change
            for edit in change.edits:
                taken.insert(bisect_left(taken, edit.span, key=lambda one: one.span), edit)


def _near(edit: Edit, taken: list[Edit]) -> list[Edit]:
    """The edits that may touch it: those made do not overlap, so the one before and those that begin within."""
    first = bisect_left(taken, Span(edit.span.start, -1), key=lambda one: one.span)
    last = bisect_left(taken, Span(max(edit.span.end, edit.span.start + 1), -1), key=lambda one: one.span)
    return taken[max(0, first - 1) : last]


def _made(source: Source, changes: Iterable[_Change]) -> str:
    edits = (edit for change in changes for edit in change.edits)
    return spliced(source.text, sorted(edits, key=lambda edit: edit.span))


def _harmless(source: Source, changes: list[_Change], faults: Counter[str], kept: list[_Change]) -> list[_Change]:
    """Those kept, and those of `changes` that bring no fault along: halved until the culprits are found."""
    if not _faults(_made(source, [*kept, *changes]), source.path) - faults:
        return [*kept, *changes]
    if len(changes) == 1:
        return kept
    half = len(changes) // 2
    return _harmless(source, changes[half:], faults, _harmless(source, changes[:half], faults, kept))


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
