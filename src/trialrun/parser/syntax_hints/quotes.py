"""Quoted texts: an invalid escape, an unclosed quote, text after the closing quote."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.line_scanner import LineScanner
from trialrun.parser.nodes import Node
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, placeholder, syntax_error
from trialrun.parser.scalar_source_map import segments
from trialrun.parser.scalars import quote

_MAX_DECODED: Final = 100_000
"""Characters of a scalar that is decoded for a repair."""


def bad_escape(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A backslash in double quotes that begins no escape."""
    if "quoted scalar" not in fault.context or ("escape" not in fault.why and "hex" not in fault.why):
        return None
    at = part.text.rfind("\\", fault.opening, fault.at + 1)
    if at < 0:
        return None
    match = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.?)", re.DOTALL).match(part.text, at)
    escape = match[0] if match else "\\"
    if escape[1:2] == "u" and len(escape) > 2:
        message = f"{escape} is a surrogate, which YAML does not allow; write the character itself"
        replacement = segments(escape, Node(-1, len(escape) + 1, "double"))[0][0] if len(escape) > 6 else None
    else:
        message = f"{escape} is not an escape in double quotes; write \\{escape}, or use single quotes"
        replacement = "\\" + escape
    error = syntax_error(message, at, at + len(escape), replacement)
    end = _closing_quote(part.text, fault.opening)
    if end - fault.opening > _MAX_DECODED:
        return Repair(at, escape.replace("\\", "x"), error)
    whole = Node(fault.opening, end, "double")
    decoded = "".join(piece[0] for piece in segments(lines.text, whole))
    return Repair(at, escape.replace("\\", "x"), error, {fault.opening: decoded})


def unclosed_quote(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A quote that nothing closes, or that only the opening quote of a later value does."""
    if "quoted scalar" in fault.context and ("end of stream" in fault.why or "document indicator" in fault.why):
        return _close_at_line_end(lines, fault.opening)
    last = lines.line_number(fault.at)
    for line in lines.lines_with_quotes(max(0, last - 200), last):
        entry = lines.scan_line(line)
        if entry.value[:1] not in ("'", '"') or line in lines.blanked:
            continue
        end = _quoted_end(part.text, entry.value_start)
        if end > entry.end and lines.line_number(end - 1) == last and end <= fault.at + 1:
            return _close_at_line_end(lines, entry.value_start)
    return None


def text_after_quote(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`'it's'` and `"a" or "b"`: more text after a closing quote."""
    entry = lines.scan_line(lines.line_number(fault.at))
    value = entry.value
    if value[:1] not in ("'", '"') or not entry.value_start < fault.at <= entry.value_end:
        return None
    end = _quoted_end(lines.text, entry.value_start)
    if not entry.value_start < end < entry.value_end:
        return None
    unquoted = value[1:-1] if value[-1] == value[0] and value.count(value[0]) == 3 else value
    error = syntax_error(
        "text follows the closing quote; quote the whole value", entry.value_start, entry.value_end, quote(unquoted)
    )
    return Repair(entry.value_start, placeholder(len(value)), error, {entry.value_start: unquoted})


def _close_at_line_end(lines: LineScanner, opening: int) -> Repair:
    entry = lines.scan_line(lines.line_number(opening))
    end = max(entry.value_end, opening + 1)
    error = syntax_error(f"the quote {lines.text[opening]} is not closed; close it", opening, opening + 1)
    return Repair(opening, placeholder(end - opening), error, {opening: lines.text[opening + 1 : end]})


def _closing_quote(text: str, opening: int) -> int:
    match = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL).match(text, opening)
    return match.end() if match else len(text)


def _quoted_end(text: str, start: int) -> int:
    pattern = r'"(?:[^"\\]++|\\.)*+"' if text[start] == '"' else r"'(?:[^']++|'')*+'"
    match = re.compile(pattern, re.DOTALL).match(text, start)
    return match.end() if match else -1
