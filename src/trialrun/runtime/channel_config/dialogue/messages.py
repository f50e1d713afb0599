"""What the agent says by itself: the greeting, and the messages of greeting and closing offers.

Which text is said follows from the customer's language and the random draw of a session.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Final, Literal

from trialrun.runtime.channel_config.session.ranking import sort_by_priority
from trialrun.runtime.channel_config.session.turn import Utterance
from trialrun.values.language_tag import OfferedLanguages, english_name

if TYPE_CHECKING:
    from trialrun.model.channel_config import Greetings, MessageConfig, OfferMessage, UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.options import MessageDraw


MAX_LISTED = 10
"""Languages that a reason lists; of more, their number is given."""
RANGE_SIZE = 2**64


def draw(seed: int, purpose: str) -> int:
    """A number from 0 up to, and without, 2**64 for a purpose, evenly spread over the seeds, equal on every machine."""
    return int.from_bytes(start_draws(seed, purpose).digest(), "big")


def start_draws(seed: int, purpose: str) -> blake2b:
    """What draws have in common whose purposes begin alike."""
    return blake2b(f"{seed}\0{purpose}".encode("utf-8", "surrogatepass"), digest_size=8)


def negotiate_language(
    wanted: str | None, offered: OfferedLanguages | Sequence[str], default: str | None
) -> str | None:
    """The offered tag for a customer's language, None if unknown, by the lookup of RFC 4647; else for the default."""
    languages = offered if isinstance(offered, OfferedLanguages) else OfferedLanguages(offered)
    matches = (languages.lookup(tag) for tag in (wanted, default) if tag)
    return next((tag for tag in matches if tag is not None), None)


def why_no_language(wanted: str | None, offered: Sequence[str], default: str | None) -> str:
    """Why no offered tag serves a customer: which languages were looked for, and which there are."""
    if not offered:
        return "there is no text in any language"
    named = ((tag, english_name(tag)) for tag in (wanted, default) if tag)  # as in fr-CA (French, Canada)
    described = (f"{tag} ({name.replace(' (', ', ').rstrip(')')})" if name else tag for tag, name in named)
    missing = " or ".join(dict.fromkeys(described)) or "a known language"
    no_default = "" if default else ", and no defaultLanguageCode"
    tags = list(dict.fromkeys(offered))
    more = f", … {len(tags)} in all" if len(tags) > MAX_LISTED else ""
    return f"there is no text in {missing}{no_default}; the texts are in {', '.join(tags[:MAX_LISTED])}{more}"


OfferType = Literal["greetingOffer", "closingOffer"]
OFFER_KINDS: Final[Mapping[OfferType, Literal["greeting-offer", "closing-offer"]]] = {
    "greetingOffer": "greeting-offer",
    "closingOffer": "closing-offer",
}
OFFER_TYPES: Final = tuple(OFFER_KINDS)


@dataclass(frozen=True)
class DrawnMessage:
    """A message that is drawn, and the upsell that has it.

    `share` is the fraction of the draws that give it; `skip_terms` are those of a closing message.
    """

    upsell: UpsellConfig
    message: OfferMessage
    skip_terms: tuple[str, ...]
    share: Fraction

    @cached_property
    def texts(self) -> MessageTexts:
        """Its texts, of which customers of several languages hear one each."""
        return MessageTexts(self.message)


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
        index = bisect_right(self.bounds, draw(seed, self.purpose)) if self.messages else 0
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
    # the first offer is drawn as the only one is, so that another one behind it changes nothing
    return tuple(
        _build_lottery(f"{kind} {index}" if index else kind, list(_messages(upsell, kind)))
        for index, upsell in enumerate(offers)
    )


def substitute_lotteries(kind: OfferType, of_type: MessageLottery) -> dict[int, MessageLottery]:
    """The used messages of each offer, weighed by themselves, by the identity of its upsell.

    One of them is said where the offer steps in for another one, whose message `of_type` gave and which is passed over.
    """
    used: dict[int, list[DrawnMessage]] = {}
    for message in of_type.messages:
        if message.share:
            used.setdefault(id(message.upsell), []).append(message)
    lotteries: dict[int, MessageLottery] = {}
    for index, (upsell, messages) in enumerate(used.items(), start=1):
        total = sum(message.share for message in messages)
        bounds = _bounds([message.share / total for message in messages])
        lotteries[upsell] = MessageLottery(f"{kind} {index}", tuple(messages), bounds)
    return lotteries


