"""Whether a finding is gone once its fix is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trialrun.diagnostic import Diagnostic
from trialrun.text import Source, Span

FindingText = tuple[str, str]


def still_reported(
    made: Sequence[Diagnostic], found: Sequence[Diagnostic], now: Sequence[Diagnostic], *, before: Source, after: Source
) -> list[Diagnostic]:
    """Those of `made` that their fixes left: no fewer are found `now` than before, one of them in the mended place.

    Another mistake of the same kind in the mended place is another finding: it says something else.
    """
    earlier, mended, later = (Counter(map(_finding_text, some)) for some in (found, made, now))
    suspects = [
        diagnostic
        for diagnostic in made
        if later[_finding_text(diagnostic)] > earlier[_finding_text(diagnostic)] - mended[_finding_text(diagnostic)]
    ]
    if not suspects:
        return []
    starts = {(_finding_text(diagnostic), after.offset(diagnostic.range.start)) for diagnostic in now}
    moves = _offset_shifts(made, before)
    return [
        suspect
        for suspect in suspects
        if any(
            said == _finding_text(suspect) and start in _shift_span(suspect, before, moves) for said, start in starts
        )
    ]


def _finding_text(one: Diagnostic) -> FindingText:
    return one.rule, one.message


def _offset_shifts(made: Sequence[Diagnostic], before: Source) -> list[tuple[Span, int]]:
    """The spans of all edits made, each with how far it moves what follows."""
    moves: list[tuple[Span, int]] = []
    for edit in (edit for diagnostic in made if diagnostic.fix for edit in diagnostic.fix.edits):
        span = Span(before.offset(edit.range.start), before.offset(edit.range.end))
        moves.append((span, len(edit.text) - (span.end - span.start)))
    return moves


def _shift_span(one: Diagnostic, before: Source, moves: Sequence[tuple[Span, int]]) -> range:
    """The offsets, after the edits, of what stands in place of a finding."""
    start, end = before.offset(one.range.start), before.offset(one.range.end)
    first = start + sum(by for span, by in moves if span.end <= start and span.start < start)
    last = end + sum(by for span, by in moves if span.start <= end)
    return range(first, max(first, last) + 1)
