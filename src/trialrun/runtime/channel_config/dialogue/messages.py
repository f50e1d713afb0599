"""Messages of greeting and closing offers: the random draw of a session, and the text in a language."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.language_negotiation import negotiate_language, why_no_language
from trialrun.runtime.channel_config.seeded_random import RANGE_SIZE, draw
from trialrun.runtime.channel_config.session.ranking import sort_by_priority
from trialrun.runtime.channel_config.session.turn import Utterance
from trialrun.values.language_tag import OfferedLanguages

if TYPE_CHECKING:
    from trialrun.model.channel_config import MessageConfig, OfferMessage, UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.dialogue.interface import OriginOf
    from trialrun.runtime.options import MessageDraw

OfferType = Literal["greetingOffer", "closingOffer"]
OFFER_TYPES: tuple[OfferType, ...] = ("greetingOffer", "closingOffer")


@dataclass(frozen=True, slots=True)
class DrawnMessage:
    """A message that is drawn, and the upsell that has it.

    `share` is the fraction of the draws that give it; `skip_terms` are those of a closing message.
    """

    upsell: UpsellConfig
    message: OfferMessage
    skip_terms: tuple[str, ...]
    share: Fraction


@dataclass(frozen=True, slots=True)
class MessageLottery:
    """The messages that are weighed together: `bounds` are where the share of each ends, of 2**64.

    `purpose` is what the draw depends on beside the seed.
    """

    purpose: str
    messages: tuple[DrawnMessage, ...]
    bounds: tuple[int, ...]

    def draw(self, seed: int) -> DrawnMessage | None:
        """The message of a session; None if the frequencies leave it without one."""
        index = bisect_right(self.bounds, draw(seed, self.purpose))
        return self.messages[index] if index < len(self.messages) else None


def message_lotteries(
    strategy: UpsellStrategy, kind: OfferType, message_draw: MessageDraw = "type"
) -> tuple[MessageLottery, ...]:
    """The messages of all enabled upsells of an offer type, each with its share, as they are weighed together.

    With `type` those of all offers at once, laid out in the order in which offers are attempted; with `offer` those of
    each offer by itself, in that order.

    Where no frequency is set, or all are 0, each message is as likely; where some are, only these count, as fractions
    of all draws, or in proportion where they add up to more than 1 (specification: channel-config, OfferMessage).
    The arithmetic is that of whole numbers.
    """
    enabled = [upsell for upsell in strategy.upsells or () if getattr(upsell, kind) and not upsell.disabled]
    offers = sort_by_priority(enabled)
    if message_draw == "type":
        return (_build_lottery(kind, [message for upsell in offers for message in _messages(upsell, kind)]),)
    in_turn = (list(_messages(upsell, kind)) for upsell in offers)
    # the first offer is drawn as the only one is, so that another one behind it changes nothing
    return tuple(
        _build_lottery(f"{kind} {index}" if index else kind, messages) for index, messages in enumerate(in_turn)
    )


def substitute_lotteries(kind: OfferType, of_type: MessageLottery) -> dict[int, MessageLottery]:
    """The used messages of each offer, weighed by themselves, by the identity of its upsell.

    One of them is said where the offer steps in for another one, whose message `of_type` gave and which is passed over.
    """
    used: dict[int, list[DrawnMessage]] = {}
    for message in of_type.messages:
        if message.share:
            used.setdefault(id(message.upsell), []).append(message)
    return {
        upsell: MessageLottery(f"{kind} {index}", tuple(messages), _bounds(_normalized(messages)))
        for index, (upsell, messages) in enumerate(used.items(), start=1)
    }


def _normalized(messages: Sequence[DrawnMessage]) -> list[Fraction]:
    total = sum(message.share for message in messages)
    return [message.share / total for message in messages]


WeighedMessage = tuple["UpsellConfig", "OfferMessage", tuple[str, ...]]


def _build_lottery(purpose: str, weighed_messages: Sequence[WeighedMessage]) -> MessageLottery:
    shares = _shares([_frequency(message) for _, message, _ in weighed_messages])
    messages = tuple(DrawnMessage(*weighed, share) for weighed, share in zip(weighed_messages, shares, strict=True))
    return MessageLottery(purpose, messages, _bounds(shares))


def _bounds(shares: Sequence[Fraction]) -> tuple[int, ...]:
    return tuple(ceil(bound * RANGE_SIZE) for bound in accumulate(shares))


def _messages(upsell: UpsellConfig, kind: OfferType) -> Iterator[WeighedMessage]:
    if kind == "greetingOffer" and upsell.greetingOffer:
        yield from ((upsell, message, ()) for message in upsell.greetingOffer.messages or ())
    elif kind == "closingOffer" and upsell.closingOffer:
        closing = upsell.closingOffer.closingMessages or ()
        yield from (
            (upsell, message.offerMessage, tuple(message.skipTerms or ()))
            for message in closing
            if message.offerMessage
        )


def _frequency(message: OfferMessage) -> Fraction:
    """The frequency as the file has it: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(Decimal(repr(message.messageFrequency or 0)))


def _shares(frequencies: Sequence[Fraction]) -> list[Fraction]:
    total = sum(frequencies)
    if not total:
        return [Fraction(1, len(frequencies)) for _ in frequencies]
    return [frequency / max(total, Fraction(1)) for frequency in frequencies]


def message_utterance(
    message: OfferMessage,
    language: str | None,
    default: str | None,
    origin_of: OriginOf,
    *,
    kind: Literal["greeting-offer", "closing-offer"] = "greeting-offer",
) -> Utterance | None:
    """The text of a message for a customer's language, else for the default language; None if it has neither.

    `why_no_text` says why there is none.
    """
    text = MessageTexts(message).text_for(language, default)
    if text is None or text.messageText is None:
        return None
    return Utterance(text.messageText, kind, text.languageCode, origin_of(text, "messageText"))


class MessageTexts:
    """The texts of a message, of which customers of several languages hear one each."""

    def __init__(self, message: OfferMessage) -> None:
        texts = _texts(message)
        self._offered = OfferedLanguages([text.languageCode or "" for text in texts])
        self._by_tag = {text.languageCode: text for text in reversed(texts)}

    def text_for(self, language: str | None, default: str | None) -> MessageConfig | None:
        """The text that a customer of a language hears; None if there is none in it or the default language."""
        tag = negotiate_language(language, self._offered, default)
        return None if tag is None else self._by_tag[tag]


def why_no_text(message: OfferMessage, language: str | None, default: str | None) -> str:
    """Why `message_utterance` finds no text in a message."""
    return why_no_language(language, [text.languageCode or "" for text in _texts(message)], default)


def _texts(message: OfferMessage) -> list[MessageConfig]:
    return [text for text in message.messageConfigs or () if text.languageCode and (text.messageText or "").strip()]
