"""Repairs of YAML: the fault of the parser, the error to report, and the text to parse instead."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.compose import Unsupported
from trialrun.parser.events import MarkedYAMLError
from trialrun.parser.line_scanner import LineScanner, ScannedLine
from trialrun.parser.parse_error import ParseError
from trialrun.parser.scalars import quote
from trialrun.parser.warnings import tagged_value
from trialrun.text import Span


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair: from `start` on the text becomes `new_text`, of the same length; `overrides` gives scalars their text.

    No `error` where the cause has been reported already.
    """

    start: int
    new_text: str
    error: ParseError | None
    overrides: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParserFault:
    """The error of the parser: its reason, its offset, and where the node began that it was parsing."""

    why: str
    context: str
    at: int
    opening: int


def to_fault(text: str, error: Any) -> ParserFault:
    if isinstance(error, Unsupported):
        return ParserFault(error.kind, "", error.event.start_mark.index, error.event.start_mark.index)
    if not isinstance(error, MarkedYAMLError):
        at = min(getattr(error, "position", 0), len(text))
        return ParserFault(str(getattr(error, "reason", error)), "", at, at)
    mark: Any = error.problem_mark or error.context_mark
    context: Any = error.context_mark or mark
    at = mark.index if mark is not None else 0
    return ParserFault(error.problem or "", error.context or "", at, context.index if context is not None else at)


def syntax_error(message: str, start: int, end: int, replacement: str | None = None) -> ParseError:
    return ParseError("syntax-error", message, Span(start, end), 0, None, replacement=replacement)


def quote_value(start: int, value: str, message: str) -> Repair:
    """A value that only lacks quotes: it keeps its text behind a placeholder that any parser accepts."""
    error = replace(syntax_error(message, start, start + len(value), quote(value)), guessed=True)
    return Repair(start, placeholder(len(value)), error, {start: value})


def quote_tagged_value(text: str, start: int, value: str) -> Repair:
    """A value with a tag that a bracket follows at once, which the parser does not accept as the tag's end."""
    error = tagged_value(text, Span(start, start + len(value)), quote(value), None, at_key=False)
    return Repair(start, placeholder(len(value)), replace(error, guessed=True), {start: value})


def placeholder(length: int) -> str:
    return '"' + "x" * (length - 2) + '"' if length >= 2 else "x"


def blank_line(lines: LineScanner, entry: ScannedLine, error: ParseError | None) -> Repair:
    """A repair that leaves out a line."""
    return blank_lines(lines, entry, entry.line, error)


def blank_lines(lines: LineScanner, entry: ScannedLine, last: int, error: ParseError | None) -> Repair:
    """A repair that leaves out a line and those to a last one, except for comments on lines of their own."""
    below = [lines.scan_line(line) for line in range(entry.line + 1, last + 1)]
    filler, at = [], entry.start
    for scanned in [entry, *(scanned for scanned in below if scanned.key or scanned.value)]:
        filler += [lines.text[at : scanned.start], " " * (scanned.end - scanned.start)]
        at = scanned.end
        lines.blanked.add(scanned.line)
    return Repair(entry.start, "".join(filler), error and replace(error, unread=Span(entry.start, at)))
