"""A bracket that nothing closes."""

from __future__ import annotations

import re

from trialrun.parser.line_scanner import MAX_LINES_AWAY, LineScanner
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, syntax_error


def unclosed_bracket(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A bracket of a list or mapping that ends with the file, or runs into the next key."""
    opening = fault.opening
    if "flow node" in fault.context and lines.text[:opening].rstrip()[-1:] in ("[", "{"):
        opening = len(lines.text[:opening].rstrip()) - 1
    if "flow" not in fault.context or lines.text[opening : opening + 1] not in ("[", "{"):
        return None
    first, last = lines.line_number(opening), lines.line_number(min(fault.at, len(lines.text)))
    if first == last and fault.at < len(lines.text.rstrip()):
        return None
    bracket = lines.text[opening]
    closing = "]" if bracket == "[" else "}"
    error = syntax_error(f"the bracket {bracket} is not closed; close it with {closing}", opening, opening + 1)
    end = _bracket_end(lines, first, last)
    closed, overrides = _close_bracket(lines.text[opening:end], closing, opening)
    return Repair(opening, closed, error, overrides)


def _bracket_end(lines: LineScanner, first: int, last: int) -> int:
    """The end of the last line before one that is a key as far left as the line of the bracket."""
    width = lines.indent_width(first)
    end = lines.scan_line(first).value_end
    for line in range(first + 1, min(first + MAX_LINES_AWAY, last + 1)):
        entry = lines.scan_line(line)
        if entry.key is not None and lines.indent_width(line) <= width:
            break
        if entry.key is not None or entry.value:
            end = max(end, entry.value_end)
    return end


def _close_bracket(content: str, closing: str, start: int) -> tuple[str, dict[int, str]]:
    """The content with its last character a closing bracket; the item that makes room keeps its text."""
    if len(content) < 2:
        return "~", {}
    if content[-1] == ",":
        return content[:-1] + closing, {}
    item = re.compile(r"(?<=[\[,\s])[^\s,:\[\]{}\"']{2,}\Z").search(content)
    if item is not None and closing == "]":
        return content[: item.start()] + "x" * (len(item[0]) - 1) + closing, {start + item.start(): item[0]}
    comma = max(content.rfind(","), 0)
    head = content[: comma + 1] if comma else content[0]
    rest = content[len(head) :]
    return head + "".join(c if c in "\r\n" else " " for c in rest[:-1]) + closing, {}
