"""Repairs of YAML: the lines of a broken document, the fault, the error to report, and the text to parse instead."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from trialrun.parser.compose import Unsupported, compose_text
from trialrun.parser.events import MarkedYAMLError
from trialrun.parser.parse_error import ParseError, SourceSlice, tagged_value
from trialrun.parser.scalars import quote
from trialrun.text import LINE_BREAK, Span

# Python 3.11.2 is wrong about a group repeated possessively of which a part matches, and right about an atomic one.
_lead = re.compile(r"[ \t]*(?>(?:(?:---|-|\?)[ \t]+)*)").match
QUOTED: Final = r"""(?:"(?>(?:[^"\\]++|\\.)*)"|'(?>(?:[^']++|'')*)')"""
_quoted_key = re.compile(rf"{QUOTED}(?=[ \t]*:(?:[ \t]|\Z))").match
_colon = re.compile(r":(?=[ \t]|\Z)").search
_block_header = re.compile(r"(?:[&!]\S*[ \t]+)*[|>][-+0-9]{0,2}\Z").match
COMMENT = re.compile(r"(?<=[ \t])#|\A#").search
_quote = re.compile("[\"']").finditer
NO_PLAIN_BEGINNING: Final = frozenset("\"'#[]{},&*!|>%@`")
_MAX_KEY_LENGTH: Final = 1024
MAX_LINES_AWAY: Final = 1000
"""The distance, in lines, at which a cause is looked for."""


@dataclass(slots=True)
class ScannedLine:
    """A line, and where its key and its value are."""

    line: int
    start: int
    end: int
    indent: int
    key: str | None
    key_start: int
    value: str
    value_start: int

    @property
    def value_end(self) -> int:
        return self.value_start + len(self.value)


class LineScanner:
    """The lines of a document; which were reported or blanked, and the offsets at which repairs begin.

    `misaligned` is the last line whose indentation was reported, and the width of the lines that it makes look wrong.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
        self.reported: set[int] = set()
        self.blanked: set[int] = set()
        self.repaired: set[int] = set()
        self.misaligned: tuple[int, int] | None = None
        self._scanned_lines: dict[int, ScannedLine] = {}
        self._with_quotes: list[int] | None = None

    def lines_with_quotes(self, first: int, end: int) -> list[int]:
        """The lines from one to before another that have a quote in them."""
        if self._with_quotes is None:
            self._with_quotes = sorted({self.line_number(match.start()) for match in _quote(self.text)})
        lines = self._with_quotes
        return lines[bisect_left(lines, first) : bisect_left(lines, end)]

    def line_number(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def scan_line(self, line: int) -> ScannedLine:
        """Scan a line, once: each repair looks at the lines above it again."""
        scanned = self._scanned_lines.get(line)
        if scanned is None:
            scanned = self._scanned_lines[line] = self._scan(line)
        return scanned

    def _scan(self, line: int) -> ScannedLine:
        start = self.starts[line]
        following = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        content = self.text[start:following].rstrip("\r\n")
        lead = _lead(content)
        key_start = lead.end() if lead else 0
        key, value_start = _split_key(content, key_start)
        comment = COMMENT(content, value_start)
        value = content[value_start : comment.start() if comment else len(content)].rstrip(" \t")
        at = start + value_start
        return ScannedLine(line, start, start + len(content), key_start, key, start + key_start, value, at)

    def content_before(self, line: int) -> ScannedLine | None:
        """The nearest line above that is neither empty nor a comment nor blanked."""
        entries = (self.scan_line(number) for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1))
        return next((entry for entry in entries if entry.line not in self.blanked and (entry.key or entry.value)), None)

    def content_after(self, line: int) -> ScannedLine | None:
        """The nearest line below that is neither empty nor a comment."""
        entries = (self.scan_line(number) for number in range(line + 1, min(line + MAX_LINES_AWAY, len(self.starts))))
        return next((entry for entry in entries if entry.key or entry.value), None)

    def indent_width(self, line: int) -> int:
        """By how many spaces a line is indented."""
        start, after = self.starts[line], line + 1
        content = self.text[start : self.starts[after] if after < len(self.starts) else None]
        return len(content) - len(content.lstrip(" "))

    def is_beside_misaligned(self, line: int) -> bool:
        """Whether a line is as deep as one above that was reported, in the same collection."""
        if self.misaligned is None or self.indent_width(line) != self.misaligned[1]:
            return False
        between = (self.scan_line(number) for number in range(self.misaligned[0] + 1, line))
        return all(self.indent_width(entry.line) >= self.misaligned[1] for entry in between if entry.key or entry.value)

    def is_in_block_text(self, line: int) -> bool:
        """Whether a line is one of a block of text: a line further out, which it is inside, ends with | or >."""
        width = self.indent_width(line)
        for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1):
            entry, outer = self.scan_line(number), self.indent_width(number)
            if outer >= width or not (entry.key or entry.value):
                continue
            if _block_header(entry.value) and width > (entry.indent if entry.key else outer):
                return True
            width = outer
        return False

    def open_columns(self, line: int) -> set[int]:
        """Where the lines above begin that are not closed by one further out, their dashes and what follows them."""
        columns: set[int] = set()
        least = len(self.text)
        for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1):
            if not least:
                break
            width = self.indent_width(number)
            if width >= least or number in self.blanked:
                continue
            entry = self.scan_line(number)
            if entry.key or entry.value:
                columns.update(range(width, entry.indent + 1))
                least = width
        return columns


def _split_key(content: str, start: int) -> tuple[str | None, int]:
    """The key of a line and where its value starts; a key is at most 1,024 characters long in YAML."""
    quoted = _quoted_key(content, start)
    end = quoted.end() if quoted else start
    colon = _colon(content, end, end + _MAX_KEY_LENGTH)
    if colon is None or (quoted is None and content[start : start + 1] in NO_PLAIN_BEGINNING):
        return None, start
    value_start = colon.end()
    while content[value_start : value_start + 1] in (" ", "\t"):
        value_start += 1
    return content[start : colon.start()].rstrip(" \t"), value_start


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair: from `start` on the text becomes `new_text`, of the same length; `overrides` gives scalars their text.

    No `error` where the cause has been reported already.
    """

    start: int
    new_text: str
    error: ParseError | None
    overrides: dict[int, str] = field(default_factory=dict)

    def apply(self, part: SourceSlice) -> SourceSlice:
        """The slice with the repair."""
        text = part.text[: self.start] + self.new_text + part.text[self.start + len(self.new_text) :]
        return replace(part, text=text, overrides={**part.overrides, **self.overrides})


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
    error = syntax_error(message, start, start + len(value), quote(value))._replace(guessed=True)
    return Repair(start, placeholder(len(value)), error, {start: value})


