"""An upsell that no session of a store can attempt, once the levels of the store are laid over each other.

Each file is sound by itself, and at a store one level leaves an upsell of another without a turn: a limit of 0 or a
LISTEN_ONLY, offers that every session has before it and that use up maxUpsellOffers, or another greeting or closing
offer that is always made first. Only what is certain is told. The finding stands at what the later level sets.

An upsell that is there to be disabled alone, and that no earlier level has, is told as `missing-union-member`.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.rule import Context, gather, rule
from trialrun.lint.rule_support.strategies import (
    SUBJECTS,
    analyze_stores,
    at_stores,
    fact_at,
    format_titles,
    related,
    strategy_facts,
)
from trialrun.lint.workspace_rules import Facts, FindingSteps, WorkspaceFinding

if TYPE_CHECKING:
    from trialrun.model.node import Node


@gather(*SUBJECTS, keys=(1,), by_id=True)
def applied(part: Node, context: Context) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What configs set, and where brands and stores apply them."""
    from trialrun.runtime.channel_config.effective import METADATA_FIELDS

    return strategy_facts(part, context, about=METADATA_FIELDS)


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace", "message-draw": "offer"})
def check(facts: Facts) -> FindingSteps:
    """Flag what leaves upsells of a store without a turn, and overrides that disable what no earlier level has."""
    from trialrun.runtime.channel_config.store_findings import check_stores

    configs, findings = yield from analyze_stores(facts, check_stores)
    for finding in findings:
        where, place = at_stores(finding.stores, finding.count), fact_at(configs, finding.location)
        if finding.kind == "unreachable":
            are = "is" if len(finding.about) == 1 else "are"
            message = f"{format_titles(finding.about)} {are} never attempted {where}: {finding.reason}; "
            message += "disable what is not meant there"
            yield WorkspaceFinding(place, message, related(configs, finding.related))
        elif finding.kind == "absent":
            message = f"there is no upsell {finding.subject} to disable {where}; mend the name, or drop it"
            yield WorkspaceFinding(place, message, severity=Severity.WARNING, rule="missing-union-member")
