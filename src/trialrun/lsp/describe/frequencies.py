"""Implicit frequencies of messages that set none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.channel_config import OfferMessage, UpsellStrategy
    from trialrun.model.node import Node
    from trialrun.runtime.options import MessageDraw


def implicit_frequencies(config: Node, message_draw: MessageDraw) -> Iterator[tuple[OfferMessage, str]]:
    """The messages of a ChannelConfig without a frequency that are weighed with others, each with its share."""
    from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, message_lotteries

    operations = getattr(config, "operationsConfig", None)
    strategy: UpsellStrategy | None = operations.upsellStrategy if operations else None
    if strategy is None:
        return
    for kind in OFFER_TYPES:
        for at, weighed in enumerate(message_lotteries(strategy, kind, message_draw)):
            of_what = "this offer" if at else "sessions"  # a later offer is made where those before it are not
            for one in weighed.messages if len(weighed.messages) > 1 else ():
                if not one.message.has("messageFrequency"):
                    yield one.message, f"{one.share} of {of_what}" if one.share else "not used"
