"""Quoted texts: an escape that is none, a quote that nothing closes, text behind the closing one."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.document import Slice
from trialrun.parser.line_scanner import Lines
from trialrun.parser.nodes import Node
from trialrun.parser.repair import Fault, Slip, filler, told
from trialrun.parser.scalar_source_map import pieces_of
from trialrun.parser.scalars import quote

_LONGEST_DECODED: Final = 100_000
"""How many characters a scalar may have that is decoded for a repair."""


def bad_escape(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A backslash in double quotes that begins no escape."""
    if "quoted scalar" not in fault.context or ("escape" not in fault.why and "hex" not in fault.why):
        return None
    at = part.text.rfind("\\", fault.opening, fault.at + 1)
    if at < 0:
        return None
    written = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.?)", re.DOTALL).match(part.text, at)
    escape = written[0] if written else "\\"
    if escape[1:2] == "u" and len(escape) > 2:
        message = f"{escape} is a surrogate, which YAML does not have; write the character itself"
        replacement = pieces_of(escape, Node(-1, len(escape) + 1, "double"))[0][0] if len(escape) > 6 else None
    else:
        message = f"{escape} is no escape in double quotes; write \\{escape}, or use single quotes"
        replacement = "\\" + escape
    trouble = told(message, at, at + len(escape), replacement)
    end = _closing_quote(part.text, fault.opening)
    if end - fault.opening > _LONGEST_DECODED:
        return Slip(at, escape.replace("\\", "x"), trouble)
    whole = Node(fault.opening, end, "double")
    meant = "".join(piece[0] for piece in pieces_of(lines.text, whole))
    return Slip(at, escape.replace("\\", "x"), trouble, {fault.opening: meant})


def unclosed_quote(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A quote that nothing closes, or that only the opening quote of a later value does."""
    if "quoted scalar" in fault.context and ("end of stream" in fault.why or "document indicator" in fault.why):
        return _close_at_line_end(lines, fault.opening)
    last = lines.number(fault.at)
    for line in lines.with_quotes(max(0, last - 200), last):
        entry = lines.entry(line)
        if entry.value[:1] not in ("'", '"') or line in lines.blanked:
            continue
        end = _end_of_quoted(part.text, entry.value_start)
        if end > entry.end and lines.number(end - 1) == last and end <= fault.at + 1:
            return _close_at_line_end(lines, entry.value_start)
    return None


def text_after_quote(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """`'it's'` and `"a" or "b"`: more text after a closing quote."""
    entry = lines.entry(lines.number(fault.at))
    value = entry.value
    if value[:1] not in ("'", '"') or not entry.value_start < fault.at <= entry.value_end:
        return None
    end = _end_of_quoted(lines.text, entry.value_start)
    if not entry.value_start < end < entry.value_end:
        return None
    meant = value[1:-1] if value[-1] == value[0] and value.count(value[0]) == 3 else value
    trouble = told(
        "text follows the closing quote; quote the whole value", entry.value_start, entry.value_end, quote(meant)
    )
    return Slip(entry.value_start, filler(len(value)), trouble, {entry.value_start: meant})


def _close_at_line_end(lines: Lines, opening: int) -> Slip:
    entry = lines.entry(lines.number(opening))
    end = max(entry.value_end, opening + 1)
    trouble = told(f"the quote {lines.text[opening]} is not closed; close it", opening, opening + 1)
    return Slip(opening, filler(end - opening), trouble, {opening: lines.text[opening + 1 : end]})


def _closing_quote(text: str, opening: int) -> int:
    match = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL).match(text, opening)
    return match.end() if match else len(text)


def _end_of_quoted(text: str, start: int) -> int:
    pattern = r'"(?:[^"\\]++|\\.)*+"' if text[start] == '"' else r"'(?:[^']++|'')*+'"
    match = re.compile(pattern, re.DOTALL).match(text, start)
    return match.end() if match else -1
