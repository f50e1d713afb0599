"""The canonical form of RFC 5646 section 4.5, in the case of section 2.1.1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from trialrun.values.language_tag.grammar import Grandfathered, Subtag, Tag
from trialrun.values.language_tag.registry import registry


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
