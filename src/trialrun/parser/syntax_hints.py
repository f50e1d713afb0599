"""The likely cause of a YAML syntax error: where it is, what to write, and how to parse on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from trialrun.parser.compose import Unsupported
from trialrun.parser.events import YAMLError
from trialrun.parser.parse_error import SourceSlice, shorten
from trialrun.parser.quote_hints import (
    bad_escape,
    closed_at,
    comma_after_value,
    comma_between_items,
    comment_in_brackets,
    comment_in_text,
    extra_bracket,
    text_after_quote,
    unclosed_bracket,
    unclosed_quote,
)
from trialrun.parser.repair import (
    MAX_LINES_AWAY,
    LineScanner,
    ParserFault,
    Repair,
    ScannedLine,
    blank_line,
    blank_lines,
    blanked_line,
    colon_after,
    merge_conflict,
    odd_indentation,
    quote_tagged_value,
    quote_value,
    syntax_error,
    to_fault,
)
from trialrun.text import Span

NOT_A_MAPPING: Final = (
    "mapping values are not allowed",
    "did not find expected key",
    "<block end>",
    "<document start>",
)
"""What the parser says at a key where there is no mapping for it."""
_other_colon = re.compile(
    r"(?P<key>[A-Za-z_][\w.-]*)(?P<mark>\uff1a[ \t]?|:[^\S \t\r\n]+|[ \t]+=[ \t]|=[ \t]?)(?=\S|\Z)"
).match
"""A key with what looks like a colon and a space, or with the sign of other formats."""
_two_lines = re.compile(
    r"(?:true|false|\d+|[A-Z]+(?:_[A-Z]+)+|FeatureView|ChannelConfig|[A-Z][A-Za-z]+?(?:Brand|Menu|Schema|Store|Table))"
    r"(?P<key>[a-z]{2}[A-Za-z]+):\s"
).match
"""A value without spaces that a key follows at once, as where a line break is missing."""
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
        return colon_after(before_bracket[1], entry.key_start)
    if glued := _two_lines(entry.value):
        start = entry.value_start + glued.start("key")
        message = f"{glued['key']} is a key of its own; begin a new line with it"
        error = syntax_error(message, start, start + len(glued["key"]))._replace(unread=Span(start, entry.value_end))
        return Repair(start, " " * (entry.value_end - start), error)
    return quote_value(
        entry.value_start, entry.value, f"{shorten(entry.value)} has a colon followed by a space; quote it"
    )


def missing_colon_above(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A lone word with a deeper key below it, or a key whose colon no space follows."""
    entry = lines.content_before(lines.line_number(fault.at))
    if "mapping values are not allowed" not in fault.why or entry is None:
        return None
    return _missing_colon(lines, entry) or _glued_colon(entry) or _like_colon(lines, entry)


