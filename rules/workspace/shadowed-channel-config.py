"""Config that is overridden at every store it is bound to.

When a later level sets all fields of a config at every store that its bindings match, the config has no effect, and
neither has an edit: bind it on a later level, or remove it. The same applies to bindings that match no store. Each type
is resolved separately; the names and descriptions of strategies are not settings. Reported only when all bindings and
stores of the brand could be read; a config that is only a default is not reported, since a future store may need it.

Specification: channel-config, section 1: "the runtime picks by this precedence; a later level overwrites an earlier one
in case of conflict".

Good:

    - {kind: Brand, name: acme, bindings: [{rule: lunch, channelConfig: lunch, stores: {tags: [city]}}], stores: [
        {name: austin, tags: [city], bindings: [{rule: austin, channelConfig: texan}]}]}
    - {kind: ChannelConfig, name: lunch, type: AGENT_CUSTOMIZATION, tone: FRIENDLY,
       operationsConfig: {defaultLanguageCode: en-US}}
    - {kind: ChannelConfig, name: texan, type: AGENT_CUSTOMIZATION, tone: CONCISE_AND_DIRECT}

Good:

    - {kind: Brand, name: acme, bindings: [{rule: lunch, channelConfig: lunch, stores: {tags: [city]}}]}
    - {kind: ChannelConfig, name: lunch, type: AGENT_CUSTOMIZATION, tone: FRIENDLY}

Bad:

    kind: Brand
    name: acme
    bindings:
      - {rule: lunch, channelConfig: lunch, stores: {tags: [city]}}
      - {rule: airports, channelConfig: airport, stores: {tags: [airport, city]}}
    stores:
      - {name: austin, tags: [city], bindings: [{rule: austin, channelConfig: texan}]}
      - {name: boston, tags: [city], defaults: [texan]}
      - {name: casper, tags: [airport]}
    ---
    kind: ChannelConfig
    name: lunch  # <- this config has no effect: at both stores where it is bound, "texan" overwrites
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    ---
    kind: ChannelConfig
    name: airport  # <- this config has no effect: its binding matches none of the 3 stores
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    ---
    {kind: ChannelConfig, name: texan, type: AGENT_CUSTOMIZATION, tone: CONCISE_AND_DIRECT}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Context, Gathered, gather, rule
from trialrun.lint.rule_support import brand_facts
from trialrun.lint.rule_support.brand_facts import BrandWithStores, ConfigCatalog, DeclaredConfig
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.config_sets import ConfigSet, ConfigTrees

MOST_NAMES = 3


@gather(*brand_facts.SUBJECTS, facts=brand_facts.FACTS, keys=brand_facts.KEYS, by_id=True)
def applied(part: Node, context: Context) -> Gathered[Any]:
    """What configs set, and where brands and stores bind them."""
    return brand_facts.gather_facts(part, context)


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace"})
def check(facts: Facts) -> WorkspaceFindings:
    """Flag the name of each bound config that sets something, none of which is effective at any store."""
    from trialrun.runtime.channel_config.config_sets import ConfigTrees, config_sets

    configs, brands = ConfigCatalog(facts), list(facts.of(BrandWithStores))
    if not all(map(brand_facts.is_complete, brands)):
        return
    bound = brand_facts.bindings_by_config(brands, configs)
    clear = {number for number in bound if sets_something(configs.all[number])}
    left = clear - brand_facts.unclear_configs(brands, configs)
    trees = ConfigTrees(configs.summary, configs.type, facts.options["list-merge"])
    applied = (brand_facts.applied_configs(brand.value, configs) for brand in brands)
    sets = [config_set for of_brand in applied for config_set in config_sets(*of_brand)]
    for config_set in sorted(sets, key=lambda each: len(each.uses)) if left else ():
        left -= trees.effective(config_set, left)
    count = sum(len(brand.value.stores) for brand in brands)
    for number, applied_in in sets_by_config(sets, left).items():
        names = culprits(number, applied_in, trees, configs)
        if names or not applied_in:
            reason = overwritten(names, applied_in) if names else unmatched(bound[number], count)
            related = tuple(("bound here", fact) for fact in bound[number][:MOST_NAMES])
            yield WorkspaceFinding(configs.all[number], f"this config has no effect: {reason}", related)


def sets_something(config: Fact[DeclaredConfig]) -> bool:
    """Whether a config sets something, and all of it could be read."""
    return config.is_complete and not config.value.is_partial and bool(config.value.summary)


def sets_by_config(config_sets: Sequence[ConfigSet], numbers: set[int]) -> dict[int, list[ConfigSet]]:
    """The sets in which each config applies."""
    sets_by_config: dict[int, list[ConfigSet]] = {number: [] for number in sorted(numbers)}
    for config_set in config_sets if numbers else ():
        for number in {use.config for use in config_set.uses} & numbers:
            sets_by_config[number].append(config_set)
    return sets_by_config


def unmatched(bound: Sequence[Fact], count: int) -> str:
    """Why a config that is bound applies nowhere."""
    what = "binding matches" if len(bound) == 1 else "bindings match"
    return f"its {what} {f'none of the {count} stores' if count > 1 else 'no store'}; fix the tags, or remove it"


def overwritten(names: Sequence[str], config_sets: Sequence[ConfigSet]) -> str:
    """Why a config that applies at stores is effective at none of them."""
    verb = "overwrites" if len(names) == 1 else "overwrite"
    what = f"{' and '.join(names[:MOST_NAMES])} {verb} all of it"
    return f"at {stores(config_sets)} where it is bound, {what}; bind it on a later level, or remove it"


def culprits(number: int, config_sets: Sequence[ConfigSet], trees: ConfigTrees, configs: ConfigCatalog) -> list[str]:
    """The configs that overwrite one at the first stores, for a message."""
    from trialrun.values.resource_name import last_id

    for config_set in config_sets:
        if found := trees.overwriting(number, config_set):
            return [f'"{last_id(configs.all[number].value.name)}"' for number in found]
    return []


def stores(config_sets: Sequence[ConfigSet]) -> str:
    """How many stores there are: `the one store`, `both stores`, `all 7 stores`."""
    count = sum(len(config_set.stores) for config_set in config_sets)
    return {1: "the one store", 2: "both stores"}.get(count, f"all {count} stores")
