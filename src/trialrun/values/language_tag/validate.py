"""What keeps a well-formed tag from being valid by the registry (RFC 5646 section 2.2.9)."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.values.language_tag.canonicalize import extensions
from trialrun.values.language_tag.grammar import Subtag, SyntaxFault, Tag
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
