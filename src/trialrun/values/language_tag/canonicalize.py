"""Registered tags, the canonical form of RFC 5646 section 4.5, and the language ranges of RFC 4647."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from trialrun.values.language_tag.grammar import Grandfathered, Subtag, SyntaxFault, Tag
from trialrun.values.language_tag.registry import registry

REGISTERED = ("language", "extlang", "script", "region", "variant")


def unregistered(tag: Tag) -> Iterator[Subtag]:
    """The subtags that the registry lacks."""
    lists = registry()
    return (subtag for subtag in tag if subtag.kind in REGISTERED and not lists.has(subtag.kind, subtag.code))


def repetitions(tag: Tag) -> Iterator[SyntaxFault]:
    """A second extlang, and variants and extensions that occur twice; each at the later one."""
    extlangs = [subtag for subtag in tag if subtag.kind == "extlang"]
    for subtag in extlangs[1:]:
        yield SyntaxFault(subtag.start, subtag.end, f'a second extended language, "{subtag.text}"; no tag has two')
    yield from _repeated("variant", [(subtag,) for subtag in tag if subtag.kind == "variant"])
    yield from _repeated("extension", list(extensions(tag)))


def _repeated(what: str, groups: list[tuple[Subtag, ...]]) -> Iterator[SyntaxFault]:
    seen: set[str] = set()
    for first, *rest in groups:
        if first.code in seen:
            yield SyntaxFault(
                first.start, rest[-1].end if rest else first.end, f'duplicate {what} "{first.text}"; remove one'
            )
        seen.add(first.code)


def is_registered(tag: Tag) -> bool:
    return not any(unregistered(tag)) and not any(repetitions(tag))


def canonical_form(tag: Tag | Grandfathered) -> str:
    """The canonical text of a valid tag: successors in place of what the registry retired, and the usual case."""
    preferred = registry().preferred
    if isinstance(tag, Grandfathered):
        return preferred.get(("grandfathered", tag.code), tag.code)
    whole = preferred.get(("redundant", "-".join(subtag.code for subtag in tag)))
    return whole or "-".join([*_language_to_variants(tag), *_extensions(tag), *_private_use(tag)])


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


def _extensions(tag: Tag) -> list[str]:
    """The extensions, each with its singleton, in the order of the singletons."""
    return sorted("-".join(subtag.code for subtag in extension) for extension in extensions(tag))


def extensions(tag: Tag) -> Iterator[tuple[Subtag, ...]]:
    """The extensions unchanged: a singleton and what follows it."""
    parts = [subtag for subtag in tag if subtag.kind in ("singleton", "extension")]
    starts = [place for place, subtag in enumerate(parts) if subtag.kind == "singleton"]
    for start, end in pairwise([*starts, len(parts)]):
        yield tuple(parts[start:end])


def _private_use(tag: Tag) -> Iterator[str]:
    return (subtag.code for subtag in tag if subtag.kind == "private")


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
