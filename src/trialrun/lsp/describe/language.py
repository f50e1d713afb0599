"""Description of a language tag by the names of its subtags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code, plain

if TYPE_CHECKING:
    from trialrun.values.language_tag.tag import Registry

NAMED_AT_ONCE = 2
"""Number of subtags (language and region) that need no further explanation."""
WORDS = {
    "language": "language",
    "extlang": "extended language",
    "script": "script",
    "region": "region",
    "variant": "variant",
}


def language_paragraphs(tag: str) -> Iterator[str]:
    """The English name of a tag, its canonical form if different, and its parts; empty for an invalid tag."""
    from trialrun.values import language_tag

    form = language_tag.canonicalize(tag)
    if form is None:
        return
    name = language_tag.english_name(tag)
    named = plain(name) if name else "a registered language"
    canonical = "" if form == tag else f"; the canonical form is {code(form)}"
    yield f"{code(tag)}: {named}{canonical}"
    parts = list(_parts(form))
    if len(parts) > NAMED_AT_ONCE or (len(parts) > 1 and not name):
        yield ", ".join(parts)


def _parts(form: str) -> Iterator[str]:
    """The subtags of a canonical tag, with their type and their name if known."""
    from trialrun.values.language_tag.tag import Grandfathered, SyntaxFault, parse, registry

    tag = parse(form)
    if isinstance(tag, SyntaxFault | Grandfathered):
        return
    for subtag in tag:
        if subtag.kind not in WORDS:
            return
        name = _name(registry(), subtag.kind, subtag.code)
        yield f"{WORDS[subtag.kind]} {code(subtag.text)}{f' {plain(name)}' if name else ''}"


def _name(known: Registry, kind: str, code: str) -> str:
    names = {"language": known.names, "script": known.scripts, "region": known.regions}
    return names.get(kind, {}).get(code, "").partition(";")[0]
