"""Fallback for a line without a specific hint: the parser's own message."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.parser.line_scanner import MAX_LINES_AWAY, LineScanner, ScannedLine
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, blank_lines, syntax_error


def blanked_line(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """No cause is clear: report what the parser says, and parse on without the line."""
    for line in _suspect_lines(lines, fault):
        entry = lines.scan_line(line)
        if line in lines.blanked or entry.start == entry.end:
            continue
        error = None
        if line not in lines.reported:
            at = min(fault.at, max(len(lines.text) - 1, 0))
            error = syntax_error(_message(fault.why), at, at + 1)
        lines.reported.add(line)
        return blank_lines(lines, entry, _last_line_of_brackets(lines, entry), error)
    return None


def _message(reason: str) -> str:
    reason = reason.replace("did not find expected", "expected").replace("could not find expected", "expected")
    is_flow = "'}'" in reason or "']'" in reason
    advice = "quote text that contains braces or brackets" if is_flow else "correct the indentation, or quote the text"
    return f"invalid YAML: {reason}; {advice}"


def _last_line_of_brackets(lines: LineScanner, entry: ScannedLine) -> int:
    """The last line of a value in brackets; its remaining lines would otherwise continue the value above."""
    last = entry.line
    if entry.key is None or entry.value[:1] not in ("[", "{"):
        return last
    for line in range(entry.line + 1, min(entry.line + MAX_LINES_AWAY, len(lines.starts))):
        below = lines.scan_line(line)
        if below.key is None and not below.value:
            continue
        if lines.indent_width(line) <= lines.indent_width(entry.line):
            break
        last = line
    return last


def _suspect_lines(lines: LineScanner, fault: ParserFault) -> Iterator[int]:
    line = lines.line_number(min(fault.at, len(lines.text)))
    yield line
    yield lines.line_number(min(fault.opening, len(lines.text)))
    yield from range(line - 1, -1, -1)
