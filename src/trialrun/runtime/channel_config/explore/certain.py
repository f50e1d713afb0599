"""What follows from a configuration alone: upsells that no session can offer, and limits that no session reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.voice.language import served
from trialrun.runtime.channel_config.voice.message import Drawn, OfferType, lots

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.in_force import InForce
    from trialrun.values.cel import Check

MESSAGES: tuple[OfferType, ...] = ("greetingOffer", "closingOffer")


def certainly_never(upsell: UpsellConfig, in_force: InForce, found: Check | None) -> str | None:
    """Why no session offers an enabled upsell, in words; None where one may. `found` is of its condition."""
    strategy = in_force.upsell_strategy
    if strategy is None:
        return None
    if in_force.operation("interactionMode") == "LISTEN_ONLY":
        return "interactionMode is LISTEN_ONLY, so the agent does not speak"
    for field in ("maxUpsellOffers", "maxUpsellDeclines"):
        if getattr(strategy, field) == 0:
            return f"{field} is 0"
    if found is not None and found.constant is False:
        return "its condition is never true"
    if any(_is_never_drawn(upsell, kind, strategy) for kind in MESSAGES):
        return "its messages have no messageFrequency, and others of the strategy have"
    if _uses_up(upsell, strategy, in_force.operation("defaultLanguageCode")):
        return "a greeting offer is made in every session and uses up maxUpsellOffers, 1"
    return None


def _is_never_drawn(upsell: UpsellConfig, kind: OfferType, strategy: UpsellStrategy) -> bool:
    own = [one for one in lots(strategy, kind).messages if one.upsell is upsell]
    return bool(own) and not any(one.share for one in own)


def _uses_up(upsell: UpsellConfig, strategy: UpsellStrategy, default: str | None) -> bool:
    """Whether the only offer of every session is made at the welcome, before an upsell has its moment."""
    if strategy.maxUpsellOffers != 1 or upsell.greetingOffer or not _is_real(upsell):
        return False
    messages = lots(strategy, "greetingOffer").messages
    return sum(one.share for one in messages) == 1 and all(_is_said(one, default) for one in messages)


def _is_real(upsell: UpsellConfig) -> bool:
    return not (upsell.celUpsell and upsell.celUpsell.suggestionOnly)


def _is_said(drawn: Drawn, default: str | None) -> bool:
    """Whether every customer hears a message: who speaks another language hears it in the default language."""
    texts = [one.languageCode for one in drawn.message.messageConfigs or () if (one.messageText or "").strip()]
    return served(default, [tag for tag in texts if tag], None) is not None


def beyond(limit: str, strategy: UpsellStrategy) -> str | None:
    """Why no session reaches a limit, in words; None where one may."""
    real = [upsell for upsell in strategy.upsells or () if not upsell.disabled and _is_real(upsell)]
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
