"""Colons: one that is missing, has no blank behind it, or stands in a text."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.document import Slice
from trialrun.parser.line_scanner import Entry, Lines
from trialrun.parser.repair import Fault, Slip, quoted, told, without_line
from trialrun.parser.warnings import shown

NOT_A_MAPPING: Final = (
    "mapping values are not allowed",
    "did not find expected key",
    "<block end>",
    "<document start>",
)
"""What the parser says at a key where there is no mapping for it."""
_glued = re.compile(r"(?P<key>[A-Za-z_][\w.-]+):(?P<value>\S.*)")


def colon_in_value(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """`text: a ? b : c`: a second colon on the line."""
    if "mapping values are not allowed" not in fault.why:
        return None
    entry = lines.entry(lines.number(fault.at))
    if entry.key is None or not entry.value or fault.at < entry.value_start:
        return None
    before_bracket = re.match(r"([A-Za-z_][\w.-]+)[ \t]+[\[{]", entry.key)
    if before_bracket:
        return _colon_after(before_bracket[1], entry.key_start)
    return quoted(entry.value_start, entry.value, f"{shown(entry.value)} has a colon before a blank; quote it")


def missing_colon_above(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A lone word with a deeper key below it, or a key whose colon no blank follows."""
    above = lines.content_before(lines.number(fault.at))
    if "mapping values are not allowed" not in fault.why or above is None:
        return None
    entry = lines.entry(above)
    return _missing_colon(lines, entry) or _glued_colon(entry)


def first_line(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """The line with which a mapping should begin, and which is no key; the next one is."""
    line = lines.number(fault.at)
    above = lines.content_before(line)
    if above is None or not any(reason in fault.why for reason in NOT_A_MAPPING):
        return None
    entry, below = lines.entry(above), lines.entry(line)
    if entry.key is not None or not entry.value or below.key is None or below.indent != entry.indent:
        return None
    before = lines.content_before(entry.line)
    outer = lines.entry(before) if before is not None else None
    opens = outer is None or outer.value == "---" or (outer.key and not outer.value and outer.indent < entry.indent)
    return _without_colon(lines, entry) if opens else None


def not_a_key(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A line in a mapping that has no colon, or no blank after it."""
    if "could not find expected ':'" not in fault.why:
        return None
    entry = lines.entry(lines.number(fault.opening))
    if not entry.value or entry.key is not None:
        return None
    slip = _missing_colon(lines, entry) or _glued_colon(entry)
    return slip if slip is not None else _without_colon(lines, entry)


def _missing_colon(lines: Lines, entry: Entry) -> Slip | None:
    below = lines.content_after(entry.line)
    if entry.key is not None or not re.fullmatch(r"[A-Za-z_][\w.-]*", entry.value):
        return None
    if below is None or below.key is None or below.indent <= entry.indent:
        return None
    slip = _colon_after(entry.value, entry.value_start)
    return slip if len(entry.value) > 1 else without_line(lines, entry, slip.trouble)


def _glued_colon(entry: Entry) -> Slip | None:
    """`cron:0 5 * * *`: no blank after the colon."""
    match = _glued.fullmatch(entry.value) if entry.key is None else None
    if match is None:
        return None
    colon = entry.value_start + match.end("key")
    message = f'no blank follows the colon of "{match["key"]}"; write {match["key"]}: {shown(match["value"])}'
    return Slip(colon - 1, ": ", told(message, colon, colon + 1, ": "), {entry.value_start: match["key"]})


def _without_colon(lines: Lines, entry: Entry) -> Slip:
    message = f"{shown(entry.value)} is no key with a value; a colon is missing"
    lines.blanked.add(entry.line)
    return Slip(entry.value_start, " " * len(entry.value), told(message, entry.value_start, entry.value_end))


def _colon_after(word: str, start: int) -> Slip:
    end = start + len(word)
    trouble = told(f'the key "{word}" has no colon; write {word}:', start, end, f"{word}:")
    return Slip(end - 1, ":", trouble, {start: word})
