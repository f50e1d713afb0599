"""The likely cause of a text that is no YAML: where it stands, what to write, and how to read on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from trialrun.tree.compose import Refused
from trialrun.tree.document import Slice
from trialrun.tree.events import YAMLError
from trialrun.tree.inside import pieces_of
from trialrun.tree.lines import FARTHEST, Entry, Lines
from trialrun.tree.nodes import Node
from trialrun.tree.remarks import shown
from trialrun.tree.repairs import Fault, Slip, fault_of, filler, quoted, tagged, told, without_line
from trialrun.tree.scalars import quote

_LONGEST_DECODED: Final = 100_000
"""How many characters a scalar may have that is decoded for a repair."""
_glued = re.compile(r"(?P<key>[A-Za-z_][\w.-]+):(?P<value>\S.*)")
_conflict = re.compile(
    r"^(?P<marker><{7}[^\r\n]*)(?P<ours>[\r\n].*?)^(?P<rest>(?:\|{7}|={7}\s).*?^>{7}[^\r\n]*)", re.MULTILINE | re.DOTALL
).search
_INDICATORS: Final = {
    "*": "names an anchor",
    "&": "sets an anchor",
    "!": "is a tag",
    "@": "is reserved in YAML",
    "`": "is reserved in YAML",
    "%": "is reserved in YAML",
    "|": "begins a block of text",
    ">": "begins a block of text",
    "{": "opens a mapping",
    "[": "opens a list",
}
_NOT_A_MAPPING: Final = (
    "mapping values are not allowed",
    "did not find expected key",
    "<block end>",
    "<document start>",
)
"""What the parser says at a key where there is no mapping for it."""


def slip_in(part: Slice, lines: Lines, error: YAMLError | Refused) -> Slip | None:
    """The likely cause of an error, with its repair; None when nothing is left to repair."""
    fault = fault_of(part.text, error)
    for cause in _CAUSES:
        slip = cause(part, lines, fault)
        if slip is None:
            continue
        line = lines.number(slip.start)
        if slip.start in lines.repaired or (line in lines.told and not slip.overrides):
            break
        lines.told.add(line)
        lines.repaired.add(slip.start)
        return slip
    return _blanked_line(part, lines, fault)


# ---- causes, the telling ones first


def _merge_conflict(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """What git leaves of a merge conflict: the first side is read, the markers and the other side are not."""
    match = _conflict(part.text)
    if match is None:
        return None
    trouble = told("a merge conflict that nobody has resolved; keep one side", match.start(), match.end("marker"))
    return Slip(match.start(), _blank(match["marker"]) + match["ours"] + _blank(match["rest"]), trouble)


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)


def _bad_escape(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    if "quoted scalar" not in fault.context or ("escape" not in fault.why and "hex" not in fault.why):
        return None
    at = part.text.rfind("\\", fault.opening, fault.at + 1)
    if at < 0:
        return None
    written = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.?)", re.DOTALL).match(part.text, at)
    escape = written[0] if written else "\\"
    if escape[1:2] == "u" and len(escape) > 2:
        message = f"{escape} is a surrogate, which YAML does not have; write the character itself"
        replacement = pieces_of(escape, Node(-1, len(escape) + 1, "double"))[0][0] if len(escape) > 6 else None
    else:
        message = f"{escape} is no escape in double quotes; write \\{escape}, or use single quotes"
        replacement = "\\" + escape
    trouble = told(message, at, at + len(escape), replacement)
    end = _closing_quote(part.text, fault.opening)
    if end - fault.opening > _LONGEST_DECODED:
        return Slip(at, escape.replace("\\", "x"), trouble)
    whole = Node(fault.opening, end, "double")
    meant = "".join(piece[0] for piece in pieces_of(lines.text, whole))
    return Slip(at, escape.replace("\\", "x"), trouble, {fault.opening: meant})


def _closing_quote(text: str, opening: int) -> int:
    match = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL).match(text, opening)
    return match.end() if match else len(text)


def _tabs(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
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


def _unclosed_quote(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A quote that nothing closes, or that only the opening quote of a later value does."""
    if "quoted scalar" in fault.context and ("end of stream" in fault.why or "document indicator" in fault.why):
        return _close_at_line_end(lines, fault.opening)
    last = lines.number(fault.at)
    for line in range(max(0, last - 200), last):
        entry = lines.entry(line)
        if entry.value[:1] not in ("'", '"') or line in lines.blanked:
            continue
        end = _end_of_quoted(part.text, entry.value_start)
        if end > entry.end and lines.number(end - 1) == last and end <= fault.at + 1:
            return _close_at_line_end(lines, entry.value_start)
    return None


def _end_of_quoted(text: str, start: int) -> int:
    pattern = r'"(?:[^"\\]++|\\.)*+"' if text[start] == '"' else r"'(?:[^']++|'')*+'"
    match = re.compile(pattern, re.DOTALL).match(text, start)
    return match.end() if match else -1


