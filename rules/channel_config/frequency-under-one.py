"""The frequencies of one offer type add up to 1.

What is missing to 1 is the fraction of sessions in which nothing is offered. That may be meant, as a control group,
and then a word beside it helps the next reader. The messages of all enabled greeting offers of a strategy count
together, and so do those of all closing offers; where they are spread over several upsells, the finding stands at the
first list. Equal shares may be rounded: 0.33 three times is meant as one third.

Rests on: channel-config, OfferMessage: "Fraction of sessions using this message (0.2 means 20%)."

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - {messageFrequency: 0.33, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
            - {messageFrequency: 0.33, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
            - {messageFrequency: 0.33, upsoldItems: [C], messageConfigs: [{languageCode: en, messageText: C?}]}

Bad, as UpsellStrategy:

    upsells:
      - priority: 1
        closingOffer:
          closingMessages:  # <- 20% of the sessions hear no closing offer
            - offerMessage:
                messageFrequency: 0.5
                upsoldItems: [Cookie]
                messageConfigs: [{languageCode: en, messageText: A cookie?}]
            - offerMessage:
                messageFrequency: 0.3
                upsoldItems: [Pie]
                messageConfigs: [{languageCode: en, messageText: Some pie?}]
      - priority: 2
        greetingOffer:
          messages:  # <- the frequencies add up to 90%, so 10% of the sessions hear no greeting offer
            - {messageFrequency: 0.3, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
            - {messageFrequency: 0.3, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
            - {messageFrequency: 0.3, upsoldItems: [C], messageConfigs: [{languageCode: en, messageText: C?}]}
"""

from decimal import Decimal

from trialrun.diagnostic import Severity
from trialrun.lint.offers import Offer, equal_shares, frequency, offers_by_type, share
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import UpsellStrategy
from trialrun.model.node import Shortened


@rule(UpsellStrategy, severity=Severity.NOTE, absence=True)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag the first list of an offer type whose frequencies leave sessions over."""
    for of_type in offers_by_type(strategy):
        known = _known(of_type)
        total = sum(known, Decimal(0))
        if 0 < total < 1 and not equal_shares(known):
            first = of_type[0]
            kind = "greeting" if first.field == "messages" else "closing"
            yield first.node.flag(
                first.field,
                f"the frequencies add up to {share(total)}, so {share(1 - total)} of the sessions hear no {kind} "
                "offer; raise them unless that is meant",
            )


def _known(of_type: list[Offer]) -> list[Decimal]:
    """The frequencies that are set; none when a refused one leaves the sum open."""
    every = [frequency(message) for offer in of_type for message in offer.messages]
    shortened = any(isinstance(getattr(offer.node, offer.field), Shortened) for offer in of_type)
    return [] if shortened or None in every else [one for one in every if one]
