"""What follows from a configuration alone: upsells that no session can offer, and limits that no session reaches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.language_negotiation import served
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, Drawn, Lots, OfferType, lots
from trialrun.runtime.channel_config.session.ranking import in_order, is_real, with_front

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.options import MessageDraw

Cause = Literal["listen-only", "limit", "condition", "frequency", "offers-used-up", "other-offer"]
LIMITS_OF_OFFERS = ("maxUpsellOffers", "maxUpsellDeclines")


@dataclass(frozen=True, slots=True)
class Never:
    """Why no session offers an upsell: what causes it, and in words.

    `limit` is the field of the strategy that keeps it back, if one does; `front` are the upsells that are made in every
    session before it has its turn.
    """

    cause: Cause
    words: str
    limit: str | None = None
    front: tuple[UpsellConfig, ...] = ()


class Selling:
    """What decides which upsells a session can offer: the strategy in force, and what it depends on beside it.

    `constant` gives the value that the condition of an upsell always has, None where it has none.
    """

    def __init__(
        self,
        strategy: UpsellStrategy,
        constant: Callable[[UpsellConfig], bool | None],
        *,
        listens_only: bool = False,
        default_language: str | None = None,
        message_draw: MessageDraw = "offer",
    ) -> None:
        self.strategy, self.constant = strategy, constant
        self.listens_only, self.default_language = listens_only, default_language
        self.message_draw = message_draw

    @classmethod
    def at(cls, in_force: InForce, constant: Callable[[UpsellConfig], bool | None]) -> Selling | None:
        """What is in force at a store; None where there is no strategy."""
        strategy = in_force.upsell_strategy
        return (
            None
            if strategy is None
            else cls(
                strategy,
                constant,
                listens_only=in_force.operation("interactionMode") == "LISTEN_ONLY",
                default_language=in_force.operation("defaultLanguageCode"),
                message_draw=in_force.message_draw,
            )
        )

    @cached_property
    def weighed(self) -> dict[OfferType, tuple[Lots, ...]]:
        """The messages of each offer type, as they are weighed together."""
        return {kind: lots(self.strategy, kind, self.message_draw) for kind in OFFER_TYPES}

    @cached_property
    def unused(self) -> Sequence[Drawn]:
        """The messages that no session uses, since they have no frequency where others have one."""
        every = (message for lots_ in self.weighed.values() for one in lots_ for message in one.messages)
        return [message for message in every if not message.share]

    @cached_property
    def _unheard(self) -> set[int]:
        """The upsells by their identities that have messages none of which any session uses."""
        every = [message for lots_ in self.weighed.values() for one in lots_ for message in one.messages]
        return {id(message.upsell) for message in every} - {id(one.upsell) for one in every if one.share}

    @cached_property
    def _certain_offers(self) -> dict[OfferType, UpsellConfig | None]:
        """The first offer of each type that can be made in every session, but for the limits of the strategy."""
        return {kind: self._certain_offer(kind) for kind in OFFER_TYPES}

    def _certain_offer(self, kind: OfferType) -> UpsellConfig | None:
        for one in self.weighed[kind]:
            upsells = [message.upsell for message in one.messages if message.share]
            if sum(message.share for message in one.messages) != 1 or not all(map(self._is_said, one.messages)):
                continue
            if kind == "greetingOffer" or not any(map(_may_be_skipped, one.messages)):
                return upsells[0]
        return None

    def _is_said(self, drawn: Drawn) -> bool:
        """Whether every customer hears a message: who speaks another language hears it in the default language."""
        texts = [one.languageCode for one in drawn.message.messageConfigs or () if (one.messageText or "").strip()]
        return not drawn.share or served(self.default_language, [tag for tag in texts if tag], None) is not None

    @cached_property
    def greeting(self) -> UpsellConfig | None:
        """A greeting offer that is made where no other one is; None where some session may have none."""
        return self._certain_offers["greetingOffer"]

    @cached_property
    def _fronts(self) -> dict[int, tuple[UpsellConfig, ...]]:
        ranked = with_front(self.strategy.upsells or (), lambda one: self.constant(one) is True)
        return {id(upsell): front for upsell, front in ranked}

    @cached_property
    def _most_before(self) -> int:
        """The most offers that every session may have before some upsell: a greeting, and what always triggers."""
        return (1 if self.greeting else 0) + sum(self.constant(one) is True for one in self.strategy.upsells or ())

    def never(self, upsell: UpsellConfig) -> Never | None:
        """Why no session offers an enabled upsell; None where one may."""
        if self.listens_only:
            return Never("listen-only", "interactionMode is LISTEN_ONLY, so the agent does not speak")
        if self._zero and is_real(upsell):
            return Never("limit", f"{self._zero} is 0", self._zero)
        if self.constant(upsell) is False:
            return Never("condition", "its condition is never true")
        if id(upsell) in self._unheard:
            return Never("frequency", "its messages have no messageFrequency, and others of the strategy have")
        return self._behind_an_offer(upsell) or self._used_up(upsell)

    @cached_property
    def _zero(self) -> str | None:
        """The limit that allows no offer, if one does."""
        return next((field for field in LIMITS_OF_OFFERS if getattr(self.strategy, field) == 0), None)

    @cached_property
    def _rank(self) -> dict[int, int]:
        return {id(upsell): at for at, upsell in enumerate(in_order(self.strategy.upsells or ()))}

    def _behind_an_offer(self, upsell: UpsellConfig) -> Never | None:
        """Whether another offer of its moment is made first in every session that comes so far."""
        if upsell.celUpsell or self.message_draw == "type":
            return None
        for kind, first in self._certain_offers.items():
            if first and getattr(upsell, kind) and self._rank[id(first)] < self._rank[id(upsell)]:
                words = f"{first.title} is attempted before it and is made in every session"
                return Never("other-offer", words, front=(first,))
        return None

    def _used_up(self, upsell: UpsellConfig) -> Never | None:
        """Which offers every session makes before an upsell has its turn, where they use up all of its offers."""
        most, greeting = self.strategy.maxUpsellOffers, self.greeting
        if most is None or most > self._most_before or upsell.greetingOffer or not is_real(upsell):
            return None
        if greeting and most == 1:
            words = "a greeting offer is made in every session and uses up maxUpsellOffers, 1"
            return Never("offers-used-up", words, "maxUpsellOffers", (greeting,))
        front = self._fronts.get(id(upsell), ())
        greets = 1 if greeting else 0
        if not upsell.celUpsell or len(front) + greets < most:
            return None
        titles = [*(["a greeting offer"] if greets else []), *(one.title for one in front[: most - greets])]
        names = " and ".join(titles)
        are = "is always offered first and uses" if most == 1 else "are always offered first and use"
        words = f"{names} {are} up maxUpsellOffers, {most}"
        made = (*([greeting] if greeting else []), *front[: most - greets])
        return Never("offers-used-up", words, "maxUpsellOffers", made)


def _may_be_skipped(drawn: Drawn) -> bool:
    """Whether a closing message may be skipped for what is in the order, or for the turn before."""
    return bool(drawn.share) and (bool(drawn.skip_terms) or bool(drawn.upsell.skipOnPreviousTurnUpsell))


def beyond(limit: str, strategy: UpsellStrategy) -> str | None:
    """Why no session reaches a limit, in words; None where one may."""
    real = [upsell for upsell in strategy.upsells or () if not upsell.disabled and is_real(upsell)]
    value, offers = getattr(strategy, limit), strategy.maxUpsellOffers
    if limit == "maxUpsellOffers" and value >= _most_offers(real):
        return _at_most(real)
    if limit == "maxUpsellDeclines" and offers is not None and value >= offers:
        return f"maxUpsellOffers, {offers}, is reached first"
    if limit == "maxUpsellDeclines" and value >= _most_offers(real):
        return _at_most(real)
    return None


def _at_most(real: Sequence[UpsellConfig]) -> str:
    most = _most_offers(real)
    return f"a session has {most} offer{'' if most == 1 else 's'} at most"


def _most_offers(real: Sequence[UpsellConfig]) -> int:
    """The most offers of a session: one greeting offer and one closing offer, however many there are of each."""
    rules = sum(upsell.celUpsell is not None for upsell in real)
    return rules + any(upsell.greetingOffer for upsell in real) + any(upsell.closingOffer for upsell in real)
