"""Config that is neither bound nor a default.

It stays DRAFT, and the runtime applies it nowhere: it is either new and forgotten, or left over. Reported only in a
workspace that declares a Brand, since otherwise the bindings are kept elsewhere. If several configs have one id, a
brand means its own. What the service writes into configApplicationRules does not bind a config in a file.

Specification: channel-config, section 3: "The configuration has no associated config application rules and is not the
default configuration of the brand."

Good:

    - {kind: Brand, name: acme, defaults: [house-voice], stores: [{name: austin, bindings: [
        {rule: lunch, channelConfig: projects/p/locations/l/brands/acme/channelConfigs/lunch}]}]}
    - {kind: ChannelConfig, name: projects/p/locations/l/brands/acme/channelConfigs/house-voice, type: UPSELL_STRATEGY}
    - {kind: ChannelConfig, name: projects/p/locations/l/brands/acme/channelConfigs/lunch, type: UPSELL_STRATEGY}

Good:

    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/house-voice
    type: AGENT_CUSTOMIZATION

Bad:

    kind: Brand
    name: acme
    bindings:
      - {rule: lunch, channelConfig: lunch}
    ---
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/dinner  # <- no rule binds this config and it is not
    type: UPSELL_STRATEGY
    configApplicationRules: [{name: lunch}]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, Store


class DeclaredConfig(NamedTuple):
    """The name of a config."""

    name: str


class BrandUses(NamedTuple):
    """The name of a brand, followed by those of all configs that it uses, and whether none of them was refused."""

    names: list[str]
    is_complete: bool


@gather("ChannelConfig", facts=(DeclaredConfig,), keys=("name",), by_id=True)
def configs(config: ChannelConfig) -> Gathered[DeclaredConfig]:
    """The name of a config that has one."""
    if config.name:
        yield config.location("name"), DeclaredConfig(config.name)


@gather("Brand", facts=(BrandUses,), keys=("names",), by_id=True, context=(BrandUses,))
def used(brand: Brand) -> Gathered[BrandUses]:
    """The name of a brand, those of all configs that it uses, and whether none of them was refused."""
    levels = (brand, *(brand.stores or ()))
    names = [name for level in levels for name in _names(level)]
    is_all = not (brand.is_partial("stores") or brand.is_partial("name")) and not any(
        level.is_partial(field) for level in levels for field in ("defaults", "bindings")
    )
    uses = [brand.name or "", *sorted({*filter(None, names)})]
    yield brand.location(), BrandUses(uses, is_all and None not in names)


def _names(level: Brand | Store) -> Iterator[str | None]:
    yield from level.defaults or ()
    yield from (binding.channelConfig for binding in level.bindings or ())


@rule(Facts, severity=Severity.NOTE)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag the name of each config that no brand uses, where all that the brands say could be read."""
    brands = list(facts.of(BrandUses))
    if not brands or not all(fact.value.is_complete and fact.is_complete for fact in brands):
        return
    configs = list(facts.of(DeclaredConfig))
    used = referenced_names(brands, configs)
    for fact in configs:
        if fact.value.name not in used:
            yield WorkspaceFinding(
                fact,
                "no rule binds this config and it is not a default, so it stays DRAFT; bind it in a Brand or remove it",
            )


def referenced_names(brands: Sequence[Fact[BrandUses]], configs: Sequence[Fact[DeclaredConfig]]) -> set[str]:
    """The names of the configs that brands mean; where a name means several, all of them."""
    from trialrun.values.resource_name import ResourceIndex

    config_index = ResourceIndex((fact.value.name, fact.value.name) for fact in configs)
    uses = ((use, name) for name, *uses in (fact.value.names for fact in brands) for use in uses)
    return {config for use, name in uses for config in config_index.resolve(use, name)}
