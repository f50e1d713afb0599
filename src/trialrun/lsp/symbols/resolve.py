"""Which declared names a written one means: by the code, or in the way, of the rules and of the runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from trialrun.lint.rule_support.menus import same_form
from trialrun.lsp.symbols.occurrence import Mention, Sort
from trialrun.values.config_index import ConfigsByName
from trialrun.values.resource_name import is_same, last_id

OF_RESOURCES = frozenset[Sort]({"config", "brand", "store", "view", "online store", "binding"})
"""Sorts whose names may be written in full or by their end."""

OF_MENUS = frozenset[Sort]({"item", "modifier", "modifier group"})


def key_of(mention: Mention) -> tuple[Sort, str]:
    """What the mentions of one thing by one way share."""
    if mention.sort in OF_RESOURCES:
        return mention.sort, last_id(mention.text)
    return mention.sort, same_form(mention.text) if mention.sort in OF_MENUS else mention.text


class Meaning:
    """Mentions of one key, and which of them the others mean."""

    def __init__(self, mentions: Iterable[Mention]) -> None:
        self.mentions = tuple(dict.fromkeys(mentions))
        self.declared = tuple(one for one in self.mentions if one.declares)

    def meant(self, one: Mention) -> Sequence[Mention]:
        """The declarations that a mention means; of a declaration itself and those that cannot be told from it."""
        if one.sort == "config":
            return self._configs.meant(one.text, one.scope or None)
        if one.sort in OF_RESOURCES:
            return self._resources(one)
        if one.sort in OF_MENUS:
            return _grouped(one, [other for other in self.declared if _of_one_menu(one, other)])
        if one.sort == "source":
            return self.declared
        same = [other for other in self.declared if not (one.scope and other.scope) or one.scope == other.scope]
        return [other for other in same if not one.within or set(one.within) & set(other.within)]

    @cached_property
    def _configs(self) -> ConfigsByName[Mention]:
        return ConfigsByName((one.text, one) for one in self.declared)

    def _resources(self, one: Mention) -> Sequence[Mention]:
        own = [other for other in self.declared if not (one.scope and other.scope) or is_same(one.scope, other.scope)]
        exact = [other for other in own if other.text == one.text]
        return exact or [other for other in own if is_same(other.text, one.text)]


def _of_one_menu(one: Mention, other: Mention) -> bool:
    if not set(one.ways) & set(other.ways):
        return False
    return not (one.scope and other.scope) or is_same(one.scope, other.scope)


def _grouped(one: Mention, found: list[Mention]) -> list[Mention]:
    """Those in the group that is named, where any is."""
    groups = {same_form(name) for name in one.within}
    return [other for other in found if groups & {same_form(name) for name in other.within}] or found