def first_line(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """The line with which a mapping should begin, and which is not a key; the next one is."""
    below = lines.scan_line(lines.line_number(fault.at))
    entry = lines.content_before(below.line)
    if entry is None or not any(reason in fault.why for reason in NOT_A_MAPPING):
        return None
    if entry.key is not None or not entry.value or below.key is None or below.indent != entry.indent:
        return None
    outer = lines.content_before(entry.line)
    opens = outer is None or outer.value == "---" or (outer.key and not outer.value and outer.indent < entry.indent)
    return _like_colon(lines, entry) or _without_colon(lines, entry) if opens else None


def not_a_key(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A line in a mapping that has no colon, or no space after it."""
    if "could not find expected ':'" not in fault.why:
        return None
    entry = lines.scan_line(lines.line_number(fault.opening))
    if not entry.value or entry.key is not None:
        return None
    return (
        _missing_colon(lines, entry) or _glued_colon(entry) or _like_colon(lines, entry) or _without_colon(lines, entry)
    )


def _missing_colon(lines: LineScanner, entry: ScannedLine) -> Repair | None:
    below = lines.content_after(entry.line)
    word = re.fullmatch(r"([A-Za-z_][\w.-]*)([ \t]*[=;])?", entry.value) if entry.key is None else None
    if word is None or below is None or below.indent <= entry.indent:
        return None
    if below.key is None and lines.text[below.start : below.value_start].strip() != "-":
        return None
    repair = colon_after(word[1], entry.value_start, sign=word[2])
    return repair if len(entry.value) > 1 else blank_line(lines, entry, repair.error)


def _glued_colon(entry: ScannedLine) -> Repair | None:
    """`cron:0 5 * * *`: no space after the colon."""
    match = _glued.fullmatch(entry.value) if entry.key is None else None
    if match is None:
        return None
    colon = entry.value_start + match.end("key")
    message = f'no space follows the colon of "{match["key"]}"; write {match["key"]}: {shorten(match["value"])}'
    return Repair(colon - 1, ": ", syntax_error(message, colon, colon + 1, ": "), {entry.value_start: match["key"]})


def _like_colon(lines: LineScanner, entry: ScannedLine) -> Repair | None:
    """`cron： x`, `cron:` with a no-break space, and `cron = x`."""
    match = _other_colon(lines.text, entry.value_start, entry.end) if entry.key is None else None
    is_last = match is not None and match.end() == entry.end
    if match is None or (len(match["mark"]) < 2 and not is_last):
        return None
    odd = next((char for char in match["mark"] if char not in ": \t"), "")
    name = f"U+{ord(odd):04X}" if odd != "=" else "="
    what = f"{name} is no colon" if odd in ("\uff1a", "=") else f"{name} is not a space to YAML"
    new = ":" + " " * (len(match["mark"]) - 1)
    space, replacement = ("", ":") if is_last else (" and a space", ": ")
    error = syntax_error(f"{what}; write {match['key']}:{space}", *match.span("mark"), replacement)
    return Repair(match.start("mark"), new, error)


def _without_colon(lines: LineScanner, entry: ScannedLine) -> Repair:
    message = f"{shorten(entry.value)} is not a key with a value; add the missing colon"
    lines.blanked.add(entry.line)
    return Repair(entry.value_start, " " * len(entry.value), syntax_error(message, entry.value_start, entry.value_end))


_CONTINUES_BELOW: Final = ("", "|", ">", "&", "!")
"""How a value begins that has, or may have, more on the lines below."""


def tabs(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A tab where a line is indented."""
    line = lines.line_number(fault.at)
    entry = lines.scan_line(line)
    if part.text[fault.at : fault.at + 1] == "\t" and part.text[fault.at - 1 : fault.at] in ("-", "?"):
        error = syntax_error("a tab follows the dash; use a space", fault.at, fault.at + 1, " ")
        return Repair(fault.at, " ", error)
    lead = part.text[entry.start : entry.end]
    lead = lead[: len(lead) - len(lead.lstrip(" \t"))]
    if "\t" not in lead or "\t" not in part.text[fault.at : fault.at + 1] + part.text[fault.at - 1 : fault.at]:
        return None
    first = entry.start + lead.index("\t")
    error = syntax_error("a tab indents this line; use spaces", first, entry.start + len(lead.rstrip(" ")))
    above, below = lines.content_before(line), lines.content_after(line)
    if entry.key and above is not None and above.key and above.value[:1] not in (*_CONTINUES_BELOW, "[", "{"):
        return blank_line(lines, entry, error)  # there is nothing that it could be a part of
    lines.misaligned = (line, lines.indent_width(below.line) if below is not None else 0)
    blanks = re.sub(r"(?m)^[ \t]*\t[ \t]*", lambda match: " " * len(match[0]), part.text[entry.start :])
    return Repair(entry.start, blanks, error)


def directive(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A line that begins with %."""
    entry = lines.scan_line(lines.line_number(fault.opening))
    if lines.text[entry.start : entry.start + 1] != "%":
        return None
    error = syntax_error("a line that begins with % is an unknown YAML directive; remove it", entry.start, entry.end)
    return blank_line(lines, entry, error)


_bullet = re.compile(
    r"[ \t]*([*\u00b7\u2010-\u2015\u2022\u2023\u2043\u2212\u25a0-\u25ff])[ \t]+[\w\"'][^:\r\n]*:(?:[ \t]|$)"
).match
_glued_dash = re.compile(r"([ \t]*-)(?P<key>[A-Za-z][A-Za-z]+)(?=:(?:[ \t]|$))").match


def bullet(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`* key: value`: an item of a list with another mark than a dash."""
    line = lines.line_number(min(fault.at, len(lines.text)))
    for entry in (lines.scan_line(line), lines.content_before(line)):
        if entry is None or lines.is_in_block_text(entry.line):
            continue
        if match := _bullet(lines.text, entry.start, entry.end):
            at = match.start(1)
            error = syntax_error(f"{match[1]} does not begin an item of a list; write -", at, at + 1, "-")
            return Repair(at, "-", error)
        if glued := _glued_dash(lines.text, entry.start, entry.end):
            at = glued.end(1)
            error = syntax_error("no space follows the dash; write one", at - 1, at, "- ")
            return Repair(at, " ", error, {at + 1: glued["key"]})
    return None


def missing_dash(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """The first key of an item of a list, where its dash should be, as an item above or below has it."""
    line = lines.line_number(fault.at)
    if "mapping values" in fault.why:  # in the second line of the first item
        entry, indent = lines.content_before(line), lines.scan_line(line).indent
        numbers = range(line, min(line + MAX_LINES_AWAY, len(lines.starts)))
    elif "did not find expected '-'" in fault.why:
        entry, below = lines.scan_line(line), lines.content_after(line)
        indent = below.indent if below else entry.indent + 2
        numbers = range(line - 1, max(-1, line - MAX_LINES_AWAY), -1)
    else:
        return None
    if entry is None or not re.fullmatch(r"[A-Za-z]\w{2,}", key := entry.key or ""):
        return None
    width, at = lines.indent_width(entry.line), entry.key_start
    others = (lines.scan_line(number) for number in numbers if lines.indent_width(number) <= width)
    item = next((one for one in others if one.key or one.value), entry)
    is_item = (item.key, item.indent, lines.indent_width(item.line)) == (key, width + 2, width)
    if not is_item or entry.indent != width or indent not in (width + 2, *range(width)):
        return None
    error = syntax_error(f"no dash begins this item of the list; write - {key}", at, at + len(key), f"- {key}")
    return Repair(at, f"- {key[2:]}", error, {at + 2: key})


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
    is_sibling = lines.is_beside_misaligned(line)
    lines.misaligned = (line, lines.indent_width(line))
    return blank_lines(lines, entry, _last_misaligned_line(lines, entry), None if is_sibling else error)


def _last_misaligned_line(lines: LineScanner, entry: ScannedLine) -> int:
    """The last line below that is at least as deep and lines up with none above either.

    A line alone where it is the outermost, or where the value above may go on below. What is below a key without a
    value, below one with a block of text and below a dash with a key belongs to it.
    """
    above = lines.content_before(entry.line)
    width, last = lines.indent_width(entry.line), entry.line
    if above is None or not width or above.value[:1] in _CONTINUES_BELOW:
        return last
    columns, owner = lines.open_columns(entry.line), entry
    for line in range(entry.line + 1, min(entry.line + MAX_LINES_AWAY, len(lines.starts))):
        below = lines.scan_line(line)
        if not below.key and not below.value:
            continue
        depth = lines.indent_width(line)
        outer = lines.indent_width(owner.line)
        belongs = depth > outer and bool(owner.key) and (outer < owner.indent or owner.value[:1] in ("", "|", ">"))
        if depth < width or (depth in columns and not belongs):
            break
        owner = owner if belongs else below
        last = line
    return last


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


def undefined_merge(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`<<: *base` of an anchor that is not there: no text is meant."""
    entry = lines.scan_line(lines.line_number(fault.at))
    if fault.why != "undefined alias" or entry.key != "<<":
        return None
    message = f"{shorten(entry.value)} names an anchor that nothing above in this document sets; set it"
    return blank_line(lines, entry, syntax_error(message, entry.value_start, entry.value_end))


def reserved_beginning(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A plain text that begins with an indicator of YAML: `*/5 * * * *`, `@daily`, `{{ x }}`."""
    for at in (fault.at, fault.opening):
        entry = lines.scan_line(lines.line_number(min(at, len(lines.text))))
        value = entry.value
        if value[:1] not in _INDICATORS or not _is_meant_as_text(value, fault) or at < entry.value_start:
            continue
        return quote_value(entry.value_start, value, _why_reserved(value, fault))
    return _reserved_in_flow(part, lines, fault)


def _why_reserved(value: str, fault: ParserFault) -> str:
    if fault.why == "undefined alias" and re.fullmatch(r"\*[\w.-]+", value):
        return f"{shorten(value)} names an anchor that nothing above in this document sets; set it, or quote it"
    return f"{shorten(value)} begins with {value[0]}, which {_INDICATORS[value[0]]}; quote it"


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
            return quote_value(at, value, _why_reserved(value, fault))
    return None


def _is_meant_as_text(value: str, fault: ParserFault) -> bool:
    if value[0] in "|>":
        return "block scalar" in fault.context
    if value[0] in "{[":
        return value[closed_at(value) :].lstrip()[:1] not in ("#", ":", ",", "")  # text follows the closing bracket
    return True


_CAUSES: Final[tuple[Callable[[SourceSlice, LineScanner, ParserFault], Repair | None], ...]] = (
    merge_conflict,
    bad_escape,
    odd_indentation,
    tabs,
    directive,
    bullet,
    unclosed_quote,
    template,
    collection_as_key,
    comma_after_value,
    comma_between_items,
    text_after_quote,
    comment_in_brackets,
    comment_in_text,
    extra_bracket,
    undefined_merge,
    reserved_beginning,
    missing_dash,
    colon_in_value,
    missing_colon_above,
    first_line,
    not_a_key,
    unclosed_bracket,
    list_beside_key,
    indentation,
)
"""The causes, the most specific ones first."""


def find_repair(part: SourceSlice, lines: LineScanner, error: YAMLError | Unsupported) -> Repair | None:
    """The likely cause of an error, with its repair; None when nothing is left to repair."""
    fault = to_fault(part.text, error)
    for cause in _CAUSES:
        repair = cause(part, lines, fault)
        if repair is None:
            continue
        line = lines.line_number(repair.start)
        if repair.start in lines.repaired or (line in lines.reported and not repair.overrides):
            break
        lines.reported.add(line)
        lines.repaired.add(repair.start)
        return repair
    return blanked_line(part, lines, fault)
