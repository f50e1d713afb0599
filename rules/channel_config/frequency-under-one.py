"""Message frequencies that add up to less than 1.

The rest to 1 is the fraction of sessions in which nothing is offered. That may be intended, as a control group; a
comment then helps the next reader. The messages of all enabled greeting offers of a strategy are added up, and those of
all closing offers; the finding is at the first list. With `message-draw = "offer"` in `[runtime]`, those of each offer
are, and one that is followed by another one of its kind is not reported. Equal shares may be rounded: 0.33 three times
counts as one third each.

Basis: channel-config, OfferMessage: "Fraction of sessions using this message (0.2 means 20%)."

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - {messageFrequency: 0.33, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
            - {messageFrequency: 0.33, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
            - {messageFrequency: 0.33, upsoldItems: [C], messageConfigs: [{languageCode: en, messageText: C?}]}

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        closingOffer:
          closingMessages:
            - offerMessage:
                messageFrequency: 0.5
                upsoldItems: [Cookie]
                messageConfigs: [{languageCode: en, messageText: A cookie?}]
      - priority: 2
        closingOffer:
          closingMessages:
            - offerMessage:
                upsoldItems: [Pie]
                messageConfigs: [{languageCode: en, messageText: Some pie?}]

Bad, as UpsellStrategy:

    upsells:
      - priority: 1
        closingOffer:
          closingMessages:  # <- so 20% of the sessions hear no message of it
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
          messages:  # <- the frequencies add up to 90%, so 10% of the sessions hear no message of it
            - {messageFrequency: 0.3, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
            - {messageFrequency: 0.3, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
            - {messageFrequency: 0.3, upsoldItems: [C], messageConfigs: [{languageCode: en, messageText: C?}]}

Bad, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:  # <- the frequencies add up to 80%, so 20% of the sessions hear no greeting offer
            - {messageFrequency: 0.3, upsoldItems: [A], messageConfigs: [{languageCode: en, messageText: A?}]}
      - priority: 2
        greetingOffer:
          messages:
            - {messageFrequency: 0.5, upsoldItems: [B], messageConfigs: [{languageCode: en, messageText: B?}]}
"""

from collections.abc import Iterator
from decimal import Decimal

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.languages import Offer, are_equal_shares, format_percent, frequency, message_pools
from trialrun.model.channel_config import UpsellStrategy
from trialrun.model.node import TruncatedList


@rule(UpsellStrategy, severity=Severity.NOTE, absence=True, options={"message-draw": "type"})
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag the first list of messages weighed together whose frequencies leave sessions over."""
    for weighed in _last_of_kind(message_pools(strategy, context)):
        frequencies = _known_frequencies(weighed)
        total = sum(frequencies, Decimal(0))
        if 0 < total < 1 and not are_equal_shares(frequencies):
            first = weighed[0]
            what = f"{first.kind} offer" if len(weighed) > 1 else "message of it"
            yield first.node.finding(
                first.field,
                f"the frequencies add up to {format_percent(total)}, so {format_percent(1 - total)} of the sessions "
                f"hear no {what}; "
                "raise them unless that is intended",
            )


def _last_of_kind(every: list[list[Offer]]) -> Iterator[list[Offer]]:
    """The offers behind which no other one of their kind has its turn."""
    last: dict[str, list[Offer]] = {}
    for weighed in every:
        known = last.setdefault(weighed[0].kind, weighed)
        if (weighed[0].upsell.priority or 0) > (known[0].upsell.priority or 0):
            last[weighed[0].kind] = weighed
    return (weighed for weighed in every if weighed is last[weighed[0].kind])


def _known_frequencies(weighed: list[Offer]) -> list[Decimal]:
    """The frequencies that are set; none when a refused one leaves the sum open."""
    every = [frequency(message) for offer in weighed for message in offer.messages]
    shortened = any(isinstance(getattr(offer.node, offer.field), TruncatedList) for offer in weighed)
    has_unused = 0 in every  # `frequency-never-used` says so, and its share will change the sum
    return (
        []
        if shortened or has_unused or None in every
        else [frequency_part for frequency_part in every if frequency_part]
    )
