"""Offer message that does not name the items it sells.

The runtime adds these items to the order when the customer says yes, and analytics count them as sold. Without them the
agent asks a question but does not know what the answer refers to. Disabled upsells are not reported.

Specification: channel-config, OfferMessage: "Names of items upsold. Set this or upsoldItemIds, not both."

Good, as UpsellConfig:

    priority: 1
    greetingOffer:
      messages:
        - upsoldItemIds: ["301"]
          messageConfigs: [{languageCode: en, messageText: Fries with that?}]

Bad, as UpsellConfig:

    priority: 1
    greetingOffer:
      messages:
        - displayName: Fries  # <- this offer names no items; add upsoldItems or upsoldItemIds
          messageConfigs: [{languageCode: en, messageText: Fries with that?}]

Bad, as UpsellConfig:

    priority: 1
    closingOffer:
      closingMessages:
        - offerMessage:  # <- this offer names no items
            messageConfigs: [{languageCode: en, messageText: A cookie?}]
          skipTerms: [cookie]
"""

from collections.abc import Iterator

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import OfferMessage, UpsellConfig


def has_spoken_offer(upsell: UpsellConfig) -> bool:
    """Whether an enabled upsell has a greeting offer or a closing offer."""
    return bool((upsell.greetingOffer or upsell.closingOffer) and not upsell.disabled)


@rule(UpsellConfig, severity=Severity.WARNING, absence=True, prefilter=has_spoken_offer)
def check(upsell: UpsellConfig) -> Findings:
    """Flag each message of an enabled offer that has neither names nor ids."""
    if upsell.disabled:
        return
    for message in _messages(upsell):
        if not (message.upsoldItems or message.upsoldItemIds) and all(
            message.is_unset(name) for name in message.unions["upsold items"]
        ):
            yield message.finding(None, "this offer names no items; add upsoldItems or upsoldItemIds")


def _messages(upsell: UpsellConfig) -> Iterator[OfferMessage]:
    if upsell.greetingOffer:
        yield from upsell.greetingOffer.messages or ()
    if upsell.closingOffer:
        closing = upsell.closingOffer.closingMessages or ()
        yield from (
            closing_message.offerMessage for closing_message in closing if closing_message.offerMessage is not None
        )
