"""Two bindings or defaults of one level that set a field differently.

Within one level nothing says which of two configs overwrites the other; the runtime lets the later one win, in file
order, and reordering them changes what a customer hears. Separate two bindings by tags or names, have one default for
each type, or set the field in one config only. Each type is resolved separately, upsells are matched by display name or
priority after the lower levels are merged, and greetings by language; the names and descriptions of strategies are not
settings.

Specification: channel-config, section 1: "a later level overwrites an earlier one in case of conflict".

Good:

    kind: Brand
    name: acme
    bindings:
      - {rule: drive-thru-stores, channelConfig: quick, stores: {tags: [drive-thru]}}
      - {rule: kiosk-stores, channelConfig: patient, stores: {tags: [kiosk]}}
      - {rule: canada, channelConfig: french, stores: {tags: [canada]}}
    stores:
      - {name: austin, tags: [drive-thru]}
      - {name: quebec, tags: [kiosk, canada]}
    ---
    {kind: ChannelConfig, name: quick, type: UPSELL_STRATEGY, operationsConfig: {upsellStrategy: {maxUpsellOffers: 1}}}
    ---
    {kind: ChannelConfig, name: patient, type: UPSELL_STRATEGY,
     operationsConfig: {displayName: Patient, upsellStrategy: {maxUpsellOffers: 3}}}
    ---
    {kind: ChannelConfig, name: french, type: UPSELL_STRATEGY,
     operationsConfig: {displayName: French, defaultLanguageCode: fr-CA, upsellStrategy: {maxUpsellOffers: 3}}}

Bad:

    kind: Brand
    name: acme
    bindings:
      - rule: drive-thru-stores
        channelConfig: quick
        stores: {tags: [drive-thru]}
      - rule: city-stores  # <- "quick" and "patient" are both bound for "austin" and 1 more store, and set
        channelConfig: patient
        stores: {tags: [city]}
    stores:
      - {name: austin, tags: [drive-thru, city]}
      - {name: boston, tags: [city, drive-thru]}
      - {name: casper, tags: [city]}
    ---
    kind: ChannelConfig
    name: quick
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 1
        upsells: [{displayName: Fries, priority: 1, celUpsell: {conditionExpression: order.subtotal > 5.0,
          suggestedMenuItems: [Fries]}}]
    ---
    kind: ChannelConfig
    name: patient
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 3
        upsells: [{displayName: Fries, priority: 1, celUpsell: {conditionExpression: order.subtotal > 9.0,
          suggestedMenuItems: [Fries]}}]

Bad:

    kind: Brand
    name: acme
    stores:
      - name: austin
        bindings:
          - {rule: morning, channelConfig: friendly}
          - {rule: evening, channelConfig: formal}  # <- set tone to "FRIENDLY" and "PROFESSIONAL_AND_FORMAL"; the later
    ---
    {kind: ChannelConfig, name: friendly, type: AGENT_CUSTOMIZATION, tone: FRIENDLY}
    ---
    {kind: ChannelConfig, name: formal, type: AGENT_CUSTOMIZATION, tone: PROFESSIONAL_AND_FORMAL}

Bad:

    kind: Brand
    name: acme
    defaults:
      - friendly
      - formal  # <- "friendly" and "formal" are both defaults of "acme", and set tone to "FRIENDLY" and
    stores:
      - name: austin
    ---
    {kind: ChannelConfig, name: friendly, type: AGENT_CUSTOMIZATION, tone: FRIENDLY}
    ---
    {kind: ChannelConfig, name: formal, type: AGENT_CUSTOMIZATION, tone: PROFESSIONAL_AND_FORMAL}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Context, Gathered, gather, rule
from trialrun.lint.rule_support import brand_facts
from trialrun.lint.rule_support.brand_facts import BrandWithStores, ConfigCatalog, DeclaredConfig, format_more
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.config_sets import LevelOverride

BOUND, DEFAULTS = ("bound for", "keep their stores apart"), ("defaults of", "have one default for each type")
"""What two uses of a level are, and what else can be done about them."""


@gather(*brand_facts.SUBJECTS, facts=brand_facts.FACTS, keys=brand_facts.KEYS, by_id=True, context=(DeclaredConfig,))
def applied(part: Node, context: Context) -> Gathered[Any]:
    """What configs set, and where brands and stores bind them."""
    return brand_facts.gather_facts(part, context)


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace"})
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each binding or default that sets a field otherwise than one of its level before it, where both apply."""
    from trialrun.runtime.channel_config.config_sets import ConfigTrees, config_sets

    configs = ConfigCatalog(facts)
    trees = ConfigTrees(configs.summary, configs.type, facts.options["list-merge"])
    for brand in facts.of(BrandWithStores):
        applied = brand_facts.applied_configs(brand.value, configs)
        found = trees.level_overrides(config_sets(*applied))
        reported = {(*brand.steps, *override.later.location) for override in found}
        yield from (ambiguous(override, brand, configs) for override in found)
        of_one_type = brand_facts.defaults_of_one_type(brand, applied, configs)
        yield from (finding for finding in of_one_type if finding.fact.steps not in reported)


def ambiguous(override: LevelOverride, brand: Fact[BrandWithStores], configs: ConfigCatalog) -> WorkspaceFinding:
    """What to say of two bindings or defaults, at the later one."""
    earlier, later = (last_id(configs.all[use.config].value.name) for use in (override.earlier, override.later))
    where = f'"{last_id(override.stores[0].name)}"{format_more(override.stores, "store", " and {}")}'
    if override.later.level == "brand-default":
        where = f'"{last_id(brand.value.names[0])}"' if brand.value.names[0] else "the brand"
    is_bound = override.later.level.endswith("-binding")
    are, advice = BOUND if is_bound else DEFAULTS
    first = f'"{earlier}" is {"bound" if is_bound else "a default"} here', brand.item(*override.earlier.location)
    message = (
        f'"{earlier}" and "{later}" are both {are} {where}, and set {brand_facts.format_settings(override.settings)};'
        f" the later one wins: set it in one of them, or {advice}"
    )
    return WorkspaceFinding(brand.item(*override.later.location), message, related=(first,))
