"""The frequencies of one offer type add up to 1 at most.

A frequency is a fraction of all sessions, and there are no more sessions than all. Beyond 1 some message is heard less
often than its number says, and the numbers of a test of two wordings mean nothing. The messages of all enabled
greeting offers of a strategy count together, and so do those of all closing offers; where they are spread over several
upsells, the finding stands at the list whose messages take the sum over 1. Equal shares may be rounded: 0.17 six times
is meant as one sixth.

Rests on: channel-config, OfferMessage: "Fraction of sessions using this message (0.2 means 20%)."

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
from trialrun.lint.offers import Offer, equal_shares, frequency, offers_by_type, share
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag the list with which the sum goes over 1."""
    for of_type in offers_by_type(strategy):
        known = [part for offer in of_type for message in offer.messages if (part := frequency(message))]
        total = sum(known, Decimal(0))
        if total > 1 and not equal_shares(known):
            tips = _tipping(of_type)
            kind = "greeting" if tips.field == "messages" else "closing"
            yield tips.node.flag(
                tips.field, f"the frequencies of the {kind} offers add up to {share(total)} of all sessions; lower them"
            )


def _tipping(of_type: list[Offer]) -> Offer:
    """The offer whose messages take the sum over 1."""
    total = Decimal(0)
    for offer in of_type:
        total += sum((frequency(message) or Decimal(0) for message in offer.messages), Decimal(0))
        if total > 1:
            return offer
    return of_type[-1]
