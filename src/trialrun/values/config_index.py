"""The names that a brand has for configs, and which configs it means by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from trialrun.values.resource_name import is_same_resource, last_id

Config = TypeVar("Config")


class ConfigIndex(Generic[Config]):
    """Configs by their resource names, with whatever the caller knows them by."""

    def __init__(self, named: Iterable[tuple[str, Config]]) -> None:
        self._by_id: dict[str, list[tuple[str, Config]]] = {}
        self._resolved: dict[tuple[str, str | None], Sequence[Config]] = {}
        for name, config in named:
            self._by_id.setdefault(last_id(name), []).append((name, config))

    def resolve(self, written: str, brand: str | None) -> Sequence[Config]:
        """The configs of exactly this name, else those that share its end: of several those of the brand, if any."""
        if (written, brand) not in self._resolved:
            self._resolved[written, brand] = [config for _, config in self._find(written, brand)]
        return self._resolved[written, brand]

    def _find(self, written: str, brand: str | None) -> Sequence[tuple[str, Config]]:
        same = [one for one in self._by_id.get(last_id(written), ()) if is_same_resource(one[0], written)]
        found = [one for one in same if one[0] == written] or same
        if len(found) < 2 or not brand:
            return found
        return [one for one in found if is_same_resource(one[0].rpartition("/channelConfigs/")[0], brand)] or found
