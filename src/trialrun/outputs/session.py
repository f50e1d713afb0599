"""JSON output of `session`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.report.format_value import format_rfc3339
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import (
        EvaluatedCondition,
        MappedTerm,
        Offer,
        SkippedUpsell,
        Turn,
        Utterance,
    )
    from trialrun.values.cel import Subexpression


def session_object(store: str, session: Session, turns: Iterable[Turn]) -> dict[str, Any]:
    """A session from its welcome on."""
    return {
        "version": 1,
        "store": store,
        "seed": session.seed,
        "at": format_rfc3339(session.begin),
        "instructions": [
            {"text": instruction.text, "from": origin_object(instruction.origin)}
            for instruction in session.instructions
        ],
        "tools": [
            {"name": tool.name, "description": tool.description, "from": origin_object(tool.origin)}
            for tool in session.tools
        ],
        "unheard": [
            {"term": term.term, "reason": term.reason, "from": origin_object(term.origin)}
            for term in session.unreachable_terms
        ],
        "turns": [turn_object(turn) for turn in turns],
    }


def turn_object(turn: Turn) -> dict[str, Any]:
    """A turn; 0 is the welcome."""
    return {
        "turn": turn.number,
        "customer": turn.customer,
        "language": turn.language,
        "said": [_utterance_json(utterance) for utterance in turn.utterances],
        "offered": [_offered(offer) for offer in turn.offers],
        "passed_over": [_passed_over(skipped) for skipped in turn.skipped],
        "conditions": [_condition(condition) for condition in turn.conditions],
        "mapped": [_mapped(term) for term in turn.mapped_terms],
        "order": [_ordered(line_item) for line_item in turn.order],
        "finished": turn.finished,
        "silence": turn.silence,
    }


def _utterance_json(utterance: Utterance) -> dict[str, Any]:
    return {
        "text": utterance.text,
        "kind": utterance.kind,
        "language": utterance.language,
        "from": origin_object(utterance.origin),
    }


def _offered(offer: Offer) -> dict[str, Any]:
    return {
        "upsell": upsell_name(offer.upsell),
        "kind": offer.kind,
        "message": offer.utterance.text if offer.utterance else None,
        "message_name": offer.message,
        "items": list(offer.items),
        "modifiers": list(offer.modifiers),
        "reason": offer.reason,
        "from": origin_object(offer.origin),
    }


def _passed_over(skipped: SkippedUpsell) -> dict[str, Any]:
    return {
        "upsell": upsell_name(skipped.upsell),
        "reason": skipped.reason.text,
        "code": skipped.reason.code,
        "further": [{"reason": further.text, "code": further.code} for further in skipped.further],
        "from": origin_object(skipped.origin),
    }


def _condition(condition: EvaluatedCondition) -> dict[str, Any]:
    return {
        "upsell": upsell_name(condition.upsell),
        "value": condition.value,
        **({} if condition.error is None else {"error": condition.error}),
        "from": origin_object(condition.origin),
        "parts": [_part(part) for part in condition.parts],
    }


def _part(part: Subexpression) -> dict[str, Any]:
    error = {} if part.error is None else {"error": part.error}
    return {"text": part.text, "value": json_state(part.value), **error, "start": part.start, "end": part.end}


def _mapped(term: MappedTerm) -> dict[str, Any]:
    return {
        "term": term.term,
        "heard": term.heard,
        "kind": term.kind,
        "targets": [_ordered(target) for target in term.targets],
        "instruction": term.instruction,
        "from": origin_object(term.origin),
    }


def _ordered(line_item: OrderLineItem) -> dict[str, Any]:
    return {
        "item": line_item.item.name,
        "id": line_item.item.id or None,
        "quantity": line_item.quantity,
        "modifiers": [
            {"modifier": modifier.name, "id": modifier.id or None, "group": modifier.group or None}
            for modifier in line_item.modifiers
        ],
        "price": line_item.item.price,
    }


def json_state(value: Any) -> Any:
    """A value of the state as JSON has it."""
    match value:
        case datetime():
            return format_rfc3339(value)
        case timedelta():
            return f"{value.total_seconds():.15g}s"
        case bytes():
            from base64 import b64encode

            return b64encode(value).decode("ascii")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        case Mapping():
            return {str(key): json_state(item) for key, item in value.items()}
        case list() | tuple():
            return [json_state(item) for item in value]
    return value
