"""Message that is never used because only other messages have a frequency.

A message without a frequency, or with 0, is not used when another message of the same group has one. Its text is in the
file, translated and approved, but no customer hears it. The messages of all enabled greeting offers of a strategy form
a group, and those of all closing offers; with `message-draw = "offer"` in `[runtime]`, those of each offer do.

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
            - displayName: Salty
              messageFrequency: 0.0  # <- "Salty" is never used: its messageFrequency is 0, and "Crispy" has one
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Salty fries?}]

Bad, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer:
          messages:
            - displayName: Crispy
              messageFrequency: 1.0
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Crispy fries?}]
      - priority: 2
        greetingOffer:
          messages:
            - displayName: Golden  # <- "Golden" is never used: it has no messageFrequency, and "Crispy" has one
              upsoldItems: [Fries]
              messageConfigs: [{languageCode: en, messageText: Golden fries?}]
"""

from collections.abc import Iterator

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.languages import Offer, frequency, message_pools
from trialrun.model.channel_config import OfferMessage, UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING, options={"message-draw": "type"})
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag each message without a frequency beside one with a frequency."""
    for weighed in message_pools(strategy, context):
        messages = list(_messages(weighed))
        used = next((message for message in messages if frequency(message)), None)
        if used is None:
            continue
        for message in messages:
            if frequency(message) == 0:
                zero = message.has("messageFrequency")
                why = "its messageFrequency is 0" if zero else "it has no messageFrequency"
                yield message.finding(
                    "messageFrequency" if zero else None,
                    f"{_name(message)} is never used: {why}, and {_name(used, 'another')} has one; "
                    "set its messageFrequency",
                    related=(Related("the message that has one", used.location("messageFrequency")),),
                )


def _messages(weighed: list[Offer]) -> Iterator[OfferMessage]:
    return (message for offer in weighed for message in offer.messages if message is not None)


def _name(message: OfferMessage, otherwise: str = "this message") -> str:
    return f'"{message.displayName}"' if message.displayName else otherwise
