"""Language tags by RFC 5646: the IANA registry, the grammar, the canonical form, and the ranges of RFC 4647.

The registry is a snapshot that loads in a millisecond.
`registry.txt` begins with the registry's `File-Date`; then sections of lines follow, each under `%% title`:

    language      stem last-letters     `a bef`: ab, ae and af
    extlang       code prefix           `yue zh`; each is preferred as itself, without its prefix
    script        code name             `Latn Latin`
    region        code name             `BR Brazil`
    variant       code prefixes…        `valencia ca`
    grandfathered tag                   `i-klingon`
    private       kind first last       `region XA XZ`: ranges for private use
    preferred     kind code successor   `language iw he`; kind may also be grandfathered or redundant (whole tags)
    deprecated    kind code advice      retired without one successor; the advice may be empty
    name          code names            `es Spanish; Castilian`; the better-known languages only

`scripts/refresh_language_subtags.py` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

from trialrun.values import Problem, shorten

SNAPSHOT = Path(__file__).with_name("registry.txt")


@dataclass(frozen=True, slots=True)
class Registry:
    """The registered subtags; every code is in lower case, except as what replaces another."""

    file_date: str
    languages: dict[str, str]  # all but the last letter -> the last letters
    extlangs: dict[str, str]  # code -> the primary language it follows
    scripts: dict[str, str]  # code -> name
    regions: dict[str, str]  # code -> name
    variants: dict[str, tuple[str, ...]]  # code -> what it may follow; nothing means anything
    grandfathered: frozenset[str]
    private: dict[str, tuple[tuple[str, str], ...]]  # kind -> ranges, both ends included
    preferred: dict[tuple[str, str], str]  # kind and code -> successor
    deprecated: dict[tuple[str, str], str]  # kind and code -> advice
    names: dict[str, str]  # language -> its names, parted by "; "

    def has(self, kind: str, code: str) -> bool:
        """Whether `code`, in lower case, is registered as a subtag of this kind or is in its private range."""
        if kind == "language":
            return code[-1] in self.languages.get(code[:-1], "") or self.is_private(kind, code)
        codes = {"extlang": self.extlangs, "script": self.scripts, "region": self.regions}.get(kind, self.variants)
        return code in codes or self.is_private(kind, code)

    def is_private(self, kind: str, code: str) -> bool:
        return any(len(code) == len(first) and first <= code <= last for first, last in self.private.get(kind, ()))


@lru_cache(maxsize=1)
def registry() -> Registry:
    """The snapshot, read once."""
    header, *blocks = SNAPSHOT.read_text(encoding="utf-8").split("\n%% ")
    sections = {title: lines for title, *lines in (block.splitlines() for block in blocks)}
    private: dict[str, tuple[tuple[str, str], ...]] = {}
    for kind, first, last in _split_lines(sections["private"]):
        private[kind] = (*private.get(kind, ()), (first.lower(), last.lower()))
    return Registry(
        file_date=header.removeprefix("File-Date: "),
        languages=_pairs(sections["language"]),
        extlangs=_pairs(sections["extlang"]),
        scripts=_pairs(sections["script"]),
        regions=_pairs(sections["region"]),
        variants={code: tuple(prefixes) for code, *prefixes in _split_lines(sections["variant"])},
        grandfathered=frozenset(tag.lower() for tag in sections["grandfathered"]),
        private=private,
        preferred={(kind, code.lower()): to for kind, code, to in _split_lines(sections["preferred"])},
        deprecated={
            (kind, code.lower()): " ".join(advice) for kind, code, *advice in _split_lines(sections["deprecated"])
        },
        names=_pairs(sections["name"]),
    )


def _split_lines(lines: list[str]) -> list[list[str]]:
    return [line.split(" ") for line in lines]


def _pairs(lines: list[str]) -> dict[str, str]:
    return {key.lower(): rest for key, _, rest in (line.partition(" ") for line in lines)}


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


def parse(text: str) -> Tag | str | Problem:
    """The subtags of `text` in their order, or the first problem that keeps it from being well-formed.

    A whole tag that was registered before there was a grammar (section 2.2.8) is returned as a text in lower case.
    """
    if fault := _bad_character(text):
        return fault
    lower = text.lower()
    if lower in registry().grandfathered:
        return lower
    tag: list[Subtag] = []
    start = 0
    for part in text.split("-"):
        subtag = _next_subtag(tag, part, start)
        if isinstance(subtag, Problem):
            return subtag
        tag.append(subtag)
        start = subtag.end + 1
    return _check_complete(tag) or tuple(tag)


def _invalid(start: int, end: int, message: str) -> Problem:
    return Problem("invalid", start, end, message)


def _bad_character(text: str) -> Problem | None:
    if not text:
        return _invalid(0, 0, "empty language tag; write a code such as en or pt-BR")
    if text.isascii() and text.replace("-", "").isalnum():
        return None
    for place, char in enumerate(text):
        if char.isascii() and (char.isalnum() or char == "-"):
            continue
        if char == "_":
            return _invalid(place, place + 1, "underscore in a language tag; join its subtags with hyphens")
        if char in ".@" and place:
            message = f'"{shorten(text[place:], 32)}" is part of a POSIX locale name, not of a language tag; remove it'
            return _invalid(place, len(text), message)
        kind = "space" if char.isspace() else "character"
        return _invalid(place, place + 1, f"{kind} {char!r} in a language tag; use letters, digits and hyphens")
    return _invalid(0, len(text), "a language tag of hyphens only; write a code such as en or pt-BR")


def _next_subtag(tag: list[Subtag], text: str, start: int) -> Subtag | Problem:
    """The subtag that `text` is after those of `tag`."""
    code, end = text.lower(), start + len(text)
    if not code:
        return _invalid(max(start - 1, 0), max(start, 1), "hyphen without a subtag on each side; remove it")
    if len(code) > 8:
        return _invalid(start, end, f'subtag "{shorten(text, 32)}" has {len(text)} characters; 8 is the most')
    kind = _kind(tag, code)
    if kind is None and tag:
        return _invalid(start, end, f'"{text}" is not formed like a script, region or variant')
    if kind is None:
        return _invalid(start, end, f'"{text}" is not formed like a language; write 2 or 3 letters')
    subtag = Subtag(kind, text, code, start, end)
    return _check_order(tag, subtag) or subtag


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
    if len(code) > 4 or (len(code) == 4 and code[0].isdigit()):
        return "variant"
    if code.isalpha():
        return _BY_LENGTH[len(code)]
    return "region" if len(code) == 3 and code.isdigit() else None


def _check_order(tag: list[Subtag], subtag: Subtag) -> Problem | None:
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
    return _invalid(subtag.start, subtag.end, message)


def _check_complete(tag: list[Subtag]) -> Problem | None:
    """A singleton, or the `x` of private use, that nothing follows."""
    last = tag[-1]
    if last.kind != "singleton" and (last.kind != "private" or (len(tag) > 1 and tag[-2].kind == "private")):
        return None
    return _invalid(last.start, last.end, f'nothing follows "{last.text}"; add what it introduces')


REGISTERED = ("language", "extlang", "script", "region", "variant")


def unregistered(tag: Tag) -> Iterator[Subtag]:
    """The subtags that the registry lacks."""
    lists = registry()
    return (subtag for subtag in tag if subtag.kind in REGISTERED and not lists.has(subtag.kind, subtag.code))


def repetitions(tag: Tag) -> Iterator[Problem]:
    """A second extlang, and variants and extensions that occur twice; each at the later one."""
    extlangs = [subtag for subtag in tag if subtag.kind == "extlang"]
    for subtag in extlangs[1:]:
        yield _invalid(subtag.start, subtag.end, f'a second extended language, "{subtag.text}"; no tag has two')
    yield from _repeated("variant", [(subtag,) for subtag in tag if subtag.kind == "variant"])
    yield from _repeated("extension", list(extensions(tag)))


def _repeated(what: str, groups: list[tuple[Subtag, ...]]) -> Iterator[Problem]:
    seen: set[str] = set()
    for first, *rest in groups:
        if first.code in seen:
            end = rest[-1].end if rest else first.end
            yield _invalid(first.start, end, f'duplicate {what} "{first.text}"; remove one')
        seen.add(first.code)


def is_registered(tag: Tag) -> bool:
    return not any(unregistered(tag)) and not any(repetitions(tag))


def canonical_form(tag: Tag | str) -> str:
    """The canonical text of a valid tag: successors in place of what the registry retired, and the usual case."""
    preferred = registry().preferred
    if isinstance(tag, str):
        return preferred.get(("grandfathered", tag), tag)
    whole = preferred.get(("redundant", "-".join(subtag.code for subtag in tag)))
    # the extensions, each with its singleton, in the order of the singletons
    by_singleton = sorted("-".join(subtag.code for subtag in extension) for extension in extensions(tag))
    private = (subtag.code for subtag in tag if subtag.kind == "private")
    return whole or "-".join([*_language_to_variants(tag), *by_singleton, *private])


def successor(kind: str, code: str) -> str:
    """What the registry prefers to a subtag, to the end of the chain; the subtag itself if nothing."""
    preferred = registry().preferred
    while (kind, code) in preferred:
        code = preferred[kind, code].lower()
    return code


def format_case(kind: str, code: str) -> str:
    """A subtag in the case in which it is written: en, Latn, US."""
    if kind == "script":
        return code.title()
    return code.upper() if kind == "region" else code


def _language_to_variants(tag: Tag) -> Iterator[str]:
    extlang = next((subtag.code for subtag in tag if subtag.kind == "extlang"), None)
    if tag[0].kind == "language":
        yield successor("language", extlang or tag[0].code)
    seen: set[str] = set()
    for subtag in tag:
        if subtag.kind not in ("script", "region", "variant"):
            continue
        code = successor(subtag.kind, subtag.code)
        if code not in seen:
            yield format_case(subtag.kind, code)
        seen.add(code)


def extensions(tag: Tag) -> Iterator[tuple[Subtag, ...]]:
    """The extensions unchanged: a singleton and what follows it."""
    parts = [subtag for subtag in tag if subtag.kind in ("singleton", "extension")]
    starts = [place for place, subtag in enumerate(parts) if subtag.kind == "singleton"]
    for start, end in pairwise([*starts, len(parts)]):
        yield tuple(parts[start:end])


_RANGE = re.compile(r"(?:[a-z]{1,8}|\*)(?:-(?:[a-z0-9]{1,8}|\*))*", re.IGNORECASE | re.ASCII)
ANY = "*"


def is_range(text: str) -> bool:
    """Whether a text is an extended language range (RFC 4647 section 2.2)."""
    return _RANGE.fullmatch(text) is not None


def is_in_range(tag: Sequence[str], language_range: Sequence[str]) -> bool:
    """Whether the subtags of a tag match those of a range, all in lower case (RFC 4647 section 3.3.2)."""
    if language_range[0] not in (ANY, tag[0]):
        return False
    rest = iter(tag[1:])
    return all(_skip_to(wanted, rest) for wanted in language_range[1:] if wanted != ANY)


def _skip_to(wanted: str, rest: Iterator[str]) -> bool:
    """Whether a subtag follows before the next singleton."""
    for subtag in rest:
        if subtag == wanted:
            return True
        if len(subtag) == 1:
            return False
    return False