def quote_tagged_value(text: str, start: int, value: str) -> Repair:
    """A value with a tag that a bracket follows at once, which the parser does not accept as the tag's end."""
    error = tagged_value(text, Span(start, start + len(value)), quote(value), None, at_key=False)
    return Repair(start, placeholder(len(value)), error._replace(guessed=True), {start: value})


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
    return Repair(entry.start, "".join(filler), error and error._replace(unread=Span(entry.start, at)))


def colon_after(word: str, start: int, *, sign: str | None = None) -> Repair:
    """A colon in place of another sign after a key, or of its last character where no sign is."""
    end = start + len(word)
    error = syntax_error(f'the key "{word}" has no colon; write {word}:', start, end + len(sign or ""), f"{word}:")
    return Repair(end + len(sign or "") - 1, ":", error, {} if sign else {start: word})


_conflict = re.compile(
    r"^(?P<marker><{7}[^\r\n]*)(?P<ours>[\r\n].*?)^(?P<rest>(?:\|{7}|={7}\s).*?^>{7}[^\r\n]*)", re.MULTILINE | re.DOTALL
).search

_CONFLICT_MARKER: Final = "<" * 7
CONFLICT: Final = "unresolved merge conflict; keep one side"


_odd_lead = re.compile(r"[ \t]*+(-?)([^\S \t\r\n][^\S\r\n]*+)(-[ \t])?").match


def odd_indentation(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A key, an item or nothing behind a space that is none to YAML, where plain spaces move the fault on."""
    opening, at = (lines.line_number(min(place, len(lines.text))) for place in (fault.opening, fault.at))
    above = lines.content_before(at)
    for line in sorted({opening, at, above.line if above else at}):
        entry = lines.scan_line(line)
        lead = _odd_lead(lines.text, entry.start, entry.end)
        if lead and (entry.key or lead[1] or lead[3] or lead.end() == entry.end):
            message = f"U+{ord(lead[2][0]):04X} at the beginning of a line is not a space to YAML; write plain spaces"
            blanks = " " * len(lead[2])
            repair = Repair(lead.start(2), blanks, syntax_error(message, *lead.span(2), blanks))
            _, later = compose_text(repair.apply(part).text, part.overrides)
            if later is None or to_fault(part.text, later).at > fault.at:
                return repair
    return None


def merge_conflict(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """What git leaves of a merge conflict: the first side is read, the markers and the other side are not."""
    return next_conflict(part.text)


def next_conflict(text: str) -> Repair | None:
    """The first merge conflict of a text, whose first side remains."""
    match = _conflict(text) if _CONFLICT_MARKER in text else None
    if match is None:
        return None
    first_side = _blank_text(match["marker"]) + match["ours"] + _blank_text(match["rest"])
    return Repair(match.start(), first_side, syntax_error(CONFLICT, *match.span("marker")))


def _blank_text(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)


def blanked_line(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """No cause is clear: report what the parser says, and parse on without the line."""
    at = min(fault.at, max(len(lines.text) - 1, 0))
    found, opening = (lines.line_number(min(place, len(lines.text))) for place in (fault.at, fault.opening))
    for line in chain((found, opening), range(found - 1, -1, -1)):
        entry = lines.scan_line(line)
        if line in lines.blanked or entry.start == entry.end:
            continue
        is_new = lines.reported.isdisjoint((line, lines.line_number(at)))
        lines.reported.update((line, lines.line_number(at)))
        error = syntax_error(_message(fault.why), at, at + 1) if is_new else None
        return blank_lines(lines, entry, _last_line_of_brackets(lines, entry), error)
    return None


def _message(reason: str) -> str:
    reason = reason.replace("did not find expected", "expected").replace("could not find expected", "expected")
    is_flow = "'}'" in reason or "']'" in reason
    advice = "quote text that contains braces or brackets" if is_flow else "correct the indentation, or quote the text"
    return f"invalid YAML: {reason}; {advice}"


def _last_line_of_brackets(lines: LineScanner, entry: ScannedLine) -> int:
    """The last line of a value in brackets; its remaining lines would otherwise continue the value above."""
    last, opens = entry.line, entry.key is not None and entry.value[:1] in ("[", "{")
    for line in range(last + 1, min(last + MAX_LINES_AWAY, len(lines.starts))) if opens else ():
        below = lines.scan_line(line)
        if below.key is None and not below.value:
            continue
        if lines.indent_width(line) <= lines.indent_width(entry.line):
            break
        last = line
    return last
