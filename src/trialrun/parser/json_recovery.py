"""The likely cause of a text that is no JSON, with a repair that moves no offset."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.document import Slice, Trouble
from trialrun.parser.syntax_hints.merge_conflicts import MESSAGE, next_conflict
from trialrun.text import Span

_TRIES = 16
_WORDS: Final = {"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false", "NULL": "null"}
_CLOSING: Final = {"{": "}", "[": "]"}
_comment = re.compile(r"//[^\r\n]*|#[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL).match
_word = re.compile(r"[A-Za-z_$][\w$.-]*").match
_single_quoted = re.compile(r"'([^'\"\\\r\n]*)'").match
_token = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]|[^"{}\[\]]++', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slip:
    """From `start` on the text becomes `filler`; `trouble` is None where the cause has been told already.

    `meant` is the text of a word that a string of the same length stands in for.
    """

    start: int
    filler: str
    trouble: Trouble | None
    meant: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """What the parser said, and where: `before` is the last character before it that is not blank."""

    text: str
    why: str
    at: int

    @property
    def before(self) -> int:
        return len(self.text[: self.at].rstrip()) - 1


def repaired(part: Slice) -> tuple[Slice, list[Trouble]]:
    """The slice with its slips repaired as far as that goes, and what they were."""
    troubles: list[Trouble] = []
    blanked: set[int] = set()
    for _ in range(_TRIES):
        fault = _fault(part.text)
        slip = _slip_in(fault, blanked) if fault else None
        if slip is None:
            break
        if slip.trouble is not None:
            troubles.append(slip.trouble.placed(part, 0))
        part = _with(part, slip)
    return part, troubles


def _fault(text: str) -> Fault | None:
    """What keeps a text from being JSON; None where nothing does, or nothing that can be repaired."""
    from trialrun.parser.json import TooMuch, load

    try:
        load(text)
    except TooMuch:
        return None
    except ValueError as error:
        return Fault(text, getattr(error, "msg", str(error)), getattr(error, "pos", 0))
    return None


def _with(part: Slice, slip: Slip) -> Slice:
    text = part.text[: slip.start] + slip.filler + part.text[slip.start + len(slip.filler) :]
    overrides = part.overrides if slip.meant is None else {**part.overrides, slip.start: slip.meant}
    return replace(part, text=text, overrides=overrides)


def _slip_in(fault: Fault, blanked: set[int]) -> Slip | None:
    for cause in _CAUSES:
        slip = cause(fault)
        if slip is not None:
            return replace(slip, trouble=None) if _follows_from(fault, slip, blanked) else slip
    return _blanked_line(fault, blanked)


def _follows_from(fault: Fault, slip: Slip, blanked: set[int]) -> bool:
    """Whether nothing but a blanked line stands between the slip and the place of the error."""
    low, high = sorted((slip.start, fault.at))
    return any(low <= start <= high for start in blanked)


# ---- causes


def _comments(fault: Fault) -> Slip | None:
    match = _comment(fault.text, fault.at)
    if match is None:
        return None
    return Slip(fault.at, _blanks(match[0]), _trouble("JSON has no comments; remove it", *match.span()))


def _trailing_comma(fault: Fault) -> Slip | None:
    at = fault.at if fault.text[fault.at : fault.at + 1] == "," else fault.before
    following = fault.text[at + 1 :].lstrip()[:1]
    if at < 0 or fault.text[at] != "," or following not in ("}", "]"):
        return None
    return Slip(at, " ", _trouble(f"a comma before the closing {following}; remove it", at, at + 1))


def _missing_comma(fault: Fault) -> Slip | None:
    character = fault.text[fault.at : fault.at + 1]
    blank = fault.text[fault.at - 1 : fault.at]
    if "',' delimiter" not in fault.why or not (character.isalnum() or character in tuple('"{[-')):
        return None
    if blank not in (" ", "\t", "\n", "\r"):
        return None
    end = fault.before + 1
    return Slip(fault.at - 1, ",", _trouble("a comma is missing after this; write one", end - 1, end))


def _single_quotes(fault: Fault) -> Slip | None:
    match = _single_quoted(fault.text, fault.at)
    if match is None:
        return None
    written = json.dumps(match[1], ensure_ascii=False)
    trouble = _trouble(f"JSON takes double quotes; write {written}", *match.span(), written)
    return Slip(fault.at, written, trouble)


def _other_words(fault: Fault) -> Slip | None:
    match = _word(fault.text, fault.at)
    if match is None or match[0] not in _WORDS or "property name" in fault.why:
        return None
    written = _WORDS[match[0]]
    return Slip(fault.at, written, _trouble(f"{match[0]} is not JSON; write {written}", *match.span(), written))


def _unquoted(fault: Fault) -> Slip | None:
    match = _word(fault.text, fault.at)
    if match is None or "delimiter" in fault.why:
        return None
    word = match[0]
    trouble = _trouble(f'{word} has no quotes; write "{word}"', *match.span(), f'"{word}"')
    if "property name" not in fault.why:
        trouble = replace(trouble, guessed=True)
    elif len(word) < 2:
        return None
    if len(word) < 2:
        return Slip(fault.at, "0", trouble)
    return Slip(fault.at, '"' + "x" * (len(word) - 2) + '"', trouble, word)


def _unclosed_string(fault: Fault) -> Slip | None:
    if fault.why.startswith("Unterminated string"):
        trouble = _trouble('the quote " is not closed; close it', fault.at, fault.at + 1)
        return Slip(len(fault.text), '"' + _closing_of(_open_brackets(fault.text)), trouble)
    if "control character" not in fault.why:
        return None
    if fault.text[fault.at] not in "\r\n":
        message = "a control character inside a string; write it as an escape"
        return Slip(fault.at, " ", _trouble(message, fault.at, fault.at + 1))
    opening = _string_start(fault.text, fault.at)
    trouble = _trouble('the quote " is not closed; close it', opening, opening + 1)
    if fault.text[fault.at - 1] == "," and fault.at - 1 > opening:
        return Slip(fault.at - 1, '",', trouble)
    return Slip(fault.at, '"', trouble)


def _string_start(text: str, inside: int) -> int:
    line = max(text.rfind("\n", 0, inside), text.rfind("\r", 0, inside)) + 1
    opening = line
    for match in _token.finditer(text, line, inside):
        if match[0].startswith('"'):
            opening = match.start()
    return opening


def _bad_escape(fault: Fault) -> Slip | None:
    if "escape" not in fault.why:
        return None
    at = fault.text.rfind("\\", 0, fault.at + 1)
    if at < 0:
        return None
    written = fault.text[at : at + 2]
    message = f"{written} is no escape in JSON; write \\{written}"
    return Slip(at, "x", _trouble(message, at, at + len(written), "\\" + written))


def _unclosed_bracket(fault: Fault) -> Slip | None:
    if fault.text[fault.at :].strip():
        return None
    opened = _open_brackets(fault.text)
    if not opened:
        return None
    at, bracket = opened[-1]
    trouble = _trouble(f"the bracket {bracket} is not closed; close it with {_CLOSING[bracket]}", at, at + 1)
    closing = _closing_of(opened)
    last = fault.text[fault.before] if fault.before >= 0 else ""
    if last == ",":
        tail = fault.text[fault.before + 1 :]
        return Slip(fault.before, " " + tail + closing, trouble)
    return Slip(len(fault.text), (" null" if last == ":" else "") + closing, trouble)


def _open_brackets(text: str) -> list[tuple[int, str]]:
    """The brackets that nothing closes, outermost first."""
    opened: list[tuple[int, str]] = []
    for match in _token.finditer(text):
        if match[0] in ("{", "["):
            opened.append((match.start(), match[0]))
        elif match[0] in ("}", "]") and opened:
            opened.pop()
    return opened


def _closing_of(opened: list[tuple[int, str]]) -> str:
    return "".join(_CLOSING[bracket] for _, bracket in reversed(opened))


def _merge_conflict(fault: Fault) -> Slip | None:
    """What git leaves of a merge conflict: the first side is read, as in YAML."""
    conflict = next_conflict(fault.text)
    if conflict is None:
        return None
    return Slip(conflict.start, conflict.first_side, _trouble(MESSAGE, *conflict.marker))


_CAUSES: Final[tuple[Callable[[Fault], Slip | None], ...]] = (
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


# ---- repairs


def _blanked_line(fault: Fault, blanked: set[int]) -> Slip | None:
    for start, end in _lines_before(fault.text, fault.at):
        if not fault.text[start:end].strip():
            continue
        trouble = None
        if not any(start <= at <= fault.at for at in blanked):
            message = f"no JSON from here on: {_said(fault.why)}; check this line"
            trouble = _trouble(message, fault.at, min(fault.at + 1, len(fault.text)))
        blanked.add(start)
        return Slip(start, " " * (end - start), trouble)
    return None


def _said(why: str) -> str:
    return why[:1].lower() + why[1:]


def _lines_before(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The line of an offset, then those above it."""
    end = min((found for found in (text.find("\n", at), text.find("\r", at)) if found >= 0), default=len(text))
    while end >= 0:
        start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
        yield start, end
        end = start - 1


def _blanks(text: str) -> str:
    return "".join(character if character in "\r\n" else " " for character in text)


def _trouble(message: str, start: int, end: int, replacement: str | None = None) -> Trouble:
    return Trouble("syntax-error", message, Span(start, end), 0, None, replacement=replacement)
