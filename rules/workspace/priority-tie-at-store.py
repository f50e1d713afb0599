"""Two upsells that have one priority once the levels of a store are laid over each other.

Each file has its priorities in order, and at a store two of them meet. Which one is attempted first then depends on the
order of the levels, which nobody chose for that. Every level needs numbers of its own: those of an override, for
example, above those of the default. The finding stands at the priority of the later level. Disabled upsells are left
alone: an override that only disables has to repeat a priority.

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
    """Flag the priority of the later level of each two enabled upsells that have the same one at a store."""
    from trialrun.runtime.channel_config.store_findings import check_stores

    configs, findings = yield from analyze_stores(facts, check_stores)
    for finding in findings:
        if finding.kind == "tie":
            yield WorkspaceFinding(
                fact_at(configs, finding.location),
                f"{finding.subject} and {format_titles(finding.about)} both have priority "
                f"{finding.reason} {at_stores(finding.stores, finding.count)}; "
                "give each its own",
                related(configs, finding.related),
            )
