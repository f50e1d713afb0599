"""A line of which only the parser's word is known."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.parser.document import Slice
from trialrun.parser.line_scanner import FARTHEST, Entry, Lines
from trialrun.parser.repair import Fault, Slip, told, without_lines


def blanked_line(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """No cause is plain: say what the parser says, and read on without the line."""
    for line in _suspects(lines, fault):
        entry = lines.entry(line)
        if line in lines.blanked or entry.start == entry.end:
            continue
        trouble = None
        if line not in lines.told:
            at = min(fault.at, max(len(lines.text) - 1, 0))
            trouble = told(f"no YAML from here on: {fault.why}; check this line", at, at + 1)
        lines.told.add(line)
        return without_lines(lines, entry, _last_of_brackets(lines, entry), trouble)
    return None


def _last_of_brackets(lines: Lines, entry: Entry) -> int:
    """The last line of a value in brackets: left alone, what stands below would go on the value above."""
    last = entry.line
    if entry.key is None or entry.value[:1] not in ("[", "{"):
        return last
    for line in range(entry.line + 1, min(entry.line + FARTHEST, len(lines.starts))):
        below = lines.entry(line)
        if below.key is None and not below.value:
            continue
        if lines.width(line) <= lines.width(entry.line):
            break
        last = line
    return last


def _suspects(lines: Lines, fault: Fault) -> Iterator[int]:
    line = lines.number(min(fault.at, len(lines.text)))
    yield line
    yield lines.number(min(fault.opening, len(lines.text)))
    yield from range(line - 1, -1, -1)