WeighedMessage = tuple["UpsellConfig", "OfferMessage", tuple[str, ...]]


def _build_lottery(purpose: str, weighed_messages: Sequence[WeighedMessage]) -> MessageLottery:
    frequencies = [_fraction(message.messageFrequency or 0) for _, message, _ in weighed_messages]
    total = sum(frequencies)
    shares = [
        frequency / max(total, Fraction(1)) if total else Fraction(1, len(frequencies)) for frequency in frequencies
    ]
    messages = tuple(DrawnMessage(*weighed, share) for weighed, share in zip(weighed_messages, shares, strict=True))
    return MessageLottery(purpose, messages, _bounds(shares))


@lru_cache
def _fraction(frequency: float) -> Fraction:
    """A frequency as the file has it: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(Decimal(repr(frequency)))


def _bounds(shares: Sequence[Fraction]) -> tuple[int, ...]:
    return tuple(ceil(bound * RANGE_SIZE) for bound in accumulate(shares))


def _messages(upsell: UpsellConfig, kind: OfferType) -> Iterator[WeighedMessage]:
    if kind == "greetingOffer" and upsell.greetingOffer:
        for message in upsell.greetingOffer.messages or ():
            yield upsell, message, ()
    elif kind == "closingOffer" and upsell.closingOffer:
        for closing in upsell.closingOffer.closingMessages or ():
            if closing.offerMessage:
                yield upsell, closing.offerMessage, tuple(closing.skipTerms or ())


class MessageTexts:
    """The texts of a message, of which customers of several languages hear one each."""

    def __init__(self, message: OfferMessage) -> None:
        texts = [
            text for text in message.messageConfigs or () if text.languageCode and (text.messageText or "").strip()
        ]
        self._languages = [text.languageCode or "" for text in texts]
        self._offered = OfferedLanguages(self._languages)
        self._by_tag = {text.languageCode: text for text in reversed(texts)}

    def text_for(self, language: str | None, default: str | None) -> MessageConfig | str:
        """The text that a customer of a language hears; why there is none in it or the default language."""
        tag = negotiate_language(language, self._offered, default)
        return why_no_language(language, self._languages, default) if tag is None else self._by_tag[tag]


LISTENS_ONLY = "the agent only listens: interactionMode is LISTEN_ONLY"


def greeting_choices(active_config: ActiveConfig, language: str | None) -> Sequence[Utterance] | str:
    """The phrases that may greet a customer, of one language; why there is none."""
    greetings = greetings_for(active_config, language)
    if isinstance(greetings, str):
        return greetings
    origins = {index: active_config.origin_of(greetings, "greetingPhrases", index) for index in _phrases(greetings)}
    texts, tag = greetings.greetingPhrases or [], greetings.languageCode
    return [Utterance(texts[index], "greeting", tag, origin) for index, origin in origins.items()]


def choose_greeting(choices: Sequence[Utterance], seed: int) -> Utterance:
    """The phrase that greets a customer, each as likely as the others."""
    return choices[draw(seed, "greeting") * len(choices) // RANGE_SIZE]


def greetings_for(active_config: ActiveConfig, language: str | None) -> Greetings | str:
    """The greeting in a customer's language, else in the default language, else one that names none; else why none."""
    if active_config.listens_only:
        return LISTENS_ONLY
    of_store: Sequence[Greetings] = active_config.operations_field("greetings") or ()
    greetings = [greeting for greeting in of_store if _phrases(greeting)]
    if not greetings:
        return "there are no greetings"
    languages = [greeting.languageCode for greeting in greetings if greeting.languageCode]
    tag = negotiate_language(language, languages, active_config.default_language)
    for greeting in greetings:
        if (greeting.languageCode or None) == tag:
            return greeting
    return f"no greeting matches: {why_no_language(language, languages, active_config.default_language)}"


def _phrases(greetings: Greetings) -> Sequence[int]:
    return [index for index, phrase in enumerate(greetings.greetingPhrases or ()) if phrase.strip()]
