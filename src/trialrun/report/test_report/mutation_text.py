"""Changes that no scenario noticed as text: a line each, then how many of all were noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator

from trialrun.report.color import Style
from trialrun.report.format_value import truncate
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.test_report.interface import MutationSummary, UnnoticedChange
from trialrun.report.text_finding import TextOutput
from trialrun.report.wrap import wrap_text

CONTEXT = 24
"""Characters of a long text that are shown before and behind what is changed in it."""


def format_heading(summary: MutationSummary, sample: int, page: TextOutput) -> Iterator[str]:
    """What is tried."""
    of_all = f" of {summary.total} possible" if sample < summary.total else ""
    line = f"{pluralize(sample, 'change')}{of_all}; no scenario noticed:"
    yield ""
    yield from (page.paint(part, "rule") for part in wrap_text(line, first=page.width, rest=page.width))


def format_change(change: UnnoticedChange, page: TextOutput) -> Iterator[str]:
    """Where a value is, and below it what was changed."""
    where = truncate(f"{change.path}:{change.line}", page.width - 2)
    yield f"  {page.paint(where, 'place')}"
    if change.fault is not None:
        fault = f"a bug in trialrun ended a scenario at this change ({change.fault}); please report it with the file"
        yield from (f"    {page.paint(part, 'error')}" for part in _wrapped(escape_controls(fault), page.width - 4))
    before, after = _shown(change.before), "removed" if change.is_removed else _shown(change.after)
    if change.chars is not None:
        before, after = _changed_parts(change.before, change.after, *change.chars)
    line = f"{escape_controls(change.field)}: {before} → {after}"
    if width_of(line) + 4 <= page.width:
        yield f"    {line}"
        return
    field = escape_controls(f"{change.field}:")
    yield from (f"    {part}" for part in _wrapped(field, page.width - 4))
    change_text = f"{before} → {after}"
    parts = [change_text] if width_of(change_text) + 6 <= page.width else [before, f"→ {after}"]
    yield from (f"      {line}" for part in parts for line in _wrapped(part, page.width - 6))


def format_mutation_summary(summary: MutationSummary, page: TextOutput) -> Iterator[str]:
    """How many changes were noticed."""
    if summary.is_interrupted and summary.share is None:
        line = "interrupted before a change was tried"
    elif summary.share is None:
        line = "nothing to change: no scenario that passes uses a view, a config or a brand"
    else:
        counts = f"{pluralize(summary.tried, 'change')} tried: {summary.noticed} noticed"
        rest = "; interrupted" if summary.is_interrupted else ""
        line = f"{counts}, {int(100 * summary.share)} % (seed {summary.seed}){rest}"
    style: Style = "clean" if summary.noticed == summary.tried else "warning"
    yield ""
    yield from (page.paint(part, style) for part in wrap_text(line, first=page.width, rest=page.width))


def _wrapped(text: str, room: int) -> Iterator[str]:
    """A text on lines; a word that is wider than a line is cut."""
    return (truncate(part, room) for part in wrap_text(text, first=room, rest=room))


def _shown(value: object) -> str:
    """A value on a line; of a message, its first name or text."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape_controls(text if len(text) <= 2 * CONTEXT else f"{text[: 2 * CONTEXT]}…")


def _changed_parts(before: str, after: str, start: int, end: int) -> tuple[str, str]:
    """Two texts around the part in which they differ."""
    return _excerpt(before, start, end), _excerpt(after, start, end + len(after) - len(before))


def _excerpt(text: str, start: int, end: int) -> str:
    first, last = max(start - CONTEXT, 0), min(end + CONTEXT, len(text))
    return f"{'…' if first else ''}{escape_controls(text[first:last])}{'…' if last < len(text) else ''}"
