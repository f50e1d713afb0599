"""The states of configs (specification: channel-config, section 3), as what uses them makes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.level import Level
from trialrun.values.config_index import ConfigsByName

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.model.companion import Brand, BrandBinding, StoreBinding

State = Literal["DRAFT", "ACTIVE", "PROMOTED"]


@dataclass(frozen=True, slots=True)
class Use:
    """A default or a binding that names a config.

    Names are as they are written; `rule` is None for a default, and `store` on the levels of the brand. `steps` lead
    from the brand to the name of the config.
    """

    config: str
    level: Level
    rule: str | None
    brand: str | None
    store: str | None
    steps: Path


def uses(brand: Brand) -> Iterator[Use]:
    """All that a brand and its stores name, the brand's first, in the order they are written."""
    for index, name in enumerate(brand.defaults or ()):
        yield Use(name, "brand-default", None, brand.name, None, ("defaults", index))
    for steps, config, rule in _bound(brand.bindings or ()):
        yield Use(config, "brand-binding", rule, brand.name, None, steps)
    for at, store in enumerate(brand.stores or ()):
        for index, name in enumerate(store.defaults or ()):
            yield Use(name, "store-default", None, brand.name, store.name, ("stores", at, "defaults", index))
        for steps, config, rule in _bound(store.bindings or ()):
            yield Use(config, "store-binding", rule, brand.name, store.name, ("stores", at, *steps))


def _bound(bindings: Iterable[BrandBinding | StoreBinding]) -> Iterator[tuple[Path, str, str | None]]:
    for index, binding in enumerate(bindings):
        if binding.channelConfig:
            yield ("bindings", index, "channelConfig"), binding.channelConfig, binding.rule


class ConfigNames(ConfigsByName[str]):
    """The resource names of configs, and which of them a written name means."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__((name, name) for name in names)


class Uses:
    """Uses by the configs that they name; a name that means several stands for each of them."""

    def __init__(self, known: Iterable[Use], names: ConfigNames) -> None:
        self._of: dict[str, list[Use]] = {}
        for use in known:
            for name in names.meant(use.config, use.brand):
                self._of.setdefault(name, []).append(use)

    def of(self, name: str) -> Sequence[Use]:
        """The uses of a config, in their order."""
        return self._of.get(name, ())


def state_of(used: Collection[Use], *, is_promoted: bool = False) -> State:
    """The state of a config with some uses.

    Any binding and any default, of a brand or of a store, makes it ACTIVE; one that is promoted is PROMOTED, used or
    not.
    """
    if is_promoted:
        return "PROMOTED"
    return "ACTIVE" if used else "DRAFT"


__all__ = ["ConfigNames", "State", "Use", "Uses", "state_of", "uses"]
