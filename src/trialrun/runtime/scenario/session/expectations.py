"""Comparison of a turn with its expectations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.events import Event, UnmetExpectation
from trialrun.runtime.scenario.session.conditions import compare_conditions
from trialrun.runtime.scenario.session.context import ScriptTextError, SessionContext
from trialrun.runtime.scenario.session.format import collapse_spaces, format_mapped_term, format_order, format_utterance
from trialrun.runtime.scenario.session.offers import compare_offers
from trialrun.values.language_tag import normalize

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedMapping, ExpectedSaid, ExpectedTurn
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.turn import MappedTerm, Turn, Utterance

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
