"""Colons: one that is missing, has no space after it, or is inside a text."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.line_scanner import LineScanner, ScannedLine
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, blank_line, quote_value, syntax_error
from trialrun.parser.warnings import shorten

NOT_A_MAPPING: Final = (
    "mapping values are not allowed",
    "did not find expected key",
    "<block end>",
    "<document start>",
)
"""What the parser says at a key where there is no mapping for it."""
_glued = re.compile(r"(?P<key>[A-Za-z_][\w.-]+):(?P<value>\S.*)")


def colon_in_value(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`text: a ? b : c`: a second colon on the line."""
    if "mapping values are not allowed" not in fault.why:
        return None
    entry = lines.scan_line(lines.line_number(fault.at))
    if entry.key is None or not entry.value or fault.at < entry.value_start:
        return None
    before_bracket = re.match(r"([A-Za-z_][\w.-]+)[ \t]+[\[{]", entry.key)
    if before_bracket:
        return _colon_after(before_bracket[1], entry.key_start)
    return quote_value(
        entry.value_start, entry.value, f"{shorten(entry.value)} has a colon followed by a space; quote it"
    )


def missing_colon_above(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A lone word with a deeper key below it, or a key whose colon no space follows."""
    above = lines.content_before(lines.line_number(fault.at))
    if "mapping values are not allowed" not in fault.why or above is None:
        return None
    entry = lines.scan_line(above)
    return _missing_colon(lines, entry) or _glued_colon(entry)


def first_line(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """The line with which a mapping should begin, and which is not a key; the next one is."""
    line = lines.line_number(fault.at)
    above = lines.content_before(line)
    if above is None or not any(reason in fault.why for reason in NOT_A_MAPPING):
        return None
    entry, below = lines.scan_line(above), lines.scan_line(line)
    if entry.key is not None or not entry.value or below.key is None or below.indent != entry.indent:
        return None
    before = lines.content_before(entry.line)
    outer = lines.scan_line(before) if before is not None else None
    opens = outer is None or outer.value == "---" or (outer.key and not outer.value and outer.indent < entry.indent)
    return _without_colon(lines, entry) if opens else None


def not_a_key(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A line in a mapping that has no colon, or no space after it."""
    if "could not find expected ':'" not in fault.why:
        return None
    entry = lines.scan_line(lines.line_number(fault.opening))
    if not entry.value or entry.key is not None:
        return None
    repair = _missing_colon(lines, entry) or _glued_colon(entry)
    return repair if repair is not None else _without_colon(lines, entry)


def _missing_colon(lines: LineScanner, entry: ScannedLine) -> Repair | None:
    below = lines.content_after(entry.line)
    if entry.key is not None or not re.fullmatch(r"[A-Za-z_][\w.-]*", entry.value):
        return None
    if below is None or below.key is None or below.indent <= entry.indent:
        return None
    repair = _colon_after(entry.value, entry.value_start)
    return repair if len(entry.value) > 1 else blank_line(lines, entry, repair.error)


def _glued_colon(entry: ScannedLine) -> Repair | None:
    """`cron:0 5 * * *`: no space after the colon."""
    match = _glued.fullmatch(entry.value) if entry.key is None else None
    if match is None:
        return None
    colon = entry.value_start + match.end("key")
    message = f'no space follows the colon of "{match["key"]}"; write {match["key"]}: {shorten(match["value"])}'
    return Repair(colon - 1, ": ", syntax_error(message, colon, colon + 1, ": "), {entry.value_start: match["key"]})


def _without_colon(lines: LineScanner, entry: ScannedLine) -> Repair:
    message = f"{shorten(entry.value)} is not a key with a value; add the missing colon"
    lines.blanked.add(entry.line)
    return Repair(entry.value_start, " " * len(entry.value), syntax_error(message, entry.value_start, entry.value_end))


def _colon_after(word: str, start: int) -> Repair:
    end = start + len(word)
    error = syntax_error(f'the key "{word}" has no colon; write {word}:', start, end, f"{word}:")
    return Repair(end - 1, ":", error, {start: word})
