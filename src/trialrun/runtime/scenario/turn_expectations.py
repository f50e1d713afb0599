"""Comparison of a turn with its expectations, and turns in words for the trace and for what is not as expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.session.turn import (
    EvaluatedCondition,
    MappedTerm,
    Offer,
    SkippedUpsell,
    Turn,
    Utterance,
    upsell_name,
)
from trialrun.runtime.scenario.coverage import collapse_spaces
from trialrun.runtime.scenario.environment import (
    Events,
    Mismatch,
    ScenarioError,
    format_value,
    matches_expected,
    until_mistake,
)
from trialrun.values import shorten
from trialrun.values.cel import Node, Subexpression
from trialrun.values.cel.parse import parse
from trialrun.values.language_tag import normalize
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model import scenario as model
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.scenario.turns import SessionContext


def compare_turn(expect: model.ExpectedTurn, turn: Turn, context: SessionContext) -> Events:
    """Everything that is expected of a turn and is not so."""
    offers = [offer for offer in turn.offers if offer.kind != "suggestion"]
    suggestions = [offer for offer in turn.offers if offer.kind == "suggestion"]
    yield from _compare_offers(expect, "offered", offers, turn, context)
    yield from _compare_offers(expect, "suggested", suggestions, turn, context)
    for not_offered in expect.notOffered or ():
        yield from until_mistake(_compare_not_offered(not_offered, turn, context))
    yield from _compare_utterances(expect, turn, context)
    if expect.language is not None and normalize(expect.language) != normalize(turn.language):
        yield Mismatch(context.at(expect, "language"), expect.language, turn.language or "no language")
    yield from _compare_mapped_terms(expect, turn, context)
    if expect.order is not None:
        yield from until_mistake(_compare_order(expect, expect.order, turn, context))
    for condition in expect.conditions or ():
        yield from until_mistake(_compare_condition(condition, turn, context))


Part = TypeVar("Part", Offer, SkippedUpsell, EvaluatedCondition)


def _of_upsell(parts: Iterable[Part], name: str | None) -> Part | None:
    return next((part for part in parts if upsell_name(part.upsell) == name), None)


def _find_upsell(
    expected: model.ExpectedOffer | model.ExpectedPass | model.ExpectedCondition, context: SessionContext
) -> UpsellConfig:
    """The upsell of the strategy that an expectation names. Raises ScenarioError."""
    upsell = context.upsells.get(expected.upsell or "")
    if upsell is None:
        none = "" if context.upsells else "; there is no upsell in it"
        advice = did_you_mean(expected.upsell or "", context.upsells) or none
        message = f'the strategy has no upsell "{expected.upsell}"{advice}'
        raise ScenarioError(context.at(expected, "upsell"), message)
    return upsell


def _compare_offers(
    expect: model.ExpectedTurn, field: str, offers: Sequence[Offer], turn: Turn, context: SessionContext
) -> Events:
    """What is offered, or what is shown: all of it, where it is expected."""
    expected_offers: Sequence[model.ExpectedOffer] | None = getattr(expect, field)
    if expected_offers is None:
        return
    for expected in expected_offers:
        yield from until_mistake(_compare_offer(expected, field, offers, turn, context))
    names = {expected.upsell for expected in expected_offers}
    unexpected = [offer for offer in offers if upsell_name(offer.upsell) not in names]
    if unexpected and len(offers) > len(names):  # else they take the place of a missing one, which is reported
        nothing = "no offer" if field == "offered" else "no suggestion"
        wanted = f"{nothing} but those named" if expected_offers else nothing
        got = ", ".join(f"{_format_offer(offer)}: {offer.reason}" for offer in unexpected)
        yield Mismatch(context.at(expect, field), wanted, got)


def _compare_offer(
    expected: model.ExpectedOffer, field: str, offers: Sequence[Offer], turn: Turn, context: SessionContext
) -> Events:
    upsell, got = _find_upsell(expected, context), _of_upsell(reversed(offers), expected.upsell or "")
    if got is None:
        wanted = f'"{expected.upsell}" to be {"offered" if field == "offered" else "shown"}'
        yield Mismatch(context.at(expected, "upsell"), wanted, _why_not_offered(upsell, turn))
        return
    for part in ("items", "modifiers"):
        names, got_names = getattr(expected, part), getattr(got, part)
        if names is not None and sorted(names) != sorted(got_names):
            yield Mismatch(context.at(expected, part), ", ".join(names) or "nothing", ", ".join(got_names) or "nothing")
    text = collapse_spaces(got.utterance.text) if got.utterance else ""
    if expected.text is not None and collapse_spaces(expected.text) not in text:
        instead = f'"{text}"' if text else "no words of the config; the conversational model finds them"
        yield Mismatch(context.at(expected, "text"), f'words with "{expected.text}"', instead)


def _compare_not_offered(expected: model.ExpectedPass, turn: Turn, context: SessionContext) -> Events:
    upsell = _find_upsell(expected, context)
    if offer := _of_upsell(turn.offers, expected.upsell):
        got = f"{'a suggestion' if offer.kind == 'suggestion' else 'an offer'}: {offer.reason}"
        yield Mismatch(context.at(expected, "upsell"), f'"{expected.upsell}" not to be made', got)
        return
    skipped = _of_upsell(turn.skipped, expected.upsell)
    if expected.because is None or (skipped and expected.because == skipped.code):
        return
    because = collapse_spaces(expected.because).casefold()
    if not skipped or because not in collapse_spaces(skipped.reason).casefold():
        got = _why_not_offered(upsell, turn)
        yield Mismatch(context.at(expected, "because"), f"the reason {expected.because}", got)


def _why_not_offered(upsell: UpsellConfig, turn: Turn) -> str:
    name = upsell_name(upsell)
    if offer := _of_upsell(turn.offers, name):
        return "it is only shown (suggestionOnly)" if offer.kind == "suggestion" else "it is offered, not only shown"
    skipped = _of_upsell(turn.skipped, name)
    if skipped is None:
        if upsell.greetingOffer:
            return "nothing of it: greeting offers are made at the welcome"
        if upsell.closingOffer:
            return "nothing of it: closing offers are made when the order is complete"
        return "nothing of it: conditions are evaluated in the turns of the order"
    text, condition = skipped.reason, _of_upsell(turn.conditions, name)
    if condition is not None and skipped.code in ("condition-false", "condition-error"):
        text = _format_condition(condition)
    return f"{skipped.code}: {text}"


def _compare_condition(expected: model.ExpectedCondition, turn: Turn, context: SessionContext) -> Events:
    upsell = _find_upsell(expected, context)
    place = context.at(expected, "upsell")
    if upsell.celUpsell is None:
        raise ScenarioError(place, f'"{expected.upsell}" is not a CEL upsell, so it has no condition')
    got = _of_upsell(turn.conditions, expected.upsell)
    if got is None:
        yield Mismatch(place, "its condition to be evaluated", _why_not_offered(upsell, turn))
        return
    if expected.value is not None and got.value is not expected.value:
        yield Mismatch(context.at(expected, "value"), format_value(expected.value), _format_condition(got))
    if expected.error is not None and expected.error not in (got.error or ""):
        yield Mismatch(context.at(expected, "error"), f'a failure with "{expected.error}"', _format_condition(got))
    parts: dict[str, Subexpression] = {}
    for part in got.parts if expected.parts else ():
        parts.setdefault(collapse_spaces(part.text), part)
    for text, value in (expected.parts or {}).items():
        place, text = context.at(expected, "parts", text), collapse_spaces(text)
        if text not in parts:
            near = did_you_mean(text, parts) or f"; it has {', '.join(parts)}"
            yield Mismatch(place, None, f'the condition has no part "{text}"{near}')
        elif (error := parts[text].error) is not None:
            yield Mismatch(place, format_value(value), f"it fails: {error}")
        elif not matches_expected(parts[text].value, value):
            yield Mismatch(place, format_value(value), format_value(parts[text].value))


def _compare_utterances(expect: model.ExpectedTurn, turn: Turn, context: SessionContext) -> Events:
    if expect.said == [] and turn.utterances:
        yield Mismatch(context.at(expect, "said"), "silence", _format_all(turn.utterances))
    for expected in expect.said or ():
        yield from _compare_said(expected, turn, context)
    for index, text in enumerate(expect.notSaid or ()):
        for utterance in turn.utterances:
            if collapse_spaces(text) in collapse_spaces(utterance.text):
                place = context.at(expect, "notSaid", index)
                yield Mismatch(place, f'nothing with "{text}"', _format_utterance(utterance))


def _compare_said(expected: model.ExpectedSaid, turn: Turn, context: SessionContext) -> Events:
    """The first thing by which no text is left says what is not so."""
    words = {
        "text": f'a text with "{expected.text}"',
        "kind": f"it as {expected.kind}",
        "language": f"it in {expected.language}",
    }
    candidates: Sequence[Utterance] = turn.utterances
    for field in words:
        wanted = getattr(expected, field)
        matching = [one for one in candidates if wanted is None or _has(one, field, wanted)]
        if not matching and wanted is not None:
            yield Mismatch(context.at(expected, field), words[field], _format_all(candidates))
            return
        candidates = matching


def _has(utterance: Utterance, field: str, wanted: str) -> bool:
    value = getattr(utterance, field) or ""
    if field == "text":
        return collapse_spaces(wanted) in collapse_spaces(value)
    return normalize(value) == normalize(wanted) if field == "language" else bool(value == wanted)


def _compare_mapped_terms(expect: model.ExpectedTurn, turn: Turn, context: SessionContext) -> Events:
    if expect.mapped is None:
        return
    remaining = list(turn.mapped_terms)
    for expected in expect.mapped:
        folded = collapse_spaces(expected.term or "").casefold()
        got = next((term for term in remaining if collapse_spaces(term.term).casefold() == folded), None)
        if got is None:
            heard = ", ".join(map(_format_mapped_term, turn.mapped_terms)) or "nothing"
            yield Mismatch(context.at(expected, "term"), f'"{expected.term}" to be heard', heard)
            continue
        remaining.remove(got)
        yield from until_mistake(_compare_meaning(expected, got, context))
    if remaining:
        wanted = f"no customer term{'s but those named' if expect.mapped else ''}"
        yield Mismatch(context.at(expect, "mapped"), wanted, ", ".join(map(_format_mapped_term, remaining)))


def _compare_meaning(expected: model.ExpectedMapping, got: MappedTerm, context: SessionContext) -> Events:
    if expected.type is not None and expected.type != got.kind:
        yield Mismatch(context.at(expected, "type"), expected.type, got.kind)
    if expected.targets is not None:
        targets = context.parse_order(expected, "targets", expected.targets)
        if _count_items(targets) != _count_items(got.targets):
            place = context.at(expected, "targets")
            yield Mismatch(place, _format_order(targets), _format_order(got.targets))


def _compare_order(expect: model.ExpectedTurn, texts: Sequence[str], turn: Turn, context: SessionContext) -> Events:
    """Every line that is expected must be there as often, and none else."""
    expected = context.parse_order(expect, "order", texts)
    remaining = _count_items(turn.order)
    for index, line_item in enumerate(expected):
        if remaining[_item_key(line_item)] < line_item.quantity:
            wanted = f"{_format_order([line_item])} in the order"
            yield Mismatch(context.at(expect, "order", index), wanted, _format_order(turn.order))
        remaining[_item_key(line_item)] -= line_item.quantity
    if any(remaining.values()) and all(count >= 0 for count in remaining.values()):
        wanted = "nothing in the order but what is named" if expected else "an empty order"
        yield Mismatch(context.at(expect, "order"), wanted, _format_order(turn.order))


def _count_items(order: Sequence[OrderLineItem]) -> Counter[tuple[object, ...]]:
    counts: Counter[tuple[object, ...]] = Counter()
    for line_item in order:
        counts[_item_key(line_item)] += line_item.quantity
    return counts


def _item_key(line_item: OrderLineItem) -> tuple[object, ...]:
    modifiers = sorted((modifier.name, modifier.group) for modifier in line_item.modifiers)
    return (line_item.item.name, line_item.item.id, *modifiers)


MAX_TEXT = 60
"""The characters of a text of the agent that are shown."""


def format_turn(turn: Turn, language: str | None = None) -> str:
    """What happened in a turn, in a line of the trace; the `language` of the turn before goes without saying."""
    head = f'turn {turn.number} "{_shorten(turn.customer)}"' if turn.number else "welcome"
    language_text = f" in {turn.language}" if turn.language and turn.language != language else ""
    events = [f"heard {_format_mapped_term(term)}" for term in turn.mapped_terms]
    if turn.utterances or not turn.number:
        events.append(f"said {_format_all(turn.utterances)}")
    offers = [_format_offer(offer) for offer in turn.offers if offer.kind != "suggestion"]
    events.append(f"offered {', '.join(offers) or 'nothing'}")
    if suggestions := [_format_offer(offer) for offer in turn.offers if offer.kind == "suggestion"]:
        events.append(f"showed {', '.join(suggestions)}")
    names_by_code: dict[str, list[str]] = {}
    for skipped in turn.skipped:
        names_by_code.setdefault(skipped.code, []).append(f'"{upsell_name(skipped.upsell)}"')
    if reasons := [f"{', '.join(names)} ({code})" for code, names in names_by_code.items()]:
        events.append(f"skipped {'; '.join(reasons)}")
    if turn.number:
        events.append(f"order: {_format_order(turn.order)}")
    return f"{head}{language_text}: {'; '.join(events)}"


def _format_offer(offer: Offer) -> str:
    modifiers = f" with {', '.join(offer.modifiers)}" if offer.modifiers else ""
    return f'"{upsell_name(offer.upsell)}" ({", ".join(offer.items)}{modifiers})'


def _format_all(utterances: Sequence[Utterance]) -> str:
    return ", ".join(map(_format_utterance, utterances)) or "nothing"


def _format_utterance(utterance: Utterance) -> str:
    return f'"{_shorten(utterance.text)}" ({", ".join(part for part in (utterance.kind, utterance.language) if part)})'


def _format_mapped_term(term: MappedTerm) -> str:
    return f'"{term.term}" as {term.kind} of {" / ".join(map(_format_line_item, term.targets))}'


def _format_order(order: Sequence[OrderLineItem]) -> str:
    return ", ".join(map(_format_line_item, order)) or "nothing"


def _format_line_item(line_item: OrderLineItem) -> str:
    modifiers = f" with {', '.join(modifier.name for modifier in line_item.modifiers)}" if line_item.modifiers else ""
    return f"{f'{line_item.quantity} ' if line_item.quantity != 1 else ''}{line_item.item.name}{modifiers}"


def _format_condition(condition: EvaluatedCondition) -> str:
    """What a condition came to, and the parts that this rests on, each with the scalars that it compares."""
    if condition.error is not None:
        return f"it fails: {condition.error}"
    cel, parts = condition.upsell.celUpsell, condition.parts
    texts, scalars = [], [part for part in parts if isinstance(part.value, (str, int, float, datetime))]
    for operand in deciding_operands((cel and cel.conditionExpression) or "", parts):
        inner = [part for part in scalars if _is_in(part, operand)]
        outermost = [part for part in inner if not any(_is_in(part, other) for other in inner)]
        values = ", ".join(f"{collapse_spaces(part.text)} is {format_value(part.value)}" for part in outermost)
        result = "fails" if operand.error is not None else f"is {format_value(operand.value)}"
        texts.append(f"{_shorten(operand.text)} {result}{f' ({values})' if values else ''}")
    return "; ".join(texts) or format_value(condition.value)


def _is_in(inner: Subexpression, outer: Subexpression) -> bool:
    return inner is not outer and outer.start <= inner.start and inner.end <= outer.end


def deciding_operands(text: str, parts: Sequence[Subexpression]) -> Iterator[Subexpression]:
    """The parts without `&&`, `||`, `!` and `? :` that a condition's value rests on, in the order of the text."""
    by_span = {(part.start, part.end): part for part in parts}

    def deciding(node: Node) -> Iterator[Subexpression]:
        if part := by_span.get((node.start, node.end)):
            children = list(_deciding_children(node, part, by_span))
            for child in children:
                yield from deciding(child)
            yield from () if children else (part,)

    tree = parse(text).tree
    yield from deciding(tree) if tree is not None else ()


def _deciding_children(
    node: Node, part: Subexpression, by_span: Mapping[tuple[int, int], Subexpression]
) -> Iterator[Node]:
    """The operands that the value of a part rests on; none where the part is a leaf."""
    values = [operand and operand.value for operand in (by_span.get((one.start, one.end)) for one in node.children)]
    if node.kind == "conditional":
        yield node.children[0]
        if isinstance(values[0], bool):
            yield node.children[1 if values[0] else 2]
    elif node.kind == "operator" and node.name in ("&&", "||"):
        decisive = node.name == "||"
        is_decided = part.error is None and part.value is decisive
        yield from (
            child for child, value in zip(node.children, values, strict=True) if not is_decided or value is decisive
        )
    elif node.kind == "operator" and node.name == "!":
        yield from node.children


def _shorten(text: str) -> str:
    return shorten(collapse_spaces(text), MAX_TEXT)
