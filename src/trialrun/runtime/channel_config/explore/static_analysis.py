"""Static analysis of a configuration: upsells that can never be offered, and limits that are never reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from trialrun.runtime.channel_config.dialogue.messages import (
    OFFER_TYPES,
    DrawnMessage,
    MessageLottery,
    OfferType,
    message_lotteries,
    negotiate_language,
)
from trialrun.runtime.channel_config.dialogue.offered_items import offered_items
from trialrun.runtime.channel_config.menu import BrandMenu, NameForm
from trialrun.runtime.channel_config.session.ranking import is_real_offer, sort_by_priority, with_certain_predecessors

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.options import MessageDraw

OFFER_LIMIT_FIELDS = ("maxUpsellOffers", "maxUpsellDeclines")


@dataclass(frozen=True, slots=True)
class NeverOffered:
    """Why no session offers an upsell: what causes it, and in words.

    `limit` is the field of the strategy that keeps it back, if one does; `predecessors` are the upsells that are made
    in every session before it has its turn.
    """

    cause: Literal["listen-only", "limit", "condition", "frequency", "offers-used-up", "other-offer"]
    reason: str
    limit: str | None = None
    predecessors: tuple[UpsellConfig, ...] = ()


@dataclass(frozen=True)
class StaticAnalysis:
    """What decides which upsells a session can offer: the strategy in effect, and what it depends on beside it.

    `constant` gives the value that the condition of an upsell always has, None if it has none. `is_always_sold` says of
    the items of an offer, which are written as names of a form, whether one is sold at all times, or there are none.
    """

    strategy: UpsellStrategy
    constant: Callable[[UpsellConfig], bool | None]
    is_always_sold: Callable[[Sequence[str], NameForm], bool]
    listens_only: bool = False
    default_language: str | None = None
    message_draw: MessageDraw = "type"

    @classmethod
    def for_store(
        cls, active_config: ActiveConfig, menu: BrandMenu, constant: Callable[[UpsellConfig], bool | None]
    ) -> StaticAnalysis | None:
        """What is in effect at a store; None if there is no strategy."""
        strategy, store = active_config.upsell_strategy, active_config.store.name
        if strategy is None:
            return None

        def is_always_sold(items: Sequence[str], form: NameForm) -> bool:
            pairs = offered_items(items, menu, form).pairs
            return not pairs or any(item is None or menu.is_always_sold(item, store) for _, item in pairs)

        listens_only = active_config.operations_field("interactionMode") == "LISTEN_ONLY"
        default_language = active_config.operations_field("defaultLanguageCode")
        return cls(strategy, constant, is_always_sold, listens_only, default_language, active_config.message_draw)

    @cached_property
    def lotteries(self) -> dict[OfferType, tuple[MessageLottery, ...]]:
        """The messages of each offer type, as they are weighed together."""
        return {kind: message_lotteries(self.strategy, kind, self.message_draw) for kind in OFFER_TYPES}

    @cached_property
    def certain_offers(self) -> dict[OfferType, UpsellConfig]:
        """The greeting and the closing offer that every session makes, except for what skips it."""
        offers: dict[OfferType, UpsellConfig] = {}
        for kind, lottery in ((kind, lottery) for kind, lotteries in self.lotteries.items() for lottery in lotteries):
            drawn = [message for message in lottery.messages if message.share]
            # a closing message may be skipped for what is in the order, or for the turn before
            may_be_skipped = any(message.skip_terms or message.upsell.skipOnPreviousTurnUpsell for message in drawn)
            if kind in offers or (kind == "closingOffer" and may_be_skipped):
                continue
            if sum(message.share for message in drawn) == 1 and all(map(self._is_always_made, drawn)):
                offers[kind] = drawn[0].upsell
        return offers

    def _is_always_made(self, drawn: DrawnMessage) -> bool:
        """Whether every customer hears a message at any time: those with another language hear the default language."""
        message = drawn.message
        languages = [text.languageCode for text in message.messageConfigs or () if (text.messageText or "").strip()]
        is_said = negotiate_language(self.default_language, [tag for tag in languages if tag], None) is not None
        return is_said and self.is_always_sold(message.upsoldItems or message.upsoldItemIds or (), "name")

    @cached_property
    def _never_drawn(self) -> set[int]:
        lotteries = (lottery for lotteries in self.lotteries.values() for lottery in lotteries)
        messages = [message for lottery in lotteries for message in lottery.messages]
        return {id(one.upsell) for one in messages} - {id(one.upsell) for one in messages if one.share}

    @cached_property
    def _zero_limit(self) -> str | None:
        return next((field for field in OFFER_LIMIT_FIELDS if getattr(self.strategy, field) == 0), None)

    @cached_property
    def _rank(self) -> dict[int, int]:
        return {id(upsell): rank for rank, upsell in enumerate(sort_by_priority(self.strategy.upsells or ()))}

    @cached_property
    def _predecessors(self) -> dict[int, tuple[UpsellConfig, ...]]:
        """The CEL upsells that every session is offered before each, except for what skips it."""

        def is_certain(upsell: UpsellConfig) -> bool:
            cel = upsell.celUpsell
            if cel is None or self.constant(upsell) is not True:
                return False
            return self.is_always_sold(cel.suggestedMenuItems or (), "semantic name")

        ranked = with_certain_predecessors(self.strategy.upsells or (), is_certain)
        return {id(upsell): predecessors for upsell, predecessors in ranked}

    def why_never(self, upsell: UpsellConfig) -> NeverOffered | None:
        """Why no session offers an enabled upsell; None if one may."""
        if self.listens_only:
            return NeverOffered("listen-only", "interactionMode is LISTEN_ONLY, so the agent does not speak")
        if self._zero_limit and is_real_offer(upsell):
            return NeverOffered("limit", f"{self._zero_limit} is 0", self._zero_limit)
        if self.constant(upsell) is False:
            return NeverOffered("condition", "its condition is never true")
        if id(upsell) in self._never_drawn:
            reason = "its messages have no messageFrequency, but other messages of the strategy do"
            return NeverOffered("frequency", reason)
        return self._preceded_by_offer(upsell) or self._offers_used_up(upsell)

    def _preceded_by_offer(self, upsell: UpsellConfig) -> NeverOffered | None:
        if upsell.celUpsell or self.message_draw == "type":
            return None
        for kind, first in self.certain_offers.items():
            if getattr(upsell, kind) and self._rank[id(first)] < self._rank[id(upsell)]:
                reason = f"{first.title} is attempted before it and is offered in every session"
                return NeverOffered("other-offer", reason, predecessors=(first,))
        return None

    def _offers_used_up(self, upsell: UpsellConfig) -> NeverOffered | None:
        """Which offers every session makes before an upsell has its turn, where they use up all of its offers."""
        max_offers, greeting = self.strategy.maxUpsellOffers, self.certain_offers.get("greetingOffer")
        if max_offers is None or upsell.greetingOffer or not is_real_offer(upsell):
            return None
        if greeting and max_offers == 1:
            reason = "a greeting offer is made in every session and uses up maxUpsellOffers, 1"
            return NeverOffered("offers-used-up", reason, "maxUpsellOffers", (greeting,))
        predecessors = self._predecessors.get(id(upsell), ())
        if not upsell.celUpsell or len(predecessors) + (greeting is not None) < max_offers:
            return None
        certain_offers = (*([greeting] if greeting else []), *predecessors)[:max_offers]
        names = " and ".join("a greeting offer" if offer is greeting else offer.title for offer in certain_offers)
        verb_phrase = "is always offered first and uses" if max_offers == 1 else "are always offered first and use"
        reason = f"{names} {verb_phrase} up maxUpsellOffers, {max_offers}"
        return NeverOffered("offers-used-up", reason, "maxUpsellOffers", certain_offers)


def why_limit_unreachable(limit: str, strategy: UpsellStrategy) -> str | None:
    """Why no session reaches a limit, in words; None if one may.

    A session has at most one greeting offer and one closing offer, however many there are of each.
    """
    if limit not in OFFER_LIMIT_FIELDS:
        return None
    real = [upsell for upsell in strategy.upsells or () if not upsell.disabled and is_real_offer(upsell)]
    most = sum(upsell.celUpsell is not None for upsell in real)
    most += any(upsell.greetingOffer for upsell in real) + any(upsell.closingOffer for upsell in real)
    value, offers = getattr(strategy, limit), strategy.maxUpsellOffers
    if limit == "maxUpsellDeclines" and offers is not None and value >= offers:
        return f"maxUpsellOffers, {offers}, is reached first"
    return f"a session has at most {most} offer{'' if most == 1 else 's'}" if value >= most else None
