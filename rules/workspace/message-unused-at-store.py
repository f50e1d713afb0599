"""Message that a store never uses because of frequencies of another level.

A message without a frequency is not used when another message of the same group has one. Within a file,
`frequency-never-used` reports it. At a store, one group may contain the messages of several levels: those of all
greeting offers, or closing offers; with `message-draw = "offer"` in `[runtime]` those of one offer, which several
levels have with `list-merge = "append"`. The finding is at what the later level sets: the message, or the frequency
that leaves messages of earlier levels unused.

Specification: channel-config, OfferMessage: "When only some are set, messages with unset frequency are not used."

Good, with message-draw = offer:

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

Bad:

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
    """Flag each message that is not used beside one of another level, at whichever is of the later level."""
    from trialrun.runtime.channel_config.store_findings import StoreCheck

    return findings_at_stores(facts, StoreCheck, {"unused": unused})


def unused(finding: StoreFinding, configs: ConfigCatalog) -> str:
    """The message about messages, or about the frequency that leaves them unused."""
    are = "is" if len(finding.about) == 1 else "are"
    never = f"{format_titles(finding.about)} {are} never used {at_stores(finding.stores, finding.count)}"
    if finding.subject == "frequency":
        return f"with this messageFrequency, {never}; set it for all of them"
    return f"{never}: it has no messageFrequency, and {finding.reason} has one; set its messageFrequency"
