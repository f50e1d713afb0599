"""Which configs have an effect at stores, and which overwrite the others.

What the stores of a brand have in common is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.channel_config.config_sets import ConfigSet, Where
from trialrun.runtime.channel_config.level_overrides import BRAND_LEVELS, ConfigValues
from trialrun.runtime.channel_config.overlay import MergedTree, overlay, set_values, setters


class ConfigEffects:
    """The configs that apply at stores one over another."""

    def __init__(self, configs: ConfigValues) -> None:
        self._configs = configs
        self._of_brands: dict[tuple[int, ...], MergedTree[int] | None] = {}
        self._overwriting: dict[tuple[int, str | None], dict[int, dict[int, None]]] = {}

    def effective(self, config_set: ConfigSet[int, Where], asked: set[int]) -> set[int]:
        """Those of some configs that something effective at the stores of a set is from."""
        kinds = {self._configs.type(use.config) for use in config_set.uses if use.config in asked}
        trees = (self._tree(config_set, kind) for kind in kinds)
        return {setter for tree in trees if tree for setter in setters(tree)}

    def overwriting(self, number: int, config_set: ConfigSet[int, Where]) -> list[int]:
        """The configs that overwrite what one sets at the stores of a set."""
        kind = self._configs.type(number)
        known = self._overwriting.get((id(config_set), kind))
        if known is None:
            known = self._overwriting[id(config_set), kind] = _overwritten(self._tree(config_set, kind))
        return list(known.get(number, ()))

    def _tree(self, config_set: ConfigSet[int, Where], kind: str | None) -> MergedTree[int] | None:
        """What the configs of a type make together at the stores of a set."""
        uses = [use for use in config_set.uses if self._configs.type(use.config) == kind]
        shared = tuple(use.config for use in uses if use.level in BRAND_LEVELS)
        if shared not in self._of_brands:
            self._of_brands[shared] = self._over(None, shared)
        return self._over(self._of_brands[shared], [use.config for use in uses[len(shared) :]])

    def _over(self, tree: MergedTree[int] | None, numbers: Sequence[int]) -> MergedTree[int] | None:
        for number in numbers:
            tree = overlay(tree, number, self._configs.values(number), lists=self._configs.lists)
        return tree


def _overwritten(tree: MergedTree[int] | None) -> dict[int, dict[int, None]]:
    """The configs that have something overwritten, each with those that overwrite it."""
    found: dict[int, dict[int, None]] = {}
    for _, here in set_values(tree) if tree else ():
        beneath = here.overridden
        while beneath is not None:
            found.setdefault(beneath.setter, {})[here.setter] = None
            beneath = beneath.overridden
    return found
