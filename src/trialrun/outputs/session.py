"""What `session` prints as JSON."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import DocumentError, Moment, Sourced, origin_object
from trialrun.report.format_value import format_rfc3339
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session import turn as played
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.values.cel import Subexpression


class RefusedStore(TypedDict):
    """A store whose session cannot be simulated; the exit code is 1."""

    version: Literal[1]
    store: str
    errors: list[DocumentError]


class Instruction(Sourced):
    """An instruction of the agent."""

    text: str


class Tool(Sourced):
    """A tool of the agent."""

    name: str
    description: str


class UnheardTerm(Sourced):
    """A customer term that is never recognized."""

    term: str
    reason: str


class Said(Sourced):
    """A text of the agent."""

    text: str
    kind: str
    language: str | None


class OrderedModifier(TypedDict):
    """A modifier of an item."""

    modifier: str
    id: str | None
    group: str | None


class OrderedItem(TypedDict):
    """An item with its modifiers."""

    item: str
    id: str | None
    quantity: int
    modifiers: list[OrderedModifier]
    price: Annotated[float | None, Field(description="unit price in the currency of the menu")]


class Offered(Sourced):
    """An upsell that is offered."""

    upsell: str
    kind: Literal["greeting-offer", "upsell", "closing-offer", "suggestion"]
    message: Annotated[str | None, Field(description="the text; null if the conversational model words it")]
    message_name: str | None
    items: list[str]
    modifiers: list[str]
    reason: str


class Reason(TypedDict):
    """A further reason."""

    reason: str
    code: str


class PassedOver(Sourced):
    """An upsell that is not offered, and why."""

    upsell: str
    reason: str
    code: Annotated[str, Field(description="see the table of codes in trialrun docs session")]
    further: list[Reason]


class ConditionPart(TypedDict):
    """A part of a condition."""

    text: str
    value: Any
    error: NotRequired[str]
    start: Annotated[int, Field(ge=0, description="in characters from the start of the condition")]
    end: Annotated[int, Field(ge=0, description="exclusive")]


class Condition(Sourced):
    """The condition of an upsell in a turn."""

    upsell: str
    value: Annotated[bool | None, Field(description="null if the evaluation fails")]
    error: NotRequired[str]
    parts: list[ConditionPart]


class MappedTerm(Sourced):
    """A customer term that was recognized."""

    term: str
    heard: str
    kind: Literal["SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"]
    targets: list[OrderedItem]
    instruction: str | None


class Turn(TypedDict):
    """A turn of a session."""

    turn: Annotated[int, Field(ge=0, description="0 is the welcome")]
    customer: str | None
    language: str | None
    said: list[Said]
    offered: list[Offered]
    passed_over: list[PassedOver]
    conditions: list[Condition]
    mapped: list[MappedTerm]
    order: Annotated[list[OrderedItem], Field(description="after the turn")]
    finished: bool
    silence: Annotated[str | None, Field(description="why there is no greeting")]


class PlayedSession(TypedDict):
    """`trialrun session STORE --output-format json`."""

    version: Literal[1]
    store: str
    seed: int
    at: Moment
    instructions: list[Instruction]
    tools: list[Tool]
    unheard: list[UnheardTerm]
    turns: list[Turn]


SessionOutput = PlayedSession | RefusedStore


def session_object(store: str, session: Session, turns: Iterable[played.Turn]) -> dict[str, Any]:
    """A session from its welcome on."""
    return {
        "version": 1,
        "store": store,
        "seed": session.seed,
        "at": format_rfc3339(session.begin),
        "instructions": [{"text": one.text, "from": origin_object(one.origin)} for one in session.instructions],
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


def turn_object(turn: played.Turn) -> dict[str, Any]:
    """A turn; 0 is the welcome."""
    return {
        "turn": turn.number,
        "customer": turn.customer,
        "language": turn.language,
        "said": [
            {"text": said.text, "kind": said.kind, "language": said.language, "from": origin_object(said.origin)}
            for said in turn.utterances
        ],
        "offered": [_offered(offer) for offer in turn.offers],
        "passed_over": [_passed_over(skipped) for skipped in turn.skipped],
        "conditions": [_condition(condition) for condition in turn.conditions],
        "mapped": [
            {
                "term": term.term,
                "heard": term.heard,
                "kind": term.kind,
                "targets": [_ordered(target) for target in term.targets],
                "instruction": term.instruction,
                "from": origin_object(term.origin),
            }
            for term in turn.mapped_terms
        ],
        "order": [_ordered(line_item) for line_item in turn.order],
        "finished": turn.finished,
        "silence": turn.silence,
    }


def _offered(offer: played.Offer) -> dict[str, Any]:
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


def _passed_over(skipped: played.SkippedUpsell) -> dict[str, Any]:
    return {
        "upsell": upsell_name(skipped.upsell),
        "reason": skipped.reason.text,
        "code": skipped.reason.code,
        "further": [{"reason": further.text, "code": further.code} for further in skipped.further],
        "from": origin_object(skipped.origin),
    }


def _condition(condition: played.EvaluatedCondition) -> dict[str, Any]:
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
            return b64encode(value).decode("ascii")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        case Mapping():
            return {str(key): json_state(item) for key, item in value.items()}
        case list() | tuple():
            return [json_state(item) for item in value]
    return value