def _close_at_line_end(lines: Lines, opening: int) -> Slip:
    entry = lines.entry(lines.number(opening))
    end = max(entry.value_end, opening + 1)
    trouble = told(f"the quote {lines.text[opening]} is not closed; close it", opening, opening + 1)
    return Slip(opening, filler(end - opening), trouble, {opening: lines.text[opening + 1 : end]})


def _reserved_beginning(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A plain text that begins with a character of meaning in YAML: `*/5 * * * *`, `@daily`, `{{ x }}`."""
    for at in (fault.at, fault.opening):
        entry = lines.entry(lines.number(min(at, len(lines.text))))
        value = entry.value
        if value[:1] not in _INDICATORS or not _is_meant_as_text(value, fault) or at < entry.value_start:
            continue
        why = f"{shown(value)} begins with {value[0]}, which {_INDICATORS[value[0]]}; quote it"
        return quoted(entry.value_start, value, why)
    return _reserved_in_flow(part, lines, fault)


def _template(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """`{{ x }}` is a mapping with a mapping as its key to YAML, and a placeholder to its author."""
    entry = lines.entry(lines.number(fault.at))
    if not entry.value.startswith(("{{", "{%")) or fault.at < entry.value_start:
        return None
    return quoted(
        entry.value_start, entry.value, f"{shown(entry.value)} begins with {{, which opens a mapping; quote it"
    )


def _is_meant_as_text(value: str, fault: Fault) -> bool:
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


def _reserved_in_flow(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    for at in (fault.at, fault.opening):
        if lines.text[at : at + 1] not in tuple("*&!@`%") or lines.text[at - 1 : at] not in (" ", "[", "{", ",", ""):
            continue
        match = re.compile(r"[^,\]}\r\n]*?(?=[ \t]*(?:[,\]}\r\n]|\Z|[ \t]\#))").match(lines.text, at)
        value = match[0] if match else lines.text[at]
        if value[:1] == "!" and len(value) > 1:
            return tagged(lines.text, at, value)
        if value:
            return quoted(at, value, f"{shown(value)} begins with {value[0]}, which {_INDICATORS[value[0]]}; quote it")
    return None


def _collection_as_key(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    if fault.why != "collection as key":
        return None
    match = re.compile(r"[\[{][^\r\n]*?[\]}](?=[ \t]*:[ \t\r\n])|[\[{][^\r\n]*?[\]}]").match(lines.text, fault.at)
    if match is None:
        return None
    if lines.text[fault.at - 1 : fault.at] == "{" and lines.text[fault.at + len(match[0]) :][:1] == "}":
        template = "{" + match[0] + "}"
        return quoted(fault.at - 1, template, f"{shown(template)} begins with {{, which opens a mapping; quote it")
    return quoted(fault.at, match[0], f"{shown(match[0])} cannot be a key; quote it")


def _text_after_quote(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """`'it's'` and `"a" or "b"`: more text after a closing quote."""
    entry = lines.entry(lines.number(fault.at))
    value = entry.value
    if value[:1] not in ("'", '"') or not entry.value_start < fault.at <= entry.value_end:
        return None
    end = _end_of_quoted(lines.text, entry.value_start)
    if not entry.value_start < end < entry.value_end:
        return None
    meant = value[1:-1] if value[-1] == value[0] and value.count(value[0]) == 3 else value
    trouble = told(
        "text follows the closing quote; quote the whole value", entry.value_start, entry.value_end, quote(meant)
    )
    return Slip(entry.value_start, filler(len(value)), trouble, {entry.value_start: meant})


def _colon_in_value(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
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


def _missing_colon_above(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """A lone word with a deeper key below it, or a key whose colon no blank follows."""
    above = lines.content_before(lines.number(fault.at))
    if "mapping values are not allowed" not in fault.why or above is None:
        return None
    entry = lines.entry(above)
    return _missing_colon(lines, entry) or _glued_colon(entry)


def _first_line(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    """The line with which a mapping should begin, and which is no key; the next one is."""
    line = lines.number(fault.at)
    above = lines.content_before(line)
    if above is None or not any(reason in fault.why for reason in _NOT_A_MAPPING):
        return None
    entry, below = lines.entry(above), lines.entry(line)
    if entry.key is not None or not entry.value or below.key is None or below.indent != entry.indent:
        return None
    before = lines.content_before(entry.line)
    outer = lines.entry(before) if before is not None else None
    opens = outer is None or outer.value == "---" or (outer.key and not outer.value and outer.indent < entry.indent)
    return _without_colon(lines, entry) if opens else None


def _without_colon(lines: Lines, entry: Entry) -> Slip:
    message = f"{shown(entry.value)} is no key with a value; a colon is missing"
    lines.blanked.add(entry.line)
    return Slip(entry.value_start, " " * len(entry.value), told(message, entry.value_start, entry.value_end))


def _not_a_key(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
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


def _colon_after(word: str, start: int) -> Slip:
    end = start + len(word)
    trouble = told(f'the key "{word}" has no colon; write {word}:', start, end, f"{word}:")
    return Slip(end - 1, ":", trouble, {start: word})


def _glued_colon(entry: Entry) -> Slip | None:
    """`cron:0 5 * * *`: no blank after the colon."""
    match = _glued.fullmatch(entry.value) if entry.key is None else None
    if match is None:
        return None
    colon = entry.value_start + match.end("key")
    message = f'no blank follows the colon of "{match["key"]}"; write {match["key"]}: {shown(match["value"])}'
    return Slip(colon - 1, ": ", told(message, colon, colon + 1, ": "), {entry.value_start: match["key"]})


def _unclosed_bracket(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    opening = fault.opening
    if "flow node" in fault.context and lines.text[:opening].rstrip()[-1:] in ("[", "{"):
        opening = len(lines.text[:opening].rstrip()) - 1
    if "flow" not in fault.context or lines.text[opening : opening + 1] not in ("[", "{"):
        return None
    first, last = lines.number(opening), lines.number(min(fault.at, len(lines.text)))
    if first == last and fault.at < len(lines.text.rstrip()):
        return None
    bracket = lines.text[opening]
    closing = "]" if bracket == "[" else "}"
    trouble = told(f"the bracket {bracket} is not closed; close it with {closing}", opening, opening + 1)
    end = _end_of_bracket(lines, first, last)
    closed, overrides = _closed(lines.text[opening:end], closing, opening)
    return Slip(opening, closed, trouble, overrides)


def _end_of_bracket(lines: Lines, first: int, last: int) -> int:
    """The end of the last line before one that is a key as far left as the line of the bracket."""
    width = _width(lines, first)
    end = lines.entry(first).value_end
    for line in range(first + 1, min(first + FARTHEST, last + 1)):
        entry = lines.entry(line)
        if entry.key is not None and _width(lines, line) <= width:
            break
        end = max(end, entry.value_end)
    return end


def _width(lines: Lines, line: int) -> int:
    entry = lines.entry(line)
    content = lines.text[entry.start : entry.end]
    return len(content) - len(content.lstrip(" "))


def _closed(content: str, closing: str, start: int) -> tuple[str, dict[int, str]]:
    """The content with its last character a closing bracket; the item that makes room keeps its text."""
    if len(content) < 2:
        return "~", {}
    item = re.compile(r"(?<=[\[,\s])[^\s,:\[\]{}\"']{2,}\Z").search(content)
    if item is not None and closing == "]":
        return content[: item.start()] + "x" * (len(item[0]) - 1) + closing, {start + item.start(): item[0]}
    comma = max(content.rfind(","), 0)
    kept = content[: comma + 1] if comma else content[0]
    rest = content[len(kept) :]
    return kept + "".join(c if c in "\r\n" else " " for c in rest[:-1]) + closing, {}


def _list_beside_key(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    if "sequence entries are not allowed" not in fault.why:
        return None
    entry = lines.entry(lines.number(fault.at))
    trouble = told("a list item beside its key; put it on a line of its own", fault.at, fault.at + 1)
    return without_line(lines, entry, trouble)


def _directive(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    entry = lines.entry(lines.number(fault.opening))
    if lines.text[entry.start : entry.start + 1] != "%":
        return None
    trouble = told(
        "a line that begins with % is a directive that YAML does not have; remove it", entry.start, entry.end
    )
    return without_line(lines, entry, trouble)


def _indentation(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
    line = lines.number(min(fault.at, max(len(lines.text) - 1, 0)))
    entry = lines.entry(line)
    if not any(reason in fault.why for reason in (*_NOT_A_MAPPING, "did not find expected '-'")) or not (
        entry.key or entry.value
    ):
        return None
    start = entry.start + _width(lines, line)
    if "mapping values" not in fault.why and fault.at > start:
        return None
    end = entry.key_start + len(entry.key) if entry.key else entry.value_end
    trouble = told("the indentation fits no line above; line it up with its neighbors", start, end)
    return without_line(lines, entry, trouble)


_CAUSES: Final[tuple[Callable[[Slice, Lines, Fault], Slip | None], ...]] = (
    _merge_conflict,
    _bad_escape,
    _tabs,
    _directive,
    _unclosed_quote,
    _template,
    _collection_as_key,
    _text_after_quote,
    _reserved_beginning,
    _colon_in_value,
    _missing_colon_above,
    _first_line,
    _not_a_key,
    _unclosed_bracket,
    _list_beside_key,
    _indentation,
)


def _blanked_line(part: Slice, lines: Lines, fault: Fault) -> Slip | None:
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
