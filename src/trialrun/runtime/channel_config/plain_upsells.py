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
    """A message of a config: the attributes are the fields that are set, any other one is None."""

    def __init__(self, plain: Plain) -> None:
        self.__dict__.update(plain)

    def __getattr__(self, name: str) -> None:
        if name.startswith("_"):
            raise AttributeError(name)

    def has(self, name: str) -> bool:
        """Whether a field is set."""
        return name in self.__dict__


class _Upsell(_Part):
    @property
    def title(self) -> str:
        """What a message calls this upsell."""
        return upsell_title(self.__dict__.get("displayName"), self.__dict__.get("priority"))


class Upsells:
    """The parts that plain upsells are, the same for the same plain value."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Plain, UpsellConfig]] = {}

    def strategy(self, plain: Plain, upsells: Iterable[Any]) -> UpsellStrategy:
        """The strategy of a plain value, with the upsells that are given; these may be shared with others."""
        return cast("UpsellStrategy", _Part({**plain, "upsells": [self.upsell(upsell) for upsell in upsells]}))

    def upsell(self, plain: Plain) -> UpsellConfig:
        """The upsell of a plain value."""
        known = self._known.get(id(plain))
        if known is None:
            known = self._known[id(plain)] = plain, cast("UpsellConfig", _upsell(plain))
        return known[1]


def _upsell(plain: Plain) -> _Part:
    parts = dict(plain)
    if "greetingOffer" in plain:
        parts["greetingOffer"] = _Part(
            {"messages": [_message(one) for one in plain["greetingOffer"].get("messages", ())]}
        )
    if "closingOffer" in plain:
        closing = plain["closingOffer"].get("closingMessages", ())
        parts["closingOffer"] = _Part({"closingMessages": [_closing(one) for one in closing]})
    if "celUpsell" in plain:
        parts["celUpsell"] = _Part(plain["celUpsell"])
    return _Upsell(parts)


def _closing(plain: Plain) -> _Part:
    return _Part({**plain, "offerMessage": _message(plain["offerMessage"])} if "offerMessage" in plain else plain)


def _message(plain: Plain) -> _Part:
    return _Part({**plain, "messageConfigs": [_Part(text) for text in plain.get("messageConfigs", ())]})


def constant(upsell: UpsellConfig) -> bool | None:
    """The value that a condition always has, where the plain value says so in place of the condition."""
    text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
    return {"true": True, "false": False}.get(text or "")


__all__ = ["Upsells", "constant"]
