"""Comparison of a turn with its expectations: offers, skips, conditions and their parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.environment import Event, ScenarioMistake, UnmetExpectation
from trialrun.runtime.scenario.format import format_value, matches_expected
from trialrun.runtime.scenario.session.context import ScriptTextError, SessionContext
from trialrun.runtime.scenario.session.format import (
    collapse_spaces,
    format_condition,
    format_mapped_term,
    format_offer,
    format_order,
    format_utterance,
)
from trialrun.values.language_tag import normalize
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.scenario_steps import (
        ExpectedCondition,
        ExpectedMapping,
        ExpectedOffer,
        ExpectedPass,
        ExpectedSaid,
        ExpectedTurn,
    )
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.turn import (
        EvaluatedCondition,
        MappedTerm,
        Offer,
        SkippedUpsell,
        Turn,
        Utterance,
    )
    from trialrun.values.cel import Subexpression


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


def compare_conditions(expect: ExpectedTurn, turn: Turn, context: SessionContext) -> Iterator[Event]:
    """The conditions that are expected to have come to something else."""
    for expected in expect.conditions or ():
        upsell = find_upsell(expected, context)
        if isinstance(upsell, ScenarioMistake):
            yield upsell
            continue
        if upsell.celUpsell is None:
            yield ScenarioMistake(
                context.at(expected, "upsell"), f'"{expected.upsell}" is not a CEL upsell, so it has no condition'
            )
            continue
        got = next(
            (condition for condition in turn.conditions if upsell_name(condition.upsell) == expected.upsell), None
        )
        if got is None:
            yield UnmetExpectation(
                context.at(expected, "upsell"), "its condition to be evaluated", why_not_offered(upsell, turn)
            )
        else:
            yield from _compare_condition(expected, got, context)


def _compare_condition(
    expected: ExpectedCondition, got: EvaluatedCondition, context: SessionContext
) -> Iterator[Event]:
    if expected.value is not None and got.value is not expected.value:
        yield UnmetExpectation(context.at(expected, "value"), format_value(expected.value), format_condition(got))
    if expected.error is not None and expected.error not in (got.error or ""):
        yield UnmetExpectation(
            context.at(expected, "error"), f'a failure with "{expected.error}"', format_condition(got)
        )
    by_text: dict[str, Subexpression] = {}
    for part in got.parts if expected.parts else ():
        by_text.setdefault(collapse_spaces(part.text), part)
    for text, value in (expected.parts or {}).items():
        yield from _compare_part(expected, text, value, by_text, context)


def _compare_part(
    expected: ExpectedCondition, text: str, value: object, by_text: dict[str, Subexpression], context: SessionContext
) -> Iterator[Event]:
    place = context.at(expected, "parts", text)
    part = by_text.get(collapse_spaces(text))
    if part is None:
        near = did_you_mean(collapse_spaces(text), by_text) or f"; it has {', '.join(by_text)}"
        yield ScenarioMistake(place, f'the condition has no part "{collapse_spaces(text)}"{near}')
    elif part.error is not None:
        yield UnmetExpectation(place, format_value(value), f"it fails: {part.error}")
    elif not matches_expected(part.value, value):
        yield UnmetExpectation(place, format_value(value), format_value(part.value))


SILENCE = "nothing"


def compare_turn(expect: ExpectedTurn, turn: Turn, context: SessionContext) -> Iterator[Event]:
    """Everything that is expected of a turn and is not so."""
    yield from compare_offers(expect, turn, context)
    yield from _compare_utterances(expect, turn, context)
    if expect.language is not None and normalize(expect.language) != normalize(turn.language):
        yield UnmetExpectation(context.at(expect, "language"), expect.language, turn.language or "no language")
    yield from _compare_mapped_terms(expect, turn, context)
    if expect.order is not None:
        yield from _compare_order(expect, expect.order, turn, context)
    yield from compare_conditions(expect, turn, context)


def _compare_utterances(expect: ExpectedTurn, turn: Turn, context: SessionContext) -> Iterator[Event]:
    if expect.said == [] and turn.utterances:
        yield UnmetExpectation(context.at(expect, "said"), "silence", _utterances_text(turn.utterances))
    for expected in expect.said or ():
        yield from _compare_utterance(expected, turn, context)
    for index, text in enumerate(expect.notSaid or ()):
        for utterance in turn.utterances:
            if collapse_spaces(text) in collapse_spaces(utterance.text):
                yield UnmetExpectation(
                    context.at(expect, "notSaid", index), f'nothing with "{text}"', format_utterance(utterance)
                )


def _compare_utterance(expected: ExpectedSaid, turn: Turn, context: SessionContext) -> Iterator[Event]:
    """The first thing by which no text is left says what is not so."""
    candidates = list(turn.utterances)
    for field, words, is_met in _utterance_tests(expected):
        matching = [utterance for utterance in candidates if is_met(utterance)]
        if not matching:
            yield UnmetExpectation(context.at(expected, field), words, _utterances_text(candidates))
            return
        candidates = matching


def _utterance_tests(expected: ExpectedSaid) -> Iterator[tuple[str, str, Callable[[Utterance], bool]]]:
    """What a text must be: the field that says so, in words, and how it is reported."""
    if (text := expected.text) is not None:
        yield (
            "text",
            f'a text with "{text}"',
            lambda utterance: collapse_spaces(text) in collapse_spaces(utterance.text),
        )
    if (kind := expected.kind) is not None:
        yield "kind", f"it as {kind}", lambda utterance: utterance.kind == kind
    if (language := expected.language) is not None:
        yield (
            "language",
            f"it in {language}",
            lambda utterance: normalize(utterance.language or "") == normalize(language),
        )


def _utterances_text(utterances: Sequence[Utterance]) -> str:
    return ", ".join(map(format_utterance, utterances)) or SILENCE


def _compare_mapped_terms(expect: ExpectedTurn, turn: Turn, context: SessionContext) -> Iterator[Event]:
    if expect.mapped is None:
        return
    remaining = list(turn.mapped_terms)
    for expected in expect.mapped:
        got = next((term for term in remaining if _is_same_term(term.term, expected.term)), None)
        if got is None:
            heard_text = ", ".join(map(format_mapped_term, turn.mapped_terms)) or SILENCE
            yield UnmetExpectation(context.at(expected, "term"), f'"{expected.term}" to be heard', heard_text)
            continue
        remaining.remove(got)
        yield from _compare_meaning(expected, got, context)
    if remaining:
        nothing_else = "no customer terms but those named" if expect.mapped else "no customer term"
        yield UnmetExpectation(
            context.at(expect, "mapped"), nothing_else, ", ".join(map(format_mapped_term, remaining))
        )


def _compare_meaning(expected: ExpectedMapping, got: MappedTerm, context: SessionContext) -> Iterator[Event]:
    if expected.type is not None and expected.type != got.kind:
        yield UnmetExpectation(context.at(expected, "type"), expected.type, got.kind)
    if expected.targets is None:
        return
    try:
        targets = context.parse_order(expected, "targets", expected.targets)
    except ScriptTextError as error:
        yield from error.mistakes
        return
    if _count_items(targets) != _count_items(got.targets):
        yield UnmetExpectation(context.at(expected, "targets"), format_order(targets), format_order(got.targets))


def _compare_order(expect: ExpectedTurn, texts: Sequence[str], turn: Turn, context: SessionContext) -> Iterator[Event]:
    """Every line that is expected must be there as often, and none else."""
    try:
        expected = context.parse_order(expect, "order", texts)
    except ScriptTextError as error:
        yield from error.mistakes
        return
    remaining = _count_items(turn.order)
    for index, line_item in enumerate(expected):
        if remaining[_item_key(line_item)] < line_item.quantity:
            yield UnmetExpectation(
                context.at(expect, "order", index),
                f"{format_order([line_item])} in the order",
                format_order(turn.order),
            )
        remaining[_item_key(line_item)] -= line_item.quantity
    if any(count > 0 for count in remaining.values()) and all(count >= 0 for count in remaining.values()):
        nothing_else = "nothing in the order but what is named" if expected else "an empty order"
        yield UnmetExpectation(context.at(expect, "order"), nothing_else, format_order(turn.order))


def _count_items(order: Sequence[OrderLineItem]) -> Counter[tuple[object, ...]]:
    """How many there are of each item with the same modifiers, on however many lines."""
    counts: Counter[tuple[object, ...]] = Counter()
    for line_item in order:
        counts[_item_key(line_item)] += line_item.quantity
    return counts


def _item_key(line_item: OrderLineItem) -> tuple[object, ...]:
    return (
        line_item.item.name,
        line_item.item.id,
        *sorted((modifier.name, modifier.group) for modifier in line_item.modifiers),
    )


def _is_same_term(first: str, second: str | None) -> bool:
    return collapse_spaces(first).casefold() == collapse_spaces(second or "").casefold()
