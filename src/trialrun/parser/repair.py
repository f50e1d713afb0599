"""What a repair is made of: the fault that the parser saw, what is told, and the text that stands in."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.compose import Refused
from trialrun.parser.document import Trouble
from trialrun.parser.events import MarkedYAMLError
from trialrun.parser.line_scanner import Entry, Lines
from trialrun.parser.scalars import quote
from trialrun.parser.warnings import tagged_value
from trialrun.text import Span


@dataclass(frozen=True, slots=True)
class Slip:
    """A repair: from `start` on the text becomes `filler`, of the same length; `overrides` gives scalars their text.

    No `trouble` where the cause has been told already.
    """

    start: int
    filler: str
    trouble: Trouble | None
    overrides: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """What the parser said: its reason, where it stood, and where the part began that it was reading."""

    why: str
    context: str
    at: int
    opening: int


def fault_of(text: str, error: Any) -> Fault:
    if isinstance(error, Refused):
        return Fault(error.kind, "", error.event.start_mark.index, error.event.start_mark.index)
    if not isinstance(error, MarkedYAMLError):
        at = min(getattr(error, "position", 0), len(text))
        return Fault(str(getattr(error, "reason", error)), "", at, at)
    mark: Any = error.problem_mark or error.context_mark
    context: Any = error.context_mark or mark
    at = mark.index if mark is not None else 0
    return Fault(error.problem or "", error.context or "", at, context.index if context is not None else at)


def told(message: str, start: int, end: int, replacement: str | None = None) -> Trouble:
    return Trouble("syntax-error", message, Span(start, end), 0, None, replacement=replacement)


def quoted(start: int, value: str, message: str) -> Slip:
    """A value that only lacks quotes: it keeps its text behind a filler that any parser takes."""
    trouble = replace(told(message, start, start + len(value), quote(value)), guessed=True)
    return Slip(start, filler(len(value)), trouble, {start: value})


def tagged(text: str, start: int, value: str) -> Slip:
    """A value with a tag that a bracket follows at once, which the parser does not take for the tag's end."""
    trouble = tagged_value(text, Span(start, start + len(value)), quote(value), None, at_key=False)
    return Slip(start, filler(len(value)), replace(trouble, guessed=True), {start: value})


def filler(length: int) -> str:
    return '"' + "x" * (length - 2) + '"' if length >= 2 else "x"


def without_line(lines: Lines, entry: Entry, trouble: Trouble | None) -> Slip:
    """A repair that leaves out a line."""
    return without_lines(lines, entry, entry.line, trouble)


def without_lines(lines: Lines, entry: Entry, last: int, trouble: Trouble | None) -> Slip:
    """A repair that leaves out a line and those to a last one, but for comments on lines of their own."""
    below = [lines.entry(line) for line in range(entry.line + 1, last + 1)]
    filler, at = [], entry.start
    for one in [entry, *(one for one in below if one.key or one.value)]:
        filler += [lines.text[at : one.start], " " * (one.end - one.start)]
        at = one.end
        lines.blanked.add(one.line)
    return Slip(entry.start, "".join(filler), trouble and replace(trouble, unread=Span(entry.start, at)))
