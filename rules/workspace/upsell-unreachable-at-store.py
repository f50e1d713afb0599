"""Upsell that no session of a store can be offered.

Each file is valid by itself, but at a store one level prevents the upsell of another: a limit of 0 or LISTEN_ONLY,
offers that every session makes earlier and that use up maxUpsellOffers, or, with `message-draw = "offer"`, another
greeting or closing offer that is always made first. Only certain cases are reported, at what the later level sets: an
offer of which a menu of the workspace restricts all items is not always made, since sessions pass over it at times.

An upsell that only exists to be disabled, and that no earlier level has, is reported as `missing-union-member`.

Specification: channel-config, UpsellStrategy: "Maximum upsell offers per session."; section 1: "a later level
overwrites an earlier one in case of conflict".

Good:

    - {kind: Brand, name: acme, defaults: [everyday], stores: [{name: austin, defaults: [quick]}]}
    - kind: ChannelConfig
      name: everyday
      type: UPSELL_STRATEGY
      operationsConfig:
        upsellStrategy:
          upsells:
            - {displayName: Fries, priority: 1,
               celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}}
    - {kind: ChannelConfig, name: quick, type: UPSELL_STRATEGY,
       operationsConfig: {upsellStrategy: {maxUpsellOffers: 1}}}

Bad:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin, bindings: [{rule: quick, channelConfig: quick}]}
      - {name: boston}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      defaultLanguageCode: en
      upsellStrategy:
        upsells:
          - displayName: Hello
            priority: 1
            greetingOffer:
              messages: [{upsoldItems: [Shake], messageConfigs: [{languageCode: en, messageText: A shake?}]}]
          - {displayName: Fries, priority: 2,
             celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}}
          - {displayName: Combo, priority: 3,
             celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Combo]}}
    ---
    kind: ChannelConfig
    name: quick
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 1  # <- "Fries" and "Combo" are never attempted at 1 of 2 stores, such as austin

Bad:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin, bindings: [{rule: pilot, channelConfig: pilot}]}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - {displayName: Fries, priority: 2,
             celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}}
    ---
    kind: ChannelConfig
    name: pilot
    type: AGENT_CUSTOMIZATION
    operationsConfig:
      interactionMode: LISTEN_ONLY  # <- "Fries" is never attempted at the one store, austin: interactionMode
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
    """Flag what leaves upsells of a store without a turn, and overrides that disable what no earlier level has."""
    from trialrun.runtime.channel_config.store_findings import StoreCheck

    messages = {"unreachable": unreachable, "absent": absent}
    return findings_at_stores(facts, StoreCheck, messages, rule_of={"absent": "missing-union-member"})


def unreachable(finding: StoreFinding, configs: ConfigCatalog) -> str:
    """The message about upsells that never have a turn."""
    are, where = "is" if len(finding.about) == 1 else "are", at_stores(finding.stores, finding.count)
    names = format_titles(finding.about)
    return f"{names} {are} never attempted {where}: {finding.reason}; disable what is not intended there"


def absent(finding: StoreFinding, configs: ConfigCatalog) -> str:
    """The message about an override that disables nothing."""
    where = at_stores(finding.stores, finding.count)
    if finding.subject.startswith('"'):
        return f"there is no upsell {finding.subject} to disable {where}; fix the name, or remove it"
    what = finding.subject.split(" ", 1)[1]  # without its article
    return f"there is no {what} to disable {where}; fix the priority, or remove it"
