"""States of configs (specification: channel-config, section 3), derived from what uses them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.layers import Level
from trialrun.values.config_index import ConfigIndex

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.model.companion import Brand, BrandBinding, StoreBinding

State = Literal["DRAFT", "ACTIVE", "PROMOTED"]


@dataclass(frozen=True, slots=True)
class ConfigUse:
    """A default or a binding that names a config.

    Names are as they are written; `rule` is None for a default, and `store` on the levels of the brand. `path` lead
    from the brand to the name of the config.
    """

    config: str
    level: Level
    rule: str | None
    brand: str | None
    store: str | None
    path: Path


def config_uses(brand: Brand) -> Iterator[ConfigUse]:
    """All that a brand and its stores name, the brand's first, in the order they are written."""
    for index, name in enumerate(brand.defaults or ()):
        yield ConfigUse(name, "brand-default", None, brand.name, None, ("defaults", index))
    for path, config, rule in _named_bindings(brand.bindings or ()):
        yield ConfigUse(config, "brand-binding", rule, brand.name, None, path)
    for store_index, store in enumerate(brand.stores or ()):
        for index, name in enumerate(store.defaults or ()):
            yield ConfigUse(
                name, "store-default", None, brand.name, store.name, ("stores", store_index, "defaults", index)
            )
        for path, config, rule in _named_bindings(store.bindings or ()):
            yield ConfigUse(config, "store-binding", rule, brand.name, store.name, ("stores", store_index, *path))


def _named_bindings(bindings: Iterable[BrandBinding | StoreBinding]) -> Iterator[tuple[Path, str, str | None]]:
    for index, binding in enumerate(bindings):
        if binding.channelConfig:
            yield ("bindings", index, "channelConfig"), binding.channelConfig, binding.rule


class ConfigNames(ConfigIndex[str]):
    """The resource names of configs, and which of them a written name means."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__((name, name) for name in names)


class ConfigUses:
    """Uses by the configs that they name; a name that means several stands for each of them."""

    def __init__(self, uses: Iterable[ConfigUse], names: ConfigNames) -> None:
        self._by_config: dict[str, list[ConfigUse]] = {}
        for use in uses:
            for name in names.resolve(use.config, use.brand):
                self._by_config.setdefault(name, []).append(use)

    def uses_of(self, name: str) -> Sequence[ConfigUse]:
        """The uses of a config, in their order."""
        return self._by_config.get(name, ())


def config_state(uses: Collection[ConfigUse], *, is_promoted: bool = False) -> State:
    """The state of a config with some uses.

    Any binding and any default, of a brand or of a store, makes it ACTIVE; one that is promoted is PROMOTED, used or
    not.
    """
    if is_promoted:
        return "PROMOTED"
    return "ACTIVE" if uses else "DRAFT"


__all__ = ["ConfigNames", "ConfigUse", "ConfigUses", "State", "config_state", "config_uses"]
