"""Message frequencies that add up to more than 1.

A frequency is a fraction of all sessions. When the sum exceeds 1, some message is used less often than its number says,
and the results of an A/B test are wrong. The messages of all enabled greeting offers of a strategy are added up, and
those of all closing offers; the finding is at the list whose messages take the sum over 1. With `message-draw =
"offer"` in `[runtime]`, those of each offer are. Equal shares may be rounded: 0.17 six times is one sixth each.

Basis: channel-config, OfferMessage: "Fraction of sessions using this message (0.2 means 20%)."

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - {messageFrequency: 0.1, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
            - {messageFrequency: 0.2, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
            - {messageFrequency: 0.7, upsoldItems: [C], messageConfigs: [{languageCode: en, messageText: C?}]}

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - {messageFrequency: 0.17, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
            - {messageFrequency: 0.17, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
            - {messageFrequency: 0.17, upsoldItems: [C], messageConfigs: [{languageCode: en, messageText: C?}]}
            - {messageFrequency: 0.17, upsoldItems: [D], messageConfigs: [{languageCode: en, messageText: D?}]}
            - {messageFrequency: 0.17, upsoldItems: [E], messageConfigs: [{languageCode: en, messageText: E?}]}
            - {messageFrequency: 0.17, upsoldItems: [F], messageConfigs: [{languageCode: en, messageText: F?}]}

Bad, as UpsellStrategy:

    upsells:
      - displayName: Sides
        priority: 1
        greetingOffer:
          messages:  # <- the frequencies of "Sides" add up to 110% of all sessions
            - messageFrequency: 0.7
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Crispy fries?}]
            - messageFrequency: 0.4
              upsoldItems: [Shake]
              messageConfigs: [{languageCode: en, messageText: A shake?}]

Bad, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - messageFrequency: 0.7
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Crispy fries?}]
      - priority: 2
        greetingOffer:
          messages:  # <- the frequencies of the greeting offers add up to 110%
            - messageFrequency: 0.4
              upsoldItems: [Shake]
              messageConfigs: [{languageCode: en, messageText: A shake?}]
"""

from decimal import Decimal

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.languages import Offer, are_equal_shares, format_percent, frequency, message_pools
from trialrun.model.channel_config import UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING, options={"message-draw": "type"})
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag the list with which the sum goes over 1."""
    for weighed in message_pools(strategy, context):
        frequencies = [part for offer in weighed for message in offer.messages if (part := frequency(message))]
        total = sum(frequencies, Decimal(0))
        if total > 1 and not are_equal_shares(frequencies):
            tips = _tipping(weighed)
            whose = tips.upsell.title if len(weighed) == 1 else f"the {tips.kind} offers"
            yield tips.node.finding(
                tips.field, f"the frequencies of {whose} add up to {format_percent(total)} of all sessions; lower them"
            )


def _tipping(weighed: list[Offer]) -> Offer:
    """The offer whose messages take the sum over 1."""
    total = Decimal(0)
    for offer in weighed:
        total += sum((frequency(message) or Decimal(0) for message in offer.messages), Decimal(0))
        if total > 1:
            return offer
    return weighed[-1]
