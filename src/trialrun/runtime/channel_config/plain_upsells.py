"""Upsells made of plain values, as far as the order of offers depends on them; each plain value is read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trialrun.model.channel_config import (
    CelUpsell,
    ClosingMessage,
    ClosingOffer,
    GreetingOffer,
    MessageConfig,
    OfferMessage,
    UpsellConfig,
    UpsellStrategy,
)

Plain = Mapping[str, Any]
FIELDS = ("displayName", "priority", "disabled", "skipOnMultiQuantityUpsoldFromItem", "skipOnPreviousTurnUpsell")
LIMITS = ("maxUpsellOffers", "maxUpsellDeclines", "maxItemsInCart")


class Upsells:
    """The models of plain upsells, the same for the same plain value."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Plain, UpsellConfig]] = {}

    def strategy(self, plain: Plain) -> UpsellStrategy:
        """The strategy of a plain value; its upsells may be shared with others."""
        upsells = [self.upsell(upsell) for upsell in plain.get("upsells", ())]
        limits = {name: plain[name] for name in LIMITS if name in plain}
        return UpsellStrategy.model_construct(**limits, upsells=upsells)

    def upsell(self, plain: Plain) -> UpsellConfig:
        """The upsell of a plain value."""
        known = self._known.get(id(plain))
        if known is None:
            known = self._known[id(plain)] = plain, _upsell(plain)
        return known[1]


def _upsell(plain: Plain) -> UpsellConfig:
    found: dict[str, Any] = {name: plain[name] for name in FIELDS if name in plain}
    if "greetingOffer" in plain:
        messages = plain["greetingOffer"].get("messages", ())
        found["greetingOffer"] = GreetingOffer.model_construct(messages=[_message(one) for one in messages])
    if "closingOffer" in plain:
        closing = plain["closingOffer"].get("closingMessages", ())
        found["closingOffer"] = ClosingOffer.model_construct(closingMessages=[_closing(one) for one in closing])
    if "celUpsell" in plain:
        cel = {name: plain["celUpsell"][name] for name in ("priority", "suggestionOnly") if name in plain["celUpsell"]}
        text = plain["celUpsell"].get("conditionExpression")
        found["celUpsell"] = CelUpsell.model_construct(conditionExpression=text, **cel)
    return UpsellConfig.model_construct(**found)


def _closing(plain: Plain) -> ClosingMessage:
    message = _message(plain["offerMessage"]) if "offerMessage" in plain else None
    return ClosingMessage.model_construct(offerMessage=message, skipTerms=list(plain.get("skipTerms", ())))


def _message(plain: Plain) -> OfferMessage:
    texts: Sequence[Plain] = plain.get("messageConfigs", ())
    found = {name: plain[name] for name in ("displayName", "messageFrequency") if name in plain}
    return OfferMessage.model_construct(**found, messageConfigs=[MessageConfig.model_construct(**one) for one in texts])


def constant(upsell: UpsellConfig) -> bool | None:
    """The value that a condition always has, where the plain value says so in place of the condition."""
    text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
    return {"true": True, "false": False}.get(text or "")


__all__ = ["Upsells", "constant"]
