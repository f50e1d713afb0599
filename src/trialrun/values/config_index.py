"""The names that a brand has for configs, and which configs it means by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from trialrun.values.resource_name import is_same_resource, last_id

Config = TypeVar("Config")


class ConfigIndex(Generic[Config]):
    """Configs by their resource names, with whatever the caller knows them by."""

    def __init__(self, named_configs: Iterable[tuple[str, Config]]) -> None:
        self._by_id: dict[str, list[tuple[str, Config]]] = {}
        self._resolved: dict[tuple[str, str | None], Sequence[Config]] = {}
        for name, config in named_configs:
            self._by_id.setdefault(last_id(name), []).append((name, config))

    def resolve(self, written: str, brand: str | None) -> Sequence[Config]:
        """The configs of exactly this name, else those that share its end: of several those of the brand, if any."""
        if (written, brand) not in self._resolved:
            self._resolved[written, brand] = [config for _, config in self._find(written, brand)]
        return self._resolved[written, brand]

    def _find(self, written: str, brand: str | None) -> Sequence[tuple[str, Config]]:
        same = [
            named_config
            for named_config in self._by_id.get(last_id(written), ())
            if is_same_resource(named_config[0], written)
        ]
        matches = [named_config for named_config in same if named_config[0] == written] or same
        if len(matches) < 2 or not brand:
            return matches
        return [
            named_config
            for named_config in matches
            if is_same_resource(named_config[0].rpartition("/channelConfigs/")[0], brand)
        ] or matches
