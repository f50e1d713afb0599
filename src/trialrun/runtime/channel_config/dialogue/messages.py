"""Which message of a greeting offer or closing offer a session gets, and in which language it is said."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.language_negotiation import served, why_none
from trialrun.runtime.channel_config.menu import NotOnMenu
from trialrun.runtime.channel_config.seeded_random import ALL, draw
from trialrun.runtime.channel_config.session.ranking import in_order
from trialrun.runtime.channel_config.session.turn import Said

if TYPE_CHECKING:
    from trialrun.model.channel_config import MessageConfig, OfferMessage, UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.dialogue.interface import OriginOf
    from trialrun.runtime.channel_config.menu import Item, MenuOfBrand
    from trialrun.runtime.options import MessageDraw

OfferType = Literal["greetingOffer", "closingOffer"]
OFFER_TYPES: tuple[OfferType, ...] = ("greetingOffer", "closingOffer")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A message that is drawn, and the upsell that has it.

    `share` is the fraction of the draws that give it; `skip_terms` are those of a closing message.
    """

    upsell: UpsellConfig
    message: OfferMessage
    skip_terms: tuple[str, ...]
    share: Fraction


@dataclass(frozen=True, slots=True)
class Lots:
    """The messages that are weighed together: `bounds` are where the share of each ends, of 2**64.

    `purpose` is what the draw depends on beside the seed.
    """

    purpose: str
    messages: tuple[Drawn, ...]
    bounds: tuple[int, ...]

    def drawn(self, seed: int) -> Drawn | None:
        """The message of a session; None where the frequencies leave it without one."""
        at = bisect_right(self.bounds, draw(seed, self.purpose))
        return self.messages[at] if at < len(self.messages) else None


def lots(strategy: UpsellStrategy, kind: OfferType, message_draw: MessageDraw = "offer") -> tuple[Lots, ...]:
    """The messages of all enabled upsells of an offer type, each with its share, as they are weighed together.

    With `offer` those of each offer, in the order in which offers are attempted; with `type` those of all offers at
    once, in the order of the strategy.

    Where no frequency is set, or all are 0, each message is as likely; where some are, only these count, as fractions
    of all draws, or in proportion where they add up to more than 1 (specification: channel-config, OfferMessage).
    The arithmetic is that of whole numbers.
    """
    offers = [upsell for upsell in strategy.upsells or () if getattr(upsell, kind) and not upsell.disabled]
    if message_draw == "type":
        return (_lots(kind, [message for upsell in offers for message in _messages(upsell, kind)]),)
    in_turn = (list(_messages(upsell, kind)) for upsell in in_order(offers))
    # the first offer is drawn as the only one is, so that another one behind it changes nothing
    return tuple(_lots(f"{kind} {at}" if at else kind, messages) for at, messages in enumerate(in_turn))


Weighed = tuple["UpsellConfig", "OfferMessage", tuple[str, ...]]


def _lots(purpose: str, every: Sequence[Weighed]) -> Lots:
    shares = _shares([_frequency(message) for _, message, _ in every])
    messages = tuple(Drawn(*one, share) for one, share in zip(every, shares, strict=True))
    return Lots(purpose, messages, tuple(ceil(bound * ALL) for bound in accumulate(shares)))


def _messages(upsell: UpsellConfig, kind: OfferType) -> Iterator[Weighed]:
    if kind == "greetingOffer" and upsell.greetingOffer:
        yield from ((upsell, message, ()) for message in upsell.greetingOffer.messages or ())
    elif kind == "closingOffer" and upsell.closingOffer:
        closing = upsell.closingOffer.closingMessages or ()
        yield from ((upsell, one.offerMessage, tuple(one.skipTerms or ())) for one in closing if one.offerMessage)


def _frequency(message: OfferMessage) -> Fraction:
    """The frequency as the file has it: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(Decimal(repr(message.messageFrequency or 0)))


def _shares(frequencies: Sequence[Fraction]) -> list[Fraction]:
    total = sum(frequencies)
    if not total:
        return [Fraction(1, len(frequencies)) for _ in frequencies]
    return [one / max(total, Fraction(1)) for one in frequencies]


def said(
    message: OfferMessage,
    language: str | None,
    default: str | None,
    origin_of: OriginOf,
    *,
    kind: Literal["greeting-offer", "closing-offer"] = "greeting-offer",
) -> Said | None:
    """The text of a message for a customer's language, else for the default language; None where it has neither.

    `why_unsaid` says why there is none.
    """
    texts = _texts(message)
    tag = served(language, [one.languageCode or "" for one in texts], default)
    found = next((one for one in texts if one.languageCode == tag), None)
    if found is None or found.messageText is None:
        return None
    return Said(found.messageText, kind, found.languageCode, origin_of(found, "messageText"))


def why_unsaid(message: OfferMessage, language: str | None, default: str | None) -> str:
    """Why `said` finds no text in a message."""
    return why_none(language, [one.languageCode or "" for one in _texts(message)], default)


def _texts(message: OfferMessage) -> list[MessageConfig]:
    return [one for one in message.messageConfigs or () if one.languageCode and (one.messageText or "").strip()]


def upsold(message: OfferMessage, menu: MenuOfBrand) -> tuple[str, ...]:
    """The names of the items that a message upsells; an id that the menu does not have stands for itself."""
    if message.upsoldItems:
        return tuple(dict.fromkeys(message.upsoldItems))
    return tuple(dict.fromkeys(_name(menu.item, id) for id in message.upsoldItemIds or ()))


def _name(item: Callable[[str], Item], id: str) -> str:
    try:
        return item(id).name
    except NotOnMenu:
        return id
