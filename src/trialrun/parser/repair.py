"""Repairs of YAML: the lines of a broken document, the fault, the error to report, and the text to parse instead.

The repairs of quotes and brackets are here: a wrong escape, and what nothing closes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from trialrun.parser.compose import Unsupported
from trialrun.parser.events import MarkedYAMLError
from trialrun.parser.nodes import Node
from trialrun.parser.parse_error import ParseError, SourceSlice, tagged_value
from trialrun.parser.scalar_source_map import segments
from trialrun.parser.scalars import quote
from trialrun.text import LINE_BREAK, Span

_lead = re.compile(r"[ \t]*(?:(?:---|-|\?)[ \t]+)*+").match
_QUOTED: Final = r"""(?:"(?:[^"\\]++|\\.)*+"|'(?:[^']++|'')*+')"""
_quoted_key = re.compile(rf"{_QUOTED}(?=[ \t]*:(?:[ \t]|\Z))").match
_colon = re.compile(r":(?=[ \t]|\Z)").search
_comment = re.compile(r"(?<=[ \t])#|\A#").search
_quote = re.compile("[\"']").finditer
_next_item = re.compile(rf"\s++(?:\#[^\r\n]*+\s++)?(?:{_QUOTED}(?=[ \t]*[,:\]}}])|[A-Za-z_][\w.-]*+(?=:[ \t]))").match
_quoted_value = re.compile(rf"(?<=[\[{{,:\s]){_QUOTED}")
NO_PLAIN_BEGINNING: Final = frozenset("\"'#[]{},&*!|>%@`")
_MAX_KEY_LENGTH: Final = 1024
MAX_LINES_AWAY: Final = 1000
"""The distance, in lines, at which a cause is looked for."""


@dataclass(slots=True)
class ScannedLine:
    """A line, and where its key and its value are."""

    line: int
    start: int
    end: int
    indent: int
    key: str | None
    key_start: int
    value: str
    value_start: int

    @property
    def value_end(self) -> int:
        return self.value_start + len(self.value)


class LineScanner:
    """The lines of a document; which were reported or blanked, and the offsets at which repairs begin.

    `misaligned` is the last line whose indentation was reported, and the width of the lines that it makes look wrong.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
        self.reported: set[int] = set()
        self.blanked: set[int] = set()
        self.repaired: set[int] = set()
        self.misaligned: tuple[int, int] | None = None
        self._scanned_lines: dict[int, ScannedLine] = {}
        self._with_quotes: list[int] | None = None

    def lines_with_quotes(self, first: int, end: int) -> list[int]:
        """The lines from one to before another that have a quote in them."""
        if self._with_quotes is None:
            self._with_quotes = sorted({self.line_number(match.start()) for match in _quote(self.text)})
        lines = self._with_quotes
        return lines[bisect_left(lines, first) : bisect_left(lines, end)]

    def line_number(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def scan_line(self, line: int) -> ScannedLine:
        """Scan a line, once: each repair looks at the lines above it again."""
        scanned = self._scanned_lines.get(line)
        if scanned is None:
            scanned = self._scanned_lines[line] = self._scan(line)
        return scanned

    def _scan(self, line: int) -> ScannedLine:
        start = self.starts[line]
        following = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        content = self.text[start:following].rstrip("\r\n")
        lead = _lead(content)
        key_start = lead.end() if lead else 0
        key, value_start = _split_key(content, key_start)
        comment = _comment(content, value_start)
        value = content[value_start : comment.start() if comment else len(content)].rstrip(" \t")
        at = start + value_start
        return ScannedLine(line, start, start + len(content), key_start, key, start + key_start, value, at)

    def content_before(self, line: int) -> int | None:
        """The nearest line above that is neither empty nor a comment nor blanked."""
        for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1):
            entry = self.scan_line(number)
            if number not in self.blanked and (entry.key or entry.value):
                return number
        return None

    def content_after(self, line: int) -> ScannedLine | None:
        """The nearest line below that is neither empty nor a comment."""
        entries = (self.scan_line(number) for number in range(line + 1, min(line + MAX_LINES_AWAY, len(self.starts))))
        return next((entry for entry in entries if entry.key or entry.value), None)

    def indent_width(self, line: int) -> int:
        """By how many spaces a line is indented."""
        start, after = self.starts[line], line + 1
        content = self.text[start : self.starts[after] if after < len(self.starts) else None]
        return len(content) - len(content.lstrip(" "))

    def is_beside_misaligned(self, line: int) -> bool:
        """Whether a line is as deep as one above that was reported, in the same collection."""
        if self.misaligned is None or self.indent_width(line) != self.misaligned[1]:
            return False
        between = (self.scan_line(number) for number in range(self.misaligned[0] + 1, line))
        return all(self.indent_width(entry.line) >= self.misaligned[1] for entry in between if entry.key or entry.value)

    def open_columns(self, line: int) -> set[int]:
        """Where the lines above begin that are not closed by one further out, their dashes and what follows them."""
        columns: set[int] = set()
        least = len(self.text)
        for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1):
            if not least:
                break
            width = self.indent_width(number)
            if width >= least or number in self.blanked:
                continue
            entry = self.scan_line(number)
            if entry.key or entry.value:
                columns.update(range(width, entry.indent + 1))
                least = width
        return columns


def _split_key(content: str, start: int) -> tuple[str | None, int]:
    """The key of a line and where its value starts; a key is at most 1,024 characters long in YAML."""
    quoted = _quoted_key(content, start)
    end = quoted.end() if quoted else start
    colon = _colon(content, end, end + _MAX_KEY_LENGTH)
    if colon is None or (quoted is None and content[start : start + 1] in NO_PLAIN_BEGINNING):
        return None, start
    value_start = colon.end()
    while content[value_start : value_start + 1] in (" ", "\t"):
        value_start += 1
    return content[start : colon.start()].rstrip(" \t"), value_start


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair: from `start` on the text becomes `new_text`, of the same length; `overrides` gives scalars their text.

    No `error` where the cause has been reported already.
    """

    start: int
    new_text: str
    error: ParseError | None
    overrides: dict[int, str] = field(default_factory=dict)

    def apply(self, part: SourceSlice) -> SourceSlice:
        """The slice with the repair."""
        text = part.text[: self.start] + self.new_text + part.text[self.start + len(self.new_text) :]
        return replace(part, text=text, overrides={**part.overrides, **self.overrides})


