"""The grammar of RFC 5646 section 2.1: a text falls into subtags, or the first fault is named."""

from __future__ import annotations

from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.values.language_tag.registry import registry

Kind = Literal["language", "extlang", "script", "region", "variant", "singleton", "extension", "private"]

ORDER: tuple[Kind, ...] = ("language", "extlang", "script", "region", "variant", "singleton", "extension", "private")
POSITION = {kind: place for place, kind in enumerate(ORDER)}
MAX_COUNT = {"extlang": 3, "script": 1, "region": 1}
_BY_LENGTH: dict[int, Kind] = {2: "region", 3: "extlang", 4: "script"}


@dataclass(frozen=True, slots=True)
class Subtag:
    """One part of a tag: what it is, its text as written and in lower case, and its characters `start` to `end`.

    The `x` that opens the private use part is private itself.
    """

    kind: Kind
    text: str
    code: str
    start: int
    end: int


Tag = tuple[Subtag, ...]


@dataclass(frozen=True, slots=True)
class Grandfathered:
    """A whole tag, in lower case, that was registered before there was a grammar (section 2.2.8)."""

    code: str


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Why a text is not well-formed, at the characters `start` to `end`."""

    start: int
    end: int
    message: str


def parse(text: str) -> Tag | Grandfathered | SyntaxFault:
    """The subtags of `text` in their order, or the first thing that keeps it from being well-formed."""
    if fault := _bad_character(text):
        return fault
    lower = text.lower()
    if lower in registry().grandfathered:
        return Grandfathered(lower)
    tag: list[Subtag] = []
    start = 0
    for part in text.split("-"):
        subtag = _next_subtag(tag, part, start)
        if isinstance(subtag, SyntaxFault):
            return subtag
        tag.append(subtag)
        start = subtag.end + 1
    return _check_complete(tag) or tuple(tag)


def _bad_character(text: str) -> SyntaxFault | None:
    if not text:
        return SyntaxFault(0, 0, "empty language tag; write a code such as en or pt-BR")
    if text.isascii() and text.replace("-", "").isalnum():
        return None
    for place, char in enumerate(text):
        if not (char.isascii() and (char.isalnum() or char == "-")):
            return _character_fault(text, char, place)
    return SyntaxFault(0, len(text), "a language tag of hyphens only; write a code such as en or pt-BR")


def _character_fault(text: str, char: str, place: int) -> SyntaxFault:
    if char == "_":
        return SyntaxFault(place, place + 1, "underscore in a language tag; join its subtags with hyphens")
    if char in ".@" and place:
        return SyntaxFault(
            place,
            len(text),
            f'"{_truncate(text[place:])}" is part of a POSIX locale name, not of a language tag; remove it',
        )
    kind = "space" if char.isspace() else "character"
    return SyntaxFault(place, place + 1, f"{kind} {char!r} in a language tag; use letters, digits and hyphens")


def _next_subtag(tag: list[Subtag], text: str, start: int) -> Subtag | SyntaxFault:
    """The subtag that `text` is after those of `tag`."""
    code, end = text.lower(), start + len(text)
    if not code:
        return SyntaxFault(max(start - 1, 0), max(start, 1), "hyphen without a subtag on each side; remove it")
    if len(code) > 8:
        return SyntaxFault(start, end, f'subtag "{_truncate(text)}" has {len(text)} characters; 8 is the most')
    kind = _kind(tag, code)
    if kind is None:
        return SyntaxFault(start, end, _unknown_shape_message(tag, text))
    subtag = Subtag(kind, text, code, start, end)
    return _check_order(tag, subtag) or subtag


def _truncate(text: str) -> str:
    return text if len(text) <= 32 else f"{text[:31]}…"


def _kind(tag: list[Subtag], code: str) -> Kind | None:
    """What a code is by its shape, and by what is before it."""
    before = tag[-1].kind if tag else None
    if before == "private" or code == "x":
        return "private"
    if before is None:
        return "language" if code.isalpha() and len(code) > 1 else None
    if len(code) == 1:
        return "singleton"
    if before in ("singleton", "extension"):
        return "extension"
    return _kind_by_shape(code)


def _kind_by_shape(code: str) -> Kind | None:
    if len(code) > 4 or (len(code) == 4 and code[0].isdigit()):
        return "variant"
    if code.isalpha():
        return _BY_LENGTH[len(code)]
    return "region" if len(code) == 3 and code.isdigit() else None


def _unknown_shape_message(tag: list[Subtag], text: str) -> str:
    if tag:
        return f'"{text}" is not formed like a script, region or variant'
    return f'"{text}" is not formed like a language; write 2 or 3 letters'


def _check_order(tag: list[Subtag], subtag: Subtag) -> SyntaxFault | None:
    """A subtag that comes too late or too often, or instead of what a singleton announces."""
    if tag and tag[-1].kind == "singleton" and subtag.kind != "extension":
        return _check_complete(tag)
    if subtag.kind not in MAX_COUNT:
        return None
    last = tag[-1]
    if sum(other.kind == subtag.kind for other in tag) >= MAX_COUNT[subtag.kind]:
        message = f'one {subtag.kind} too many, "{subtag.text}"; remove one'
    elif POSITION[subtag.kind] < POSITION[last.kind]:
        message = f'{subtag.kind} "{subtag.text}" after the {last.kind} "{last.text}"; put it before'
    elif subtag.kind == "extlang" and len(tag[0].code) > 3:
        message = f'"{subtag.text}" after a language of more than three letters'
    else:
        return None
    return SyntaxFault(subtag.start, subtag.end, message)


def _check_complete(tag: list[Subtag]) -> SyntaxFault | None:
    """A singleton, or the `x` of private use, that nothing follows."""
    last = tag[-1]
    opens = last.kind == "singleton" or (last.kind == "private" and (len(tag) == 1 or tag[-2].kind != "private"))
    return (
        SyntaxFault(last.start, last.end, f'nothing follows "{last.text}"; add what it introduces') if opens else None
    )
