"""Upsells made of plain values, as far as the order of offers depends on them; each plain value is read once.

They have the fields of the models that decide over offers, and are no models: judging what is known from an earlier
run then imports none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from trialrun.model.upsell_title import upsell_title

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy

Plain = Mapping[str, Any]


class _Part:
    """A message of a config: the attributes are the fields that are set; any other that has to do with offers is None.

    These stand in the class, since looking up what an instance does not have would take most of the time.
    """

    def __init__(self, plain: Plain) -> None:
        self.__dict__.update(plain)

    def has(self, name: str) -> bool:
        """Whether a field is set."""
        return name in self.__dict__


class _Strategy(_Part):
    maxUpsellOffers = maxUpsellDeclines = maxItemsInCart = upsells = None


class _Upsell(_Part):
    displayName = priority = disabled = greetingOffer = closingOffer = celUpsell = None
    skipOnMultiQuantityUpsoldFromItem = skipOnPreviousTurnUpsell = None

    @property
    def title(self) -> str:
        """What a message calls this upsell."""
        return upsell_title(self.displayName, self.priority)


class _Offer(_Part):
    messages = closingMessages = None


class _Cel(_Part):
    conditionExpression = priority = suggestionOnly = None


class _Closing(_Part):
    offerMessage = skipTerms = None


class _Message(_Part):
    displayName = messageFrequency = messageConfigs = None


class _Text(_Part):
    languageCode = messageText = None


class Upsells:
    """The parts that plain upsells are, the same for the same plain value."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Plain, UpsellConfig]] = {}

    def strategy(self, plain: Plain, upsells: Iterable[Any]) -> UpsellStrategy:
        """The strategy of a plain value, with the upsells that are given; these may be shared with others."""
        return cast("UpsellStrategy", _Strategy({**plain, "upsells": [self.upsell(upsell) for upsell in upsells]}))

    def upsell(self, plain: Plain) -> UpsellConfig:
        """The upsell of a plain value."""
        known = self._known.get(id(plain))
        if known is None:
            known = self._known[id(plain)] = plain, cast("UpsellConfig", _upsell(plain))
        return known[1]


def _upsell(plain: Plain) -> _Part:
    upsell = _Upsell(plain)
    if "greetingOffer" in plain:
        messages = plain["greetingOffer"].get("messages", ())
        upsell.__dict__["greetingOffer"] = _Offer({"messages": [_message(one) for one in messages]})
    if "closingOffer" in plain:
        closing = plain["closingOffer"].get("closingMessages", ())
        upsell.__dict__["closingOffer"] = _Offer({"closingMessages": [_closing(one) for one in closing]})
    if "celUpsell" in plain:
        upsell.__dict__["celUpsell"] = _Cel(plain["celUpsell"])
    return upsell


def _closing(plain: Plain) -> _Part:
    return _Closing({**plain, "offerMessage": _message(plain["offerMessage"])} if "offerMessage" in plain else plain)


def _message(plain: Plain) -> _Part:
    return _Message({**plain, "messageConfigs": [_Text(text) for text in plain.get("messageConfigs", ())]})


def constant(upsell: UpsellConfig) -> bool | None:
    """The value that a condition always has, where the plain value says so in place of the condition."""
    text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
    return {"true": True, "false": False}.get(text or "")


__all__ = ["Upsells", "constant"]
