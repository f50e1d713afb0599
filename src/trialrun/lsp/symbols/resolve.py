"""Resolve names to declarations, with the code that the rules and the runtime use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from trialrun.lint.rule_support.menus import normalize_name
from trialrun.lsp.symbols.occurrence import NameKind, Occurrence
from trialrun.values.resource_name import ConfigIndex, is_same_resource, last_id

RESOURCE_KINDS = frozenset[NameKind]({"config", "brand", "store", "view", "online store", "binding"})
"""Kinds of names that may be written in full or as the id at the end."""

MENU_KINDS = frozenset[NameKind]({"item", "modifier", "modifier group", "daypart"})


def lookup_key(occurrence: Occurrence) -> tuple[NameKind, str]:
    """The key that occurrences of the same name and kind share."""
    if occurrence.kind in RESOURCE_KINDS:
        return occurrence.kind, last_id(occurrence.text)
    return occurrence.kind, normalize_name(occurrence.text) if occurrence.kind in MENU_KINDS else occurrence.text


class NameResolver:
    """The occurrences of one key, and the declarations that each refers to."""

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        self.occurrences = tuple(dict.fromkeys(occurrences))
        self.declared = tuple(occurrence for occurrence in self.occurrences if occurrence.declares)

    def resolve(self, mention: Occurrence) -> Sequence[Occurrence]:
        """The declarations of a mention; for a declaration, itself and those equivalent to it."""
        if mention.kind == "config":
            return self._configs.resolve(mention.text, mention.scope or None)
        if mention.kind in RESOURCE_KINDS:
            return self._resources(mention)
        if mention.kind in MENU_KINDS:
            declared = [occurrence for occurrence in self.declared if _of_one_menu(mention, occurrence)]
            return _grouped(mention, _of_first_form(mention, declared))
        if mention.kind == "source":
            return self.declared
        same = [
            occurrence
            for occurrence in self.declared
            if not (mention.scope and occurrence.scope) or mention.scope == occurrence.scope
        ]
        return [occurrence for occurrence in same if not mention.within or set(mention.within) & set(occurrence.within)]

    @cached_property
    def _configs(self) -> ConfigIndex[Occurrence]:
        return ConfigIndex((occurrence.text, occurrence) for occurrence in self.declared)

    def _resources(self, mention: Occurrence) -> Sequence[Occurrence]:
        own = [
            occurrence
            for occurrence in self.declared
            if not (mention.scope and occurrence.scope) or is_same_resource(mention.scope, occurrence.scope)
        ]
        exact = [occurrence for occurrence in own if occurrence.text == mention.text]
        return exact or [occurrence for occurrence in own if is_same_resource(occurrence.text, mention.text)]


def _of_one_menu(occurrence: Occurrence, other: Occurrence) -> bool:
    if not set(occurrence.forms) & set(other.forms):
        return False
    return not (occurrence.scope and other.scope) or is_same_resource(occurrence.scope, other.scope)


def _of_first_form(mention: Occurrence, declared: list[Occurrence]) -> list[Occurrence]:
    """Of a mention that falls back to another form of name: those of the first form that any of them has."""
    if mention.declares or "semantic name" not in mention.forms:
        return declared
    by_form = ([each for each in declared if form in each.forms] for form in mention.forms)
    return next(filter(None, by_form), declared)


def _grouped(one: Occurrence, occurrences: list[Occurrence]) -> list[Occurrence]:
    """The occurrences in the named group, or all if there are none in it."""
    groups = {normalize_name(name) for name in one.within}
    return [
        occurrence for occurrence in occurrences if groups & {normalize_name(name) for name in occurrence.within}
    ] or occurrences
