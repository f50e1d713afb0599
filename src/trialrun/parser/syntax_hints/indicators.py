"""Plain texts that begin with an indicator of YAML, and collections as keys."""

from __future__ import annotations

import re
from typing import Final

from trialrun.parser.line_scanner import LineScanner
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import ParserFault, Repair, quote_tagged_value, quote_value
from trialrun.parser.warnings import shorten

_INDICATORS: Final = {
    "*": "names an anchor",
    "&": "sets an anchor",
    "!": "is a tag",
    "@": "is reserved in YAML",
    "`": "is reserved in YAML",
    "%": "is reserved in YAML",
    "|": "starts a block of text",
    ">": "starts a block of text",
    "{": "opens a mapping",
    "[": "opens a list",
}


def reserved_beginning(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A plain text that begins with an indicator of YAML: `*/5 * * * *`, `@daily`, `{{ x }}`."""
    for at in (fault.at, fault.opening):
        entry = lines.scan_line(lines.line_number(min(at, len(lines.text))))
        value = entry.value
        if value[:1] not in _INDICATORS or not _is_meant_as_text(value, fault) or at < entry.value_start:
            continue
        why = f"{shorten(value)} begins with {value[0]}, which {_INDICATORS[value[0]]}; quote it"
        return quote_value(entry.value_start, value, why)
    return _reserved_in_flow(part, lines, fault)


def template(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`{{ x }}` is a mapping with a mapping as its key to YAML, and a placeholder to its author."""
    entry = lines.scan_line(lines.line_number(fault.at))
    if not entry.value.startswith(("{{", "{%")) or fault.at < entry.value_start:
        return None
    return quote_value(
        entry.value_start, entry.value, f"{shorten(entry.value)} begins with {{, which opens a mapping; quote it"
    )


def collection_as_key(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`{a: b}: c`, and a template in braces."""
    if fault.why != "collection as key":
        return None
    match = re.compile(r"[\[{][^\r\n]*?[\]}](?=[ \t]*:[ \t\r\n])|[\[{][^\r\n]*?[\]}]").match(lines.text, fault.at)
    if match is None:
        return None
    if lines.text[fault.at - 1 : fault.at] == "{" and lines.text[fault.at + len(match[0]) :][:1] == "}":
        template = "{" + match[0] + "}"
        return quote_value(
            fault.at - 1, template, f"{shorten(template)} begins with {{, which opens a mapping; quote it"
        )
    return quote_value(fault.at, match[0], f"{shorten(match[0])} cannot be a key; quote it")


def _reserved_in_flow(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    for at in (fault.at, fault.opening):
        if lines.text[at : at + 1] not in tuple("*&!@`%|>") or lines.text[at - 1 : at] not in (" ", "[", "{", ",", ""):
            continue
        match = re.compile(r"[^,\]}\r\n]*?(?=[ \t]*(?:[,\]}\r\n]|\Z|[ \t]\#))").match(lines.text, at)
        value = match[0] if match else lines.text[at]
        if value[:1] == "!" and len(value) > 1:
            return quote_tagged_value(lines.text, at, value)
        if value:
            return quote_value(
                at, value, f"{shorten(value)} begins with {value[0]}, which {_INDICATORS[value[0]]}; quote it"
            )
    return None


def _is_meant_as_text(value: str, fault: ParserFault) -> bool:
    if value[0] in "|>":
        return "block scalar" in fault.context
    if value[0] in "{[":
        return _closes_early(value)
    return True


def _closes_early(value: str) -> bool:
    """Whether text follows the bracket that closes the one at the beginning."""
    depth = 0
    for at, character in enumerate(value):
        depth += (character in "[{") - (character in "]}")
        if depth == 0:
            return at + 1 < len(value) and value[at + 1 :].lstrip()[:1] not in ("#", ":", ",", "")
    return False
