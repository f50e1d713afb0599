"""The likely cause of a YAML syntax error in quotes and brackets: a wrong escape, and what nothing closes."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from trialrun.parser.nodes import Node
from trialrun.parser.parse_error import SourceSlice, shorten
from trialrun.parser.repair import (
    COMMENT,
    MAX_LINES_AWAY,
    NO_PLAIN_BEGINNING,
    QUOTED,
    LineScanner,
    ParserFault,
    Repair,
    ScannedLine,
    blank_line,
    colon_after,
    placeholder,
    quote_value,
    syntax_error,
)
from trialrun.parser.scalar_source_map import segments
from trialrun.parser.scalars import quote

_next_item = re.compile(rf"\s++(?:\#[^\r\n]*+\s++)?(?:{QUOTED}(?=[ \t]*[,:\]}}])|[A-Za-z_][\w.-]*+(?=:[ \t]))").match
_quoted_value = re.compile(rf"(?<=[\[{{,:\s]){QUOTED}")
_without_colon_before_bracket = re.compile(r"([A-Za-z_][\w.-]+)([ \t]*[=;])?[ \t]+[\[{]").match
_odd_spaces = re.compile(r"[ \t]*+([^\S \t\r\n])[^\S\r\n]*+(?=\#|[\r\n,\]}]|:\s|\Z)").match
"""Spaces that are none to YAML, between a text in quotes and what may follow it."""
_MAX_DECODED: Final = 100_000
"""Characters of a scalar that is decoded for a repair."""


def bad_escape(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A backslash in double quotes that begins no escape."""
    if "quoted scalar" not in fault.context or ("escape" not in fault.why and "hex" not in fault.why):
        return None
    at = part.text.rfind("\\", fault.opening, fault.at + 1)
    if at < 0:
        return None
    match = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.?)", re.DOTALL).match(part.text, at)
    escape = match[0] if match else "\\"
    if escape[1:2] == "u" and len(escape) > 2:
        message = f"{escape} is a surrogate, which YAML does not allow; write the character itself"
        replacement = segments(escape, Node(-1, len(escape) + 1, "double"))[0][0] if len(escape) > 6 else None
    else:
        message = f"{escape} is not an escape in double quotes; write \\{escape}, or use single quotes"
        replacement = "\\" + escape
    error = syntax_error(message, at, at + len(escape), replacement)
    end = _quoted_end(part.text, fault.opening)
    end = len(part.text) if end < 0 else end
    if end - fault.opening > _MAX_DECODED:
        return Repair(at, escape.replace("\\", "x"), error)
    decoded = "".join(piece[0] for piece in segments(lines.text, Node(fault.opening, end, "double")))
    return Repair(at, escape.replace("\\", "x"), error, {fault.opening: decoded})


