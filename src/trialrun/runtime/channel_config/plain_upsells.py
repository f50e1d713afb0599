"""Upsells built from plain values, with the fields that decide the order of offers; each value is built once.

They have the fields of the models that decide over offers, and are no models: checking what is known from an earlier
run then imports none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from trialrun.model.upsell_title import upsell_title

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy

Plain = Mapping[str, Any]


class _PlainMessage:
    """A message of a config: the attributes are the fields that are set; any other that has to do with offers is None.

    These are in the class, since looking up what an instance does not have would take most of the time.
    """

    def __init__(self, plain: Plain) -> None:
        self.__dict__.update(plain)

    def has(self, name: str) -> bool:
        """Whether a field is set."""
        return name in self.__dict__


class _Strategy(_PlainMessage):
    maxUpsellOffers = maxUpsellDeclines = maxItemsInCart = upsells = None


class _Upsell(_PlainMessage):
    displayName = priority = disabled = greetingOffer = closingOffer = celUpsell = None
    skipOnMultiQuantityUpsoldFromItem = skipOnPreviousTurnUpsell = None

    @property
    def title(self) -> str:
        """What a message calls this upsell."""
        return upsell_title(self.displayName, self.priority)


class _Offer(_PlainMessage):
    messages = closingMessages = None


class _Cel(_PlainMessage):
    conditionExpression = suggestedMenuItems = priority = suggestionOnly = None


class _Closing(_PlainMessage):
    offerMessage = skipTerms = None


class _Message(_PlainMessage):
    displayName = messageFrequency = messageConfigs = upsoldItems = upsoldItemIds = None


class _Text(_PlainMessage):
    languageCode = messageText = None


class PlainUpsells:
    """The parts that plain upsells are, the same for the same plain value."""

    def __init__(self) -> None:
        self._cache: dict[int, tuple[Plain, UpsellConfig]] = {}

    def strategy(self, plain: Plain, upsells: Iterable[Any]) -> UpsellStrategy:
        """The strategy of a plain value, with the upsells that are given; these may be shared with others."""
        return cast("UpsellStrategy", _Strategy({**plain, "upsells": [self.upsell(upsell) for upsell in upsells]}))

    def upsell(self, plain: Plain) -> UpsellConfig:
        """The upsell of a plain value."""
        cached = self._cache.get(id(plain))
        if cached is None:
            cached = self._cache[id(plain)] = plain, cast("UpsellConfig", _build_upsell(plain))
        return cached[1]


def _build_upsell(plain: Plain) -> _PlainMessage:
    upsell = _Upsell(plain)
    if "greetingOffer" in plain:
        messages = plain["greetingOffer"].get("messages", ())
        upsell.__dict__["greetingOffer"] = _Offer({"messages": [_build_message(message) for message in messages]})
    if "closingOffer" in plain:
        closing = plain["closingOffer"].get("closingMessages", ())
        upsell.__dict__["closingOffer"] = _Offer(
            {"closingMessages": [_build_closing_message(message) for message in closing]}
        )
    if "celUpsell" in plain:
        upsell.__dict__["celUpsell"] = _Cel(plain["celUpsell"])
    return upsell


def _build_closing_message(plain: Plain) -> _PlainMessage:
    return _Closing(
        {**plain, "offerMessage": _build_message(plain["offerMessage"])} if "offerMessage" in plain else plain
    )


def _build_message(plain: Plain) -> _PlainMessage:
    return _Message({**plain, "messageConfigs": [_Text(text) for text in plain.get("messageConfigs", ())]})


def constant_condition(upsell: UpsellConfig) -> bool | None:
    """The value that a condition always has, where the plain value says so in place of the condition."""
    text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
    return {"true": True, "false": False}.get(text or "")


__all__ = ["PlainUpsells", "constant_condition"]
