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
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, Store

CONFIG, USED = "config", "used"


@gather("ChannelConfig", keys=(1,), by_id=True)
def configs(config: ChannelConfig) -> Iterator[tuple[SymbolicLocation, list[str]]]:
    """The name of a config that has one."""
    if config.name:
        yield config.location("name"), [CONFIG, config.name]


@gather("Brand", keys=(1,), by_id=True)
def used(brand: Brand) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The name of a brand, those of all configs that it uses, and whether none of them was refused."""
    levels = (brand, *(brand.stores or ()))
    names = [name for level in levels for name in _names(level)]
    is_all = not (_is_cut(brand, "stores") or _is_cut(brand, "name")) and not any(
        _is_cut(level, field) for level in levels for field in ("defaults", "bindings")
    )
    yield brand.location(), [USED, [brand.name or "", *sorted({*filter(None, names)})], is_all and None not in names]


def _names(level: Brand | Store) -> Iterator[str | None]:
    yield from level.defaults or ()
    yield from (binding.channelConfig for binding in level.bindings or ())


def _is_cut(level: Brand | Store, field: str) -> bool:
    """Whether some items of a list were refused, or all of it."""
    from trialrun.model.node import TruncatedList

    value = getattr(level, field)
    return isinstance(value, TruncatedList) or (value is None and level.has(field))


@rule(Facts, severity=Severity.NOTE)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag the name of each config that no brand uses, where all that the brands say could be read."""
    brands = [fact for fact in facts if fact.value[0] == USED]
    if not brands or not all(fact.value[2] and fact.is_complete for fact in brands):
        return
    configs = [fact for fact in facts if fact.value[0] == CONFIG]
    used = referenced_names(brands, configs)
    for fact in configs:
        if fact.value[1] not in used:
            yield WorkspaceFinding(
                fact,
                "no rule binds this config and it is not a default, so it stays DRAFT; bind it in a Brand or remove it",
            )


def referenced_names(brands: Sequence[Fact], configs: Sequence[Fact]) -> set[str]:
    """The names of the configs that brands mean; where a name means several, all of them."""
    from trialrun.values.config_index import ConfigIndex

    known = ConfigIndex((fact.value[1], fact.value[1]) for fact in configs)
    uses = ((use, name) for name, *uses in (fact.value[1] for fact in brands) for use in uses)
    return {config for use, name in uses for config in known.resolve(use, name)}
