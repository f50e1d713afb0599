"""Lines that stand wrong: behind a tab, too far in or out, beside a key, or as a directive."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.document import Slice
from trialrun.parser.line_scanner import FARTHEST, Entry, Lines
from trialrun.parser.repair import Fault, Slip, told, without_line, without_lines
from trialrun.parser.syntax_hints.colons import NOT_A_MAPPING

_GOES_ON: Final = ("", "|", ">", "&", "!")
"""How a value begins that has, or may have, more on the lines below."""


def tabs(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A tab where a line is indented."""
    line = lines.number(fault.at)
    entry = lines.entry(line)
    lead = part.text[entry.start : entry.end]
    lead = lead[: len(lead) - len(lead.lstrip(" \t"))]
    if "\t" not in lead or "\t" not in part.text[fault.at : fault.at + 1] + part.text[fault.at - 1 : fault.at]:
        return None
    first = entry.start + lead.index("\t")
    trouble = told("a tab indents this line; use spaces", first, entry.start + len(lead.rstrip(" ")))
    blanks = re.sub(
        r"(?m)^[ \t]*\t[ \t]*",
        lambda match: " " * len(match[0]),
        part.text[entry.start :],
    )
    return Slip(entry.start, blanks, trouble)


def directive(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A line that begins with %."""
    entry = lines.entry(lines.number(fault.opening))
    if lines.text[entry.start : entry.start + 1] != "%":
        return None
    trouble = told(
        "a line that begins with % is a directive that YAML does not have; remove it", entry.start, entry.end
    )
    return without_line(lines, entry, trouble)


def list_beside_key(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """`key: - item`: a list item on the line of its key."""
    if "sequence entries are not allowed" not in fault.why:
        return None
    entry = lines.entry(lines.number(fault.at))
    trouble = told("a list item beside its key; put it on a line of its own", fault.at, fault.at + 1)
    return without_line(lines, entry, trouble)


def indentation(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A line that lines up with none above; those below it that do not either are left out with it, told once."""
    line = lines.number(min(fault.at, max(len(lines.text) - 1, 0)))
    entry = lines.entry(line)
    if not any(reason in fault.why for reason in (*NOT_A_MAPPING, "did not find expected '-'")) or not (
        entry.key or entry.value
    ):
        return None
    start = entry.start + lines.width(line)
    if "mapping values" not in fault.why and fault.at > start:
        return None
    end = entry.key_start + len(entry.key) if entry.key else entry.value_end
    trouble = told("the indentation fits no line above; line it up with its neighbors", start, end)
    return without_lines(lines, entry, _last_adrift(lines, entry), trouble)


def _last_adrift(lines: Lines, entry: Entry) -> int:
    """The last line below that is at least as deep and lines up with none above either.

    A line alone where it is the outermost, or where the value above may go on below.
    """
    above = lines.content_before(entry.line)
    width, last = lines.width(entry.line), entry.line
    if above is None or not width or lines.entry(above).value[:1] in _GOES_ON:
        return last
    columns = lines.columns(entry.line)
    for line in range(entry.line + 1, min(entry.line + FARTHEST, len(lines.starts))):
        below = lines.entry(line)
        if not below.key and not below.value:
            continue
        if lines.width(line) < width or lines.width(line) in columns:
            break
        last = line
    return last