@dataclass(frozen=True, slots=True)
class ParserFault:
    """The error of the parser: its reason, its offset, and where the node began that it was parsing."""

    why: str
    context: str
    at: int
    opening: int


def to_fault(text: str, error: Any) -> ParserFault:
    if isinstance(error, Unsupported):
        return ParserFault(error.kind, "", error.event.start_mark.index, error.event.start_mark.index)
    if not isinstance(error, MarkedYAMLError):
        at = min(getattr(error, "position", 0), len(text))
        return ParserFault(str(getattr(error, "reason", error)), "", at, at)
    mark: Any = error.problem_mark or error.context_mark
    context: Any = error.context_mark or mark
    at = mark.index if mark is not None else 0
    return ParserFault(error.problem or "", error.context or "", at, context.index if context is not None else at)


def syntax_error(message: str, start: int, end: int, replacement: str | None = None) -> ParseError:
    return ParseError("syntax-error", message, Span(start, end), 0, None, replacement=replacement)


def quote_value(start: int, value: str, message: str) -> Repair:
    """A value that only lacks quotes: it keeps its text behind a placeholder that any parser accepts."""
    error = syntax_error(message, start, start + len(value), quote(value))._replace(guessed=True)
    return Repair(start, placeholder(len(value)), error, {start: value})


def quote_tagged_value(text: str, start: int, value: str) -> Repair:
    """A value with a tag that a bracket follows at once, which the parser does not accept as the tag's end."""
    error = tagged_value(text, Span(start, start + len(value)), quote(value), None, at_key=False)
    return Repair(start, placeholder(len(value)), error._replace(guessed=True), {start: value})


def placeholder(length: int) -> str:
    return '"' + "x" * (length - 2) + '"' if length >= 2 else "x"


def blank_line(lines: LineScanner, entry: ScannedLine, error: ParseError | None) -> Repair:
    """A repair that leaves out a line."""
    return blank_lines(lines, entry, entry.line, error)


