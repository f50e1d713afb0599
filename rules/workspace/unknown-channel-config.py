"""Default or binding of a config that does not exist.

A default or a binding of an unknown ChannelConfig has no effect, and the store silently uses the levels below it. A
config is referenced by its resource name, or by its last id.

Basis: channel-config, section 1: "Configurations are linked to config application rules"; the assumption config-names.

Good:

    - kind: Brand
      name: projects/p/locations/l/brands/acme
      defaults: [projects/p/locations/l/brands/acme/channelConfigs/house-voice]
      bindings: [{rule: lunch, channelConfig: lunch-upsells}]
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/house-voice
      type: AGENT_CUSTOMIZATION
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/lunch-upsells
      type: AGENT_CUSTOMIZATION

Bad:

    kind: Brand
    name: acme
    defaults:
      - projects/p/locations/l/brands/acme/channelConfigs/house_voice  # <- did you mean "house-voice"?
    bindings:
      - rule: lunch
        channelConfig: lunch  # <- no ChannelConfig of the workspace is named "lunch"; add it, or name another
    stores:
      - name: austin
        defaults: [projects/p/locations/l/brands/acme/channelConfigs/house-voice, night]  # <- is named "night"
        bindings:
          - rule: dinner
            channelConfig: projects/p/locations/l/brands/acne/channelConfigs/house-voice  # <- did you mean
    ---
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/house-voice
    type: AGENT_CUSTOMIZATION

Bad:

    kind: Brand
    name: projects/p/locations/l/brands/acme
    defaults: [diner-voice]  # <- "diner-voice" is a config of the brand "diner", not of "acme"
    ---
    {kind: Brand, name: diner, defaults: [diner-voice]}
    ---
    {kind: ChannelConfig, name: projects/p/locations/l/brands/diner/channelConfigs/diner-voice}

Bad:

    kind: Brand
    name: projects/p/locations/l/brands/dinner  # <- the configs of this brand are under "diner"; did you mean
    defaults: [diner-voice]
    stores: [{name: harbour, defaults: [diner-voice]}]
    ---
    {kind: ChannelConfig, name: projects/p/locations/l/brands/diner/channelConfigs/diner-voice}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.resource_name import is_of_other_brand, is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameOrNames
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, BrandBinding, Store, StoreBinding

ALL_CONFIGS = ["ChannelConfig", "channelConfigs"]
"""One of them is in every file with a config: a use is judged by all of them, also by one whose name was refused."""


class DeclaredConfig(NamedTuple):
    """The name of a config, and whether it has one that was refused."""

    name: str | None
    is_refused: bool


class ConfigUse(NamedTuple):
    """The names of configs that a brand or a store has; `markers` are `ALL_CONFIGS`, `brand` is the brand."""

    names: NameOrNames
    brand: str
    markers: list[str]


@gather("ChannelConfig", facts=(DeclaredConfig,), keys=("name",), by_id=True, context=(DeclaredConfig,))
def configs(config: ChannelConfig) -> Gathered[DeclaredConfig]:
    """The name of a config, and whether it has one that was refused."""
    yield config.location("name"), DeclaredConfig(config.name or None, config.name is None and config.has("name"))


@gather("Brand", "Store", facts=(ConfigUse,), keys=("names", "markers"))
def defaults(level: Brand | Store, context: Context) -> Gathered[ConfigUse]:
    """The names of the default configs of a level."""
    from trialrun.lint.rule_support.references import referenced_names

    yield from (
        (place, ConfigUse(names, _brand(context), ALL_CONFIGS)) for place, names in referenced_names(level, "defaults")
    )


@gather("BrandBinding", "StoreBinding", facts=(ConfigUse,), keys=("names", "markers"))
def bindings(binding: BrandBinding | StoreBinding, context: Context) -> Gathered[ConfigUse]:
    """The name of the config that a rule is bound to."""
    if binding.channelConfig is not None:
        yield binding.location("channelConfig"), ConfigUse(binding.channelConfig, _brand(context), ALL_CONFIGS)


def _brand(context: Context) -> str:
    return getattr(context.resource, "name", None) or ""


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each use of a name that no config has, unless a config has one that could not be read."""
    from trialrun.lint.rule_support.references import DeclarationIndex, has_config_of, name_of_resource, split_names

    configs = list(facts.of(DeclaredConfig))
    if any(fact.value.is_refused or not (fact.value.name or fact.is_complete) for fact in configs):
        return
    declared = DeclarationIndex((fact.value.name, fact) for fact in configs if fact.value.name)
    brands = {fact.value.brand for fact in facts.of(ConfigUse)}
    names = [config.value.name for config in configs]
    misnamed = set[str]()
    for fact in facts.of(ConfigUse):
        own = fact.value.brand
        for use, name in split_names(fact, fact.value.names):
            found = declared.resolve(name)
            if not found:
                what_to_do = declared.did_you_mean(name, otherwise="add it, or name another")
                yield WorkspaceFinding(use, f'no ChannelConfig of the workspace is named "{name}"{what_to_do}')
            elif all(is_of_other_brand(config.value.name or "", own) for config in found):
                other = (found[0].value.name or "").rpartition("/channelConfigs/")[0]
                related = (("that config", found[0]),)
                if any(is_same_resource(other, brand) for brand in brands) or has_config_of(own, names):
                    message = f'"{last_id(name)}" is a config of the brand "{last_id(other)}", not of "{last_id(own)}"'
                    yield WorkspaceFinding(use, f"{message}; name one of this brand", related=related)
                elif own not in misnamed:
                    misnamed.add(own)
                    message = f'the configs of this brand are under "{last_id(other)}"; did you mean "{other}"?'
                    yield WorkspaceFinding(name_of_resource(fact), message, related=related)
