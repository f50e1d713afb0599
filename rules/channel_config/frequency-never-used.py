"""When one message of an offer type has a frequency, all of them have.

A message without a frequency, or with 0, is not used as soon as another message of the same offer type has one. The
text stands in the file, is translated and approved, and no customer ever hears it. The messages of all enabled
greeting offers of a strategy count together, and so do those of all closing offers.

Specification: channel-config, OfferMessage: "When only some are set, messages with unset frequency are not used."

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - {upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries?}]}
            - {upsoldItems: [Shake], messageConfigs: [{languageCode: en, messageText: A shake?}]}
      - priority: 2
        closingOffer:
          closingMessages:
            - offerMessage:
                messageFrequency: 1.0
                upsoldItems: [Cookie]
                messageConfigs: [{languageCode: en, messageText: A cookie?}]

Bad, as UpsellStrategy:

    upsells:
      - displayName: Fries first
        priority: 1
        greetingOffer:
          messages:
            - displayName: Crispy
              messageFrequency: 1.0
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Crispy fries?}]
            - displayName: Golden  # <- "Golden" is never used: it has no messageFrequency, and "Crispy" has one
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Golden fries?}]
      - priority: 2
        greetingOffer:
          messages:
            - displayName: Salty
              messageFrequency: 0.0  # <- "Salty" is never used: its messageFrequency is 0, and "Crispy" has one
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Salty fries?}]
"""

from collections.abc import Iterator

from trialrun.diagnostic import Related, Severity
from trialrun.lint.offers import Offer, frequency, offers_by_type
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import OfferMessage, UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag each message without a frequency beside one with a frequency."""
    for of_type in offers_by_type(strategy):
        messages = list(_messages(of_type))
        used = next((message for message in messages if frequency(message)), None)
        if used is None:
            continue
        for message in messages:
            if frequency(message) == 0:
                zero = message.has("messageFrequency")
                why = "its messageFrequency is 0" if zero else "it has no messageFrequency"
                yield message.flag(
                    "messageFrequency" if zero else None,
                    f"{_name(message)} is never used: {why}, and {_name(used, 'another')} has one; give it a share",
                    related=(Related("the message that has one", used.at("messageFrequency")),),
                )


def _messages(of_type: list[Offer]) -> Iterator[OfferMessage]:
    return (message for offer in of_type for message in offer.messages if message is not None)


def _name(message: OfferMessage, otherwise: str = "this message") -> str:
    return f'"{message.displayName}"' if message.displayName else otherwise
