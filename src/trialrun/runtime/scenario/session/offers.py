"""Expected offers: offered, suggested or skipped for a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.events import Event, ScenarioMistake, UnmetExpectation
from trialrun.runtime.scenario.session.context import SessionContext
from trialrun.runtime.scenario.session.format import collapse_spaces, format_condition, format_offer
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.scenario_steps import ExpectedCondition, ExpectedOffer, ExpectedPass, ExpectedTurn
    from trialrun.runtime.channel_config.session.turn import Offer, SkippedUpsell, Turn

WORDS: dict[Literal["offered", "suggested"], tuple[str, str]] = {
    "offered": ("offered", "offer"),
    "suggested": ("shown", "suggestion"),
}


def compare_offers(expect: ExpectedTurn, turn: Turn, context: SessionContext) -> Iterator[Event]:
    """What is offered and what is shown: all of it, where either is expected."""
    offers = [offer for offer in turn.offers if offer.kind != "suggestion"]
    suggestions = [offer for offer in turn.offers if offer.kind == "suggestion"]
    if expect.offered is not None:
        yield from _compare_all(expect, "offered", expect.offered, offers, turn, context)
    if expect.suggested is not None:
        yield from _compare_all(expect, "suggested", expect.suggested, suggestions, turn, context)
    for expected in expect.notOffered or ():
        yield from _compare_not_offered(expected, turn, context)


def _compare_all(
    expect: ExpectedTurn,
    name: Literal["offered", "suggested"],
    expected_offers: Sequence[ExpectedOffer],
    offers: Sequence[Offer],
    turn: Turn,
    context: SessionContext,
) -> Iterator[Event]:
    verb, noun = WORDS[name]
    offers_by_name = {upsell_name(offer.upsell): offer for offer in offers}
    for expected in expected_offers:
        upsell, got = find_upsell(expected, context), offers_by_name.get(expected.upsell or "")
        if isinstance(upsell, ScenarioMistake):
            yield upsell
        elif got is None:
            yield UnmetExpectation(
                context.at(expected, "upsell"), f'"{expected.upsell}" to be {verb}', why_not_offered(upsell, turn)
            )
        else:
            yield from _compare_offer(expected, got, context)
    names = {expected.upsell for expected in expected_offers}
    unexpected = [offer for offer in offers if upsell_name(offer.upsell) not in names]
    if unexpected and len(offers) > len(names):  # else they take the place of a missing one, which is reported
        nothing_else = f"no {noun} but those named" if expected_offers else f"no {noun}"
        yield UnmetExpectation(
            context.at(expect, name),
            nothing_else,
            ", ".join(f"{format_offer(offer)}: {offer.reason}" for offer in unexpected),
        )


def _compare_offer(expected: ExpectedOffer, got: Offer, context: SessionContext) -> Iterator[Event]:
    if expected.items is not None and sorted(expected.items) != sorted(got.items):
        yield UnmetExpectation(context.at(expected, "items"), _join_names(expected.items), _join_names(got.items))
    if expected.modifiers is not None and sorted(expected.modifiers) != sorted(got.modifiers):
        yield UnmetExpectation(
            context.at(expected, "modifiers"), _join_names(expected.modifiers), _join_names(got.modifiers)
        )
    if expected.text is not None:
        text = collapse_spaces(got.utterance.text) if got.utterance else ""
        if collapse_spaces(expected.text) not in text:
            instead = f'"{text}"' if text else "no words of the config; the conversational model finds them"
            yield UnmetExpectation(context.at(expected, "text"), f'words with "{expected.text}"', instead)


def _compare_not_offered(expected: ExpectedPass, turn: Turn, context: SessionContext) -> Iterator[Event]:
    upsell = find_upsell(expected, context)
    if isinstance(upsell, ScenarioMistake):
        yield upsell
        return
    offer = next((offer for offer in turn.offers if upsell_name(offer.upsell) == expected.upsell), None)
    if offer is not None:
        yield UnmetExpectation(
            context.at(expected, "upsell"),
            f'"{expected.upsell}" not to be made',
            f"{_offer_kind(offer)}: {offer.reason}",
        )
        return
    if expected.because is None:
        return
    skipped = _skipped(upsell, turn)
    if skipped is None or not _is_because(expected.because, skipped):
        yield UnmetExpectation(
            context.at(expected, "because"), f"the reason {expected.because}", why_not_offered(upsell, turn)
        )


def _offer_kind(offer: Offer) -> str:
    return "a suggestion" if offer.kind == "suggestion" else "an offer"


def _is_because(because: str, skipped: SkippedUpsell) -> bool:
    return (
        because == skipped.reason.code
        or collapse_spaces(because).casefold() in collapse_spaces(skipped.reason.text).casefold()
    )


def why_not_offered(upsell: UpsellConfig, turn: Turn) -> str:
    """Why an upsell is not made in a turn."""
    offer = next((offer for offer in turn.offers if upsell_name(offer.upsell) == upsell_name(upsell)), None)
    if offer is not None:
        return "it is only shown (suggestionOnly)" if offer.kind == "suggestion" else "it is offered, not only shown"
    skipped = _skipped(upsell, turn)
    if skipped is None:
        return f"nothing of it: {_offer_time(upsell)}"
    if skipped.reason.code in ("condition-false", "condition-error"):
        condition = next(
            (condition for condition in turn.conditions if upsell_name(condition.upsell) == upsell_name(upsell)), None
        )
        if condition is not None:
            return f"{skipped.reason.code}: {format_condition(condition)}"
    return f"{skipped.reason.code}: {skipped.reason.text}"


def _skipped(upsell: UpsellConfig, turn: Turn) -> SkippedUpsell | None:
    return next((skipped for skipped in turn.skipped if upsell_name(skipped.upsell) == upsell_name(upsell)), None)


def _offer_time(upsell: UpsellConfig) -> str:
    if upsell.greetingOffer:
        return "greeting offers are made at the welcome"
    if upsell.closingOffer:
        return "closing offers are made when the order is complete"
    return "conditions are evaluated in the turns of the order"


def find_upsell(
    expected: ExpectedOffer | ExpectedPass | ExpectedCondition, context: SessionContext
) -> UpsellConfig | ScenarioMistake:
    """The upsell of the strategy that an expectation names, or the mistake that there is none."""
    upsell = context.upsells.get(expected.upsell or "")
    if upsell is not None:
        return upsell
    near = did_you_mean(expected.upsell or "", context.upsells)
    none = "" if context.upsells else "; there is no upsell in it"
    return ScenarioMistake(
        context.at(expected, "upsell"), f'the strategy has no upsell "{expected.upsell}"{near or none}'
    )


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
