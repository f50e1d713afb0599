"""A line of which only the parser's word is known."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.tree.document import Slice
from trialrun.tree.lines import Lines
from trialrun.tree.repairs import Fault, Slip, told, without_line


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
        return without_line(lines, entry, trouble)
    return None


def _suspects(lines: Lines, fault: Fault) -> Iterator[int]:
    line = lines.number(min(fault.at, len(lines.text)))
    yield line
    yield lines.number(min(fault.opening, len(lines.text)))
    yield from range(line - 1, -1, -1)
