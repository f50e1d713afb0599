"""A session as programs read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.report.format_value import z_form
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Condition, Mapped, Offered, PassedOver, Said, Turn
    from trialrun.values.cel import Part


def session_object(store: str, session: Session, turns: Iterable[Turn]) -> dict[str, Any]:
    """A session from its welcome on."""
    return {
        "version": 1,
        "store": store,
        "seed": session.seed,
        "at": z_form(session.begin),
        "instructions": [{"text": one.text, "from": origin_object(one.origin)} for one in session.instructions],
        "tools": [
            {"name": one.name, "description": one.description, "from": origin_object(one.origin)}
            for one in session.tools
        ],
        "unheard": [
            {"term": one.term, "reason": one.reason, "from": origin_object(one.origin)} for one in session.unheard
        ],
        "turns": [turn_object(one) for one in turns],
    }


def turn_object(turn: Turn) -> dict[str, Any]:
    """A turn; 0 is the welcome."""
    return {
        "turn": turn.number,
        "customer": turn.customer,
        "language": turn.language,
        "said": [_said(one) for one in turn.said],
        "offered": [_offered(one) for one in turn.offered],
        "passed_over": [_passed_over(one) for one in turn.passed_over],
        "conditions": [_condition(one) for one in turn.conditions],
        "mapped": [_mapped(one) for one in turn.mapped],
        "order": [_ordered(one) for one in turn.order],
        "finished": turn.finished,
        "silence": turn.silence,
    }


def _said(one: Said) -> dict[str, Any]:
    return {"text": one.text, "kind": one.kind, "language": one.language, "from": origin_object(one.origin)}


def _offered(one: Offered) -> dict[str, Any]:
    return {
        "upsell": called(one.upsell),
        "kind": one.kind,
        "message": one.said.text if one.said else None,
        "message_name": one.message,
        "items": list(one.items),
        "modifiers": list(one.modifiers),
        "reason": one.reason,
        "from": origin_object(one.origin),
    }


def _passed_over(one: PassedOver) -> dict[str, Any]:
    return {
        "upsell": called(one.upsell),
        "reason": one.reason.text,
        "code": one.reason.code,
        "further": [{"reason": further.text, "code": further.code} for further in one.further],
        "from": origin_object(one.origin),
    }


def _condition(one: Condition) -> dict[str, Any]:
    return {
        "upsell": called(one.upsell),
        "value": one.value,
        **({} if one.error is None else {"error": one.error}),
        "from": origin_object(one.origin),
        "parts": [_part(part) for part in one.parts],
    }


def _part(part: Part) -> dict[str, Any]:
    error = {} if part.error is None else {"error": part.error}
    return {"text": part.text, "value": plain(part.value), **error, "start": part.start, "end": part.end}


def _mapped(one: Mapped) -> dict[str, Any]:
    return {
        "term": one.term,
        "heard": one.heard,
        "kind": one.kind,
        "targets": [_ordered(target) for target in one.targets],
        "instruction": one.instruction,
        "from": origin_object(one.origin),
    }


def _ordered(one: Ordered) -> dict[str, Any]:
    return {
        "item": one.item.name,
        "id": one.item.id or None,
        "quantity": one.quantity,
        "modifiers": [
            {"modifier": each.name, "id": each.id or None, "group": each.group or None} for each in one.modifiers
        ],
        "price": one.item.price,
    }


def plain(value: Any) -> Any:
    """A value of the state as JSON has it."""
    match value:
        case datetime():
            return z_form(value)
        case timedelta():
            return f"{value.total_seconds():.15g}s"
        case bytes():
            from base64 import b64encode

            return b64encode(value).decode("ascii")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        case Mapping():
            return {str(key): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
    return value
