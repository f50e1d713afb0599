"""Lines in a wrong place: after a tab, with wrong indentation, beside a key, or as a directive."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.line_scanner import MAX_LINES_AWAY, LineScanner, ScannedLine
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, blank_line, blank_lines, syntax_error
from trialrun.parser.syntax_hints.colons import NOT_A_MAPPING

_CONTINUES_BELOW: Final = ("", "|", ">", "&", "!")
"""How a value begins that has, or may have, more on the lines below."""


def tabs(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A tab where a line is indented."""
    line = lines.line_number(fault.at)
    entry = lines.scan_line(line)
    lead = part.text[entry.start : entry.end]
    lead = lead[: len(lead) - len(lead.lstrip(" \t"))]
    if "\t" not in lead or "\t" not in part.text[fault.at : fault.at + 1] + part.text[fault.at - 1 : fault.at]:
        return None
    first = entry.start + lead.index("\t")
    error = syntax_error("a tab indents this line; use spaces", first, entry.start + len(lead.rstrip(" ")))
    blanks = re.sub(
        r"(?m)^[ \t]*\t[ \t]*",
        lambda match: " " * len(match[0]),
        part.text[entry.start :],
    )
    return Repair(entry.start, blanks, error)


def directive(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A line that begins with %."""
    entry = lines.scan_line(lines.line_number(fault.opening))
    if lines.text[entry.start : entry.start + 1] != "%":
        return None
    error = syntax_error("a line that begins with % is an unknown YAML directive; remove it", entry.start, entry.end)
    return blank_line(lines, entry, error)


def list_beside_key(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`key: - item`: a list item on the line of its key."""
    if "sequence entries are not allowed" not in fault.why:
        return None
    entry = lines.scan_line(lines.line_number(fault.at))
    error = syntax_error("a list item on the line of its key; put it on its own line", fault.at, fault.at + 1)
    return blank_line(lines, entry, error)


def indentation(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A line that lines up with none above; those below it that do not either are left out with it, reported once."""
    line = lines.line_number(min(fault.at, max(len(lines.text) - 1, 0)))
    entry = lines.scan_line(line)
    if not any(reason in fault.why for reason in (*NOT_A_MAPPING, "did not find expected '-'")) or not (
        entry.key or entry.value
    ):
        return None
    start = entry.start + lines.indent_width(line)
    if "mapping values" not in fault.why and fault.at > start:
        return None
    end = entry.key_start + len(entry.key) if entry.key else entry.value_end
    error = syntax_error("the indentation matches no line above; align it with its neighbors", start, end)
    return blank_lines(lines, entry, _last_misaligned_line(lines, entry), error)


def _last_misaligned_line(lines: LineScanner, entry: ScannedLine) -> int:
    """The last line below that is at least as deep and lines up with none above either.

    A line alone where it is the outermost, or where the value above may go on below.
    """
    above = lines.content_before(entry.line)
    width, last = lines.indent_width(entry.line), entry.line
    if above is None or not width or lines.scan_line(above).value[:1] in _CONTINUES_BELOW:
        return last
    columns = lines.open_columns(entry.line)
    for line in range(entry.line + 1, min(entry.line + MAX_LINES_AWAY, len(lines.starts))):
        below = lines.scan_line(line)
        if not below.key and not below.value:
            continue
        if lines.indent_width(line) < width or lines.indent_width(line) in columns:
            break
        last = line
    return last
