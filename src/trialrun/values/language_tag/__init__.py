"""Language tags as BCP 47 has them: RFC 5646 by the IANA registry, and the lookup of RFC 4647.

A text is well-formed by the grammar, valid if the registry has its subtags, and canonical if it is what the
registry prefers in the usual case; and a valid tag may still be one that people rarely mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trialrun.values import Problem
from trialrun.values.language_tag.check import check
from trialrun.values.language_tag.tag import (
    canonical_form,
    is_in_range,
    is_range,
    is_registered,
    parse,
    registry,
)

__all__ = [
    "canonicalize", "check", "english_name", "is_valid", "is_well_formed", "lookup", "matches",
    "normalize",
]  # fmt: skip


@lru_cache(maxsize=4096)
def canonicalize(text: str) -> str | None:
    """The canonical form of RFC 5646 section 4.5; None if the text is not a valid tag."""
    tag = parse(text)
    if isinstance(tag, Problem) or (isinstance(tag, tuple) and not is_registered(tag)):
        return None
    return canonical_form(tag)


def is_valid(text: str) -> bool:
    """Whether a text is a tag of which the registry has every subtag (RFC 5646 section 2.2.9)."""
    return canonicalize(text) is not None


def is_well_formed(text: str) -> bool:
    """Whether a text keeps the grammar of RFC 5646 section 2.1."""
    return not isinstance(parse(text), Problem)


class OfferedLanguages:
    """Language tags that are offered, in which several wanted ones are looked up."""

    def __init__(self, offered: Sequence[str]) -> None:
        self._by_form = {normalize(tag): tag for tag in reversed(offered)}

    def lookup(self, wanted: str) -> str | None:
        """The offered tag that serves a wanted language, by the lookup of RFC 4647 section 3.4.

        Both sides are made canonical first. The wanted tag is shortened from its end until one fits; None if none does.
        """
        subtags = normalize(wanted).split("-")
        while subtags:
            if (form := "-".join(subtags)) in self._by_form:
                return self._by_form[form]
            subtags.pop()
            if subtags and len(subtags[-1]) == 1:
                subtags.pop()
        return None


def lookup(wanted: str, offered: Sequence[str]) -> str | None:
    """The offered tag that serves a wanted language (see `OfferedLanguages.lookup`)."""
    return OfferedLanguages(offered).lookup(wanted)


def matches(tag: str, language_range: str) -> bool:
    """Whether a tag is in a language range, by the extended filtering of RFC 4647 section 3.3.2.

    Both sides are made canonical first. Raises ValueError for what is no range.
    """
    if not is_range(language_range):
        raise ValueError(f'"{language_range[:40]}" is no language range; write one such as de, de-AT or *-Latn')
    return is_in_range(normalize(tag).split("-"), normalize(language_range).split("-"))


def normalize(text: str) -> str:
    """What two texts have in common that mean one language: the canonical form, else the text, in lower case."""
    return (canonicalize(text) or text).lower()


def english_name(text: str) -> str | None:
    """The English name of a tag, "Portuguese (Brazil)"; None if it is not valid or its language is little known."""
    tag = parse(canonicalize(text) or "")
    if isinstance(tag, Problem | str) or tag[0].code not in registry().names:
        return None
    language = registry().names[tag[0].code].partition(";")[0]
    names = {"script": registry().scripts, "region": registry().regions}
    parts = [names[subtag.kind].get(subtag.code, subtag.code) for subtag in tag if subtag.kind in names]
    return f"{language} ({', '.join(parts)})" if parts else language
