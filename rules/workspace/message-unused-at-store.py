"""A message that no session of a store uses, because of frequencies that another level sets.

A message without a frequency is not used where it is weighed together with one that has a frequency. Inside a file,
`frequency-never-used` tells it. At a store the messages of several levels may be weighed together: with
`message-draw = "type"` in `[runtime]` those of all greeting offers, or closing offers; with `list-merge = "append"`
those that several levels have for one offer. The finding stands at what the later level sets: the message, or the
frequency that leaves messages of earlier levels unused.

Specification: channel-config, OfferMessage: "When only some are set, messages with unset frequency are not used."

Good:

    - {kind: Brand, name: acme, defaults: [everyday], stores: [{name: austin, defaults: [night]}]}
    - kind: ChannelConfig
      name: everyday
      type: UPSELL_STRATEGY
      operationsConfig:
        upsellStrategy:
          upsells:
            - displayName: Sweet
              priority: 1
              closingOffer:
                closingMessages:
                  - offerMessage: {displayName: Pie, messageFrequency: 0.5, upsoldItems: [Pie],
                      messageConfigs: [{languageCode: en, messageText: Pie?}]}
    - kind: ChannelConfig
      name: night
      type: UPSELL_STRATEGY
      operationsConfig:
        upsellStrategy:
          upsells:
            - displayName: Night
              priority: 2
              closingOffer:
                closingMessages:
                  - offerMessage: {displayName: Cookie, upsoldItems: [Cookie],
                      messageConfigs: [{languageCode: en, messageText: A cookie?}]}

Bad, with message-draw = type:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin, bindings: [{rule: night, channelConfig: night}]}
      - {name: boston}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - displayName: Sweet
            priority: 1
            closingOffer:
              closingMessages:
                - offerMessage: {displayName: Pie, messageFrequency: 1.0, upsoldItems: [Pie],
                    messageConfigs: [{languageCode: en, messageText: Pie?}]}
    ---
    kind: ChannelConfig
    name: night
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - displayName: Night
            priority: 2
            closingOffer:
              closingMessages:
                - offerMessage:  # <- "Cookie" is never used at 1 of 2 stores, such as austin
                    displayName: Cookie
                    upsoldItems: [Cookie]
                    messageConfigs: [{languageCode: en, messageText: A cookie?}]

Bad, with list-merge = append:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin, bindings: [{rule: night, channelConfig: night}]}
      - {name: boston}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - displayName: Hello
            priority: 1
            greetingOffer:
              messages:
                - {displayName: Fries, upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries?}]}
    ---
    kind: ChannelConfig
    name: night
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - displayName: Hello
            priority: 1
            greetingOffer:
              messages:
                - displayName: Shake
                  messageFrequency: 1.0  # <- with this messageFrequency, "Fries" is never used at 1 of 2 stores
                  upsoldItems: [Shake]
                  messageConfigs: [{languageCode: en, messageText: A shake?}]
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
    """Flag each message that is not used beside one of another level, at whichever is of the later level."""
    from trialrun.runtime.channel_config.store_findings import check_stores

    configs, findings = yield from analyze_stores(facts, check_stores)
    for finding in findings:
        if finding.kind == "unused":
            where, names = at_stores(finding.stores, finding.count), format_titles(finding.about)
            never = f"{names} {'is' if len(finding.about) == 1 else 'are'} never used {where}"
            message = f"{never}: it has no messageFrequency, and {finding.reason} has one; give it a share"
            if finding.subject == "frequency":
                message = f"with this messageFrequency, {never}; give all of them a share"
            yield WorkspaceFinding(fact_at(configs, finding.location), message, related(configs, finding.related))