def unclosed_quote(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A quote that nothing closes, or that only the opening quote of a later value does."""
    if "quoted scalar" in fault.context and ("end of stream" in fault.why or "document indicator" in fault.why):
        return _close_at_line_end(lines, fault.opening)
    last = lines.line_number(fault.at)
    for line in lines.lines_with_quotes(max(0, last - 200), last):
        entry = lines.scan_line(line)
        opening = _open_quote(lines.text, entry)
        if opening is None or line in lines.blanked:
            continue
        end = _quoted_end(part.text, opening)
        if end > entry.end and lines.line_number(end - 1) == last and end <= fault.at + 1:
            return _close_at_line_end(lines, opening)
    return None


def comma_after_value(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`key: "value",`: a comma as JSON has it between its fields, a semicolon or a quote too many, or `// comment`."""
    entry = lines.scan_line(lines.line_number(fault.at))
    rest = lines.text[fault.at : entry.value_end]
    if entry.value[:1] not in tuple("'\"[]{}") or "flow" in fault.context:
        return None
    if rest.startswith("//"):
        error = syntax_error("// begins no comment in YAML; write #", fault.at, fault.at + 2, "#")
        return Repair(fault.at, " " * len(rest), error)
    return _remove_after_value(rest, fault.at) if rest in (",", ";", "'", '"') else None


def _remove_after_value(mark: str, at: int) -> Repair:
    name = {",": "a comma", ";": "a semicolon"}.get(mark, f"a quote {mark}")
    return Repair(at, " ", syntax_error(f"{name} follows the value; remove it", at, at + 1, ""))


def text_after_quote(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`'it's'` and `"a" or "b"`: more text after a closing quote, also between brackets."""
    entry = lines.scan_line(lines.line_number(fault.at))
    start, end = entry.value_start, entry.value_end
    if "flow" in fault.context:
        start, end = _quoted_item(lines.text, entry, fault) or (0, 0)
    if (
        lines.text[start : start + 1] not in ("'", '"')
        or not start < fault.at <= end
        or not start < _quoted_end(lines.text, start) < end
    ):
        return None
    closed = _quoted_end(lines.text, start)
    if odd := _odd_spaces(lines.text, closed, max(closed, end)):
        new, advice = (" ", "write a space") if lines.text[odd.end() : odd.end() + 1] == "#" else ("", "remove it")
        error = syntax_error(f"U+{ord(odd[1]):04X} after a quote is not a space to YAML; {advice}", *odd.span(), new)
        return Repair(closed, " " * len(odd[0]), error)
    value = lines.text[start:end]
    rest = value[1:].partition(value[0])[2]  # in outer quotes if others, or an apostrophe, are inside
    has_outer_quotes = value[-1] == value[0] and (rest[:1].isalnum() or value.count(value[0]) == 3)
    unquoted = value[1:-1] if has_outer_quotes else value
    error = syntax_error("text follows the closing quote; quote the whole value", start, end, quote(unquoted))
    return Repair(start, placeholder(len(value)), error, {start: unquoted})


def comma_between_items(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`["a" "b"]` and `{a: "b" c: d}`: no comma between a text in quotes and the next item or key."""
    if "flow" not in fault.context:
        return None
    above = lines.scan_line(lines.line_number(len(lines.text[: fault.at].rstrip()) - 1))
    comment = COMMENT(lines.text, above.value_start, fault.at)
    end = len(lines.text[: comment.start() if comment else fault.at].rstrip())
    if lines.text[end - 1 : end] not in ("'", '"') or not _next_item(lines.text, end):
        return None
    return Repair(end, ",", syntax_error("a comma is missing after this; write one", end - 1, end))


def _quoted_item(text: str, entry: ScannedLine, fault: ParserFault) -> tuple[int, int] | None:
    """Where an item between brackets begins that text follows behind its closing quote, and where it should end."""
    closing = len(text[: fault.at].rstrip(" ")) - 1
    if text[closing] not in "'\"":
        return None
    for match in _quoted_value.finditer(text, entry.start, closing + 1):
        if match.end() == closing + 1:
            end = _end_of_quoted_item(text[closing]).search(text, fault.at, entry.end)
            return (match.start(), end.end()) if end else None
    return None


@cache
def _end_of_quoted_item(mark: str) -> re.Pattern[str]:
    """The last quote before a comma or a closing bracket, or what is before the next of these."""
    return re.compile(rf"[^\]}}\r\n]*?{mark}(?=[ \t]*[,\]}}])|[^,\]}}\r\n]*")


def _close_at_line_end(lines: LineScanner, opening: int) -> Repair:
    entry = lines.scan_line(lines.line_number(opening))
    end = max(entry.value_end, opening + 1)
    key = _key_behind_quote(lines.text, opening + 1, entry.end) if opening == entry.value_start else None
    if key is not None:
        error = syntax_error(f"the quote {lines.text[opening]} is not closed; close it", opening, opening + 1)
        return Repair(opening, "x", error, {opening: key[0]})
    if opening == entry.value_end - 1 > entry.value_start and entry.value[0] in "[{'\"":
        return _remove_after_value(lines.text[opening], opening)
    if _is_in_brackets(lines, entry, opening):
        item = _rest_of_item(lines.text, opening + 1, end)
        end = opening + 1 + len(item[1].rstrip(" \t")) if item else end
    error = syntax_error(f"the quote {lines.text[opening]} is not closed; close it", opening, opening + 1)
    return Repair(opening, placeholder(end - opening), error, {opening: lines.text[opening + 1 : end]})


_key_behind_quote = re.compile(r"[A-Za-z_][\w.-]*(?=:(?:[ \t\r\n]|\Z))").match
_open_in_brackets = re.compile(rf"(?>(?:[^\"'\r\n]|(?<=[\w.])'|{QUOTED})*)(?P<quote>[\"'])").match


def _open_quote(text: str, entry: ScannedLine) -> int | None:
    """Where a quote begins that the value of a line opens, or one of its items that the line does not close."""
    if entry.value[:1] in ("'", '"'):
        return entry.value_start
    opening = _open_in_brackets(text, entry.value_start, entry.value_end) if entry.value[:1] in ("[", "{") else None
    return opening.start("quote") if opening else None


_rest_of_item = re.compile(r"([^,\]}\r\n]*)[,\]}]").match


def _is_in_brackets(lines: LineScanner, entry: ScannedLine, opening: int) -> bool:
    """Whether a bracket is open before a quote, on its line or on the one above."""
    if entry.value[:1] in ("[", "{"):
        return opening > entry.value_start
    above = lines.content_before(entry.line)
    return above is not None and above.value[-1:] in ("[", "{", ",")


def _quoted_end(text: str, start: int) -> int:
    pattern = r'"(?>(?:[^"\\]++|\\.)*)"' if text[start] == '"' else r"'(?>(?:[^']++|'')*)'"
    match = re.compile(pattern, re.DOTALL).match(text, start)
    return match.end() if match else -1


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


def extra_bracket(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`{a: b}}`: a bracket that closes nothing, at the end of a value."""
    entry = lines.scan_line(lines.line_number(min(fault.at, len(lines.text))))
    start = entry.value_start
    if entry.value[:1] in ("[", "{"):
        start += closed_at(entry.value)
    if before_bracket := _without_colon_before_bracket(entry.key or ""):
        word, mark = before_bracket.groups()
        return colon_after(word, entry.key_start, sign=mark)
    extra = lines.text[start : entry.value_end].replace(" ", "")
    if not extra or not set(extra) <= {"]", "}"}:
        return None
    error = syntax_error(f"{extra} closes nothing; remove it", start, entry.value_end, "")
    if start > entry.value_start:
        return Repair(start, " " * (entry.value_end - start), error)
    return None if "flow" in fault.context or entry.key else blank_line(lines, entry, error)


def closed_at(value: str) -> int:
    """Where the bracket at the beginning of a value is closed, with the bracket that closes it; its end if nowhere."""
    depth = 0
    for at, character in enumerate(value):
        depth += (character in "[{") - (character in "]}")
        if depth == 0:
            return at + 1
    return len(value)


def comment_in_brackets(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`[Combo #1]`: a comment that takes the closing bracket away."""
    if "flow" not in fault.context:
        return None
    for at in (fault.opening, fault.at):
        entry = lines.scan_line(lines.line_number(min(at, len(lines.text))))
        before = _before_comment(part.text, entry.value_start, entry.end)
        comment = before.end() if before else entry.end
        item = _cut_item(part.text, comment, entry.end)
        start = max(part.text.rfind(mark, entry.value_start, comment) for mark in "[{,:") + 1
        text = part.text[start:comment].lstrip(" \t")
        if item is None or not start or text[:1] in ("", *NO_PLAIN_BEGINNING):
            continue
        value = text + item[0].rstrip(" \t")
        message = f"the # of {shorten(value)} begins a comment, which hides the closing bracket; quote it"
        return quote_value(comment - len(text), value, message)
    return None


_before_comment = re.compile(rf"(?>(?:[^\"'#\r\n]|(?<=[\w.])'|(?<=\S)#|{QUOTED})*)").match
_cut_item = re.compile(r"#[^\s,\]}][^,\]}]*(?=[,\]}])").match
"""What a comment takes of an item between brackets; a space after the # would make it rather a comment."""


def comment_in_text(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """A comment at the end of a line of text that goes on below: the comment ends the text."""
    for at in (fault.at, fault.opening):
        line = lines.line_number(min(at, max(len(lines.text) - 1, 0)))
        entry = lines.content_before(line)
        if entry is None or lines.scan_line(line).key:
            continue
        begins = lines.indent_width(entry.line)
        goes_on = entry.key is None and entry.indent == begins  # neither a key nor a dash before it
        if lines.indent_width(line) < begins + (not goes_on):
            continue
        comment = lines.text[entry.value_end : entry.end].lstrip(" \t")
        if entry.value and entry.value[0] not in NO_PLAIN_BEGINNING and comment:
            start = entry.end - len(comment)
            message = "a comment ends the text, which goes on below; move it, or quote the text"
            return Repair(start, " " * len(comment), syntax_error(message, start, entry.end))
    return None
