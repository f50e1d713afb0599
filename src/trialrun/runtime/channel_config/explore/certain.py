"""What follows from a configuration alone: upsells that no session can offer, and limits that no session reaches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.session.ranking import is_real, with_front
from trialrun.runtime.channel_config.voice.language import served
from trialrun.runtime.channel_config.voice.message import Drawn, OfferType, lots

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.in_force import InForce
    from trialrun.values.cel import Check

Checks = Callable[["UpsellConfig"], "Check | None"]
MESSAGES: tuple[OfferType, ...] = ("greetingOffer", "closingOffer")


def certainly_never(upsell: UpsellConfig, in_force: InForce, checks: Checks) -> str | None:
    """Why no session offers an enabled upsell, in words; None where one may. `checks` has those of conditions."""
    strategy = in_force.upsell_strategy
    if strategy is None:
        return None
    if in_force.operation("interactionMode") == "LISTEN_ONLY":
        return "interactionMode is LISTEN_ONLY, so the agent does not speak"
    for field in ("maxUpsellOffers", "maxUpsellDeclines") if is_real(upsell) else ():
        if getattr(strategy, field) == 0:
            return f"{field} is 0"
    if _always(upsell, checks) is False:
        return "its condition is never true"
    if any(_is_never_drawn(upsell, kind, strategy) for kind in MESSAGES):
        return "its messages have no messageFrequency, and others of the strategy have"
    return _used_up(upsell, strategy, in_force.operation("defaultLanguageCode"), checks)


def _always(upsell: UpsellConfig, checks: Checks) -> bool | None:
    """The value that a condition always has; None where it has none, or there is no condition."""
    found = checks(upsell)
    return found.constant if found else None


def _is_never_drawn(upsell: UpsellConfig, kind: OfferType, strategy: UpsellStrategy) -> bool:
    own = [one for one in lots(strategy, kind).messages if one.upsell is upsell]
    return bool(own) and not any(one.share for one in own)


def _used_up(upsell: UpsellConfig, strategy: UpsellStrategy, default: str | None, checks: Checks) -> str | None:
    """Which offers every session makes before an upsell has its turn, where they use up all offers of a session."""
    most = strategy.maxUpsellOffers
    if most is None or upsell.greetingOffer or not is_real(upsell):
        return None
    greets = _greets(strategy, default)
    if greets and most == 1:
        return "a greeting offer is made in every session and uses up maxUpsellOffers, 1"
    ranked = with_front(strategy.upsells or (), lambda one: _always(one, checks) is True)
    front = next((front for one, front in ranked if one is upsell), ())
    if not upsell.celUpsell or len(front) + greets < most:
        return None
    names = " and ".join([*(["a greeting offer"] if greets else []), *(one.title for one in front[: most - greets])])
    are = "is always offered first and uses" if most == 1 else "are always offered first and use"
    return f"{names} {are} up maxUpsellOffers, {most}"


def _greets(strategy: UpsellStrategy, default: str | None) -> bool:
    """Whether every session has a greeting offer."""
    messages = lots(strategy, "greetingOffer").messages
    return sum(one.share for one in messages) == 1 and all(_is_said(one, default) for one in messages)


def _is_said(drawn: Drawn, default: str | None) -> bool:
    """Whether every customer hears a message: who speaks another language hears it in the default language."""
    texts = [one.languageCode for one in drawn.message.messageConfigs or () if (one.messageText or "").strip()]
    return served(default, [tag for tag in texts if tag], None) is not None


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
