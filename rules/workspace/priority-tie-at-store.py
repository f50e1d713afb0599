"""Two upsells with one priority after the levels of a store are merged.

Each file has distinct priorities, but at a store two of them collide. Which one is attempted first then depends on the
order of the levels, which is probably not intended. Use separate numbers for each level: for example, those of an
override above those of the default. The finding is at the priority of the later level. Disabled upsells are not
reported: an override that only disables has to repeat a priority.

Specification: channel-config, UpsellConfig: "Each UpsellConfig in a strategy has a unique priority."

Good:

    - {kind: Brand, name: acme, defaults: [everyday], stores: [{name: austin, defaults: [lunch]}]}
    - kind: ChannelConfig
      name: everyday
      type: UPSELL_STRATEGY
      operationsConfig:
        upsellStrategy:
          upsells:
            - {displayName: Fries, priority: 1,
               celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}}
    - kind: ChannelConfig
      name: lunch
      type: UPSELL_STRATEGY
      operationsConfig:
        upsellStrategy:
          upsells:
            - {displayName: Combo, priority: 11,
               celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Combo]}}
            - {displayName: Fries, priority: 1, disabled: true}

Bad:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin, bindings: [{rule: lunch, channelConfig: lunch}]}
      - {name: boston}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - {displayName: Fries, priority: 1,
             celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}}
    ---
    kind: ChannelConfig
    name: lunch
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - displayName: Combo
            priority: 1  # <- "Combo" and "Fries" both have priority 1 at 1 of 2 stores, such as austin
            celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Combo]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.rule_support.strategies import at_stores, findings_at_stores, format_titles, gather_strategies
from trialrun.lint.workspace_rules import Facts, FindingSteps

if TYPE_CHECKING:
    from trialrun.lint.rule_support.brand_facts import ConfigCatalog
    from trialrun.runtime.channel_config.store_findings import StoreFinding

__all__ = ["check", "gather_strategies"]


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace", "message-draw": "type"})
def check(facts: Facts) -> FindingSteps:
    """Flag the priority of the later level of each two enabled upsells that have the same one at a store."""
    from trialrun.runtime.channel_config.store_findings import StoreCheck

    return findings_at_stores(facts, StoreCheck, {"tie": tie})


def tie(finding: StoreFinding, configs: ConfigCatalog) -> str:
    """The message about two upsells of one priority."""
    where = at_stores(finding.stores, finding.count)
    names = f"{finding.subject} and {format_titles(finding.about)}"
    return f"{names} both have priority {finding.reason} {where}; give each its own"