def blank_lines(lines: LineScanner, entry: ScannedLine, last: int, error: ParseError | None) -> Repair:
    """A repair that leaves out a line and those to a last one, except for comments on lines of their own."""
    below = [lines.scan_line(line) for line in range(entry.line + 1, last + 1)]
    filler, at = [], entry.start
    for scanned in [entry, *(scanned for scanned in below if scanned.key or scanned.value)]:
        filler += [lines.text[at : scanned.start], " " * (scanned.end - scanned.start)]
        at = scanned.end
        lines.blanked.add(scanned.line)
    return Repair(entry.start, "".join(filler), error and error._replace(unread=Span(entry.start, at)))


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
    end = _closing_quote(part.text, fault.opening)
    if end - fault.opening > _MAX_DECODED:
        return Repair(at, escape.replace("\\", "x"), error)
    whole = Node(fault.opening, end, "double")
    decoded = "".join(piece[0] for piece in segments(lines.text, whole))
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
    value = lines.text[start:end]
    unquoted = value[1:-1] if _are_outer_quotes(value) else value
    error = syntax_error("text follows the closing quote; quote the whole value", start, end, quote(unquoted))
    return Repair(start, placeholder(len(value)), error, {start: unquoted})


def comma_between_items(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> Repair | None:
    """`["a" "b"]` and `{a: "b" c: d}`: no comma between a text in quotes and the next item or key."""
    if "flow" not in fault.context:
        return None
    above = lines.scan_line(lines.line_number(len(lines.text[: fault.at].rstrip()) - 1))
    comment = _comment(lines.text, above.value_start, fault.at)
    end = len(lines.text[: comment.start() if comment else fault.at].rstrip())
    if lines.text[end - 1 : end] not in ("'", '"') or not _next_item(lines.text, end):
        return None
    return Repair(end, ",", syntax_error("a comma is missing after this; write one", end - 1, end))


def _are_outer_quotes(value: str) -> bool:
    """Whether a value has its first and its last quote around it, and others, or an apostrophe, inside."""
    mark, _, rest = value[0], *value[1:].partition(value[0])[1:]
    return value[-1] == mark and (rest[:1].isalnum() or value.count(mark) == 3)


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
        end = item.end() if item else end
    error = syntax_error(f"the quote {lines.text[opening]} is not closed; close it", opening, opening + 1)
    return Repair(opening, placeholder(end - opening), error, {opening: lines.text[opening + 1 : end]})


_key_behind_quote = re.compile(r"[A-Za-z_][\w.-]*(?=:(?:[ \t\r\n]|\Z))").match
_open_in_brackets = re.compile(rf"(?:[^\"'\r\n]|(?<=[\w.])'|{_QUOTED})*+(?P<quote>[\"'])").match


def _open_quote(text: str, entry: ScannedLine) -> int | None:
    """Where a quote begins that the value of a line opens, or one of its items that the line does not close."""
    if entry.value[:1] in ("'", '"'):
        return entry.value_start
    opening = _open_in_brackets(text, entry.value_start, entry.value_end) if entry.value[:1] in ("[", "{") else None
    return opening.start("quote") if opening else None


_rest_of_item = re.compile(r"[^,\]}\r\n]*(?=[ \t]*[,\]}])").match


def _is_in_brackets(lines: LineScanner, entry: ScannedLine, opening: int) -> bool:
    """Whether a bracket is open before a quote, on its line or on the one above."""
    if entry.value[:1] in ("[", "{"):
        return opening > entry.value_start
    above = lines.content_before(entry.line)
    return above is not None and lines.scan_line(above).value[-1:] in ("[", "{", ",")


def _closing_quote(text: str, opening: int) -> int:
    match = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL).match(text, opening)
    return match.end() if match else len(text)


def _quoted_end(text: str, start: int) -> int:
    pattern = r'"(?:[^"\\]++|\\.)*+"' if text[start] == '"' else r"'(?:[^']++|'')*+'"
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


_without_colon_before_bracket = re.compile(r"([A-Za-z_][\w.-]+)([ \t]*[=;])?[ \t]+[\[{]").match


def colon_after(word: str, start: int, *, sign: str | None = None) -> Repair:
    """A colon in place of another sign after a key, or of its last character where no sign is."""
    end = start + len(word)
    error = syntax_error(f'the key "{word}" has no colon; write {word}:', start, end + len(sign or ""), f"{word}:")
    return Repair(end + len(sign or "") - 1, ":", error, {} if sign else {start: word})


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
