"""Formats turns for the trace and for unmet expectations, conditions with the operands that decide them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.format import format_value
from trialrun.values.cel.parse import parse

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.turn import (
        EvaluatedCondition,
        MappedTerm,
        Offer,
        SkippedUpsell,
        Turn,
        Utterance,
    )
    from trialrun.values.cel import Node, Subexpression


Values = Mapping[tuple[int, int], "Subexpression"]


def deciding_operands(text: str, parts: Sequence[Subexpression]) -> Iterator[Subexpression]:
    """The parts without `&&`, `||`, `!` and `? :` that a condition's value rests on, in the order of the text."""
    tree = parse(text).tree
    if tree is not None:
        yield from _deciding_operands(tree, {(part.start, part.end): part for part in parts})


def _deciding_operands(node: Node, values: Values) -> Iterator[Subexpression]:
    part = values.get((node.start, node.end))
    if part is None:
        return
    children = list(_deciding_children(node, part, values))
    for child in children:
        yield from _deciding_operands(child, values)
    if not children:
        yield part


def _deciding_children(node: Node, part: Subexpression, values: Values) -> Iterator[Node]:
    """The operands that the value of a part rests on; none where the part is a leaf."""
    if node.kind == "conditional":
        test, yes, no = node.children
        test_value = values.get((test.start, test.end))
        yield test
        if test_value is not None and isinstance(test_value.value, bool):
            yield yes if test_value.value else no
    elif node.kind == "operator" and node.name in ("&&", "||"):
        deciding_value = node.name == "||"
        deciding = [child for child in node.children if _value(child, values) is deciding_value]
        yield from deciding if part.error is None and part.value is deciding_value else node.children
    elif node.kind == "operator" and node.name == "!":
        yield from node.children


def _value(node: Node, values: Values) -> object:
    part = values.get((node.start, node.end))
    return None if part is None else part.value


MAX_TEXT = 60
"""The characters of a text of the agent that are shown."""


def format_turn(turn: Turn, language: str | None = None) -> str:
    """What happened in a turn, in a line of the trace; the `language` of the turn before goes without saying."""
    head = f'turn {turn.number} "{_shorten(turn.customer)}"' if turn.number else "welcome"
    language_text = f" in {turn.language}" if turn.language and turn.language != language else ""
    events = [
        *_turn_utterances(turn),
        *_turn_offers(turn),
        *([f"order: {format_order(turn.order)}"] if turn.number else []),
    ]
    return f"{head}{language_text}: {'; '.join(events)}"


def _turn_utterances(turn: Turn) -> Iterator[str]:
    for term in turn.mapped_terms:
        yield f"heard {format_mapped_term(term)}"
    if turn.utterances:
        yield f"said {', '.join(map(format_utterance, turn.utterances))}"
    elif not turn.number:
        yield "said nothing"


def _turn_offers(turn: Turn) -> Iterator[str]:
    offers = [offer for offer in turn.offers if offer.kind != "suggestion"]
    suggestions = [offer for offer in turn.offers if offer.kind == "suggestion"]
    yield f"offered {', '.join(map(format_offer, offers))}" if offers else "offered nothing"
    if suggestions:
        yield f"showed {', '.join(map(format_offer, suggestions))}"
    if turn.skipped:
        yield f"skipped {_by_reason(turn.skipped)}"


def _by_reason(skipped: Sequence[SkippedUpsell]) -> str:
    by_code: dict[str, list[str]] = {}
    for upsell in skipped:
        by_code.setdefault(upsell.reason.code, []).append(f'"{upsell_name(upsell.upsell)}"')
    return "; ".join(f"{', '.join(names)} ({code})" for code, names in by_code.items())


def format_offer(offer: Offer) -> str:
    """An upsell that is made, with its items and modifiers."""
    modifiers = f" with {', '.join(offer.modifiers)}" if offer.modifiers else ""
    return f'"{upsell_name(offer.upsell)}" ({", ".join(offer.items)}{modifiers})'


def format_utterance(utterance: Utterance) -> str:
    """A text that is said, with its sort and its language."""
    return f'"{_shorten(utterance.text)}" ({", ".join(part for part in (utterance.kind, utterance.language) if part)})'


def format_mapped_term(term: MappedTerm) -> str:
    """A customer term that was heard, and what it means."""
    return f'"{term.term}" as {term.kind} of {" / ".join(map(format_line_item, term.targets))}'


def format_order(order: Sequence[OrderLineItem]) -> str:
    """The lines of an order."""
    return ", ".join(map(format_line_item, order)) or "nothing"


def format_line_item(line_item: OrderLineItem) -> str:
    """A line of an order, as a script writes it."""
    modifiers = f" with {', '.join(modifier.name for modifier in line_item.modifiers)}" if line_item.modifiers else ""
    return f"{f'{line_item.quantity} ' if line_item.quantity != 1 else ''}{line_item.item.name}{modifiers}"


def format_condition(condition: EvaluatedCondition) -> str:
    """What a condition came to, and the parts that this rests on."""
    if condition.error is not None:
        return f"it fails: {condition.error}"
    text = (condition.upsell.celUpsell.conditionExpression if condition.upsell.celUpsell else None) or ""
    return "; ".join(_operand_texts(text, condition.parts)) or format_value(condition.value)


def _operand_texts(text: str, parts: Sequence[Subexpression]) -> Iterator[str]:
    """The parts that a condition's value rests on, each with the scalars that it compares."""
    for operand in deciding_operands(text, parts):
        inner = [
            part for part in parts if _is_in(part, operand) and isinstance(part.value, (str, int, float, datetime))
        ]
        outermost = [part for part in inner if not any(_is_in(part, subexpression) for subexpression in inner)]
        values = ", ".join(f"{collapse_spaces(part.text)} is {format_value(part.value)}" for part in outermost)
        result = "fails" if operand.error is not None else f"is {format_value(operand.value)}"
        yield f"{_shorten(operand.text)} {result}{f' ({values})' if values else ''}"


def _is_in(inner: Subexpression, outer: Subexpression) -> bool:
    return inner is not outer and outer.start <= inner.start and inner.end <= outer.end


def collapse_spaces(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def _shorten(text: str) -> str:
    line = collapse_spaces(text)
    return line if len(line) <= MAX_TEXT else f"{line[: MAX_TEXT - 1]}…"
