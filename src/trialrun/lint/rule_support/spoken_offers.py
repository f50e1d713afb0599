"""The spoken offers of a strategy: greeting offers and closing offers, with their messages."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.rule import Context
from trialrun.model.channel_config import ClosingOffer, GreetingOffer, OfferMessage, UpsellConfig, UpsellStrategy


@dataclass(frozen=True, slots=True)
class Offer:
    """The greeting offer or closing offer of an enabled upsell; `field` is the list that holds its messages.

    Messages whose offerMessage is missing or was refused are None.
    """

    upsell: UpsellConfig
    node: GreetingOffer | ClosingOffer
    field: str
    messages: tuple[OfferMessage | None, ...]

    @property
    def kind(self) -> str:
        """The word for the occasion of the offer."""
        return "greeting" if self.field == "messages" else "closing"


def spoken_offers(strategy: UpsellStrategy) -> Iterator[Offer]:
    """The spoken offers of the enabled upsells, in the order of the file."""
    for upsell in strategy.upsells or ():
        if upsell.disabled:
            continue
        if upsell.greetingOffer and upsell.greetingOffer.messages:
            offer = upsell.greetingOffer
            yield Offer(upsell, offer, "messages", tuple(offer.messages or ()))
        if upsell.closingOffer and upsell.closingOffer.closingMessages:
            closing = upsell.closingOffer.closingMessages
            yield Offer(
                upsell,
                upsell.closingOffer,
                "closingMessages",
                tuple(closing_message.offerMessage for closing_message in closing),
            )


def message_pools(strategy: UpsellStrategy, context: Context) -> list[list[Offer]]:
    """The enabled offers whose messages are weighed together by `message-draw`: each by itself, or all of one type."""
    draw: Literal["offer", "type"] = context.options["message-draw"]
    return context.shared(f"message pools of {id(strategy)} by {draw}", lambda: _message_pools(strategy, draw))


def _message_pools(strategy: UpsellStrategy, draw: Literal["offer", "type"]) -> list[list[Offer]]:
    every = list(spoken_offers(strategy))
    if draw == "offer":
        return [[offer] for offer in every]
    types = [[offer for offer in every if offer.field == field] for field in ("messages", "closingMessages")]
    return [of_type for of_type in types if of_type]


def frequency(message: OfferMessage | None) -> Decimal | None:
    """The frequency as a person reads it, 0 where it is unset; None if a value was refused and nothing is known."""
    if message is None:
        return None
    if message.messageFrequency is None:
        return None if message.has("messageFrequency") else Decimal(0)
    return _as_written(message.messageFrequency)


@lru_cache(maxsize=1024)
def _as_written(number: float) -> Decimal:
    return Decimal(repr(number))


def format_percent(number: Decimal) -> str:
    """A fraction of all sessions as a percentage, without trailing zeros: 0.125 is 12.5%."""
    return f"{(number * 100).normalize():f}%"


def are_equal_shares(frequencies: list[Decimal]) -> bool:
    """Whether these are equal shares of 1, rounded to two digits or more: 0.33 three times, which adds up to 0.99."""
    first = frequencies[0]
    exponent = first.as_tuple().exponent
    if not isinstance(exponent, int) or exponent > -2 or any(frequency != first for frequency in frequencies):
        return False
    return abs(first * len(frequencies) - 1) <= Decimal(1).scaleb(exponent) * len(frequencies) / 2
