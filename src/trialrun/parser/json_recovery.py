"""Error recovery for JSON: the likely cause of a syntax error, with a repair that moves no offset."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.syntax_hints import MESSAGE, next_conflict
from trialrun.text import Span

_MAX_REPAIRS = 16
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false", "NULL": "null"}
_CLOSING: Final = {"{": "}", "[": "]"}
_comment = re.compile(r"//[^\r\n]*|#[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL).match
_strings_and_comments = re.compile(
    r"""
      "(?:[^"\\\r\n]++|\\.)*+"? | '(?:[^'\\\r\n]++|\\.)*+'   # strings of one line
    | (?P<comment> //[^\r\n]* | \#[^\r\n]* | /\*.*?(?:\*/|\Z))
    | (?P<comma> ,(?=\s*+[}\]]))
    """,
    re.DOTALL | re.VERBOSE,
)
_word = re.compile(r"[A-Za-z_$][\w$.-]*").match
_single_quoted = re.compile(r"'([^'\"\\\r\n]*)'").match
_token = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]|[^"{}\[\]]++', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonRepair:
    """From `start` on the text becomes `new_text`; `error` is None if the cause has been reported already.

    `original` is the text of a word that a string of the same length replaces.
    """

    start: int
    new_text: str
    error: ParseError | None
    original: str | None = None
    is_comment: bool = False


@dataclass(frozen=True, slots=True)
class JsonFault:
    """The message of the parser, and its offset: `before` is the last character before it that is not a space."""

    text: str
    why: str
    at: int

    @property
    def before(self) -> int:
        return len(self.text[: self.at].rstrip()) - 1


def repair_json(part: SourceSlice, *, is_json5: bool = False) -> tuple[SourceSlice, list[ParseError]]:
    """The slice, repaired as far as possible, and the errors that were found.

    Where there are comments, or with `is_json5`, all that JSON5 has beyond JSON is one error.
    """
    errors: list[ParseError] = []
    blanked: set[int] = set()
    is_told = False
    for _ in range(_MAX_REPAIRS):
        fault = _find_fault(part.text)
        cause, repair = _find_repair(fault, blanked) if fault else (None, None)
        if repair is None:
            break
        if cause in _OF_JSON5:
            repair = _blank_comments(part.text) or repair
            is_json5 = is_json5 or repair.is_comment
            if is_json5 and repair.error is not None:
                repair = replace(repair, error=None if is_told else replace(repair.error, replacement=None))
            is_told = is_json5
        if repair.error is not None:
            errors.append(repair.error.in_file(part, 0))
        part = _apply_repair(part, repair)
    return part, errors


def is_json_with_comments(text: str) -> bool:
    """Whether a text is JSON once its comments, and commas before a closing bracket, are left out."""
    comments = _blank_comments(text)
    if comments is None:
        return False
    text = _apply_repair(SourceSlice(text), comments).text
    return _find_fault(_blank_matches("comma", text)) is None


def _find_fault(text: str) -> JsonFault | None:
    """What keeps a text from being JSON; None if nothing does, or nothing that can be repaired."""
    from trialrun.parser.json_decode import LimitExceeded, decode_json

    try:
        decode_json(text)
    except LimitExceeded:
        return None
    except ValueError as error:
        return JsonFault(text, getattr(error, "msg", str(error)), getattr(error, "pos", 0))
    return None


def _apply_repair(part: SourceSlice, repair: JsonRepair) -> SourceSlice:
    text = part.text[: repair.start] + repair.new_text + part.text[repair.start + len(repair.new_text) :]
    overrides = part.overrides if repair.original is None else {**part.overrides, repair.start: repair.original}
    return replace(part, text=text, overrides=overrides)


def _find_repair(fault: JsonFault, blanked: set[int]) -> tuple[Cause | None, JsonRepair | None]:
    for cause in _CAUSES:
        repair = cause(fault)
        if repair is not None:
            return cause, replace(repair, error=None) if _follows_from(fault, repair, blanked) else repair
    return None, _blank_line(fault, blanked)


def _follows_from(fault: JsonFault, repair: JsonRepair, blanked: set[int]) -> bool:
    """Whether only a blanked line is between the repair and the offset of the error."""
    low, high = sorted((repair.start, fault.at))
    return any(low <= start <= high for start in blanked)


# ---- causes


def _comments(fault: JsonFault) -> JsonRepair | None:
    return _blank_comments(fault.text) if _comment(fault.text, fault.at) else None


def _blank_comments(text: str) -> JsonRepair | None:
    """All comments of a text, which are one mistake."""
    comments = [match.span() for match in _strings_and_comments.finditer(text) if match["comment"]]
    if not comments:
        return None
    start, end = comments[0]
    advice = f"remove all {len(comments)}, or save the file as YAML, where # begins a comment"
    message = f"JSON has no comments; {advice if len(comments) > 1 else 'remove it'}"
    new_text = _blank_matches("comment", text)[start:]
    return JsonRepair(start, new_text, _syntax_error(message, start, end), is_comment=True)


def _blank_matches(group: str, text: str) -> str:
    """The text with blanks for its comments, or for its commas before a closing bracket."""
    return _strings_and_comments.sub(lambda match: _blanks(match[0]) if match[group] else match[0], text)


def _trailing_comma(fault: JsonFault) -> JsonRepair | None:
    at = fault.at if fault.text[fault.at : fault.at + 1] == "," else fault.before
    following = fault.text[at + 1 :].lstrip()[:1]
    if at < 0 or fault.text[at] != "," or following not in ("}", "]"):
        return None
    return JsonRepair(at, " ", _syntax_error(f"a comma before the closing {following}; remove it", at, at + 1))


def _missing_comma(fault: JsonFault) -> JsonRepair | None:
    character = fault.text[fault.at : fault.at + 1]
    blank = fault.text[fault.at - 1 : fault.at]
    if "',' delimiter" not in fault.why or not (character.isalnum() or character in tuple('"{[-')):
        return None
    if blank not in (" ", "\t", "\n", "\r"):
        return None
    end = fault.before + 1
    return JsonRepair(fault.at - 1, ",", _syntax_error("a comma is missing after this; write one", end - 1, end))


def _single_quotes(fault: JsonFault) -> JsonRepair | None:
    match = _single_quoted(fault.text, fault.at)
    if match is None:
        return None
    quoted = json.dumps(match[1], ensure_ascii=False)
    error = _syntax_error(f"JSON uses double quotes; write {quoted}", *match.span(), quoted)
    return JsonRepair(fault.at, quoted, error)


def _other_words(fault: JsonFault) -> JsonRepair | None:
    match = _word(fault.text, fault.at)
    if match is None or match[0] not in _WORDS or "property name" in fault.why:
        return None
    word = _WORDS[match[0]]
    return JsonRepair(fault.at, word, _syntax_error(f"{match[0]} is not JSON; write {word}", *match.span(), word))


def _unquoted(fault: JsonFault) -> JsonRepair | None:
    match = _word(fault.text, fault.at)
    if match is None or "delimiter" in fault.why:
        return None
    word = match[0]
    error = _syntax_error(f'{word} has no quotes; write "{word}"', *match.span(), f'"{word}"')
    if "property name" not in fault.why:
        error = replace(error, guessed=True)
    elif len(word) < 2:
        return None
    if len(word) < 2:
        return JsonRepair(fault.at, "0", error)
    return JsonRepair(fault.at, '"' + "x" * (len(word) - 2) + '"', error, word)


def _unclosed_string(fault: JsonFault) -> JsonRepair | None:
    if fault.why.startswith("Unterminated string"):
        error = _syntax_error('the quote " is not closed; close it', fault.at, fault.at + 1)
        return JsonRepair(len(fault.text), '"' + _closing_brackets(_open_brackets(fault.text)), error)
    if "control character" not in fault.why:
        return None
    if fault.text[fault.at] not in "\r\n":
        message = "a control character inside a string; write it as an escape"
        return JsonRepair(fault.at, " ", _syntax_error(message, fault.at, fault.at + 1))
    opening = _string_start(fault.text, fault.at)
    error = _syntax_error('the quote " is not closed; close it', opening, opening + 1)
    if fault.text[fault.at - 1] == "," and fault.at - 1 > opening:
        return JsonRepair(fault.at - 1, '",', error)
    return JsonRepair(fault.at, '"', error)


def _string_start(text: str, inside: int) -> int:
    line = max(text.rfind("\n", 0, inside), text.rfind("\r", 0, inside)) + 1
    opening = line
    for match in _token.finditer(text, line, inside):
        if match[0].startswith('"'):
            opening = match.start()
    return opening


def _bad_escape(fault: JsonFault) -> JsonRepair | None:
    if "escape" not in fault.why:
        return None
    at = fault.text.rfind("\\", 0, fault.at + 1)
    if at < 0:
        return None
    escape = fault.text[at : at + 2]
    message = f"{escape} is not an escape in JSON; write \\{escape}"
    return JsonRepair(at, "x", _syntax_error(message, at, at + len(escape), "\\" + escape))


def _unclosed_bracket(fault: JsonFault) -> JsonRepair | None:
    if fault.text[fault.at :].strip():
        return None
    opened = _open_brackets(fault.text)
    if not opened:
        return None
    at, bracket = opened[-1]
    error = _syntax_error(f"the bracket {bracket} is not closed; close it with {_CLOSING[bracket]}", at, at + 1)
    closing = _closing_brackets(opened)
    last = fault.text[fault.before] if fault.before >= 0 else ""
    if last == ",":
        tail = fault.text[fault.before + 1 :]
        return JsonRepair(fault.before, " " + tail + closing, error)
    return JsonRepair(len(fault.text), (" null" if last == ":" else "") + closing, error)


def _open_brackets(text: str) -> list[tuple[int, str]]:
    """The brackets that nothing closes, outermost first."""
    opened: list[tuple[int, str]] = []
    for match in _token.finditer(text):
        if match[0] in ("{", "["):
            opened.append((match.start(), match[0]))
        elif match[0] in ("}", "]") and opened:
            opened.pop()
    return opened


def _closing_brackets(opened: list[tuple[int, str]]) -> str:
    return "".join(_CLOSING[bracket] for _, bracket in reversed(opened))


def _merge_conflict(fault: JsonFault) -> JsonRepair | None:
    """What git leaves of a merge conflict: the first side is read, as in YAML."""
    conflict = next_conflict(fault.text)
    if conflict is None:
        return None
    return JsonRepair(conflict.start, conflict.first_side, _syntax_error(MESSAGE, *conflict.marker))


Cause = Callable[[JsonFault], JsonRepair | None]
_CAUSES: Final[tuple[Cause, ...]] = (
    _merge_conflict,
    _comments,
    _trailing_comma,
    _single_quotes,
    _missing_comma,
    _other_words,
    _unclosed_string,
    _bad_escape,
    _unquoted,
    _unclosed_bracket,
)
_OF_JSON5: Final = (_comments, _trailing_comma, _single_quotes, _unquoted)


# ---- repairs


def _blank_line(fault: JsonFault, blanked: set[int]) -> JsonRepair | None:
    for start, end in _lines_before(fault.text, fault.at):
        if not fault.text[start:end].strip():
            continue
        error = None
        if not any(start <= at <= fault.at for at in blanked):
            message = (
                f"invalid JSON: {_lower_first(fault.why).replace('expecting', 'expected')}; correct the syntax here"
            )
            error = _syntax_error(message, fault.at, min(fault.at + 1, len(fault.text)))
        blanked.add(start)
        return JsonRepair(start, " " * (end - start), error)
    return None


def _lower_first(why: str) -> str:
    return why[:1].lower() + why[1:]


def _lines_before(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The line of an offset, then those above it."""
    end = min((offset for offset in (text.find("\n", at), text.find("\r", at)) if offset >= 0), default=len(text))
    while end >= 0:
        start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
        yield start, end
        end = start - 1


def _blanks(text: str) -> str:
    return "".join(character if character in "\r\n" else " " for character in text)


def _syntax_error(message: str, start: int, end: int, replacement: str | None = None) -> ParseError:
    return ParseError("syntax-error", message, Span(start, end), 0, None, replacement=replacement)
