"""Completion of time zones and language tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import Candidate, fuzzy_matches
from trialrun.lsp.features.completion.partial_tree import MARK, Mapping, Node, Scalar

USED, SPOKEN, MODERN, OLD = 1, 2, 4, 7
_REGION = re.compile(r"[A-Z]{2}\Z")


def zones(prefix: str) -> Iterator[Candidate]:
    """The time zones that match a prefix: those that contain it first, old names last."""
    known = _zones()
    for name in fuzzy_matches(prefix, known):
        option = known[name]
        yield replace(option, rank=option.rank - 1) if prefix.lower() in name.lower() else option


@cache
def _zones() -> dict[str, Candidate]:
    from trialrun.values.time_zone import modern_name, zone_names

    languages = {}
    for name in sorted(zone_names()):
        modern = modern_name(name)
        detail = f"old name of {modern}" if modern else ""
        languages[name] = Candidate(
            name, "zone", detail, ("zone", name), OLD if modern else MODERN, is_deprecated=modern is not None
        )
    return languages


def languages(cursor: Cursor, root: Mapping, spoken: Iterable[str]) -> Iterator[Candidate]:
    """Language tags used in the resource and in the workspace, common languages, and regions after a language."""
    here = sorted(set(_tags(root)))
    for tag in here:
        yield Candidate(tag, "language", _name(tag) or "", ("language", tag), USED)
    for tag in sorted(set(filter(None, spoken)) - {*here}):
        if _name(tag):
            yield Candidate(tag, "language", _name(tag) or "", ("language", tag), SPOKEN)
    language, hyphen, region = cursor.before.partition("-")
    for code, name in _regions() if language in _languages() else ():
        if code.lower().startswith(region.lower()):
            tag = f"{language}-{code}"
            yield Candidate(tag, "language", f"{_languages()[language]} ({name})", ("language", tag))
    for code, name in _languages().items():
        if not hyphen and code.startswith(language.lower()):
            yield Candidate(code, "language", name, ("language", code))


def _tags(node: Node | None) -> Iterator[str]:
    """The valid language tags that a resource contains."""
    from trialrun.values.language_tag import is_valid

    if isinstance(node, Mapping):
        for entry in node.entries:
            value = entry.value
            if not isinstance(value, Scalar):
                yield from _tags(value)
            elif entry.key.text.endswith("anguageCode") and MARK not in value.text and is_valid(value.text):
                yield value.text
    elif node is not None and not isinstance(node, Scalar):
        for item in node.items:
            yield from _tags(item)


def _name(tag: str) -> str | None:
    from trialrun.values.language_tag import english_name

    return english_name(tag)


@cache
def _languages() -> dict[str, str]:
    from trialrun.values.language_tag.tag import registry

    known = registry()
    retired = {code for kind, code in (*known.preferred, *known.deprecated) if kind == "language"}
    return {code: names.partition(";")[0] for code, names in sorted(known.names.items()) if code not in retired}


@cache
def _regions() -> tuple[tuple[str, str], ...]:
    from trialrun.values.language_tag.tag import registry

    known = registry()
    retired = {code for kind, code in (*known.preferred, *known.deprecated) if kind == "region"}
    codes = ((code.upper(), name) for code, name in known.regions.items() if code not in retired)
    return tuple((code, name) for code, name in sorted(codes) if _REGION.match(code))
