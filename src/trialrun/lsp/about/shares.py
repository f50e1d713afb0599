"""How often the messages of an offer are used that do not say so themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.channel_config import OfferMessage, UpsellStrategy
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.voice.message import OfferType


def shares_left_open(config: Node) -> Iterator[tuple[OfferMessage, str]]:
    """The messages of a ChannelConfig without a frequency, of offer types that have others, each with its share."""
    from trialrun.runtime.channel_config.voice.message import lots

    operations = getattr(config, "operationsConfig", None)
    strategy: UpsellStrategy | None = operations.upsellStrategy if operations else None
    kinds: tuple[OfferType, ...] = ("greetingOffer", "closingOffer")
    if strategy is None:
        return
    for kind in kinds:
        found = lots(strategy, kind).messages
        for one in found if len(found) > 1 else ():
            if not one.message.has("messageFrequency"):
                yield one.message, f"{one.share} of sessions" if one.share else "not used"
