"""Error recovery for JSON: the likely cause of a syntax error, with a repair that moves no offset."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from json import JSONDecodeError
from typing import Final

from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.repair import Repair, next_conflict, syntax_error

_MAX_REPAIRS = 16
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false", "NULL": "null"}
_CLOSING: Final = {"{": "}", "[": "]"}
_comment = re.compile(r"//[^\r\n]*|#[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL).match
_strings_and_comments = re.compile(
    r"""
      "(?>(?:[^"\\\r\n]++|\\.)*)"? | '(?>(?:[^'\\\r\n]++|\\.)*)'   # strings of one line
    | [A-Za-z_$][\w$.-]*"(?=\s*+:)                           # a key whose opening quote is missing
    | (?P<comment> //[^\r\n]* | \#[^\r\n]* | /\*.*?(?:\*/|\Z))
    | (?P<comma> ,(?=\s*+[}\]]))
    """,
    re.DOTALL | re.VERBOSE,
)
_opening_line = re.compile(
    r"([ \t]*)[^\w\r\n:,]{0,9}([A-Za-z_]\w*)[^\w\r\n]{0,9}?([\[{])[^\w\r\n\]}]{0,9}$", re.MULTILINE
).match
_word = re.compile(r"[A-Za-z_$][\w$.-]*").match
_closing_quote = re.compile(r'"\s*([:,}\]])').match
_MAX_DIGITS: Final = 40
_other_number = re.compile(r"\+?(?P<sign>-?)(?P<digits>\d[\d_]{0,39})(?![\w.+-])").match
_single_quoted = re.compile(r"'([^'\"\\\r\n]*)'").match
_token = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"?|[{}\[\]]|[^"{}\[\]]++', re.DOTALL)


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
            comments = _blank_comments(part.text)
            repair, is_json5 = comments or repair, is_json5 or comments is not None
            if is_json5 and repair.error is not None:
                repair = replace(repair, error=None if is_told else repair.error._replace(replacement=None))
            is_told = is_json5
        if repair.error is not None and (error := repair.error.in_file(part, 0)) not in errors:
            errors.append(error)
        part = repair.apply(part)
    return part, errors


def is_json_with_comments(text: str) -> bool:
    """Whether a text is JSON once its comments, and commas before a closing bracket, are left out."""
    comments = _blank_comments(text)
    if comments is None:
        return False
    text = comments.apply(SourceSlice(text)).text
    return _find_fault(_blank_matches("comma", text)) is None


def _before(fault: JSONDecodeError) -> int:
    """The offset of the last character before the fault that is not a space."""
    return len(fault.doc[: fault.pos].rstrip()) - 1


def _find_fault(text: str) -> JSONDecodeError | None:
    """What keeps a text from being JSON; None if nothing does, or nothing that can be repaired."""
    from trialrun.parser.json_decode import LimitExceeded, decode_json

    try:
        decode_json(text)
    except LimitExceeded:
        return None
    except ValueError as error:
        return error if isinstance(error, JSONDecodeError) else JSONDecodeError(str(error), text, 0)
    return None


def _find_repair(fault: JSONDecodeError, blanked: set[int]) -> tuple[Cause | None, Repair | None]:
    for cause in _CAUSES:
        repair = cause(fault)
        if repair is not None:
            low, high = sorted((repair.start, fault.pos))
            follows_from_blanked = any(low <= start <= high for start in blanked)  # only that line is between
            return cause, replace(repair, error=None) if follows_from_blanked else repair
    return None, _blank_line(fault, blanked)


# ---- causes


def _comments(fault: JSONDecodeError) -> Repair | None:
    return _blank_comments(fault.doc) if _comment(fault.doc, fault.pos) else None


def _blank_comments(text: str) -> Repair | None:
    """All comments of a text, which are one mistake."""
    comments = [match.span() for match in _strings_and_comments.finditer(text) if match["comment"]]
    if not comments:
        return None
    start, end = comments[0]
    advice = f"remove all {len(comments)}, or save the file as YAML, where # begins a comment"
    message = f"JSON has no comments; {advice if len(comments) > 1 else 'remove it'}"
    new_text = _blank_matches("comment", text)[start:]
    return Repair(start, new_text, syntax_error(message, start, end))


def _blank_matches(group: str, text: str) -> str:
    """The text with blanks for its comments, or for its commas before a closing bracket."""

    def blanked(match: re.Match[str]) -> str:
        return re.sub(r"[^\r\n]", " ", match[0]) if match[group] else match[0]

    return _strings_and_comments.sub(blanked, text)


def _trailing_comma(fault: JSONDecodeError) -> Repair | None:
    at = fault.pos if fault.doc[fault.pos : fault.pos + 1] == "," else _before(fault)
    following = fault.doc[at + 1 :].lstrip()[:1]
    if at < 0 or fault.doc[at] != "," or following not in ("}", "]"):
        return None
    return Repair(at, " ", syntax_error(f"a comma before the closing {following}; remove it", at, at + 1))


def _missing_mark(fault: JSONDecodeError) -> Repair | None:
    """No comma after a value, or no colon after a key."""
    character = fault.doc[fault.pos : fault.pos + 1]
    blank = fault.doc[fault.pos - 1 : fault.pos]
    if "delimiter" not in fault.msg or not (character.isalnum() or character in tuple('"{[-')):
        return None
    if blank not in (" ", "\t", "\n", "\r"):
        return None
    end = _before(fault) + 1
    mark, name = (",", "comma") if "','" in fault.msg else (":", "colon")
    return Repair(fault.pos - 1, mark, syntax_error(f"a {name} is missing after this; write one", end - 1, end))


def _number(fault: JSONDecodeError) -> Repair | None:
    """A number with a sign, zeros or underscores that JSON does not have."""
    start = fault.pos
    while start and fault.doc[start - 1] in "-+0123456789" and fault.pos - start < _MAX_DIGITS:
        start -= 1
    match = _other_number(fault.doc, start)
    if match is None or not start <= fault.pos < match.end():
        return None
    number = match["sign"] + (match["digits"].replace("_", "").lstrip("0") or "0")
    if number == match[0]:
        return None
    error = syntax_error(f"{match[0]} is not JSON; write {number}", *match.span(), number)
    return Repair(start, number.rjust(len(match[0])), error)


def _single_quotes(fault: JSONDecodeError) -> Repair | None:
    match = _single_quoted(fault.doc, fault.pos)
    if match is None:
        return None
    quoted = json.dumps(match[1], ensure_ascii=False)
    error = syntax_error(f"JSON uses double quotes; write {quoted}", *match.span(), quoted)
    return Repair(fault.pos, quoted, error)


def _other_words(fault: JSONDecodeError) -> Repair | None:
    match = _word(fault.doc, fault.pos)
    if match is None or match[0] not in _WORDS or "property name" in fault.msg:
        return None
    word = _WORDS[match[0]]
    return Repair(fault.pos, word, syntax_error(f"{match[0]} is not JSON; write {word}", *match.span(), word))


def _unquoted(fault: JSONDecodeError) -> Repair | None:
    match = _word(fault.doc, fault.pos)
    if match is None or "delimiter" in fault.msg:
        return None
    word = match[0]
    error = syntax_error(f'{word} has no quotes; write "{word}"', *match.span(), f'"{word}"')
    if "property name" not in fault.msg:
        error = error._replace(guessed=True)
    elif len(word) < 2:
        return None
    if len(word) < 2:
        return Repair(fault.pos, "0", error)
    closing = _closing_quote(fault.doc, match.end())
    length = len(word) + (closing is not None and (closing[1] == ":") == ("property name" in fault.msg))
    return Repair(fault.pos, '"' + "x" * (length - 2) + '"', error, {fault.pos: word})


def _broken_opening(fault: JSONDecodeError) -> Repair | None:
    """`“key”: {` and `"key" = [`: whatever is wrong in a line with a key, what follows is in its bracket."""
    start, _ = next(_lines_before(fault.doc, fault.pos))
    match = _opening_line(fault.doc, start)
    new = f'{match[1]}"{match[2]}":{match[3]}' if match else ""
    if match is None or len(new) > len(match[0]) or new.strip() == "".join(match[0].split()):
        return None
    message = f'this does not open a bracket; write "{match[2]}": {match[3]}'
    return Repair(start, new.ljust(len(match[0])), syntax_error(message, start + len(match[1]), match.end()))


def _unclosed_string(fault: JSONDecodeError) -> Repair | None:
    if fault.msg.startswith("Unterminated string"):
        error = syntax_error('the quote " is not closed; close it', fault.pos, fault.pos + 1)
        return Repair(len(fault.doc), '"' + _closing_brackets(_open_brackets(fault.doc)), error)
    if "control character" not in fault.msg:
        return None
    if fault.doc[fault.pos] not in "\r\n":
        message = "a control character inside a string; write it as an escape"
        return Repair(fault.pos, " ", syntax_error(message, fault.pos, fault.pos + 1))
    opening = _string_start(fault.doc, fault.pos)
    error = syntax_error('the quote " is not closed; close it', opening, opening + 1)
    if fault.doc[fault.pos - 1] == "," and fault.pos - 1 > opening:
        return Repair(fault.pos - 1, '",', error)
    return Repair(fault.pos, '"', error)


def _string_start(text: str, inside: int) -> int:
    line = max(text.rfind("\n", 0, inside), text.rfind("\r", 0, inside)) + 1
    opening = line
    for match in _token.finditer(text, line, inside):
        if match[0].startswith('"'):
            opening = match.start()
    return opening


def _bad_escape(fault: JSONDecodeError) -> Repair | None:
    if "escape" not in fault.msg:
        return None
    at = fault.doc.rfind("\\", 0, fault.pos + 1)
    if at < 0:
        return None
    escape = fault.doc[at : at + 2]
    message = f"{escape} is not an escape in JSON; write \\{escape}"
    return Repair(at, "x", syntax_error(message, at, at + len(escape), "\\" + escape))


def _unclosed_bracket(fault: JSONDecodeError) -> Repair | None:
    if fault.doc[fault.pos :].strip():
        return None
    opened = _open_brackets(fault.doc)
    if not opened:
        return None
    at, bracket = opened[-1]
    error = syntax_error(f"the bracket {bracket} is not closed; close it with {_CLOSING[bracket]}", at, at + 1)
    closing = _closing_brackets(opened)
    last = fault.doc[_before(fault)] if _before(fault) >= 0 else ""
    if last == ",":
        tail = fault.doc[_before(fault) + 1 :]
        return Repair(_before(fault), " " + tail + closing, error)
    return Repair(len(fault.doc), (" null" if last == ":" else "") + closing, error)


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


Cause = Callable[[JSONDecodeError], Repair | None]
_CAUSES: Final[tuple[Cause, ...]] = (
    lambda fault: next_conflict(fault.doc),  # of a merge conflict the first side is read, as in YAML
    _comments,
    _trailing_comma,
    _single_quotes,
    _number,
    _missing_mark,
    _other_words,
    _broken_opening,
    _unclosed_string,
    _bad_escape,
    _unquoted,
    _unclosed_bracket,
)
_OF_JSON5: Final = (_comments, _trailing_comma, _single_quotes, _unquoted)


# ---- repairs


def _blank_line(fault: JSONDecodeError, blanked: set[int]) -> Repair | None:
    for start, end in _lines_before(fault.doc, fault.pos):
        if not fault.doc[start:end].strip():
            continue
        error = None
        if not any(start <= at <= fault.pos for at in blanked):
            reason = (fault.msg[:1].lower() + fault.msg[1:]).replace("expecting", "expected")
            message = f"invalid JSON: {reason}; correct the syntax here"
            error = syntax_error(message, fault.pos, min(fault.pos + 1, len(fault.doc)))
        blanked.add(start)
        return Repair(start, " " * (end - start), error)
    return None


def _lines_before(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The line of an offset, then those above it."""
    end = min((offset for offset in (text.find("\n", at), text.find("\r", at)) if offset >= 0), default=len(text))
    while end >= 0:
        start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
        yield start, end
        end = start - 1
